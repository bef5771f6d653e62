import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isAlive } from '@windlass/postgres/postmaster-file.ts'
import { runAlone } from './alone.ts'

const program = fileURLToPath(new URL('./testing/leaves-traces.ts', import.meta.url))

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'windlass-alone-'))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const traces = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as { pid: number; folders: string[] }

it.each([
  ['ends well', 'well', 0],
  ['ends by an error', 'badly', 1],
  ['is ended', 'never', null],
] as const)('a program that %s leaves neither processes nor folders', async (_, how, code) => {
  const file = join(folder, how)
  const interrupted = new AbortController()
  const running = runAlone(program, [how, file], { signal: interrupted.signal, patienceMs: 300 })
  await expect.poll(() => existsSync(file)).toBe(true)
  await expect.poll(() => traces(file)).toBeTruthy()
  if (how === 'never') interrupted.abort()
  const ended = await running
  const { pid, folders } = traces(file)
  expect(ended.code).toBe(code)
  expect(ended.left).toEqual([expect.stringContaining('setInterval')])
  expect(isAlive(pid)).toBe(false)
  expect(folders.map(existsSync)).toEqual([false, false])
})
