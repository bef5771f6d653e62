import { checkAnchor } from '@windlass/wallet-checks/check-anchor.ts'
import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import type { WalletCheckReport } from '@windlass/contracts/wallet-checks.ts'
import { publicUrlOf } from '../anchors/addresses.ts'
import { getAccounts } from '../anchors/accounts.ts'
import type { Deps } from '../deps.ts'

/** Checks an anchor at its public domain, as wallets reach it. `budget`: milliseconds for all checks. */
export async function runChecks(deps: Deps, plan: AnchorPlan, budget?: number): Promise<WalletCheckReport> {
  const { signing, issuer } = await getAccounts(deps.database.db, plan.anchorId)
  const anchor = {
    publicUrl: publicUrlOf(deps.config, plan),
    homeDomain: plan.homeDomain,
    networkPassphrase: deps.config.ledger.networkPassphrase,
    signingKey: signing,
    asset: { code: plan.asset.code, issuer: issuer },
    amount: plan.limits.min,
  }
  const results = await checkAnchor(anchor, { outbound: deps.outbound, now: () => deps.clock.now(), budget })
  return { checkedAt: deps.clock.now().toISOString(), results }
}
