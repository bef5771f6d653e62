import { checkAnchor } from '@windlass/wallet-checks/check-anchor.ts'
import type { AnchorToVisit } from '@windlass/wallet-checks/visit.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { WalletCheckReport } from '@windlass/contracts/platform/wallet-checks.ts'
import { publicUrlOf } from '../anchors/addresses.ts'
import { getAccounts, ownAccounts } from '../anchors/accounts.ts'
import type { Deps } from '../deps.ts'

/** An anchor at its public domain, as wallets reach it. */
export async function anchorToVisit(deps: Deps, plan: AnchorPlan): Promise<AnchorToVisit> {
  const accounts = await getAccounts(deps.database.db, plan.anchorId)
  const { signing, issuer } = accounts
  return {
    publicUrl: publicUrlOf(deps.config, plan),
    homeDomain: plan.homeDomain,
    networkPassphrase: deps.config.ledger.networkPassphrase,
    signingKey: signing,
    asset: { code: plan.asset.code, issuer },
    accounts: ownAccounts(plan, accounts),
    amount: plan.limits.min,
  }
}

/** Checks an anchor as wallets reach it. `budget`: milliseconds for all checks. */
export async function runChecks(deps: Deps, plan: AnchorPlan, budget?: number): Promise<WalletCheckReport> {
  const anchor = await anchorToVisit(deps, plan)
  const results = await checkAnchor(anchor, { outbound: deps.outbound, now: () => deps.clock.now(), budget })
  return { checkedAt: deps.clock.now().toISOString(), results }
}
