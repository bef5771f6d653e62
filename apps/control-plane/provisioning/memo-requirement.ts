import { issueSigner } from '@windlass/client/signer.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { requireMemo } from '@windlass/stellar/issuing.ts'
import { getAccounts } from '../anchors/accounts.ts'
import type { Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { envelopeStore } from './envelopes.ts'
import { contextOf } from './ledger-reset.ts'

/**
 * Has the distribution account of an anchor of an earlier version require memos of payments to it (SEP-29): once,
 * wherever the process dies, because the stored envelope is settled before another one is signed. Resolves to whether
 * the requirement was set now.
 *
 * @throws {LedgerError}
 */
export async function ensureMemoRequired(deps: Deps, plan: AnchorPlan, vault: Vault): Promise<boolean> {
  // That transaction opened the trustline too.
  if (plan.asset.issuer) return false
  const { issuer, distribution } = await getAccounts(deps.database.db, plan.anchorId)
  const account = await deps.routineHorizon.account(distribution)
  if (account === null || account.memoRequired) return false
  const log = async (level: 'info' | 'warn', text: string) =>
    deps.logger[level]({ anchorId: plan.anchorId }, text)
  const context = { ...contextOf(deps, { plan, jobId: '', vault }), log, at: deps.faults.at }
  const outcome = await requireMemo({
    horizon: deps.horizon,
    networkPassphrase: deps.config.ledger.networkPassphrase,
    maxFee: deps.config.ledger.maxFee,
    store: envelopeStore(context, 'memo'),
    issuer: issueSigner(deps.signer, plan.anchorId, issuer),
    distribution: issueSigner(deps.signer, plan.anchorId, distribution),
    reference: plan.anchorId,
  })
  return outcome === 'applied'
}
