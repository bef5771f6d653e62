import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import { putRoute, removeRoute, type ProxyRoute } from '@windlass/contracts/proxy-routes.ts'
import { hostOf } from '../anchors/addresses.ts'
import type { Deps } from '../deps.ts'
import { addressOf } from './pair.ts'

const TIMEOUT_MS = 5_000

/** The reverse proxy's route of an anchor: its two servers under one host, without their private paths. */
export async function anchorRoute(deps: Deps, plan: AnchorPlan): Promise<ProxyRoute> {
  const { anchorId } = plan
  const sep = await addressOf(deps, anchorId, 'sep')
  const business = await addressOf(deps, anchorId, 'business')
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
    label: `${plan.organizationName.slice(0, 60)} (${anchorId})`,
  }
}

export async function putAnchorRoute(deps: Deps, plan: AnchorPlan): Promise<void> {
  const body = await anchorRoute(deps, plan)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  await deps.proxy.call(putRoute, { params: { host: body.host }, body, signal })
}

export async function removeAnchorRoute(deps: Deps, plan: AnchorPlan): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  await deps.proxy.call(removeRoute, { params: { host: hostOf(plan) }, signal })
}
