import type { Release } from '@windlass/contracts/anchor-life.ts'
import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import { listRoutes, type ProxyRoute } from '@windlass/contracts/proxy-routes.ts'
import type { ServerState, Slot } from '@windlass/runtimes/runtime.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Deps } from '../deps.ts'
import { openVault, type Vault } from '../keys/vault.ts'
import { hostOf } from './addresses.ts'
import { createAiling, type Ailing } from './ailing.ts'
import { alone } from './alone.ts'
import { writeConfiguration } from './configuration.ts'
import { restoreAfterReset } from './ledger-reset.ts'
import { readPair } from './pair.ts'
import { createPauses, type Pauses } from './pauses.ts'
import { noteRelease, planUpgrades } from './plan-upgrades.ts'
import { anchorRoute, putAnchorRoute, removeAnchorRoute } from './route.ts'
import { healthOf, raiseServers, roles, slots, stopAll, stopServers } from './servers.ts'

export interface Reconciler {
  /** Looks now instead of at the next tick. */
  wake(): void
  stop(): Promise<void>
}

interface Standing {
  id: string
  jobId: string
  plan: AnchorPlan
  data_key: Buffer
  running: boolean
  release: Release | null
}

/** What one life of the reconciler remembers. */
interface Memory {
  stopped: boolean
  pauses: Pauses
  /** Anchors, of those that stood when this life began, whose configuration is still to be compared with ours. */
  uncompared: Set<string> | null
  /** Anchor to when its accounts were last looked up on the ledger, in monotonic milliseconds. */
  lookedUp: Map<string, number>
  ailing: Ailing
}

const AT_ONCE = 4
const STOP_WITHIN_MS = 3_000

/**
 * Keeps provisioned anchors as they are to be: a server that died or hangs is started again (with growing pauses
 * where it keeps dying), a route that vanished is put back, a suspended anchor stays down. Of several control planes
 * one does it.
 */
export function startReconciler(deps: Deps): Reconciler {
  const memory: Memory = {
    stopped: false,
    pauses: createPauses(),
    uncompared: null,
    ailing: createAiling(),
    lookedUp: new Map(),
  }
  let again = false
  let round: Promise<void> | null = null

  const wake = (): void => {
    if (memory.stopped) return
    again = true
    round ??= rounds().finally(() => (round = null))
  }
  const rounds = async (): Promise<void> => {
    while (again && !memory.stopped) {
      again = false
      await alone(deps, { of: 'reconciling' }, () => reconcile(deps, memory)).catch(error =>
        deps.logger.warn({ err: error }, 'reconciling failed'),
      )
    }
  }
  const timer = setInterval(wake, deps.config.work.reconcileSeconds * 1_000)
  const ends = deps.runtime.watch(wake)
  wake()
  return {
    wake,
    stop: async () => {
      memory.stopped = true
      clearInterval(timer)
      ends.stop()
      // What it is at can be left at any point: the next life looks again.
      await Promise.race([round, sleep(STOP_WITHIN_MS, undefined, { ref: false })])
    },
  }
}

