import type { DeveloperTransaction } from '@windlass/contracts/anchor/developer-api.ts'
import { assetOfId } from '@windlass/contracts/internal/served-assets.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Transfer } from '../tables.ts'

const plain = (value: string | null) => (value === null ? null : formatAmount(parseAmount(value)))

/** A transfer as the developer API and its webhooks send it. */
export function developerForm(row: Transfer): DeveloperTransaction {
  return {
    id: row.id,
    protocol: `sep${row.sep}`,
    kind: row.direction,
    status: row.state,
    account: row.account,
    memo: row.account_memo,
    rail: row.rail,
    currency: row.currency,
    ...(row.asset === null ? {} : { asset: assetOfId(row.asset) }),
    amount: plain(row.amount),
    fee: plain(row.fee),
    railAmount: plain(row.fiat_amount),
    exchange: row.exchange && row.rate !== null ? { rate: row.rate, ...row.exchange } : null,
    ledgerTransaction: row.ledger_hash,
    railPaymentId: row.rail_payment_id,
    reference: row.reference,
    message: row.message,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
