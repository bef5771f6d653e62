import type { Release } from '@windlass/contracts/platform/anchor-life.ts'
import type { AnchorSummary } from '@windlass/contracts/anchor/business-server.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { Slot } from '@windlass/runtimes/runtime.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql, type Selectable, type Transaction } from 'kysely'
import type { SecretRotation, Tables } from '../tables.ts'
import { openVault, sealNewDataKey, type Vault } from './vault.ts'

export type Anchor = Selectable<Tables['anchors']>

/** Creates the anchor with a vault of its own; one that exists stays as it is. */
export async function insertAnchor(tx: Db<Tables>, master: Sealer, plan: AnchorPlan): Promise<void> {
  await tx
    .insertInto('anchors')
    .values({
      id: plan.anchorId,
      plan: JSON.stringify(plan),
      data_key: sealNewDataKey(master, plan.anchorId),
      sep_port: null,
      business_port: null,
    })
    .onConflict(conflict => conflict.column('id').doNothing())
    .execute()
}

/** Throws `anchor-not-found`. */
export async function getAnchor(db: Db<Tables>, id: string): Promise<Anchor> {
  const anchor = await db.selectFrom('anchors').selectAll().where('id', '=', id).executeTakeFirst()
  if (!anchor) throw new Problem('anchor-not-found', 'There is no such anchor.')
  return anchor
}

/** As {@link getAnchor}; until the transaction ends nobody else changes the row. */
export async function lockAnchor(tx: Transaction<Tables>, id: string): Promise<Anchor> {
  const anchor = await tx
    .selectFrom('anchors')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!anchor) throw new Problem('anchor-not-found', 'There is no such anchor.')
  return anchor
}

/** An anchor's plan and opened vault. Throws `anchor-not-found`. */
export async function openAnchor(
  { database, master }: { database: { db: Db<Tables> }; master: Sealer },
  id: string,
): Promise<{ anchor: Anchor; plan: AnchorPlan; vault: Vault }> {
  const anchor = await getAnchor(database.db, id)
  return { anchor, plan: anchor.plan, vault: openVault(master, id, anchor.data_key) }
}

/** Anchors that are provisioned and not removed, oldest first. */
export async function listProvisioned(
  db: Db<Tables>,
): Promise<Pick<Anchor, 'id' | 'running' | 'release' | 'slot' | 'plan' | 'asleep_since'>[]> {
  return db
    .selectFrom('anchors')
    .select(['id', 'running', 'release', 'slot', 'plan', 'asleep_since'])
    .where('provisioned_at', 'is not', null)
    .where('removed_at', 'is', null)
    .orderBy('created_at')
    .execute()
}

/** Anchors whose servers are to run and do not sleep, with where the serving pair is. */
export async function listRunning(db: Db<Tables>) {
  const rows = await db
    .selectFrom('anchors')
    .select(['id', 'plan', 'slot', 'sep_port', 'business_port'])
    .where('provisioned_at', 'is not', null)
    .where('removed_at', 'is', null)
    .where('running', '=', true)
    .where('asleep_since', 'is', null)
    .orderBy('created_at')
    .execute()
  return rows.flatMap(({ id, plan, slot, sep_port: sep, business_port: business }) =>
    sep === null || business === null ? [] : [{ id, plan, slot, ports: { sep, business } }],
  )
}

/** Whether the anchor is provisioned and not removed. */
export const isProvisioned = (anchor: Anchor) => anchor.provisioned_at !== null && anchor.removed_at === null

/** Sets whether the anchor's servers are to run; the reconciler starts or stops them. */
export async function setRunning(db: Db<Tables>, id: string, running: boolean): Promise<void> {
  await db.updateTable('anchors').set({ running }).where('id', '=', id).execute()
}

/** Gives the anchor other rails. The reconciler starts its servers again with them. */
export async function setRails(
  tx: Transaction<Tables>,
  id: string,
  rails: Pick<AnchorPlan, 'rails' | 'railVersions'>,
): Promise<void> {
  const { plan } = await lockAnchor(tx, id)
  // Messages of the platform may overtake each other, and versions are only added.
  if ((plan.railVersions?.length ?? 0) >= (rails.railVersions?.length ?? 0)) return
  await tx
    .updateTable('anchors')
    .set({ plan: JSON.stringify({ ...plan, ...rails }) })
    .where('id', '=', id)
    .execute()
}

