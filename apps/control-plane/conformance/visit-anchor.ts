import { checkAnchor } from '@windlass/conformance/check-anchor.ts'
import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import type { ConformanceReport } from '@windlass/contracts/conformance.ts'
import { publicUrlOf } from '../anchors/addresses.ts'
import type { Deps } from '../deps.ts'
import type { Vault } from '../keys/vault.ts'

/** Holds an anchor against what wallets demand, at its public domain as they would. Milliseconds for the whole. */
export async function visitAnchor(
  deps: Deps,
  plan: AnchorPlan,
  vault: Vault,
  budget?: number,
): Promise<ConformanceReport> {
  const { db } = deps.database
  const signing = await vault.get(db, 'signing')
  const issuer = await vault.get(db, 'issuer')
  const anchor = {
    publicUrl: publicUrlOf(deps.config, plan),
    homeDomain: plan.homeDomain,
    networkPassphrase: deps.config.ledger.networkPassphrase,
    signingKey: signing.publicKey ?? '',
    asset: { code: plan.asset.code, issuer: issuer.publicKey ?? '' },
    amount: plan.limits.min,
  }
  const findings = await checkAnchor(anchor, { outbound: deps.outbound, now: () => deps.clock.now(), budget })
  return { checkedAt: deps.clock.now().toISOString(), findings }
}
