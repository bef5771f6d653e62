import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createKey, writeArchive } from './archive.ts'
import { createSigningKey } from './signature.ts'

const folder = mkdtempSync(join(tmpdir(), 'windlass-full-'))
const canMount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0
if (!canMount) console.log('skipped: root alone can make a disk that is full')
afterAll(() => {
  if (canMount) execFileSync('umount', [folder])
  rmSync(folder, { recursive: true })
})

it.runIf(canMount)(
  'a disk that fills in the middle of a backup is named, and nothing is left on it',
  async () => {
    const { recipient } = await createKey()
    const random = async function* () {
      for (let part = 0; part < 64; part += 1) yield crypto.getRandomValues(Buffer.alloc(65_536))
    }
    const options = {
      partial: join(folder, 'partial'),
      subject: 'backup' as const,
      lock: { recipients: [recipient] },
      signingKey: createSigningKey(),
      signal: AbortSignal.timeout(60_000),
    }
    const made = writeArchive(options, async add => {
      await add('data/base/1', { size: 64 * 65_536, chunks: random() })
      return join(folder, 'backup')
    })
    await expect(made).rejects.toThrow(`The disk of ${folder} became full.`)
    expect(readdirSync(folder)).toEqual([])
  },
)