/** How many anchors' servers are to run, or have not been stopped since they fell asleep. */
export async function countAwake(db: Db<Tables>): Promise<number> {
  const { awake } = await db
    .selectFrom('anchors')
    .select(eb => eb.fn.countAll<string>().as('awake'))
    .where('provisioned_at', 'is not', null)
    .where('removed_at', 'is', null)
    .where('running', '=', true)
    .where(eb => eb.or([eb('asleep_since', 'is', null), eb('wake_at', 'is', null)]))
    .executeTakeFirstOrThrow()
  return Number(awake)
}

interface Sleeper {
  id: string
  subdomain: string
  /** Its distribution account, and what that held when it fell asleep. */
  account: string | null
  balances: unknown
  due: boolean
  /** It could not be woken a moment ago. */
  waits: boolean
}

/** Anchors whose servers sleep, what has been due the longest first. */
export async function listAsleep(db: Db<Tables>): Promise<Sleeper[]> {
  return db
    .selectFrom('anchors')
    .leftJoin('anchor_secrets', join => join.onRef('anchor_id', '=', 'id').on('role', '=', 'distribution'))
    .select(['id', 'balances', 'public_key as account', sql<string>`plan ->> 'subdomain'`.as('subdomain')])
    .select(sql<boolean>`coalesce(wake_at <= now(), false)`.as('due'))
    .select(sql<boolean>`coalesce(wake_at > now(), false) and last_summary is null`.as('waits'))
    .where('asleep_since', 'is not', null)
    .where('running', '=', true)
    .where('removed_at', 'is', null)
    .orderBy('wake_at')
    .execute()
}

/** The summaries of anchors that sleep, of those that were healthy. */
export async function listSleepingSummaries(
  db: Db<Tables>,
): Promise<Pick<AnchorSummary & { anchorId: string }, 'anchorId' | 'treasury_capacity' | 'assets'>[]> {
  return db
    .selectFrom('anchors')
    .select([
      'id as anchorId',
      sql<string>`last_summary ->> 'treasury_capacity'`.as('treasury_capacity'),
      sql<AnchorSummary['assets']>`last_summary -> 'assets'`.as('assets'),
    ])
    .where('asleep_since', 'is not', null)
    .where('running', '=', true)
    .where('removed_at', 'is', null)
    .where(sql<boolean>`last_summary ->> 'status' = 'ok'`)
    .execute()
}

/** Since when each anchor sleeps whose last summary holds. */
export async function listSleepTimes(db: Db<Tables>): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('anchors')
    .select(['id', 'asleep_since'])
    .where('asleep_since', 'is not', null)
    .where('last_summary', 'is not', null)
    .execute()
  return new Map(rows.map(({ id, asleep_since }) => [id, asleep_since?.getTime() ?? 0]))
}

/**
 * From here on the stand-in answers for the anchor; its servers are stopped a while later.
 *
 * @param wakeInMs null: not known before the servers are stopped
 */
export async function setAsleep(
  tx: Db<Tables>,
  id: string,
  {
    wakeInMs,
    summary,
    balances,
  }: { wakeInMs: number | null; summary: AnchorSummary | null; balances: unknown },
): Promise<void> {
  await tx
    .updateTable('anchors')
    .set({
      asleep_since: sql<Date>`now()`,
      wake_at: wakeInMs === null ? null : inMs(wakeInMs),
      last_summary: summary && JSON.stringify(summary),
      balances: JSON.stringify(balances),
    })
    .where('id', '=', id)
    .execute()
}

const inMs = (ms: number) => sql<Date>`now() + ${ms} * interval '1 millisecond'`

/** When the anchor is to be woken, if it sleeps. */
export async function setWakeTime(db: Db<Tables>, id: string, wakeInMs: number): Promise<void> {
  await db
    .updateTable('anchors')
    .set({ wake_at: inMs(wakeInMs) })
    .where('id', '=', id)
    .where('asleep_since', 'is not', null)
    .execute()
}

/** The anchor could not be woken: its last summary does not hold any more, and it is tried again. */
export async function setUnwakeable(db: Db<Tables>, id: string, againInMs: number): Promise<void> {
  await db
    .updateTable('anchors')
    .set({ last_summary: null, wake_at: inMs(againInMs) })
    .where('id', '=', id)
    .where('asleep_since', 'is not', null)
    .execute()
}

/** Whether it was asleep. */
export async function setAwake(tx: Db<Tables>, id: string): Promise<boolean> {
  const query = tx
    .updateTable('anchors')
    .set({ asleep_since: null, wake_at: null, last_summary: null, balances: null })
    .where('id', '=', id)
    .where('asleep_since', 'is not', null)
  return (await query.executeTakeFirst()).numUpdatedRows > 0n
}

