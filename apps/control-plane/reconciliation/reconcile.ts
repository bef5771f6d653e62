import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { listRoutes, type ProxyRoute } from '@windlass/contracts/internal/proxy-routes.ts'
import type { ServerState, Slot } from '@windlass/runtimes/runtime.ts'
import { loop, type Loop } from '@windlass/service/work/loop.ts'
import { isDeepStrictEqual } from 'node:util'
import { alone } from '../alone.ts'
import { endAuthorization } from '../anchors/accounts.ts'
import { hostOf } from '../anchors/addresses.ts'
import { areRemoved, isProvisioned, listProvisioned, openAnchor, type Anchor } from '../anchors/records.ts'
import type { Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { restoreAfterReset } from '../provisioning/ledger-reset.ts'
import { ensureMemoRequired } from '../provisioning/memo-requirement.ts'
import { topUpIfLow } from '../provisioning/top-up.ts'
import { compareConfiguration } from '../servers/configuration.ts'
import { readPair } from '../servers/pair.ts'
import { isRecorded, recordRelease } from '../servers/release.ts'
import { anchorRoute, putAnchorRoute, removeAnchorRoute, routeAsleep } from '../servers/route.ts'
import { isLive, lacksFiles, roles, slots, startServers, stopAll, stopServers } from '../servers/servers.ts'
import { stopSleeping } from '../sleep/suspend.ts'
import { planUpgrades } from '../servers/upgrades/plan.ts'
import { createPatience, createPauses } from './restarts.ts'

interface Opened {
  anchor: Anchor
  plan: AnchorPlan
  vault: Vault
}

/** What the reconciler of this process remembers. */
interface Memory {
  pauses: ReturnType<typeof createPauses>
  patience: ReturnType<typeof createPatience>
  /** Suspended anchors for whose servers nothing is signed any more. */
  unauthorized: Set<string>
  /** When each server last answered that it is live, in monotonic milliseconds. */
  live: Map<string, number>
  /** Sleeping anchors whose servers were found stopped: of which sleep, and when, in monotonic milliseconds. */
  stopped: Map<string, { since: number; at: number }>
  /** When logs were last rotated, in monotonic milliseconds. */
  tidiedAt: number
  /** When each anchor's accounts were last looked up on the ledger, in monotonic milliseconds. */
  lookedUp: Map<string, number>
}

const AT_ONCE = 4
/** Until a server that was live is asked again. */
const LIVE_FOR_MS = 15_000
/** Until it is looked again whether the servers of an anchor that sleeps are stopped. */
const STOPPED_FOR_MS = 600_000
const TIDY_EVERY_MS = 60_000
const STOP_WITHIN_MS = 3_000

/**
 * Keeps provisioned anchors in their wanted state: a server that died or hangs is started again (with growing pauses
 * where it keeps dying), a missing route is put back, a suspended anchor stays down. Of several control planes one does
 * it.
 */
export function startReconciler(deps: Deps): Loop {
  const memory: Memory = {
    pauses: createPauses(),
    patience: createPatience(),
    unauthorized: new Set(),
    live: new Map(),
    stopped: new Map(),
    tidiedAt: -Infinity,
    lookedUp: new Map(),
  }
  const reconciler = loop({
    name: 'reconciliation',
    logger: deps.logger,
    everyMs: deps.config.work.reconcileSeconds * 1_000,
    stopWithinMs: STOP_WITHIN_MS,
    act: stopping =>
      alone(deps, { of: 'reconciling' }, lost => reconcile(deps, memory, AbortSignal.any([stopping, lost]))),
  })
  const ends = deps.runtime.watch(reconciler.wake)
  return {
    ...reconciler,
    stop: async () => {
      ends.stop()
      await reconciler.stop()
    },
  }
}

async function reconcile(deps: Deps, memory: Memory, stopping: AbortSignal): Promise<void> {
  const provisioned = await listProvisioned(deps.database.db)
  const routes = await readRoutes(deps)
  // A thousand that sleep cost no query each.
  const queue = provisioned.filter(each => !sleepsWell(deps, each, memory, routes)).map(({ id }) => id)
  const worker = async (): Promise<void> => {
    for (let id = queue.shift(); id !== undefined && !stopping.aborted; id = queue.shift()) {
      const anchorId = id
      try {
        // An anchor that is being switched from one pair to the other waits for the next round.
        await alone(deps, { of: 'anchor', id }, () => reconcileAnchor(deps, anchorId, memory, routes))
      } catch (error) {
        deps.logger.warn({ err: error, anchorId }, 'an anchor could not be reconciled')
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  await planUpgrades(deps)
  if (performance.now() - memory.tidiedAt < TIDY_EVERY_MS) return
  memory.tidiedAt = performance.now()
  await deps.runtime.tidy(ids => areRemoved(deps.database.db, ids))
}

/** Whether the anchor sleeps, its servers are stopped and its route leads to the stand-in. */
function sleepsWell(
  deps: Deps,
  { id, plan, running, asleep_since: since }: Pick<Anchor, 'id' | 'plan' | 'running' | 'asleep_since'>,
  { stopped }: Memory,
  routes: Routes,
): boolean {
  const found = stopped.get(id)
  if (!running || !since || found?.since !== since.getTime()) return false
  return performance.now() - found.at < STOPPED_FOR_MS && isServed(routes, routeAsleep(deps, plan))
}

async function reconcileAnchor(deps: Deps, id: string, memory: Memory, routes: Routes): Promise<void> {
  const opened = await openAnchor(deps, id)
  const { anchor, plan } = opened
  if (!isProvisioned(anchor)) return
  if (!anchor.running) return keepDown(deps, plan, routes, memory)
  if (anchor.asleep_since) {
    const leadsAway = await keepRoute(deps, plan, routes)
    if (leadsAway && (await stopSleeping(deps, opened)))
      memory.stopped.set(id, { since: anchor.asleep_since.getTime(), at: performance.now() })
    return
  }
  await keepUp(deps, opened, memory)
  await keepRoute(deps, plan, routes)
  await keepOnLedger(deps, opened, memory)
}

/** Routes of each copy of the proxy that answers, by host. */
type Routes = Map<string, ProxyRoute>[]

async function keepDown(
  deps: Deps,
  plan: AnchorPlan,
  routes: Routes,
  { unauthorized }: Memory,
): Promise<void> {
  if (routes.some(copy => copy.has(hostOf(plan)))) await removeAnchorRoute(deps, plan)
  const servers = roles.flatMap(role => slots.map(slot => deps.runtime.inspect(plan.anchorId, role, slot)))
  const states = await Promise.all(servers)
  if (states.some(state => state?.running)) await stopAll(deps, plan.anchorId)
  if (unauthorized.has(plan.anchorId)) return
  await endAuthorization(deps, plan.anchorId)
  unauthorized.add(plan.anchorId)
}

async function keepUp(deps: Deps, { anchor, plan, vault }: Opened, memory: Memory): Promise<void> {
  // A secrets store that is down must not keep servers down that have what they need.
  await refreshConfiguration(deps, plan, vault).catch((error: unknown) =>
    deps.logger.warn({ err: error, anchorId: anchor.id }, 'the configuration was not compared'),
  )
  memory.unauthorized.delete(anchor.id)
  const { slot } = await readPair(deps, anchor.id)
  const states = await Promise.all(roles.map(role => deps.runtime.inspect(anchor.id, role, slot)))
  const dead = roles.filter((_, index) => !states[index]?.running)
  if (!isRecorded(anchor.release)) await recordRelease(deps, anchor.id, states)
  if (dead.length === 0) return stopHanging(deps, anchor.id, { slot, states }, memory)
  if (!memory.pauses.isOver(anchor.id)) return
  const ended = states.map(state => state?.ended)
  deps.logger.info({ anchorId: anchor.id, roles: dead, ended }, 'starting servers again')
  await startServers(deps, plan, vault)
}

/** Addresses of the platform's services may have changed since the anchor was provisioned. */
async function refreshConfiguration(deps: Deps, plan: AnchorPlan, vault: Vault): Promise<void> {
  const { anchorId } = plan
  const changed = await compareConfiguration(deps, plan, vault)
  if (changed.length === 0 || !(await lacksFiles(deps, anchorId))) return
  deps.logger.info({ anchorId, changed }, 'the configuration was updated')
  await stopServers(deps, anchorId)
}

async function keepOnLedger(
  deps: Deps,
  { anchor, plan, vault }: Opened,
  { lookedUp }: Memory,
): Promise<void> {
  const now = performance.now()
  const last = lookedUp.get(anchor.id)
  if (last !== undefined && now - last < deps.config.work.ledgerCheckSeconds * 1_000) return
  lookedUp.set(anchor.id, now)
  const reset = await restoreAfterReset(deps, plan, vault)
  if (reset === 'restored')
    deps.logger.warn({ anchorId: anchor.id }, 'the network was reset; funded and issued again')
  if (reset === 'waits') return
  if (await topUpIfLow(deps, plan, vault)) {
    deps.logger.info({ anchorId: anchor.id }, 'the distribution account was topped up')
  }
  if (await ensureMemoRequired(deps, plan, vault)) {
    deps.logger.info(
      { anchorId: anchor.id },
      'payments to the distribution account require a memo from now on',
    )
  }
}

/**
 * Stops a server that has not answered for a while, or that its engine has reported as unhealthy for long. The next
 * round starts it again.
 */
async function stopHanging(
  deps: Deps,
  anchorId: string,
  { slot, states }: { slot: Slot; states: readonly (ServerState | null)[] },
  { patience, live }: Memory,
): Promise<void> {
  for (const [index, role] of roles.entries()) {
    const server = `${anchorId}-${role}`
    const unhealthy = states[index]?.health === 'unhealthy'
    const wasLive = performance.now() - (live.get(server) ?? -Infinity) < LIVE_FOR_MS
    const silent = !wasLive && !(await isLive(deps, anchorId, role))
    if (!silent && !wasLive) live.set(server, performance.now())
    if (!patience.isOver(server, { silent, unhealthy })) continue
    deps.logger.warn({ anchorId, role, silent }, 'stopping a server that is not healthy')
    await deps.runtime.stop(anchorId, role, slot)
  }
}

/** Resolves to whether every copy of the proxy already had the route. */
async function keepRoute(deps: Deps, plan: AnchorPlan, routes: Routes): Promise<boolean> {
  if (routes.length === 0) return false
  if (isServed(routes, await anchorRoute(deps, plan))) return true
  await putAnchorRoute(deps, plan)
  return false
}

/** Whether every copy serves the host so. */
function isServed(routes: Routes, route: ProxyRoute): boolean {
  const served = routes.map(copy => copy.get(route.host))
  return served.length > 0 && served.every(found => found !== undefined && isSameRoute(found, route))
}

/** The order of a route's rules does not matter: the longest prefix that fits decides. */
function isSameRoute(a: ProxyRoute, b: ProxyRoute): boolean {
  const [left, right] = [a, b].map(({ rules, ...rest }) => {
    return { ...rest, rules: rules.toSorted((one, other) => one.prefix.localeCompare(other.prefix)) }
  })
  return isDeepStrictEqual(left, right)
}

/** None where no copy of the proxy answers. */
async function readRoutes(deps: Deps): Promise<Routes> {
  const signal = AbortSignal.timeout(5_000)
  const copies = await deps.proxies.answering(proxy => proxy.call(listRoutes, { signal })).catch(() => [])
  return copies.map(routes => new Map(routes.map(route => [route.host, route])))
}
