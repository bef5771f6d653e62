import { mkdtempSync } from 'node:fs'
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { writeFileWhole } from './write-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'windlass-files-'))
afterAll(() => rm(folder, { recursive: true }))

it('a file is written for its owner alone, in folders that are made for it', async () => {
  const path = join(folder, 'secrets', 'key')
  expect(await writeFileWhole(path, 'one', 0o600)).toBe(true)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await stat(join(folder, 'secrets'))).mode & 0o777).toBe(0o700)
  expect(await writeFileWhole(path, 'one', 0o600)).toBe(false)
  expect(await writeFileWhole(path, 'two', 0o600)).toBe(true)
  expect(await readFile(path, 'utf8')).toBe('two')
})

it('a write that fails leaves the old file as it was and nothing beside it', async () => {
  const path = join(folder, 'config')
  await writeFile(path, 'old')
  await chmod(path, 0o600)
  // The device is full: what a write to it answers is ENOSPC.
  await expect(writeFileWhole('/dev/full/impossible', 'new', 0o600)).rejects.toThrow()
  const many = 'x'.repeat(1024)
  await expect(writeFileWhole(join(path, 'below-a-file'), many, 0o600)).rejects.toThrow()
  expect(await readFile(path, 'utf8')).toBe('old')
  expect((await readdir(folder)).filter(name => name.includes('unfinished'))).toEqual([])
})
