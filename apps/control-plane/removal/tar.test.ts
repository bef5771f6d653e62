import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { readTar, tarOf, type Member } from './tar.ts'

const folder = mkdtempSync(join(tmpdir(), 'windlass-tar-'))
afterAll(() => rm(folder, { recursive: true }))

async function bytesOf(members: Member[]): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of tarOf(members, new Date(0))) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function read(bytes: Buffer, size: number): Promise<[string, string][]> {
  const found: [string, string][] = []
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  await readTar(pieces(), name => {
    const chunks: Buffer[] = []
    return {
      chunk: part => void chunks.push(Buffer.from(part)),
      end: () => found.push([name, Buffer.concat(chunks).toString()]),
    }
  })
  return found
}

const members = fc.array(
  fc.record({
    name: fc.stringMatching(/^[a-z/]{1,90}$/),
    text: fc.string({ maxLength: 2_000, unit: 'binary' }),
  }),
  { maxLength: 6 },
)

it('what is archived is read back, however the bytes arrive', async () => {
  await fc.assert(
    fc.asyncProperty(members, fc.integer({ min: 1, max: 1_500 }), async (given, size) => {
      const found = await read(await bytesOf(given), size)
      expect(found).toEqual(given.map(({ name, text }) => [name, Buffer.from(text).toString()]))
    }),
    { numRuns: 40 },
  )
})

it('an archive that is cut anywhere, or whose head is damaged, is refused', async () => {
  const bytes = await bytesOf([{ name: 'a', text: 'x'.repeat(700) }])
  for (const length of [0, 100, 512, 900, 1_400, 1_535, bytes.length - 1_024]) {
    await expect(read(bytes.subarray(0, length), 512)).rejects.toThrow(/cut off|Unexpected end/)
  }
  const damaged = Buffer.from(bytes).fill(0x39, 124, 130)
  await expect(read(damaged, 512)).rejects.toThrow('Invalid tar header')
})

it('any tar unpacks it', async () => {
  const path = join(folder, 'one.tar')
  await writeFile(join(folder, 'file'), 'from a file')
  const both: Member[] = [
    { name: 'data/a.txt', text: 'äöü' },
    { name: 'b', path: join(folder, 'file') },
  ]
  await writeFile(path, await bytesOf(both))
  await promisify(execFile)('tar', ['-xf', path, '-C', folder])
  expect(await readFile(join(folder, 'data/a.txt'), 'utf8')).toBe('äöü')
  expect(await readFile(join(folder, 'b'), 'utf8')).toBe('from a file')
})
