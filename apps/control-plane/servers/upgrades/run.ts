import type { AnchorEvent, Release, Upgrade } from '@windlass/contracts/platform/anchor-life.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { WalletCheckReport } from '@windlass/contracts/platform/wallet-checks.ts'
import { RuntimeError } from '@windlass/runtimes/runtime.ts'
import { createOutbound } from '@windlass/service/outbound/outbound.ts'
import { isPending } from '@windlass/service/work/outbox.ts'
import type { Transaction } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { alone } from '../../alone.ts'
import { reportEvent } from '../../anchors/events.ts'
import { getAnchor, lockAnchor, openAnchor } from '../../anchors/records.ts'
import type { Vault } from '../../anchors/vault.ts'
import { getLastReport } from '../../check-runs/reports.ts'
import { runChecks } from '../../check-runs/run-checks.ts'
import type { Deps } from '../../deps.ts'
import { StageFailure, stageErrorOf } from '../../stage-failure.ts'
import type { Tables } from '../../tables.ts'
import { writeConfiguration } from '../configuration.ts'
import { endLogins, replacePasswords } from '../database.ts'
import { allocatePorts, readPair, sendAddress } from '../pair.ts'
import { canServe } from '../release.ts'
import { putAnchorRoute } from '../route.ts'
import { startServers, stopSlot, untilHealthy } from '../servers.ts'
import { beginUpgrade, findUpgrade, finishUpgrade, swapPairs } from './records.ts'

const VISIT_MS = 30_000
const REPORTED_WITHIN_MS = 30_000

/** Starts an anchor's servers if they sleep. */
type Wake = (anchorId: string) => Promise<void>

interface Work {
  id: string
  state: Upgrade['state']
  from: Release | null
  to: Release
  plan: AnchorPlan
  vault: Vault
  /** It has been tried for so long that it is given up. */
  overdue: boolean
  wake: Wake
}

/**
 * Continues an upgrade. The new pair starts beside the old one; it must be healthy and compatible with wallets before
 * the route moves to it. A new pair that fails is stopped and the old one keeps serving. May be interrupted at any
 * point and run again.
 */
export async function runUpgrade(deps: Deps, id: string, signal: AbortSignal, wake: Wake): Promise<void> {
  const work = await readWork(deps, id, wake)
  if (!work) return
  try {
    if (work.state !== 'switching') await startOther(deps, work, signal)
    await moveOver(deps, work, signal)
    await finish(deps, work, null)
  } catch (error) {
    // The next round tries again, here or in the next process.
    if (signal.aborted || !(isVerdict(error) || work.overdue)) throw error
    deps.logger.warn({ err: error, anchorId: work.plan.anchorId, upgrade: id }, 'an upgrade failed')
    await finish(deps, work, stageErrorOf(error))
  }
}

/** Whether the error says something about the new release; any other is tried again for a while. */
function isVerdict(error: unknown): boolean {
  if (!(error instanceof StageFailure || error instanceof RuntimeError)) return false
  return !['engine-unreachable', 'secrets-store-unavailable'].includes(error.code)
}

async function readWork(deps: Deps, id: string, wake: Wake): Promise<Work | null> {
  const row = await findUpgrade(deps.database.db, id)
  if (!row) return null
  const { plan, vault } = await openAnchor(deps, row.anchor_id)
  const { state, overdue, from_release: from, to_release: to } = row
  return { id, state, overdue, from, to, plan, vault, wake }
}

async function startOther(deps: Deps, work: Work, signal: AbortSignal): Promise<void> {
  const { plan, vault, id } = work
  const { anchorId } = plan
  const { slot } = await readPair(deps, anchorId)
  const free = slot === 'a' ? 'b' : 'a'
  // An earlier upgrade may have left its pair running.
  if (work.state === 'waiting') await stopSlot(deps, anchorId, free)
  await deps.database.db.transaction().execute(async tx => {
    await demandRunning(tx, anchorId)
    if (work.state === 'waiting') {
      await demandSecretsStay(tx, anchorId)
      await replacePasswords(tx, vault, free)
    }
    await beginUpgrade(tx, id, free)
    await allocatePorts(tx, deps, anchorId, { which: 'other' })
  })
  deps.faults.at('upgrade:starting')
  await writeConfiguration(deps, plan, vault, 'other')
  await startServers(deps, plan, vault, { which: 'other', signal })
  deps.faults.at('upgrade:started')
  await untilHealthy(deps, plan, signal, 'other')
  await requireNoWorse(deps, work, await visitOther(deps, work))
  deps.faults.at('upgrade:healthy')
}

/** Moves the route and waits until everyone who calls the old pair knows the new one. */
async function moveOver(deps: Deps, work: Work, signal: AbortSignal): Promise<void> {
  const { plan, id } = work
  const { anchorId } = plan
  const act = async () => {
    await deps.database.db.transaction().execute(async tx => {
      await demandRunning(tx, anchorId)
      if (await swapPairs(tx, id, 'starting')) await sendAddress(tx, anchorId)
    })
    deps.faults.at('upgrade:switched')
    await putAnchorRoute(deps, plan).catch(cause => {
      throw new StageFailure('proxy-unavailable', 'The reverse proxy does not take the route.', { cause })
    })
  }
  await alone(deps, { of: 'anchor', id: anchorId }, act, { wait: true })
  deps.faults.at('upgrade:routed')
  // The checks come through the reverse proxy as a client's requests do, and the pair that was replaced may have slept.
  await work.wake(anchorId)
  await requireNoWorse(deps, work, await runChecks(deps, plan, VISIT_MS))
  await untilReported(deps, anchorId, signal)
}

