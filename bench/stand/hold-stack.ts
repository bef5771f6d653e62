import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runAlone } from './alone.ts'

/** A whole stack in a process of its own, for several benchmarks. `file` says where it is. */
export async function holdStack(interrupted: AbortSignal): Promise<{ file: string; end(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-held-'))
  const file = join(folder, 'stack.json')
  const over = new AbortController()
  const program = fileURLToPath(new URL('./held-stack.ts', import.meta.url))
  const held = runAlone(program, [file], {
    signal: AbortSignal.any([over.signal, interrupted]),
    output: 'stderr',
  })
  let ended = false
  void held.finally(() => (ended = true)).catch(() => undefined)
  while (!existsSync(file) && !ended) await sleep(100)
  const end = async (): Promise<void> => {
    over.abort()
    await held
    rmSync(folder, { recursive: true, force: true })
  }
  if (!ended) return { file, end }
  await end()
  throw new Error('the stack did not come up')
}
