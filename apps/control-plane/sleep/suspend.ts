import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import {
  getAnchorWork,
  type AnchorSummary,
  type AnchorWork,
} from '@windlass/contracts/anchor/business-server.ts'
import { RuntimeError, type ServerRole, type ServerState } from '@windlass/runtimes/runtime.ts'
import { isPending } from '@windlass/service/work/outbox.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { alone } from '../alone.ts'
import { getAccounts } from '../anchors/accounts.ts'
import {
  isProvisioned,
  openAnchor,
  setAsleep,
  setAwake,
  setUnwakeable,
  setWakeTime,
  type Anchor,
} from '../anchors/records.ts'
import type { Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { compareConfiguration } from '../servers/configuration.ts'
import { businessServerOf, readSummary } from '../servers/business.ts'
import { readPair, sendAddress } from '../servers/pair.ts'
import { putAnchorRoute } from '../servers/route.ts'
import { isLive, resumeServers, roles, startServers, stopServers } from '../servers/servers.ts'
import { findOpenUpgrade } from '../servers/upgrades/records.ts'

interface Opened {
  anchor: Anchor
  plan: AnchorPlan
  vault: Vault
}

/** Old files of customers are deleted at least once a day. */
const LONGEST_SLEEP_MS = 24 * 60 * 60 * 1_000
const ASK_WITHIN_MS = 5_000
/** Less than the proxy waits for an answer. One that ended is noticed at once. */
const LIVE_WITHIN_MS = 50_000
/** Starts that are disturbed before a wake gives up. */
const STARTS = 3
/** Pause before a server that does not say when it serves is asked again. */
const ASK_AGAIN_MS = 20
/** After which the servers are started in any case. */
const HELD_AT_MOST_MS = 5 * 60_000
/** Pause before an anchor whose servers did not start is woken again. */
const WAKE_AGAIN_MS = 60_000

/**
 * Lets an anchor fall asleep that nobody uses and that has nothing to do for a while: from then on the stand-in answers.
 * Its servers are stopped by {@link stopSleeping}. Resolves to whether it did.
 */
export async function fallAsleep(deps: Deps, anchorId: string): Promise<boolean> {
  let asleep = false
  await alone(deps, { of: 'anchor', id: anchorId }, async () => {
    const opened = await openAnchor(deps, anchorId)
    const { anchor, plan } = opened
    if (!anchor.running || !isProvisioned(anchor) || anchor.asleep_since) return
    if (await findOpenUpgrade(deps.database.db, anchorId)) return
    // Before the server is asked: what comes later differs from it.
    const { distribution } = await getAccounts(deps.database.db, anchorId)
    const balances = await balancesOf(deps, distribution)
    const { work, summary } = await askServer(deps, opened)
    if (isBusy(deps, work) || summary.status !== 'ok') return
    await deps.database.db.transaction().execute(async tx => {
      await setAsleep(tx, anchorId, { wakeInMs: null, summary, balances })
      await sendAddress(tx, anchorId)
    })
    deps.faults.at('sleep:recorded')
    await putAnchorRoute(deps, plan)
    deps.logger.info({ anchorId }, 'an anchor that nobody uses falls asleep')
    asleep = true
  })
  return asleep
}

/**
 * Stops the servers of an anchor that sleeps, once nobody can still use them and they say again that they have nothing to do.
 * The caller has the anchor's lock. Resolves to whether none ran any more.
 */
export async function stopSleeping(deps: Deps, opened: Opened): Promise<boolean> {
  const { anchor } = opened
  const since = anchor.asleep_since
  if (!since || deps.clock.now().getTime() - since.getTime() < deps.config.work.sleepGraceSeconds * 1_000)
    return false
  const { slot } = await readPair(deps, anchor.id)
  const states = await Promise.all(roles.map(role => deps.runtime.inspect(anchor.id, role, slot)))
  const { db } = deps.database
  if (!states.some(state => state?.running)) {
    // They died before they said what is due, such as a request's work since.
    if (anchor.wake_at === null) await setWakeTime(db, anchor.id, 0)
    return anchor.wake_at !== null
  }
  if (await isPending(db, 'moved', { anchorId: anchor.id })) return false
  // Before: the answer's lag counts back from a moment after it.
  const askedAt = deps.clock.now()
  const answer = await askServer(deps, opened).catch(() => null)
  // Such as a payment since.
  if (!answer || isBusy(deps, answer.work)) {
    await endSleep(deps, opened)
    return false
  }
  if (!hasReadLedgerSince(since, answer.summary, askedAt)) return false
  await setWakeTime(db, anchor.id, Math.min(answer.work.dueInMs ?? LONGEST_SLEEP_MS, LONGEST_SLEEP_MS))
  deps.faults.at('sleep:stopping')
  await stopServers(deps, anchor.id)
  return false
}

/** A payment before the balances were kept changes them no more: it must have been read. */
function hasReadLedgerSince(since: Date, { ledger }: AnchorSummary, askedAt: Date): boolean {
  return ledger.observerLag !== null && askedAt.getTime() - ledger.observerLag * 1_000 >= since.getTime()
}

const isBusy = ({ config }: Deps, { openTransfers, dueInMs }: AnchorWork) =>
  openTransfers > 0 || (dueInMs !== null && dueInMs < config.work.sleepAfterSeconds * 1_000)

/**
 * Runs an anchor's servers again if they sleep. Resolves once both answer and requests no longer come here. Of one that cannot
 * be woken the health worker learns that it does not answer, and it is tried again.
 *
 * @param waking by default both servers start at once
 */
export async function wake(deps: Deps, anchorId: string, waking: Partial<Waking> = {}): Promise<void> {
  const act = async (): Promise<void> => {
    try {
      await startAgain(deps, anchorId, { first: roles, answers: () => undefined, ...waking })
    } catch (error) {
      await setUnwakeable(deps.database.db, anchorId, WAKE_AGAIN_MS)
      throw error
    }
  }
  await alone(deps, { of: 'anchor', id: anchorId }, act, { wait: true })
}

interface Waking {
  /** Servers that someone waits for: they start before the others. */
  first: readonly ServerRole[]
  /** Called with each server as soon as it answers. */
  answers(role: ServerRole): void
}

async function startAgain(deps: Deps, anchorId: string, { first, answers }: Waking): Promise<void> {
  const opened = await openAnchor(deps, anchorId)
  if (!opened.anchor.asleep_since || !opened.anchor.running) return
  const began = performance.now()
  const afterEach = async ({ role, serves }: ServerState): Promise<void> => {
    await (serves ? demandRunning(deps, anchorId, role) : untilAnswers(deps, anchorId, role))
    answers(role)
  }
  await resume(deps, opened, { first, afterEach })
  deps.faults.at('wake:started')
  await endSleep(deps, opened)
  deps.logger.info({ anchorId, ms: Math.round(performance.now() - began) }, 'an anchor is awake again')
}

async function resume(
  deps: Deps,
  { plan, vault }: Opened,
  starting: Parameters<typeof resumeServers>[3],
): Promise<void> {
  const { anchorId } = plan
  const changed = await compareConfiguration(deps, plan, vault).catch((error: unknown) => {
    deps.logger.warn({ err: error, anchorId }, 'the configuration was not compared')
    return []
  })
  // Servers that still run have read the one before.
  if (changed.length > 0) await stopServers(deps, anchorId)
  for (let start = 1; ; start++) {
    try {
      if (start === 1) return await resumeServers(deps, plan, vault, starting)
      const states = await startServers(deps, plan, vault)
      return void (await Promise.all(states.map(starting.afterEach)))
    } catch (error) {
      // Such as a port that another program has taken since, a server that was killed, a spare that was dying.
      if (!(error instanceof RuntimeError) || start === STARTS) throw error
    }
  }
}

/**
 * From here on requests wait at the stand-in, until {@link endSleep}. Nothing happens to an anchor that sleeps already. The
 * caller has the anchor's lock.
 */
export async function holdRequests(deps: Deps, opened: Opened): Promise<void> {
  const { anchor, plan } = opened
  if (anchor.asleep_since) return
  // The platform's health checks get the last summary meanwhile.
  const summary = await askServer(deps, opened).then(
    answer => answer.summary,
    () => null,
  )
  await deps.database.db.transaction().execute(async tx => {
    await setAsleep(tx, anchor.id, { wakeInMs: HELD_AT_MOST_MS, summary, balances: null })
    await sendAddress(tx, anchor.id)
  })
  await putAnchorRoute(deps, plan)
}

/** The anchor's servers answer for themselves again. */
export async function endSleep(deps: Deps, { anchor, plan }: Opened): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    if (await setAwake(tx, anchor.id)) await sendAddress(tx, anchor.id)
  })
  // Until the reconciler puts it again, the stand-in passes requests on.
  await putAnchorRoute(deps, plan).catch((error: unknown) =>
    deps.logger.warn({ err: error, anchorId: anchor.id }, 'the route of an awake anchor was not put'),
  )
}

