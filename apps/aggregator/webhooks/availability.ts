import { sql } from 'kysely'
import type { RegistryIndex } from '../registry/registry-index.ts'
import type { WebhookDeps } from './deps.ts'
import { publishEvent } from './endpoints.ts'

/** A change of availability is reported once it has lasted this long: a single failed check is none. */
const STEADY_SECONDS = 60

interface State {
  id: string
  domain: string
  available: boolean
}

/** The availability of every anchor that the registry has in memory. */
export const statesOf = (index: RegistryIndex): State[] =>
  [...index.entries()].map(({ id, domain, status, available }) => ({
    id,
    domain,
    available: status === 'active' && available,
  }))

/**
 * Queues `anchor.available` and `anchor.unavailable` for what changed since they were last sent. One process at a time; an
 * anchor that is new is only recorded.
 */
export async function reportAvailability(
  { database }: Pick<WebhookDeps, 'database'>,
  states: readonly State[],
  now: Date,
): Promise<void> {
  await database.db.transaction().execute(async tx => {
    const { rows: lock } = await sql<{ free: boolean }>`
      select pg_try_advisory_xact_lock(727011) as free`.execute(tx)
    if (!lock[0]?.free) return
    const given = sql`json_to_recordset(${JSON.stringify(states)}) as s(id text, domain text, available boolean)`
    await sql`delete from reported_availability where anchor_id not in (select id from ${given})`.execute(tx)
    const { rows } = await sql<State>`
      update reported_availability r set available = s.available, other_since = null
      from ${given}
      where s.id = r.anchor_id and s.available <> r.available
        and r.other_since <= ${now}::timestamptz - ${STEADY_SECONDS} * interval '1 second'
      returning s.id, s.domain, s.available`.execute(tx)
    await sql`
      insert into reported_availability as r (anchor_id, available) select id, available from ${given}
      on conflict (anchor_id) do update set other_since = case
        when excluded.available = r.available then null else coalesce(r.other_since, ${now}::timestamptz) end
      where (excluded.available = r.available) <> (r.other_since is null)`.execute(tx)
    for (const { available, ...anchor } of rows)
      await publishEvent(tx, available ? 'anchor.available' : 'anchor.unavailable', {
        messageId: `msg_${anchor.id}_${now.getTime()}`,
        data: { anchor },
        now,
      })
  })
}
