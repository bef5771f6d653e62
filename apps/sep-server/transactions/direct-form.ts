import type { TransactionStatus } from '@windlass/contracts/anchor/anchor-platform.ts'
import type { Sep31Transaction } from '@windlass/contracts/wallet/sep31.ts'
import { plainAmount } from '../requests/amounts.ts'
import type { Transaction } from '../tables.ts'
import { paidOut, refundsForm } from './sep-form.ts'

/** Direct payments are stored with the statuses of a withdrawal: what those are called in SEP-31. */
const names: Partial<Record<TransactionStatus, TransactionStatus>> = {
  incomplete: 'pending_receiver',
  pending_anchor: 'pending_receiver',
  on_hold: 'pending_receiver',
  pending_user_transfer_start: 'pending_sender',
  pending_user_transfer_complete: 'pending_external',
}

export const directStatus = (status: TransactionStatus): TransactionStatus => names[status] ?? status

/** A direct payment in the form of SEP-31. */
export function directForm(row: Transaction): Sep31Transaction {
  const status = directStatus(row.status)
  const ended = status === 'completed' || status === 'refunded'
  return {
    id: row.id,
    status,
    status_message: row.message ?? undefined,
    amount_in: row.amount_in === null ? undefined : plainAmount(row.amount_in),
    amount_in_asset: row.amount_in_asset ?? undefined,
    ...paidOut(row),
    quote_id: row.quote_id ?? undefined,
    stellar_account_id: row.withdraw_anchor_account ?? undefined,
    stellar_memo_type: row.withdraw_memo_type ?? undefined,
    stellar_memo: row.withdraw_memo ?? undefined,
    started_at: row.started_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    completed_at: ended ? row.completed_at?.toISOString() : undefined,
    user_action_required_by:
      status === 'pending_sender' ? row.user_action_required_by?.toISOString() : undefined,
    stellar_transaction_id: row.stellar_transaction_id ?? undefined,
    external_transaction_id: row.external_transaction_id ?? undefined,
    refunded: status === 'refunded',
    refunds: row.refunds ? refundsForm(row.refunds) : undefined,
  }
}
