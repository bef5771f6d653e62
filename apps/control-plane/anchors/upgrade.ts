import type { AnchorEvent, Release, Upgrade } from '@windlass/contracts/anchor-life.ts'
import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import type { WalletCheckReport } from '@windlass/contracts/wallet-checks.ts'
import { RuntimeError } from '@windlass/runtimes/runtime.ts'
import { createOutbound } from '@windlass/service/outbound.ts'
import { enqueue } from '@windlass/service/outbox.ts'
import { sql, type Transaction } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { runChecks } from '../wallet-checks/run-checks.ts'
import type { Tables } from '../database.ts'
import type { Deps } from '../deps.ts'
import { openVault, type Vault } from '../keys/vault.ts'
import { StageFailure, stageErrorOf } from '../provisioning/stage.ts'
import { alone } from './alone.ts'
import { writeConfiguration } from './configuration.ts'
import { readPair } from './pair.ts'
import { allocatePorts, tellMoved } from './ports.ts'
import { putAnchorRoute } from './route.ts'
import { raiseServers, stopSlot, untilHealthy } from './servers.ts'

const VISIT_MS = 30_000
const TOLD_WITHIN_MS = 30_000

interface Work {
  id: string
  state: Upgrade['state']
  to: Release
  plan: AnchorPlan
  vault: Vault
  /** It has been tried for so long that it is given up. */
  overdue: boolean
}

/**
 * Goes on with an upgrade from where it stands: the new pair is raised beside the old one, must be healthy and pass
 * the wallet compatibility check, and only then the route moves; a new pair that does not is taken away again, and the
 * old one serves on. May be left at any point and begun again.
 */
export async function runUpgrade(deps: Deps, id: string, signal: AbortSignal): Promise<void> {
  const work = await readWork(deps, id)
  if (!work) return
  try {
    if (work.state !== 'switching') await raiseOther(deps, work, signal)
    await moveOver(deps, work, signal)
    await finish(deps, work, { state: 'succeeded' })
  } catch (error) {
    // Left to the next life, or to the next round once what is away is back.
    if (signal.aborted || !(isVerdict(error) || work.overdue)) throw error
    deps.logger.warn({ err: error, anchorId: work.plan.anchorId, upgrade: id }, 'an upgrade failed')
    await finish(deps, work, { state: 'failed', error: stageErrorOf(error) })
  }
}

/** What says something of the new release; anything else is our own trouble and is tried again for a while. */
function isVerdict(error: unknown): boolean {
  if (!(error instanceof StageFailure || error instanceof RuntimeError)) return false
  return !['engine-unreachable', 'secrets-store-unavailable'].includes(error.code)
}

async function readWork({ database, master }: Deps, id: string): Promise<Work | null> {
  const row = await database.db
    .selectFrom('upgrades')
    .innerJoin('anchors', 'anchors.id', 'upgrades.anchor_id')
    .select(['state', 'to_release', 'plan', 'data_key'])
    .select(sql<boolean>`upgrades.created_at < clock_timestamp() - interval '15 minutes'`.as('overdue'))
    .where('upgrades.id', '=', id)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const { state, plan, overdue } = row
  return {
    id,
    state,
    plan,
    overdue,
    to: row.to_release,
    vault: openVault(master, plan.anchorId, row.data_key),
  }
}

async function raiseOther(deps: Deps, work: Work, signal: AbortSignal): Promise<void> {
  const { plan, vault, id } = work
  const { anchorId } = plan
  const { slot } = await readPair(deps, anchorId)
  const free = slot === 'a' ? 'b' : 'a'
  // Of an earlier upgrade, if it could not be stopped then.
  if (work.state === 'waiting') await stopSlot(deps, anchorId, free)
  await deps.database.db.transaction().execute(async tx => {
    await demandRunning(tx, anchorId)
    await tx
      .updateTable('upgrades')
      .set({ state: 'starting', slot: free })
      .where('id', '=', id)
      .where('state', 'in', ['waiting', 'starting'])
      .execute()
    await allocatePorts(tx, deps, anchorId, { which: 'other' })
  })
  deps.faults.at('upgrade:starting')
  await writeConfiguration(deps, plan, vault, 'other')
  await raiseServers(deps, plan, vault, { which: 'other', signal })
  deps.faults.at('upgrade:started')
  await untilHealthy(deps, plan, signal, 'other')
  await demandAsGood(deps, work, await visitOther(deps, work))
  deps.faults.at('upgrade:healthy')
}

/** Moves the route and waits until all that speak to the old pair know the new one. */
async function moveOver(deps: Deps, work: Work, signal: AbortSignal): Promise<void> {
  const { plan, vault, id } = work
  const { anchorId } = plan
  const act = async () => {
    await deps.database.db.transaction().execute(async tx => {
      await demandRunning(tx, anchorId)
      if (await swap(tx, id, 'starting')) await tellMoved(tx, anchorId)
    })
    deps.faults.at('upgrade:switched')
    await putAnchorRoute(deps, plan).catch(cause => {
      throw new StageFailure('proxy-unavailable', 'The reverse proxy does not take the route.', { cause })
    })
  }
  await alone(deps, { of: 'anchor', id: anchorId }, act, { wait: true })
  deps.faults.at('upgrade:routed')
  await demandAsGood(deps, work, await runChecks(deps, plan, vault, VISIT_MS))
  await untilTold(deps, anchorId, signal)
}

