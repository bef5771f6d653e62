import type { FastifyBaseLogger } from 'fastify'
import { loop } from '@windlass/service/loop.ts'
import type pg from 'pg'
import { SHARDS } from './schedule.ts'

/** A lease that was not renewed for this long is free: a dead process' share is taken over within half a period. */
export const LEASE_MS = 6_000
const RENEW_EVERY_MS = 2_000

/**
 * The part of the polling that is this process' own. The processes alive share the shards evenly; the leases are rows
 * in the database and on its time. While the database is away the last share stands.
 */
interface Shards {
  owns(shard: number): boolean
  /** Grows with every change. */
  readonly revision: number
  /** Makes sure that the leases have not run out unseen, say because the process was suspended. */
  confirm(): Promise<void>
  stop(): Promise<void>
}

export async function holdShards(
  pool: pg.Pool,
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
      const now = await renewLeases(pool, processId)
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
      await release(pool, processId).catch(() => undefined)
    },
  }
}

/** Renews what this process holds, gives up what is more than its share, takes what is free up to it. */
export async function renewLeases(pool: pg.Pool, processId: string): Promise<Set<number>> {
  const lease = LEASE_MS / 1000
  const { rows } = await pool.query<{ alive: number }>(
    `with here as (
       insert into polling_processes (id, seen_at) values ($1, clock_timestamp())
       on conflict (id) do update set seen_at = excluded.seen_at returning id
     )
     select (select count(*) from here)::int + count(*)::int as alive from polling_processes
     where id <> $1 and seen_at > clock_timestamp() - make_interval(secs => $2)`,
    [processId, lease],
  )
  const share = Math.ceil(SHARDS / Math.max(1, rows[0]?.alive ?? 1))
  const held = await pool.query<{ shard: number }>(
    `with mine as (
       select shard, row_number() over (order by shard) as place from polling_shards where owner = $1
     )
     update polling_shards s
     set owner = case when m.place <= $2 then $1 end,
         lease_until = case when m.place <= $2 then clock_timestamp() + make_interval(secs => $3) else '-infinity' end
     from mine m where s.shard = m.shard and s.owner = $1
     returning case when s.owner = $1 then s.shard else -1 end as shard`,
    [processId, share, lease],
  )
  const owned = new Set(held.rows.map(row => row.shard).filter(shard => shard >= 0))
  if (owned.size < share) {
    const taken = await pool.query<{ shard: number }>(
      `with free as (
         select shard from polling_shards where lease_until < clock_timestamp()
         order by shard limit $2 for update skip locked
       )
       update polling_shards s set owner = $1, lease_until = clock_timestamp() + make_interval(secs => $3)
       from free f where s.shard = f.shard returning s.shard`,
      [processId, share - owned.size, lease],
    )
    for (const { shard } of taken.rows) owned.add(shard)
  }
  return owned
}

async function release(pool: pg.Pool, processId: string): Promise<void> {
  await pool.query(`update polling_shards set owner = null, lease_until = '-infinity' where owner = $1`, [
    processId,
  ])
  await pool.query(
    `delete from polling_processes where id = $1 or seen_at < clock_timestamp() - interval '1 day'`,
    [processId],
  )
}
