import { ProblemError } from '@windlass/client/client.ts'
import { registerAnchor, removeRegistryEntry, type Registration } from '@windlass/contracts/registry.ts'
import type { Sealer } from '@windlass/service/seal.ts'
import type { Deps } from '../deps.ts'
import type { AnchorRow } from './queries.ts'

export const summarySecretContext = (anchorId: string): string => `anchors:${anchorId}:summary-secret`

/** What the aggregator is told of an anchor that stands. Throws where it never stood. */
export function registrationOf(anchor: AnchorRow, sealer: Sealer): Registration {
  const { plan, issuer, api_url: apiUrl, summary_secret: summarySecret, signing_key: signingKey } = anchor
  if (!issuer || !apiUrl || !summarySecret) throw new Error(`anchor ${anchor.id} has not been provisioned`)
  return {
    id: anchor.id,
    slug: plan.subdomain,
    name: plan.organizationName,
    domain: plan.homeDomain,
    apiUrl,
    status: anchor.status,
    regions: plan.regions,
    assets: [{ code: plan.asset.code, issuer, anchoredTo: plan.asset.anchoredTo }],
    rails: plan.rails,
    limits: plan.limits,
    fees: plan.fees,
    settlement: plan.settlement,
    summarySecret: sealer.open(summarySecret, summarySecretContext(anchor.id)),
    ...(signingKey ? { signingKey } : {}),
  }
}

/** Registers an anchor, or tells its present state; returns once the aggregator has acknowledged. */
export async function register(
  { aggregator }: Pick<Deps, 'aggregator'>,
  registration: Registration,
): Promise<void> {
  await aggregator.call(registerAnchor, { body: registration })
}

/** Takes an anchor out of the registry, or finds that it is not in it; returns once the aggregator has acknowledged. */
export async function deregister({ aggregator }: Pick<Deps, 'aggregator'>, anchorId: string): Promise<void> {
  try {
    await aggregator.call(removeRegistryEntry, { params: { id: anchorId } })
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 404)) throw error
  }
}