/** Resolves when both servers of the serving pair answer. */
export async function untilLive(deps: Deps, anchorId: string): Promise<void> {
  await Promise.all(roles.map(role => untilAnswers(deps, anchorId, role)))
}

/** Throws {@link RuntimeError} where it ends instead. */
async function untilAnswers(deps: Deps, anchorId: string, role: ServerRole): Promise<void> {
  const until = performance.now() + LIVE_WITHIN_MS
  while (!(await isLive(deps, anchorId, role))) {
    await demandRunning(deps, anchorId, role, false)
    if (performance.now() > until) throw new Error(`the ${role} server of ${anchorId} does not answer`)
    await sleep(ASK_AGAIN_MS)
  }
  // Not another program, which took its port: it would be sent what waited.
  await demandRunning(deps, anchorId, role)
}

async function demandRunning(deps: Deps, anchorId: string, role: ServerRole, now = true): Promise<void> {
  const { slot } = await readPair(deps, anchorId)
  if (!(await deps.runtime.inspect(anchorId, role, slot, now))?.running)
    throw new RuntimeError('server-exited', `The ${role} server exited instead of answering.`)
}

/** Reads the balances of a distribution account, as far as a payment changes them. */
export async function balancesOf({ routineHorizon }: Deps, distribution: string): Promise<unknown> {
  const account = await routineHorizon.account(distribution)
  return account?.balances.map(({ asset, balance }) => ({ asset, balance })) ?? null
}

async function askServer(
  deps: Deps,
  { anchor, vault }: Opened,
): Promise<{ work: AnchorWork; summary: AnchorSummary }> {
  const server = await businessServerOf(deps, anchor.id, vault)
  const signal = AbortSignal.timeout(ASK_WITHIN_MS)
  // First: what the ledger was read for until then is part of the work.
  const summary = await readSummary(server, signal)
  return { summary, work: await server.call(getAnchorWork, { signal }) }
}
