import type { Release, Upgrade } from '@windlass/contracts/platform/anchor-life.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql, type Selectable, type Transaction } from 'kysely'
import { randomUUID } from 'node:crypto'
import { getAnchor, setServingPair } from '../../anchors/records.ts'
import type { Tables } from '../../tables.ts'
import { listUnfinished } from '../../unfinished.ts'

type UpgradeRow = Selectable<Tables['upgrades']>

interface NewUpgrade {
  anchorId: string
  from: Release | null
  to: Release
  requestedBy: string
}

/** Undefined where one is open already: an anchor has one at a time. */
export async function insertUpgrade(db: Db<Tables>, upgrade: NewUpgrade): Promise<UpgradeRow | undefined> {
  return db
    .insertInto('upgrades')
    .values({
      id: randomUUID(),
      anchor_id: upgrade.anchorId,
      from_release: upgrade.from && JSON.stringify(upgrade.from),
      to_release: JSON.stringify(upgrade.to),
      requested_by: upgrade.requestedBy,
    })
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** The anchor's upgrade that is not finished. */
export async function findOpenUpgrade(db: Db<Tables>, anchorId: string): Promise<UpgradeRow | undefined> {
  return db
    .selectFrom('upgrades')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
}

/** An unfinished upgrade; `overdue`: it has been tried for so long that it is given up. */
export async function findUpgrade(db: Db<Tables>, id: string) {
  return db
    .selectFrom('upgrades')
    .selectAll()
    .select(sql<boolean>`created_at < clock_timestamp() - interval '15 minutes'`.as('overdue'))
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
}

/** Ids of upgrades that are not finished, oldest first. */
export const listOpenUpgrades = (db: Db<Tables>): Promise<string[]> => listUnfinished(db, 'upgrades')

/** An anchor's upgrades, newest first, at most 100. */
export async function listUpgradesOf(db: Db<Tables>, anchorId: string): Promise<UpgradeRow[]> {
  return db
    .selectFrom('upgrades')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .orderBy('created_at', 'desc')
    .limit(100)
    .execute()
}

/**
 * Whether an upgrade from this release began and was not completed, so far or at all: the newer one may have migrated the
 * anchor's databases, and its servers continue on them.
 */
export async function isLeftUnfinished(db: Db<Tables>, anchorId: string, release: Release): Promise<boolean> {
  const { rows } = await sql`
    select from upgrades u where anchor_id = ${anchorId} and state <> 'succeeded'
      and coalesce(from_release = ${JSON.stringify(release)}::jsonb, true)
      and not exists (select from upgrades later where later.anchor_id = u.anchor_id and later.state = 'succeeded'
        and later.created_at > u.created_at)`.execute(db)
  return rows.length > 0
}

/** The pair that an open upgrade leads to, after the switch the one it came from. */
export async function getOtherPair(db: Db<Tables>, anchorId: string) {
  const upgrade = await findOpenUpgrade(db, anchorId)
  if (!upgrade) return undefined
  const release = upgrade.state === 'switching' ? upgrade.from_release : upgrade.to_release
  return { slot: upgrade.slot, sep_port: upgrade.sep_port, business_port: upgrade.business_port, release }
}

export async function listOtherPorts(db: Db<Tables>) {
  return db
    .selectFrom('upgrades')
    .select(['anchor_id as id', 'sep_port', 'business_port'])
    .where('sep_port', 'is not', null)
    .execute()
}

export async function setOtherPorts(
  tx: Db<Tables>,
  anchorId: string,
  ports: { sep: number; business: number },
): Promise<void> {
  await tx
    .updateTable('upgrades')
    .set({ sep_port: ports.sep, business_port: ports.business })
    .where('anchor_id', '=', anchorId)
    .where('finished_at', 'is', null)
    .execute()
}

/** The upgrade starts its pair in that slot. */
export async function beginUpgrade(tx: Db<Tables>, id: string, slot: 'a' | 'b'): Promise<void> {
  await tx
    .updateTable('upgrades')
    .set({ state: 'starting', slot })
    .where('id', '=', id)
    .where('state', 'in', ['waiting', 'starting'])
    .execute()
}

/**
 * Makes the other pair serve and the serving pair the other one: from `starting` the upgrade goes to `switching`, and
 * back again. False where the upgrade is in another state.
 */
export async function swapPairs(
  tx: Transaction<Tables>,
  id: string,
  from: 'starting' | 'switching',
): Promise<boolean> {
  const upgrade = await tx
    .selectFrom('upgrades')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', from)
    .forUpdate()
    .executeTakeFirst()
  if (!upgrade?.slot) return false
  const leaving = from === 'switching'
  const serving = await getAnchor(tx, upgrade.anchor_id)
  const { slot, sep_port, business_port } = upgrade
  const release = leaving ? upgrade.from_release : upgrade.to_release
  await setServingPair(tx, upgrade.anchor_id, { slot, sep_port, business_port, release })
  await tx
    .updateTable('upgrades')
    .set({
      slot: serving.slot,
      sep_port: serving.sep_port,
      business_port: serving.business_port,
      state: leaving ? 'starting' : 'switching',
    })
    .where('id', '=', id)
    .execute()
  return true
}

/** False where it is finished already. */
export async function finishUpgrade(tx: Db<Tables>, id: string, error: Upgrade['error']): Promise<boolean> {
  const ended = await tx
    .updateTable('upgrades')
    .set({
      state: error ? 'failed' : 'succeeded',
      error: error && JSON.stringify({ code: error.code, detail: error.detail }),
      ...{ slot: null, sep_port: null, business_port: null },
      finished_at: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  return ended.numUpdatedRows > 0n
}

/** Upgrades that nobody asked for: the platform's own release differs from an anchor's. */
const BY_ITSELF = 'control-plane'
const AT_ONCE = 4

/** Whether one that nobody asked for has failed. */
export async function hasFailedByItself(db: Db<Tables>, to: Release): Promise<boolean> {
  const { rows } = await sql`
    select from upgrades where to_release = ${JSON.stringify(to)}::jsonb and state = 'failed'
      and requested_by = ${BY_ITSELF} limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Asks for upgrades to a release, of candidates in their order. One goes first; the others follow, a few at a time,
 * once it has succeeded. After one failed only anchors that are down follow, which have nothing to lose, each once: the
 * others are for administrators to decide.
 */
export async function insertDueUpgrades(
  db: Db<Tables>,
  candidates: readonly { id: string; release: Release; isDown: boolean }[],
  to: Release,
): Promise<void> {
  const target = JSON.stringify(to)
  const { rows } = await sql<{ id: string; release: Release }>`
    with tried as (
      select count(*) filter (where state = 'failed' and requested_by = ${BY_ITSELF}) as failed,
        count(*) filter (where state = 'succeeded') as succeeded,
        count(*) filter (where finished_at is null) as open
      from upgrades where to_release = ${target}::jsonb),
    candidates as (
      select c ->> 'id' as id, c -> 'release' as release, (c -> 'isDown')::boolean as is_down, position
      from jsonb_array_elements(${JSON.stringify(candidates)}::jsonb) with ordinality as list(c, position))
    select c.id, c.release from candidates c, tried
    where (tried.failed = 0 or c.is_down and not exists (select from upgrades u where u.anchor_id = c.id
        and u.to_release = ${target}::jsonb and u.state = 'failed'))
      -- What an administrator chose for this anchor alone stays.
      and not exists (select from upgrades u where u.anchor_id = c.id
        and (u.finished_at is null
          or (u.state = 'succeeded' and u.to_release = c.release and u.requested_by <> ${BY_ITSELF})))
      -- Never back: an old control plane runs beside a new one while they are replaced.
      and not exists (select from upgrades u where u.anchor_id = c.id and u.state = 'succeeded'
        and u.requested_by = ${BY_ITSELF} and u.from_release = ${target}::jsonb)
    order by c.position
    limit greatest(0, (case when (select succeeded from tried) > 0 then ${AT_ONCE} else 1 end)::bigint
      - (select open from tried))`.execute(db)
  for (const { id, release } of rows) {
    await insertUpgrade(db, { anchorId: id, from: release, to, requestedBy: BY_ITSELF })
  }
}
