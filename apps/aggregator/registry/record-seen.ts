import type { SeenRow } from '../tables.ts'
import type { RegistryDeps } from './deps.ts'
import type { Entry } from './entry.ts'
import { updateSeen } from './queries.ts'
import { readSeen } from './seen.ts'

/** Records what a wallet saw of an anchor that differs from what it says. */
export async function recordSeen(
  { database, index }: Pick<RegistryDeps, 'database' | 'index'>,
  { id }: Pick<Entry, 'id'>,
  row: SeenRow,
  at: Date,
): Promise<void> {
  await updateSeen(database.db, id, row, at)
  const known = index.get(id)
  if (known) index.put({ ...known, seen: readSeen(row, at, known.spread?.deposit) })
}
