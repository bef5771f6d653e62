import type { Pool } from 'pg'
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
 * with `wait` it waits for its turn and always runs. Another may run as soon as the connection that holds the lock is
 * lost, such as when Postgres moves to another machine: `lost` aborts then, and this rejects once `act` has ended.
 */
export async function alone(
  deps: { database: Pick<Deps['database'], 'pool'> },
  { of, id = '' }: Key,
  act: (lost: AbortSignal) => Promise<void>,
  { wait = false } = {},
): Promise<boolean> {
  const client = await deps.database.pool.connect()
  const lost = new AbortController()
  const lose = (error: Error) => lost.abort(error)
  client.on('error', lose)
  const query = (lock: string) =>
    client.query<{ held: unknown }>(`select held from ${lock}($1::int, hashtext($2)) as held`, [
      classes[of],
      id,
    ])
  try {
    if (wait) await untilHeld(deps.database.pool, () => query('pg_advisory_lock'))
    else if ((await query('pg_try_advisory_lock')).rows[0]?.held === false) return false
    try {
      await act(lost.signal)
    } finally {
      if (!lost.signal.aborted) await query('pg_advisory_unlock')
    }
    lost.signal.throwIfAborted()
    return true
  } finally {
    client.off('error', lose)
    client.release(lost.signal.aborted)
  }
}

/** The pool ends each statement after a while, also one that waits for others to finish. */
async function untilHeld(pool: Pool, lock: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      return void (await lock())
    } catch (error) {
      if (!isStatementTimeout(error) || pool.ending) throw error
    }
  }
}

const isStatementTimeout = (error: unknown): boolean => (error as { code?: unknown }).code === '57014'
