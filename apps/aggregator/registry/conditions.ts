import { formatLedgerAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type pg from 'pg'
import type { AssetRow, ExternalRow, Tables } from '../tables.ts'
import { capacityIn, readFurther, storeFurther } from './entry.ts'
import { OUT_OF_ORDER_MS, type Observation } from './registry-index.ts'

/** What the anchor can pay out of an asset, as last known; null where it is not registered. */
export async function capacityOf(db: Db<Tables>, id: string, asset: string): Promise<Amount | null> {
  const row = await db
    .selectFrom('anchors')
    .select(['assets', 'treasury_capacity', 'further_capacity'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) return null
  const { assets, treasury_capacity, further_capacity } = row
  const capacity = parseAmount(treasury_capacity)
  return capacityIn({ assets, capacity, further: readFurther(further_capacity) }, asset)
}

/** Updates those anchors of which a probe found something new. Free space on their pages makes this update no index. */
export async function updateConditions(
  client: pg.ClientBase,
  observations: readonly Observation[],
): Promise<void> {
  await client.query({
    name: 'update-conditions',
    text: `with latest as (
        select distinct on (anchor_id) * from json_to_recordset($1) as c(anchor_id text, checked_at timestamptz,
          current_availability boolean, treasury_capacity numeric, further_capacity jsonb)
        order by anchor_id, checked_at desc
      )
      update anchors a
      set current_availability = c.current_availability,
          treasury_capacity = coalesce(c.treasury_capacity, a.treasury_capacity),
          further_capacity = coalesce(c.further_capacity, a.further_capacity),
          last_checked_at = c.checked_at
      from latest c
      where a.id = c.anchor_id and (a.last_checked_at is null or a.last_checked_at <= c.checked_at
          or a.last_checked_at > c.checked_at + ${OUT_OF_ORDER_MS} * interval '1 millisecond')
        and (a.last_checked_at is null or a.current_availability <> c.current_availability
          or a.treasury_capacity <> c.treasury_capacity
          or a.further_capacity is distinct from coalesce(c.further_capacity, a.further_capacity))`,
    values: [
      JSON.stringify(
        observations.map(({ anchorId, checkedAt, available, capacity, further }) => ({
          anchor_id: anchorId,
          checked_at: checkedAt,
          current_availability: available,
          treasury_capacity: capacity === undefined ? null : formatLedgerAmount(capacity),
          further_capacity: further === undefined ? null : storeFurther(further),
        })),
      ),
    ],
  })
}

/** What was read of an external anchor. */
export interface ReadOffer {
  name: string | null
  assets: readonly AssetRow[]
  rails: readonly string[]
  regions: readonly string[]
  external: ExternalRow
}

/** Updates the external anchors whose own answers have changed. */
export async function updateOffers(
  client: pg.ClientBase,
  read: readonly { anchorId: string; offer: ReadOffer }[],
): Promise<void> {
  if (read.length === 0) return
  const rows = new Map(read.map(({ anchorId, offer }) => [anchorId, { id: anchorId, ...columnsOf(offer) }]))
  await client.query({
    name: 'update-offers',
    text: `update anchors a
      set name = coalesce(o.name, a.name), assets = o.assets, rails = o.rails, regions = o.regions,
        external = o.external, limit_min = o.limit_min, limit_max = o.limit_max, fee_fixed = o.fee_fixed,
        fee_percentage = o.fee_percentage, treasury_capacity = o.capacity, updated_at = now()
      from (
        select id, name, assets, external, limit_min, limit_max, fee_fixed, fee_percentage, capacity,
          array(select json_array_elements_text(rails)) as rails, array(select json_array_elements_text(regions)) as regions
        from json_to_recordset($1) as r(id text, name text, assets jsonb, rails json, regions json, external jsonb,
          limit_min numeric, limit_max numeric, fee_fixed numeric, fee_percentage numeric, capacity numeric)
      ) o
      where a.id = o.id and a.external is not null
        and (a.assets, a.rails, a.regions, a.external) is distinct from (o.assets, o.rails, o.regions, o.external)`,
    values: [JSON.stringify([...rows.values()])],
  })
}

/** The columns of an offer; limits, fee and capacity of the row are those of the first asset. */
export function columnsOf({ name, assets, rails, regions, external }: ReadOffer) {
  const terms = assets[0]?.terms
  const [min, max] = [terms?.min ?? '0.0000001', terms?.max ?? null]
  return {
    name,
    assets,
    rails,
    regions,
    external,
    limit_min: min,
    limit_max: max ?? min,
    fee_fixed: terms?.fees?.fixed ?? '0',
    fee_percentage: terms?.fees?.percentage ?? '1',
    capacity: max ?? '0',
  }
}
