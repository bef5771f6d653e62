import type { ServerSpec } from '@windlass/runtimes/runtime.ts'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Deps } from '../deps.ts'

/**
 * What identifies the migrations that a business server's program brings: its image's content, or the SQL files of its
 * bundle. Null where neither is known, such as for a program that runs from its sources.
 */
export async function identifyMigrations(
  { config, runtime }: Pick<Deps, 'config' | 'runtime'>,
  { from }: Pick<ServerSpec, 'from'>,
): Promise<string | null> {
  if (runtime.kind !== 'processes') return runtime.imageId('business', from).catch(() => null)
  const program = from?.program ?? config.anchors.programs?.business
  return program === undefined ? null : hashFiles(join(dirname(program), 'files'))
}

/** At once: a hundred turns of a busy event loop take longer than all of it. */
function hashFiles(folder: string): string | null {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const files = names.filter(name => name.endsWith('.sql')).toSorted()
    if (files.length === 0) return null
    const hash = createHash('sha256')
    for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(folder, file)))
    return hash.digest('hex')
  } catch {
    return null
  }
}
