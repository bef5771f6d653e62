import { sql } from 'kysely'
import type { Deps } from './deps.ts'

/** Kinds of work that one control plane does at a time. */
const classes = { reconciling: 727_002, anchor: 727_004, change: 727_005, sleeping: 727_006 } as const

interface Key {
  of: keyof typeof classes
  /** Which one of its class; by default there is only one. */
  id?: string
}

/**
 * Runs `act` while no other control plane, and nothing else here, runs under the same key. Resolves to whether it ran;
 * with `wait` it waits for its turn and always runs.
 */
export async function alone(
  deps: Pick<Deps, 'database'>,
  { of, id = '' }: Key,
  act: () => Promise<void>,
  { wait = false } = {},
): Promise<boolean> {
  const key = sql`${classes[of]}::int, hashtext(${id})`
  return deps.database.db.connection().execute(async connection => {
    const locked = wait
      ? sql<{ held: boolean }>`select true as held from pg_advisory_lock(${key})`
      : sql<{ held: boolean }>`select pg_try_advisory_lock(${key}) as held`
    const { rows } = await locked.execute(connection)
    if (!rows[0]?.held) return false
    try {
      await act()
    } finally {
      await sql`select pg_advisory_unlock(${key})`.execute(connection)
    }
    return true
  })
}