/** Makes the other pair the serving one, and this the other: the upgrade is at `switching` then, or left again. */
async function swap(tx: Transaction<Tables>, id: string, from: 'starting' | 'switching'): Promise<boolean> {
  const leaving = from === 'switching'
  const { rows } = await sql`
    with before as (
      select a.id as anchor_id, a.slot, a.sep_port, a.business_port, u.id, u.from_release, u.to_release,
        u.slot as other_slot, u.sep_port as other_sep, u.business_port as other_business
      from upgrades u join anchors a on a.id = u.anchor_id
      where u.id = ${id} and u.state = ${from} for update),
    serving as (
      update anchors a set slot = b.other_slot, sep_port = b.other_sep, business_port = b.other_business,
        release = ${leaving ? sql`b.from_release` : sql`b.to_release`}
      from before b where a.id = b.anchor_id)
    update upgrades u set slot = b.slot, sep_port = b.sep_port, business_port = b.business_port,
      state = ${leaving ? 'starting' : 'switching'}
    from before b where u.id = b.id returning u.id`.execute(tx)
  return rows.length === 1
}

async function demandRunning(tx: Transaction<Tables>, anchorId: string): Promise<void> {
  const row = await tx
    .selectFrom('anchors')
    .select(['running', 'removed_at'])
    .where('id', '=', anchorId)
    .executeTakeFirst()
  if (!row?.running || row.removed_at)
    throw new StageFailure('anchor-suspended', 'The anchor was suspended meanwhile.')
}

/** The new pair as wallets would find it, before any is led there. */
async function visitOther(deps: Deps, { plan, vault }: Work): Promise<WalletCheckReport> {
  const { slot, ports } = await readPair(deps, plan.anchorId, 'other')
  const address = { anchorId: plan.anchorId, role: 'sep', slot, port: ports.sep } as const
  const outbound = createOutbound({
    ingress: { suffix: deps.config.anchors.domainSuffix, url: deps.runtime.address(address) },
    allowPrivate: deps.config.local,
  })
  try {
    return await runChecks({ ...deps, outbound }, plan, vault, VISIT_MS)
  } finally {
    await outbound.close()
  }
}

/** Throws if a wallet compatibility check fails that passed the last time. */
async function demandAsGood({ database }: Deps, { plan }: Work, report: WalletCheckReport): Promise<void> {
  const last = await database.db
    .selectFrom('wallet_checks')
    .select('report')
    .where('anchor_id', '=', plan.anchorId)
    .executeTakeFirst()
  const before = new Set(last?.report?.results.filter(({ passed }) => !passed).map(({ name }) => name))
  const worse = report.results.find(({ passed, name }) => !passed && !before.has(name))
  if (!worse) return
  const { sep, requirement, detail } = worse
  throw new StageFailure('anchor-fails-wallet-checks', `SEP-${sep}: ${requirement} ${detail ?? ''}`.trim())
}

/** A platform that is away does not hold an upgrade up for long: what it knows is mended when it is back. */
async function untilTold({ database }: Deps, anchorId: string, signal: AbortSignal): Promise<void> {
  for (const end = performance.now() + TOLD_WITHIN_MS; performance.now() < end; await sleep(200)) {
    signal.throwIfAborted()
    const { rows } = await sql`
      select from outbox where topic = 'moved' and delivered_at is null
        and payload ->> 'anchorId' = ${anchorId} limit 1`.execute(database.db)
    if (rows.length === 0) return
  }
}

type Outcome = { state: 'succeeded' } | { state: 'failed'; error: { code: string; detail: string } }

/** Puts the route back where it failed after the switch, writes the outcome down and stops the pair that is not needed. */
async function finish(deps: Deps, work: Work, outcome: Outcome): Promise<void> {
  const { plan, id } = work
  const { anchorId } = plan
  const { db } = deps.database
  if (outcome.state === 'failed') await switchBack(deps, work)
  const left = await db.selectFrom('upgrades').select('slot').where('id', '=', id).executeTakeFirst()
  deps.faults.at('upgrade:decided')
  if (left?.slot) await stopSlot(deps, anchorId, left.slot)
  await db.transaction().execute(async tx => {
    const error = outcome.state === 'failed' ? outcome.error : null
    const ended = await tx
      .updateTable('upgrades')
      .set({
        state: outcome.state,
        error: error && JSON.stringify({ code: error.code, detail: error.detail }),
        ...{ slot: null, sep_port: null, business_port: null },
        finished_at: sql<Date>`clock_timestamp()`,
      })
      .where('id', '=', id)
      .where('finished_at', 'is', null)
      .executeTakeFirst()
    if (ended.numUpdatedRows === 0n) return
    const event: AnchorEvent = {
      id,
      at: deps.clock.now().toISOString(),
      kind: error ? 'upgrade-failed' : 'upgraded',
      detail: error ? `${error.detail} The version before serves on.` : `Runs ${work.to.version} now.`,
    }
    await enqueue(tx, 'event', id, { anchorId, event })
  })
}

async function switchBack(deps: Deps, { plan, id }: Work): Promise<void> {
  const act = async () => {
    const switched = await deps.database.db.transaction().execute(async tx => {
      const back = await swap(tx, id, 'switching')
      if (back) await tellMoved(tx, plan.anchorId)
      return back
    })
    // A proxy that is away takes it from the reconciler.
    if (switched) await putAnchorRoute(deps, plan).catch(() => undefined)
  }
  await alone(deps, { of: 'anchor', id: plan.anchorId }, act, { wait: true })
}
