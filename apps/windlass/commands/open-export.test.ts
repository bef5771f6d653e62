import { generateBoxKeys, sealFor } from '@windlass/service/seals/sealed-box.ts'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Command } from '../command.ts'
import { exportKey } from './export-key.ts'
import { openExport } from './open-export.ts'

let folder = ''
let said: string[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'opened-'))
  said = []
})
afterEach(() => rmSync(folder, { recursive: true }))
const at = (name: string) => join(folder, name)
const run = (command: Command, ...args: string[]) =>
  command.run({ args, progress: { plain: (line: string) => said.push(line) } } as never)

async function archive(name: string, members: Record<string, string>): Promise<string> {
  const made = pack()
  for (const [member, text] of Object.entries(members)) made.entry({ name: member }, text)
  made.finalize()
  writeFileSync(at(name), gzipSync(await buffer(made)))
  return at(name)
}
const TABLE = { file: 'data/business/notes.ndjson', text: '{"id":"1"}\n' }
const manifestOf = (text: string) =>
  JSON.stringify({ tables: [{ file: TABLE.file, sha256: createHash('sha256').update(text).digest('hex') }] })

it('a key is written once, for its owner alone, and opens what was sealed for its public part', async () => {
  expect(await run(exportKey, at('my.key'))).toBe(0)
  expect([said.length, statSync(at('my.key')).mode & 0o777]).toEqual([1, 0o600])
  await expect(run(exportKey, at('my.key'))).rejects.toThrow('EEXIST')
  const keys = sealFor(said[0] ?? '', JSON.stringify({ business: null, sep: null }))
  const members = { 'manifest.json': manifestOf(TABLE.text), [TABLE.file]: TABLE.text, 'keys.sealed': keys }
  const made = await archive('whole.tar.gz', members)
  expect(await run(openExport, made, at('my.key'), at('out'))).toBe(0)
  expect(readFileSync(join(at('out'), TABLE.file), 'utf8')).toBe(TABLE.text)
  writeFileSync(at('other.key'), generateBoxKeys().privateKey)
  await expect(run(openExport, made, at('other.key'), at('out-2'))).rejects.toThrow()
})

it('an export that was changed, has files outside, or has no keys is not opened', async () => {
  await run(exportKey, at('my.key'))
  const changed = { 'manifest.json': manifestOf(TABLE.text), [TABLE.file]: '{"id":"2"}\n' }
  expect(await run(openExport, await archive('a.tar.gz', changed), at('my.key'), at('a'))).toBe(1)
  expect(said.at(-1)).toContain(TABLE.file)
  const outside = { '../outside': 'x', 'manifest.json': '{"tables":[]}' }
  await expect(run(openExport, await archive('b.tar.gz', outside), at('my.key'), at('b'))).rejects.toThrow(
    'outside',
  )
  const closed = { 'manifest.json': '{"tables":[]}' }
  expect(await run(openExport, await archive('c.tar.gz', closed), at('my.key'), at('c'))).toBe(1)
  expect(said.at(-1)).toContain('no export key')
})
