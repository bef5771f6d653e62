import { sql, type Kysely, type Transaction } from 'kysely'
import { randomUUID } from 'node:crypto'
import { loop } from '@windlass/service/work/loop.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Tables } from '../tables.ts'
import { isDue, recordChange } from './journal.ts'
import { LeaseLost } from './stage.ts'

/**
 * The right to write for one job. It is renewed while the process lives and ends by the database's clock when it does
 * not. A worker that wakes up later can write nothing.
 */
export interface Lease {
  jobId: string
  token: string
  /** Aborts when the lease is lost. */
  lost: AbortSignal
  fenced<T>(act: (tx: Transaction<Tables>) => Promise<T>): Promise<T>
  /** Ends the renewal and frees the job for other workers. */
  release(): Promise<void>
}

/** Milliseconds between reports to the platform while nothing else changes. */
const REPORT_MS = 5_000
const RENEWAL_STOP_MS = 1_000

/** Claims a job that is due and that no worker has; null where it is not. */
export async function claim(
  db: Kysely<Tables>,
  jobId: string,
  leaseSeconds: number,
  logger: Pick<FastifyBaseLogger, 'warn' | 'debug'>,
): Promise<Lease | null> {
  const token = randomUUID()
  const taken = await db
    .updateTable('jobs')
    .set({
      status: 'running',
      attempts: sql`greatest(attempts, 1)`,
      lease_token: token,
      lease_until: until(leaseSeconds),
      heartbeat_at: sql`clock_timestamp()`,
    })
    .where('id', '=', jobId)
    .where(isDue)
    .executeTakeFirst()
  return taken.numUpdatedRows === 1n ? hold(db, jobId, { token, leaseSeconds, logger }) : null
}

const until = (seconds: number) => sql<Date>`clock_timestamp() + ${seconds} * interval '1 second'`

interface Held {
  token: string
  leaseSeconds: number
  logger: Pick<FastifyBaseLogger, 'warn' | 'debug'>
}

function hold(db: Kysely<Tables>, jobId: string, { token, leaseSeconds, logger }: Held): Lease {
  const lost = new AbortController()
  let renewed = performance.now()
  let reported = performance.now()

  const renew = async (): Promise<void> => {
    const begun = performance.now()
    try {
      const result = await db
        .updateTable('jobs')
        .set({ lease_until: until(leaseSeconds), heartbeat_at: sql`clock_timestamp()` })
        .where('id', '=', jobId)
        .where('lease_token', '=', token)
        .where('lease_until', '>', sql<Date>`clock_timestamp()`)
        .executeTakeFirst()
      if (result.numUpdatedRows === 0n) return lost.abort(new LeaseLost())
      renewed = begun
      if (begun - reported > REPORT_MS) {
        reported = begun
        await fenced(tx => recordChange(tx, jobId))
      }
    } catch {
      if (performance.now() - renewed > leaseSeconds * 1_000) lost.abort(new LeaseLost())
    }
  }
  const renewal = loop({
    name: 'lease',
    logger,
    everyMs: (leaseSeconds * 1_000) / 4,
    startNow: false,
    stopWithinMs: RENEWAL_STOP_MS,
    act: renew,
  })

  const fenced: Lease['fenced'] = act =>
    db.transaction().execute(async tx => {
      const held = await tx
        .selectFrom('jobs')
        .select('id')
        .where('id', '=', jobId)
        .where('lease_token', '=', token)
        .where('lease_until', '>', sql<Date>`clock_timestamp()`)
        .forUpdate()
        .executeTakeFirst()
      if (!held) {
        lost.abort(new LeaseLost())
        throw new LeaseLost()
      }
      return act(tx)
    })

  return {
    jobId,
    token,
    lost: lost.signal,
    fenced,
    release: async () => {
      await renewal.stop()
      await db
        .updateTable('jobs')
        .set({ lease_token: null, lease_until: null })
        .where('id', '=', jobId)
        .where('lease_token', '=', token)
        .execute()
        .catch(() => undefined)
    },
  }
}
