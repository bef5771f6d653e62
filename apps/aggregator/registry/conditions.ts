import { formatLedgerAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import type pg from 'pg'
import type { Tables } from '../tables.ts'
import type { Observation } from './registry-index.ts'

/** What the anchor can pay out, as last known; null where it is not registered. */
export async function capacityOf(db: Db<Tables>, id: string): Promise<Amount | null> {
  const row = await db
    .selectFrom('anchors')
    .select('treasury_capacity')
    .where('id', '=', id)
    .executeTakeFirst()
  return row ? parseAmount(row.treasury_capacity) : null
}

/** Updates those anchors of which a probe found something new. Room on their pages keeps this off the indexes. */
export async function updateConditions(
  client: pg.ClientBase,
  observations: readonly Observation[],
): Promise<void> {
  await client.query({
    name: 'update-conditions',
    text: `with latest as (
        select distinct on (anchor_id) * from json_to_recordset($1) as c(anchor_id text, checked_at timestamptz,
          current_availability boolean, treasury_capacity numeric)
        order by anchor_id, checked_at desc
      )
      update anchors a
      set current_availability = c.current_availability,
          treasury_capacity = coalesce(c.treasury_capacity, a.treasury_capacity),
          last_checked_at = c.checked_at
      from latest c
      where a.id = c.anchor_id and (a.last_checked_at is null or a.last_checked_at <= c.checked_at)
        and (a.last_checked_at is null or a.current_availability <> c.current_availability
          or a.treasury_capacity <> c.treasury_capacity)`,
    values: [
      JSON.stringify(
        observations.map(({ anchorId, checkedAt, available, capacity }) => ({
          anchor_id: anchorId,
          checked_at: checkedAt,
          current_availability: available,
          treasury_capacity: capacity === undefined ? null : formatLedgerAmount(capacity),
        })),
      ),
    ],
  })
}
