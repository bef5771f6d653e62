import { CompiledQuery, sql, type Kysely, type RawBuilder } from 'kysely'
import type { Origin } from '../observe/current-request.ts'

/* The statements of the outbox: what is due, and what became of it. */

/** A message as it is stored. */
export interface OutboxRow {
  id: string
  topic: string
  key: string
  payload: unknown
  sealed: Buffer | null
  attempts: number
  lane: string | null
  origin: Origin | null
}

// A message taken but not finished (a crash) is due again after this long.
const LEASE = "interval '30 seconds'"
/** Surely in no delivery: one that is may have been sent, and would be sent twice. */
export const NOT_LEASED = `next_at > now() + ${LEASE}`
/** Longer than any pause: what is planned later was planned by a clock that has been set back since. */
const LONGEST_MS = 1_200_000
/** Not the first alone: another one that waits, such as for its lease, would hide it. */
const IS_PLANNED_LATER = `max(next_at) > now() + ${LONGEST_MS} * interval '1 millisecond'`

/** When the first message that is not delivered is due, or its lease ends; null: there is none. */
export const outboxDueAt = (topics: readonly string[]): RawBuilder<Date | null> =>
  sql<Date | null>`
    (select case when ${sql.raw(IS_PLANNED_LATER)} then now() else min(next_at) end
      from outbox where delivered_at is null and topic = any(${[...topics]}))`

/** Until the first message that is not delivered is due, or its lease ends; null: there is none. */
export const millisecondsUntilDelivery = async <T>(
  db: Kysely<T>,
  topics: readonly string[],
): Promise<number | null> => (await nextDelivery(db, topics)).milliseconds

/** `isPlannedLater`: some are planned later than any pause, and are due now. */
export async function nextDelivery<T>(
  db: Kysely<T>,
  topics: readonly string[],
): Promise<{ milliseconds: number | null; isPlannedLater: boolean }> {
  const { rows } = await db.executeQuery<{ ms: number | null; later: boolean | null }>(
    CompiledQuery.raw(
      `select (extract(epoch from min(next_at) - now()) * 1000)::float8 as ms, ${IS_PLANNED_LATER} as later
       from outbox where delivered_at is null and topic = any($1)`,
      [[...topics]],
    ),
  )
  const isPlannedLater = rows[0]?.later ?? false
  return { milliseconds: isPlannedLater ? 0 : (rows[0]?.ms ?? null), isPlannedLater }
}

/** Lanes that one take looks at; where a topic has more, the next take continues behind them. */
const LANES_A_TAKE = 200

/**
 * Leases the oldest messages that are due: of each topic as many as it has room for, of each lane one. It reads the first
 * of each, not all that wait.
 *
 * @param behind by topic, the lane behind which it looks; changed to where the next take continues.
 */
export async function take<T>(
  db: Kysely<T>,
  topics: string[],
  free: number[],
  fullLanes: string[],
  behind: Map<string, string>,
): Promise<OutboxRow[]> {
  const { rows } = await db.executeQuery<OutboxRow & { ends: Record<string, string> | null }>(
    CompiledQuery.raw(
      `with recursive
       room as (select * from unnest($1::text[], $2::int[], $4::text[]) as given(topic, free, behind) where free > 0),
       lanes(topic, lane, place) as (
         select topic, (select coalesce(lane, '') from outbox
           where delivered_at is null and topic = room.topic and coalesce(lane, '') > room.behind
           order by coalesce(lane, '') limit 1), 1
         from room
         union all
         select topic, (select coalesce(lane, '') from outbox
           where delivered_at is null and topic = lanes.topic and coalesce(lane, '') > lanes.lane
           order by coalesce(lane, '') limit 1), place + 1
         from lanes where lane is not null and place < ${LANES_A_TAKE}),
       taken as (
         update outbox set next_at = now() + ${LEASE}, attempts = attempts + 1
         where id = any(array(
           select id from outbox where delivered_at is null and next_at <= now() and id = any(array(
             select due.id from room cross join lateral (
               select * from (
                 select id, 0 as tried, next_at from outbox
                 where delivered_at is null and topic = room.topic and coalesce(lane, '') = '' and next_at <= now()
                 order by next_at, id limit room.free for update skip locked) alone
               union all
               select of_lane.* from lanes cross join lateral (
                 select id, least(attempts, 1) as tried, next_at from outbox
                 where delivered_at is null and topic = room.topic and coalesce(lane, '') = lanes.lane
                   and next_at <= now()
                 order by next_at, id limit 1) of_lane
               where lanes.topic = room.topic and lanes.lane <> all($3::text[])
               order by tried, next_at, id limit room.free) due))
           for update skip locked))
         returning id, topic, key, payload, sealed, attempts, lane, origin)
       select taken.*, ends.ends
       from (select json_object_agg(topic, lane) as ends from lanes where place = ${LANES_A_TAKE}
         and lane is not null) ends
       left join taken on true`,
      [topics, free, fullLanes, topics.map(topic => behind.get(topic) ?? '')],
    ),
  )
  topics.forEach((topic, index) => {
    if ((free[index] ?? 0) > 0) behind.set(topic, rows[0]?.ends?.[topic] ?? '')
  })
  const taken = rows.filter(({ id }) => id !== null)
  return taken.sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)))
}

/** The result of an attempt whose lease ran out is ignored: another attempt has taken over. */
export async function putOff<T>(
  db: Kysely<T>,
  row: OutboxRow,
  wait: number,
  { reason, refused }: { reason: string; refused: string | null },
): Promise<void> {
  await db.executeQuery(
    CompiledQuery.raw(
      `update outbox set next_at = now() + $3 * interval '1 millisecond', last_error = $4, refused_code = $5,
         refused_at = case when $5::text is null then null else coalesce(refused_at, now()) end
       where id = $1 and attempts = $2 and delivered_at is null`,
      [row.id, row.attempts, wait, reason.slice(0, 500), refused],
    ),
  )
}

/** At each start: what was wrong may be repaired. */
export async function tryRefusedAgain<T>(db: Kysely<T>, topics: string[]): Promise<void> {
  await db.executeQuery(
    CompiledQuery.raw(
      `update outbox set next_at = now()
       where refused_at is not null and delivered_at is null and topic = any($1) and ${NOT_LEASED}`,
      [topics],
    ),
  )
}

/** What was planned by a clock that has been set back since is due now. */
export async function planAgain<T>(db: Kysely<T>, topics: string[]): Promise<void> {
  await db.executeQuery(
    CompiledQuery.raw(
      `update outbox set next_at = now() where delivered_at is null and topic = any($1)
         and next_at > now() + $2 * interval '1 millisecond'`,
      [topics, LONGEST_MS],
    ),
  )
}

/** Removes what was delivered 30 days ago. */
export async function prune<T>(db: Kysely<T>, topics: string[]): Promise<void> {
  await db.executeQuery(
    CompiledQuery.raw(
      "delete from outbox where delivered_at < now() - interval '30 days' and topic = any($1)",
      [topics],
    ),
  )
}

/** Its content is kept nowhere after that. */
export async function markDelivered<T>(db: Kysely<T>, { id }: OutboxRow): Promise<void> {
  await db.executeQuery(
    CompiledQuery.raw(
      `update outbox set delivered_at = now(), payload = null, sealed = null, last_error = null,
         refused_code = null, refused_at = null where id = $1`,
      [id],
    ),
  )
}