/** False where another rotation is open. */
export async function openRotation(db: Db<Tables>, id: string, rotation: SecretRotation): Promise<boolean> {
  const query = db
    .updateTable('anchors')
    .set({ rotation: JSON.stringify(rotation) })
    .where('id', '=', id)
    .where('rotation', 'is', null)
  return (await query.executeTakeFirst()).numUpdatedRows > 0n
}

/** Anchors with an open rotation of their secrets, at most 100. */
export async function listRotating(db: Db<Tables>): Promise<string[]> {
  const query = db.selectFrom('anchors').select('id').where('rotation', 'is not', null).limit(100)
  return (await query.execute()).map(({ id }) => id)
}

/** Stores how far the rotation of that anchor is; null: it is finished. */
export async function setRotation(
  tx: Db<Tables>,
  id: string,
  rotation: SecretRotation | null,
): Promise<void> {
  const value = rotation && JSON.stringify(rotation)
  await tx.updateTable('anchors').set({ rotation: value }).where('id', '=', id).execute()
}

/** The anchor of that id, subdomain or home domain that is provisioned and not removed. */
export async function findByName(db: Db<Tables>, name: string): Promise<Anchor | undefined> {
  return db
    .selectFrom('anchors')
    .selectAll()
    .where('provisioned_at', 'is not', null)
    .where('removed_at', 'is', null)
    .where(
      sql<boolean>`${name} in (id, plan ->> 'subdomain', plan ->> 'homeDomain', split_part(plan ->> 'homeDomain', ':', 1))`,
    )
    .executeTakeFirst()
}

/** The reconciler is responsible for the anchor from here on. */
export async function setProvisioned(tx: Db<Tables>, id: string): Promise<void> {
  await tx
    .updateTable('anchors')
    .set({ provisioned_at: sql`coalesce(provisioned_at, clock_timestamp())` })
    .where('id', '=', id)
    .execute()
}

export async function setRemoved(tx: Db<Tables>, id: string): Promise<void> {
  const gone = { running: false, sep_port: null, business_port: null, asleep_since: null, wake_at: null }
  await tx
    .updateTable('anchors')
    .set({ removed_at: sql<Date>`clock_timestamp()`, ...gone })
    .where('id', '=', id)
    .execute()
}

/** Whether each anchor of these ids is removed; without ids that no anchor has. */
export async function areRemoved(db: Db<Tables>, ids: readonly string[]): Promise<Map<string, boolean>> {
  const rows = await db
    .selectFrom('anchors')
    .select(['id', sql<boolean>`removed_at is not null`.as('removed')])
    .where(sql<boolean>`id = any(${[...ids]})`)
    .execute()
  return new Map(rows.map(({ id, removed }) => [id, removed]))
}

/** The pair of servers that serves the anchor. */
interface ServingPair {
  slot: Slot
  sep_port: number | null
  business_port: number | null
  release: Release | null
}

export async function setServingPair(tx: Db<Tables>, id: string, pair: ServingPair): Promise<void> {
  const release = pair.release && JSON.stringify(pair.release)
  await tx
    .updateTable('anchors')
    .set({ ...pair, release })
    .where('id', '=', id)
    .execute()
}

/** Records what the anchor runs from where that is not recorded yet, or what its images hold where only that is not. */
export async function setFirstRelease(db: Db<Tables>, id: string, release: Release): Promise<void> {
  const { imageIds, ...named } = release
  const completes = imageIds !== undefined
  await db
    .updateTable('anchors')
    .set({ release: JSON.stringify(release) })
    .where('id', '=', id)
    .where(sql<boolean>`(release is null or (${completes} and release = ${JSON.stringify(named)}::jsonb))`)
    .execute()
}

/** Records what an anchor that serves nobody yet is to run from. */
export async function replaceFirstRelease(tx: Db<Tables>, id: string, release: Release): Promise<void> {
  await tx
    .updateTable('anchors')
    .set({ release: JSON.stringify(release) })
    .where('id', '=', id)
    .where('provisioned_at', 'is', null)
    .execute()
}

export async function setServingPorts(
  tx: Db<Tables>,
  id: string,
  ports: { sep: number; business: number },
): Promise<void> {
  await tx
    .updateTable('anchors')
    .set({ sep_port: ports.sep, business_port: ports.business })
    .where('id', '=', id)
    .execute()
}

export async function listServingPorts(db: Db<Tables>) {
  return db
    .selectFrom('anchors')
    .select(['id', 'sep_port', 'business_port'])
    .where('sep_port', 'is not', null)
    .execute()
}