async function demandRunning(tx: Transaction<Tables>, anchorId: string): Promise<void> {
  const { running, removed_at } = await getAnchor(tx, anchorId)
  if (!running || removed_at)
    throw new StageFailure('anchor-suspended', 'The anchor was suspended during the upgrade.')
}

/** A new pair must not begin with secrets that are being replaced: it waits for its next try. */
async function demandSecretsStay(tx: Transaction<Tables>, anchorId: string): Promise<void> {
  const { rotation } = await lockAnchor(tx, anchorId)
  if (rotation) throw new Error('the secrets of the anchor are being rotated')
}

/** Checks the new pair as wallets would, before the route leads any there. */
async function visitOther(deps: Deps, { plan }: Work): Promise<WalletCheckReport> {
  const { slot, ports } = await readPair(deps, plan.anchorId, 'other')
  const address = { anchorId: plan.anchorId, role: 'sep', slot, port: ports.sep } as const
  const outbound = createOutbound({
    ingress: { suffix: deps.config.anchors.domainSuffix, url: deps.runtime.address(address) },
    allowPrivate: deps.config.local,
  })
  try {
    return await runChecks({ ...deps, outbound }, plan, VISIT_MS)
  } finally {
    await outbound.close()
  }
}

/** Throws if a wallet compatibility check fails that passed the last time, and there is a pair that serves better. */
async function requireNoWorse(deps: Deps, work: Work, report: WalletCheckReport): Promise<void> {
  const last = await getLastReport(deps.database.db, work.plan.anchorId)
  const before = new Set(last?.results.filter(({ passed }) => !passed).map(({ name }) => name))
  const worse = report.results.find(({ passed, name }) => !passed && !before.has(name))
  if (!worse) return
  const { sep, requirement, detail } = worse
  if (!(await hasWayBack(deps, work))) {
    const { anchorId } = work.plan
    deps.logger.warn(
      { anchorId, sep, requirement, detail },
      'a new pair fails a check, and no other can serve',
    )
    return
  }
  throw new StageFailure('anchor-fails-wallet-checks', `SEP-${sep}: ${requirement} ${detail ?? ''}`.trim())
}

/** Whether the pair before the upgrade runs, or could. */
async function hasWayBack(deps: Deps, { id, from, plan: { anchorId } }: Work): Promise<boolean> {
  if (!from) return true
  const upgrade = await findUpgrade(deps.database.db, id)
  const slot =
    upgrade?.state === 'switching' ? upgrade.slot : (await getAnchor(deps.database.db, anchorId)).slot
  return canServe(deps, { anchorId, release: from, slot })
}

/** Waits a while for the platform to know the new address. One that is down gets it later from the outbox. */
async function untilReported({ database }: Deps, anchorId: string, signal: AbortSignal): Promise<void> {
  for (const end = performance.now() + REPORTED_WITHIN_MS; performance.now() < end; await sleep(200)) {
    signal.throwIfAborted()
    if (!(await isPending(database.db, 'moved', { anchorId }))) return
  }
}

/** Moves the route back where it failed after the switch, records the outcome and stops the pair that does not serve. */
async function finish(deps: Deps, work: Work, error: Upgrade['error']): Promise<void> {
  const { plan, id, to } = work
  const { anchorId } = plan
  const { db } = deps.database
  // Whatever keeps this from being known, the upgrade ends.
  const isLost = error !== null && !(await hasWayBack(deps, work).catch(() => true))
  const before = isLost ? 'No version serves.' : 'The previous version keeps serving.'
  if (error) await switchBack(deps, anchorId, id)
  const left = await findUpgrade(db, id)
  deps.faults.at('upgrade:decided')
  if (left?.slot) {
    await stopSlot(deps, anchorId, left.slot)
    await endLogins(deps, anchorId, left.slot)
  }
  await db.transaction().execute(async tx => {
    if (!(await finishUpgrade(tx, id, error))) return
    const event: AnchorEvent = {
      id,
      at: deps.clock.now().toISOString(),
      kind: error ? 'upgrade-failed' : 'upgraded',
      detail: error ? `${error.detail} ${before}` : `Runs ${to.version} now.`,
    }
    await reportEvent(tx, anchorId, event)
  })
}

async function switchBack(deps: Deps, anchorId: string, id: string): Promise<void> {
  const act = async () => {
    const switched = await deps.database.db.transaction().execute(async tx => {
      const back = await swapPairs(tx, id, 'switching')
      if (back) await sendAddress(tx, anchorId)
      return back
    })
    // The reconciler puts the route again where the proxy is down.
    const { plan } = await getAnchor(deps.database.db, anchorId)
    if (switched) await putAnchorRoute(deps, plan).catch(() => undefined)
  }
  await alone(deps, { of: 'anchor', id: anchorId }, act, { wait: true })
}
