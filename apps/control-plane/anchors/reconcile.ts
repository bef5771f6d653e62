import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import { listRoutes, type ProxyRoute } from '@windlass/contracts/proxy-routes.ts'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Deps } from '../deps.ts'
import { openVault, type Vault } from '../keys/vault.ts'
import { hostOf } from './addresses.ts'
import { writeConfiguration } from './configuration.ts'
import { restoreAfterReset } from './ledger-reset.ts'
import { createPauses, type Pauses } from './pauses.ts'
import { anchorRoute, putAnchorRoute, removeAnchorRoute } from './route.ts'
import { healthOf, raiseServers, roles, stopServers } from './servers.ts'

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
}

/** What one life of the reconciler remembers. */
interface Memory {
  stopped: boolean
  pauses: Pauses
  /** Anchors whose configuration was compared with what it should be. */
  compared: Set<string>
  /** Anchor to when its accounts were last looked up on the ledger, in monotonic milliseconds. */
  lookedUp: Map<string, number>
  /** Server to since when it has not answered at all, in monotonic milliseconds. */
  silentSince: Map<string, number>
}

const RECONCILER_LOCK = 727_002
const AT_ONCE = 4
const STOP_WITHIN_MS = 3_000
// Longer than a start takes on a machine that is busy with others.
const SILENT_MS = 60_000

/**
 * Keeps provisioned anchors as they are to be: a server that died or hangs is started again (with growing pauses
 * where it keeps dying), a route that vanished is put back, a suspended anchor stays down. Of several control planes
 * one does it.
 */
export function startReconciler(deps: Deps): Reconciler {
  const memory: Memory = {
    stopped: false,
    pauses: createPauses(),
    compared: new Set(),
    silentSince: new Map(),
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
      await alone(deps, () => reconcile(deps, memory)).catch(error =>
        deps.logger.warn({ err: error }, 'reconciling failed'),
      )
    }
  }
  const timer = setInterval(wake, deps.config.work.reconcileSeconds * 1_000)
  wake()
  return {
    wake,
    stop: async () => {
      memory.stopped = true
      clearInterval(timer)
      // What it is at can be left at any point: the next life looks again.
      await Promise.race([round, sleep(STOP_WITHIN_MS, undefined, { ref: false })])
    },
  }
}

/** Runs `act` unless another control plane is at it. */
async function alone(deps: Deps, act: () => Promise<void>): Promise<void> {
  await deps.database.db.connection().execute(async connection => {
    const { rows } = await sql<{
      held: boolean
    }>`select pg_try_advisory_lock(${RECONCILER_LOCK}) as held`.execute(connection)
    if (!rows[0]?.held) return
    try {
      await act()
    } finally {
      await sql`select pg_advisory_unlock(${RECONCILER_LOCK})`.execute(connection)
    }
  })
}

async function reconcile(deps: Deps, memory: Memory): Promise<void> {
  const queue: Standing[] = await deps.database.db
    .selectFrom('anchors')
    .innerJoin('jobs', 'jobs.anchor_id', 'anchors.id')
    .select(['anchors.id', 'jobs.id as jobId', 'plan', 'data_key', 'running'])
    .where('provisioned_at', 'is not', null)
    .orderBy('anchors.created_at')
    .execute()
  const routes = await readRoutes(deps)
  const worker = async (): Promise<void> => {
    for (let anchor = queue.shift(); anchor && !memory.stopped; anchor = queue.shift()) {
      try {
        await (anchor.running ? keepUp(deps, anchor, memory) : keepDown(deps, anchor, routes))
        if (anchor.running) await keepRoute(deps, anchor.plan, routes)
        if (anchor.running) await keepOnLedger(deps, anchor, memory)
      } catch (error) {
        deps.logger.warn({ err: error, anchorId: anchor.id }, 'an anchor could not be put right')
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  await deps.runtime.tidy()
}

type Routes = Map<string, ProxyRoute> | null

async function keepDown(deps: Deps, { plan }: Standing, routes: Routes): Promise<void> {
  if (routes?.has(hostOf(plan))) await removeAnchorRoute(deps, plan)
  const states = await Promise.all(roles.map(role => deps.runtime.inspect(plan.anchorId, role)))
  if (states.some(state => state?.running)) await stopServers(deps, plan.anchorId)
}

async function keepUp(deps: Deps, anchor: Standing, memory: Memory): Promise<void> {
  const { plan } = anchor
  const vault = openVault(deps.master, anchor.id, anchor.data_key)
  if (!memory.compared.has(anchor.id)) {
    await refreshConfiguration(deps, plan, vault).then(
      () => memory.compared.add(anchor.id),
      // A secrets store that is down must not keep servers down that have all they need.
      error => deps.logger.warn({ err: error, anchorId: anchor.id }, 'the configuration was not compared'),
    )
  }
  const states = await Promise.all(roles.map(role => deps.runtime.inspect(anchor.id, role)))
  const dead = roles.filter((_, index) => !states[index]?.running)
  if (dead.length === 0) return endHanging(deps, anchor.id, memory)
  if (!memory.pauses.over(anchor.id)) return
  deps.logger.info({ anchorId: anchor.id, roles: dead }, 'starting servers again')
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

/** A server that runs and does not answer at all for a while is ended; the next look starts it again. */
async function endHanging(deps: Deps, anchorId: string, { silentSince }: Memory): Promise<void> {
  for (const role of roles) {
    const key = `${anchorId}-${role}`
    const now = performance.now()
    const silent = (await healthOf(deps, anchorId, role)) === 'silent'
    const since = silentSince.get(key) ?? now
    if (silent) silentSince.set(key, since)
    else silentSince.delete(key)
    if (!silent || now - since < SILENT_MS) continue
    deps.logger.warn({ anchorId, role }, 'ending a server that does not answer')
    silentSince.delete(key)
    await deps.runtime.stop(anchorId, role)
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