async function reconcile(deps: Deps, memory: Memory): Promise<void> {
  const queue = await standing(deps).select('anchors.id').orderBy('anchors.created_at').execute()
  memory.uncompared ??= new Set(queue.map(({ id }) => id))
  const routes = await readRoutes(deps)
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next && !memory.stopped; next = queue.shift()) {
      const { id } = next
      try {
        // One that is just switched from one pair to the other is looked at next time.
        await alone(deps, { of: 'anchor', id }, () => keepRight(deps, id, memory, routes))
      } catch (error) {
        deps.logger.warn({ err: error, anchorId: id }, 'an anchor could not be put right')
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  await planUpgrades(deps)
  await deps.runtime.tidy()
}

const standing = ({ database }: Deps) =>
  database.db
    .selectFrom('anchors')
    .innerJoin('jobs', 'jobs.anchor_id', 'anchors.id')
    .where('provisioned_at', 'is not', null)
    .where('removed_at', 'is', null)

async function keepRight(deps: Deps, id: string, memory: Memory, routes: Routes): Promise<void> {
  const anchor = await standing(deps)
    .select(['anchors.id', 'jobs.id as jobId', 'plan', 'data_key', 'running', 'release'])
    .where('anchors.id', '=', id)
    .executeTakeFirst()
  if (!anchor) return
  if (!anchor.running) return keepDown(deps, anchor, routes)
  await keepUp(deps, anchor, memory)
  await keepRoute(deps, anchor.plan, routes)
  await keepOnLedger(deps, anchor, memory)
}

type Routes = Map<string, ProxyRoute> | null

async function keepDown(deps: Deps, { plan }: Standing, routes: Routes): Promise<void> {
  if (routes?.has(hostOf(plan))) await removeAnchorRoute(deps, plan)
  const servers = roles.flatMap(role => slots.map(slot => deps.runtime.inspect(plan.anchorId, role, slot)))
  const states = await Promise.all(servers)
  if (states.some(state => state?.running)) await stopAll(deps, plan.anchorId)
}

async function keepUp(deps: Deps, anchor: Standing, memory: Memory): Promise<void> {
  const { plan } = anchor
  const vault = openVault(deps.master, anchor.id, anchor.data_key)
  if (memory.uncompared?.has(anchor.id)) {
    await refreshConfiguration(deps, plan, vault).then(
      () => memory.uncompared?.delete(anchor.id),
      // A secrets store that is down must not keep servers down that have all they need.
      error => deps.logger.warn({ err: error, anchorId: anchor.id }, 'the configuration was not compared'),
    )
  }
  const { slot } = await readPair(deps, anchor.id)
  const states = await Promise.all(roles.map(role => deps.runtime.inspect(anchor.id, role, slot)))
  const dead = roles.filter((_, index) => !states[index]?.running)
  if (!anchor.release) await noteRelease(deps, anchor.id, states)
  if (dead.length === 0) return endHanging(deps, anchor.id, { slot, states }, memory)
  if (!memory.pauses.over(anchor.id)) return
  const ended = states.map(state => state?.ended)
  deps.logger.info({ anchorId: anchor.id, roles: dead, ended }, 'starting servers again')
  await raiseServers(deps, plan, vault)
}

/** Addresses of the platform's own parts may be others than when the anchor was provisioned. */
async function refreshConfiguration(deps: Deps, plan: AnchorPlan, vault: Vault): Promise<void> {
  const { anchorId } = plan
  const changed = await writeConfiguration(deps, plan, vault)
  if (changed.length === 0) return
  deps.logger.info({ anchorId, changed }, 'the configuration was brought up to date')
  await stopServers(deps, anchorId)
}

async function keepOnLedger(deps: Deps, anchor: Standing, { lookedUp }: Memory): Promise<void> {
  const now = performance.now()
  const last = lookedUp.get(anchor.id)
  if (last !== undefined && now - last < deps.config.work.ledgerCheckSeconds * 1_000) return
  lookedUp.set(anchor.id, now)
  const vault = openVault(deps.master, anchor.id, anchor.data_key)
  if (await restoreAfterReset(deps, anchor, vault)) {
    deps.logger.warn({ anchorId: anchor.id }, 'the network was reset; funded and issued again')
  }
}

/**
 * A server that runs and does not answer at all for a while is ended, as is one that its engine finds unhealthy for
 * long; the next look starts it again.
 */
async function endHanging(
  deps: Deps,
  anchorId: string,
  { slot, states }: { slot: Slot; states: readonly (ServerState | null)[] },
  { ailing }: Memory,
): Promise<void> {
  for (const [index, role] of roles.entries()) {
    const silent = (await healthOf(deps, anchorId, role)) === 'silent'
    const unhealthy = states[index]?.health === 'unhealthy'
    if (!ailing.tooLong(`${anchorId}-${role}`, { silent, unhealthy })) continue
    deps.logger.warn({ anchorId, role, silent }, 'ending a server that is not healthy')
    await deps.runtime.stop(anchorId, role, slot)
  }
}

async function keepRoute(deps: Deps, plan: AnchorPlan, routes: Routes): Promise<void> {
  if (routes === null) return
  const served = routes.get(hostOf(plan))
  if (!served || !isSameRoute(served, await anchorRoute(deps, plan))) await putAnchorRoute(deps, plan)
}

/** The order of a route's rules says nothing: the longest prefix that fits decides. */
function isSameRoute(a: ProxyRoute, b: ProxyRoute): boolean {
  const [left, right] = [a, b].map(({ rules, ...rest }) => {
    return { ...rest, rules: rules.toSorted((one, other) => one.prefix.localeCompare(other.prefix)) }
  })
  return isDeepStrictEqual(left, right)
}

/** `null`: the proxy does not answer, so nothing can be said. */
async function readRoutes(deps: Deps): Promise<Routes> {
  try {
    const routes = await deps.proxy.call(listRoutes, { signal: AbortSignal.timeout(5_000) })
    return new Map(routes.map(route => [route.host, route]))
  } catch {
    return null
  }
}
