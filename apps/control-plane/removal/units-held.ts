import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { idOf, NATIVE } from '@windlass/contracts/internal/served-assets.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { listPublicKeys } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'

/** XLM with which the account may have been opened, and topped up by the platform. */
const OPENED_WITH = parseAmount('10')

interface Units {
  code: string
  amount: string
}

/** What the distribution account holds of assets that others issue: someone bought it. Undefined while the ledger does not answer. */
export async function unitsHeld(
  { database, horizon }: Pick<Deps, 'database' | 'horizon'>,
  plan: AnchorPlan,
): Promise<Units[] | undefined> {
  const { issuer, distribution } = await listPublicKeys(database.db, plan.anchorId)
  if (!distribution) return []
  const first = plan.asset.issuer && issuer ? [{ code: plan.asset.code, issuer }] : []
  const codes = new Map([...first, ...(plan.furtherAssets ?? [])].map(asset => [idOf(asset), asset.code]))
  if (codes.size === 0) return []
  const account = await horizon.account(distribution).catch((error: unknown) => {
    if (error instanceof LedgerError) return undefined
    throw error
  })
  return account === undefined
    ? undefined
    : (account?.balances ?? []).flatMap(({ asset, balance }) => {
        const [code, amount] = [codes.get(asset), parseAmount(balance)]
        return code && amount > (asset === NATIVE ? OPENED_WITH : 0n)
          ? [{ code, amount: formatAmount(amount) }]
          : []
      })
}
