import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { makePrivateFolder } from './private-folder.ts'

const home = mkdtempSync(join(tmpdir(), 'windlass-private-'))
const before = process.umask(0o022)
afterEach(() => {
  process.umask(before)
  rmSync(home, { recursive: true, force: true })
})
const modeOf = (folder: string) => statSync(folder).mode & 0o777

it('closes the folder and none above it', () => {
  const folder = join(home, 'cache', 'windlass', 'locks')
  makePrivateFolder(folder)
  makePrivateFolder(folder)
  expect(existsSync(folder)).toBe(true)
  expect(modeOf(folder)).toBe(0o700)
  expect([join(home, 'cache'), join(home, 'cache', 'windlass')].map(modeOf)).toEqual([0o755, 0o755])
})
