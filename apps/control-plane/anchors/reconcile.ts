import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import { listRoutes, type ProxyRoute } from '@windlass/contracts/proxy-routes.ts'
import type { ServerSpec } from '@windlass/runtimes/runtime.ts'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import type { Deps } from '../deps.ts'
import { openVault } from '../keys/vault.ts'
import { hostOf } from './addresses.ts'
import { anchorRoute, putAnchorRoute, removeAnchorRoute } from './route.ts'
import { raiseServers, specsOf, stopServers } from './servers.ts'

export interface Reconciler {
  /** Looks now instead of at the next tick. */
  wake(): void
  stop(): Promise<void>
}

interface Standing {
  id: string
  plan: AnchorPlan
  data_key: Buffer
  running: boolean
}

const RECONCILER_LOCK = 727_002
const MAX_BACKOFF_MS = 60_000
const STABLE_MS = 60_000
const AT_ONCE = 4

/**
 * Keeps provisioned anchors as they are to be: a server that died is started again (with growing pauses where it
 * keeps dying), a route that vanished is put back, one that was cut stays cut. Of several control planes one does it.
 */
export function startReconciler(deps: Deps): Reconciler {
  const restarts = createRestarts()
  let stopped = false
  let again = false
  let round: Promise<void> | null = null

  const wake = (): void => {
    if (stopped) return
    again = true
    round ??= rounds().finally(() => (round = null))
  }
  const rounds = async (): Promise<void> => {
    while (again && !stopped) {
      again = false
      await alone(deps, () => reconcile(deps, restarts, () => stopped)).catch(error =>
        deps.logger.warn({ err: error }, 'reconciling failed'),
      )
    }
  }
  const timer = setInterval(wake, deps.config.work.reconcileSeconds * 1_000)
  wake()
  return {
    wake,
    stop: async () => {
      stopped = true
      clearInterval(timer)
      await round
    },
  }
}

/** Runs `act` unless another control plane is at it. */
async function alone(deps: Deps, act: () => Promise<void>): Promise<void> {
  const client: pg.PoolClient = await deps.database.pool.connect()
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [
      RECONCILER_LOCK,
    ])
    if (!rows[0]?.held) return
    try {
      await act()
    } finally {
      await client.query('select pg_advisory_unlock($1)', [RECONCILER_LOCK])
    }
  } finally {
    client.release()
  }
}

async function reconcile(deps: Deps, restarts: Restarts, stopped: () => boolean): Promise<void> {
  const anchors: Standing[] = await deps.database.db
    .selectFrom('anchors')
    .select(['id', 'plan', 'data_key', 'running'])
    .where('provisioned_at', 'is not', null)
    .orderBy('created_at')
    .execute()
  const routes = await readRoutes(deps)
  const queue = [...anchors]
  const worker = async (): Promise<void> => {
    for (let anchor = queue.shift(); anchor && !stopped(); anchor = queue.shift()) {
      await reconcileAnchor(deps, anchor, routes, restarts).catch(error =>
        deps.logger.warn({ err: error, anchorId: anchor?.id }, 'an anchor could not be put right'),
      )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  await deps.runtime.tidy()
}

async function reconcileAnchor(
  deps: Deps,
  anchor: Standing,
  routes: Map<string, ProxyRoute> | null,
  restarts: Restarts,
): Promise<void> {
  const { plan } = anchor
  if (!anchor.running) {
    if (routes?.has(hostOf(plan))) await removeAnchorRoute(deps, plan)
    return stopServers(deps, plan.anchorId)
  }
  const specs = await specsOf(deps, plan)
  const dead = []
  for (const spec of specs) {
    const state = await deps.runtime.inspect(spec.anchorId, spec.role)
    if (!state?.running) dead.push(spec)
  }
  if (dead.length > 0 && restarts.allow(dead)) {
    deps.logger.info({ anchorId: anchor.id, roles: dead.map(spec => spec.role) }, 'starting servers again')
    await raiseServers(deps, plan, openVault(deps.master, anchor.id, anchor.data_key))
  }
  if (routes && !isDeepStrictEqual(routes.get(hostOf(plan)), await anchorRoute(deps, plan))) {
    await putAnchorRoute(deps, plan)
  }
}

/** `null`: the proxy does not answer, so nothing can be said. */
async function readRoutes(deps: Deps): Promise<Map<string, ProxyRoute> | null> {
  try {
    const routes = await deps.proxy.call(listRoutes, { signal: AbortSignal.timeout(5_000) })
    return new Map(routes.map(route => [route.host, route]))
  } catch {
    return null
  }
}

interface Restarts {
  /** Whether these may be started now; says so at most once per pause, which doubles while they keep dying. */
  allow(specs: readonly ServerSpec[]): boolean
}

function createRestarts(): Restarts {
  const history = new Map<string, { at: number; pause: number }>()
  return {
    allow: specs => {
      const key = specs[0]?.anchorId ?? ''
      const now = performance.now()
      const last = history.get(key)
      if (last && now - last.at < last.pause) return false
      const stable = !last || now - last.at > last.pause + STABLE_MS
      history.set(key, { at: now, pause: stable ? 1_000 : Math.min(MAX_BACKOFF_MS, last.pause * 2) })
      return true
    },
  }
}
