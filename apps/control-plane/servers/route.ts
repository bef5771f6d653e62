import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { putRoute, removeRoute, type ProxyRoute } from '@windlass/contracts/internal/proxy-routes.ts'
import type { ServerRole } from '@windlass/runtimes/runtime.ts'
import { hostOf } from '../anchors/addresses.ts'
import type { Deps } from '../deps.ts'
import { addressOf, standInOf } from './pair.ts'

const TIMEOUT_MS = 5_000

/** The reverse proxy's route of an anchor: its two servers under one host, without their private paths. */
export async function anchorRoute(deps: Deps, plan: AnchorPlan): Promise<ProxyRoute> {
  const sep = await addressOf(deps, plan.anchorId, 'sep')
  return routeTo(plan, { sep, business: await addressOf(deps, plan.anchorId, 'business') })
}

/** The route of an anchor that sleeps. */
export const routeAsleep = (deps: Deps, plan: AnchorPlan): ProxyRoute =>
  routeTo(plan, {
    sep: standInOf(deps, plan.anchorId, 'sep'),
    business: standInOf(deps, plan.anchorId, 'business'),
  })

function routeTo(plan: AnchorPlan, { sep, business }: Record<ServerRole, string>): ProxyRoute {
  return {
    host: hostOf(plan),
    rules: [
      { prefix: '/metrics', target: null },
      { prefix: '/admin/', target: null },
      { prefix: '/api/v1/', target: business },
      { prefix: '/interactive/', target: business },
      { prefix: '/kyc/', target: business },
      { prefix: '/', target: sep },
    ],
    label: `${plan.organizationName.slice(0, 60)} (${plan.anchorId})`,
  }
}

export async function putAnchorRoute(deps: Deps, plan: AnchorPlan): Promise<void> {
  const body = await anchorRoute(deps, plan)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  await deps.proxies.all(proxy => proxy.call(putRoute, { params: { host: body.host }, body, signal }))
}

export async function removeAnchorRoute(deps: Deps, plan: AnchorPlan): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  await deps.proxies.all(proxy => proxy.call(removeRoute, { params: { host: hostOf(plan) }, signal }))
}
