import type { RegistryDeps } from './deps.ts'
import { describe } from './entry.ts'
import { allAnchors, anchorsById } from './queries.ts'

type LoadDeps = Pick<RegistryDeps, 'database' | 'index' | 'config'>

/** Reads the whole registry into memory; removes what is gone. */
export async function reloadRegistry({ database, index, config }: LoadDeps): Promise<void> {
  const rows = await allAnchors(database.db)
  const present = new Set(rows.map(row => row.id))
  for (const { id } of [...index.entries()]) if (!present.has(id)) index.remove(id)
  for (const row of rows) index.put(describe(row, config.sealer))
}

/** Reads some anchors again; removes those that are gone. */
export async function reloadEntries(
  { database, index, config }: LoadDeps,
  ids: readonly string[],
): Promise<void> {
  const rows = await anchorsById(database.db, ids)
  const present = new Set(rows.map(row => row.id))
  for (const id of ids) if (!present.has(id)) index.remove(id)
  for (const row of rows) index.put(describe(row, config.sealer))
}
