import { claimDue } from '@windlass/service/work/claim-due.ts'
import { loop } from '@windlass/service/work/loop.ts'
import type { FastifyBaseLogger } from 'fastify'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { SHARDS } from './schedule.ts'

/** A lease that was not renewed for this long is free: a dead process' share is taken over within half a period. */
export const LEASE_MS = 6_000
const RENEW_EVERY_MS = 2_000

/**
 * The part of the polling that is this process' own. The processes alive share the shards evenly; the leases are rows
 * in the database and on its time. While the database is away the last share stays.
 */
interface Shards {
  owns(shard: number): boolean
  /** Grows with every change. */
  readonly revision: number
  /** Checks that the leases have not run out unnoticed, for instance because the process was suspended. */
  confirm(): Promise<void>
  stop(): Promise<void>
}

export async function holdShards(
  db: Kysely<Tables>,
  processId: string,
  logger: FastifyBaseLogger,
  onChange: (shards: readonly number[]) => void = () => undefined,
): Promise<Shards> {
  let owned = new Set<number>()
  let revision = 0
  let renewedAt = 0

  const renew = async (): Promise<void> => {
    const startedAt = performance.now()
    try {
      const now = await renewLeases(db, processId)
      if (now.size !== owned.size || [...now].some(shard => !owned.has(shard))) {
        owned = now
        revision += 1
        onChange([...owned])
        logger.info({ shards: now.size }, 'polling its share')
      }
      renewedAt = startedAt
    } catch (error) {
      logger.warn({ err: error }, 'leases of the polling could not be renewed')
    }
  }
  await renew()
  const renewing = loop({
    name: 'polling leases',
    act: renew,
    everyMs: RENEW_EVERY_MS,
    startNow: false,
    logger,
  })
  return {
    owns: shard => owned.has(shard),
    get revision() {
      return revision
    },
    confirm: async () => {
      if (performance.now() - renewedAt <= LEASE_MS) return
      renewing.wake()
      await renewing.idle()
    },
    stop: async () => {
      await renewing.stop()
      await release(db, processId).catch(() => undefined)
    },
  }
}

/** Renews what this process holds, gives up what is more than its share, claims what is free up to it. */
export async function renewLeases(db: Kysely<Tables>, processId: string): Promise<Set<number>> {
  const leaseSeconds = LEASE_MS / 1000
  const alive = await sql<{ processes: number }>`
    with here as (
      insert into polling_processes (id, seen_at) values (${processId}, clock_timestamp())
      on conflict (id) do update set seen_at = excluded.seen_at returning id
    )
    select (select count(*) from here)::int + count(*)::int as processes from polling_processes
    where id <> ${processId} and abs(extract(epoch from seen_at - clock_timestamp())) < ${leaseSeconds}`.execute(
    db,
  )
  const share = Math.ceil(SHARDS / Math.max(1, alive.rows[0]?.processes ?? 1))
  const held = await sql<{ shard: number }>`
    with mine as (
      select shard, row_number() over (order by shard) as place from polling_shards where owner = ${processId}
    )
    update polling_shards s
    set owner = case when m.place <= ${share} then ${processId} end,
        lease_until = case when m.place <= ${share} then clock_timestamp() + make_interval(secs => ${leaseSeconds})
          else '-infinity' end
    from mine m where s.shard = m.shard and s.owner = ${processId}
    returning case when s.owner = ${processId} then s.shard else -1 end as shard`.execute(db)
  const owned = new Set(held.rows.map(row => row.shard).filter(shard => shard >= 0))
  if (owned.size === share) return owned
  const claimed = await claimDue<{ shard: number }, Tables>(db, {
    table: 'polling_shards',
    key: 'shard',
    dueAt: 'lease_until',
    leaseSeconds,
    longestSeconds: 2 * leaseSeconds,
    limit: share - owned.size,
    set: sql`owner = ${processId}`,
  })
  return new Set([...owned, ...claimed.map(({ shard }) => shard)])
}

async function release(db: Kysely<Tables>, processId: string): Promise<void> {
  await db
    .updateTable('polling_shards')
    .set({ owner: null, lease_until: sql<Date>`'-infinity'` })
    .where('owner', '=', processId)
    .execute()
  await sql`delete from polling_processes
    where id = ${processId} or seen_at < clock_timestamp() - interval '1 day'`.execute(db)
}
