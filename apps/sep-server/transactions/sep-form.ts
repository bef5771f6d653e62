import { isDeposit } from '@windlass/contracts/anchor/anchor-platform.ts'
import { railOfMethod, type RailKind } from '@windlass/contracts/platform/anchor-rails.ts'
import type { SepTransaction } from '@windlass/contracts/wallet/sep-transactions.ts'
import { plainAmount } from '../requests/amounts.ts'
import type { Details } from './details.ts'
import type { Transaction } from '../tables.ts'

/** A transaction in the form of SEP-6 and SEP-24. */
export function sepForm(row: Transaction, details: Details, moreInfoUrl: string): SepTransaction {
  const deposit = isDeposit(row.kind)
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    kyc_verified: row.kyc_verified,
    more_info_url: moreInfoUrl,
    amount_in: row.amount_in === null ? undefined : plainAmount(row.amount_in),
    amount_in_asset: row.amount_in_asset ?? undefined,
    ...paidOut(row),
    quote_id: row.quote_id ?? undefined,
    ...(deposit ? depositForm(row) : withdrawalForm(row, details)),
    started_at: row.started_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    completed_at: ended.has(row.status) ? row.completed_at?.toISOString() : undefined,
    user_action_required_by: waiting.has(row.status) ? row.user_action_required_by?.toISOString() : undefined,
    stellar_transaction_id: row.stellar_transaction_id ?? undefined,
    external_transaction_id: row.external_transaction_id ?? undefined,
    message: row.message ?? undefined,
    refunded: row.status === 'refunded',
    refunds: row.refunds ? refundsForm(row.refunds) : undefined,
    instructions: row.instructions ?? undefined,
    ...requiredUpdates(row),
  }
}

/** `completed_at` is the time of reaching these, and only these (SEP-24). */
const ended: ReadonlySet<string> = new Set(['completed', 'refunded'])
/** In these the user must do something, by `user_action_required_by`. */
const waiting: ReadonlySet<string> = new Set([
  'incomplete',
  'pending_user_transfer_start',
  'pending_user_transfer_complete',
  'pending_user',
  'pending_trust',
  'pending_customer_info_update',
  'pending_transaction_info_update',
])

/** The payout and the fee. Both are zero after a refund, so that the sums stay right (SEP-24). */
export function paidOut({ status, amount_out, amount_out_asset, fee_details }: Transaction) {
  const refunded = status === 'refunded'
  const fee = fee_details && (refunded ? { total: '0', asset: fee_details.asset } : describedFee(fee_details))
  return {
    amount_out: amount_out === null ? undefined : refunded ? '0' : plainAmount(amount_out),
    amount_out_asset: amount_out_asset ?? undefined,
    amount_fee: fee?.total,
    amount_fee_asset: fee?.asset,
    fee_details: fee ?? undefined,
  }
}

/** SEP-6 and SEP-31 name the parts `details`, SEP-24 `breakdown`; wallet SDKs fail on a part without a description. */
function describedFee({ total, asset, details }: NonNullable<Transaction['fee_details']>) {
  const parts = details?.map(each => ({ ...each, description: each.description ?? each.name }))
  return { total, asset, ...(parts && { details: parts, breakdown: parts }) }
}

/** What the wallet must send before the transaction continues, by SEP-12 or by SEP-6's `PATCH`. */
function requiredUpdates({
  status,
  message,
  type,
  customer_info_updates: updates,
}: Transaction): Partial<SepTransaction> {
  const text = message ?? undefined
  if (status === 'pending_customer_info_update') {
    return {
      required_customer_info_message: text,
      ...(updates && updates.length > 0 ? { required_customer_info_updates: updates } : {}),
    }
  }
  if (status !== 'pending_transaction_info_update') return {}
  return {
    required_info_message: text,
    required_info_updates: { transaction: destinationFields(railOfMethod(type)) },
  }
}

const depositForm = (row: Transaction) => ({
  to: row.stellar_account ?? undefined,
  deposit_memo: row.memo ?? undefined,
  deposit_memo_type: row.memo_type ?? undefined,
  claimable_balance_id: row.claimable_balance_id ?? undefined,
})

const withdrawalForm = (row: Transaction, details: Details) => ({
  from: row.paid_by ?? row.stellar_account ?? undefined,
  to: details.dest,
  external_extra: details.dest_extra,
  withdraw_anchor_account: row.withdraw_anchor_account ?? undefined,
  withdraw_memo: row.withdraw_memo ?? undefined,
  withdraw_memo_type: row.withdraw_memo_type ?? undefined,
})

export const refundsForm = (refunds: NonNullable<Transaction['refunds']>) => ({
  amount_refunded: refunds.amount_refunded.amount,
  amount_fee: refunds.amount_fee.amount,
  payments: refunds.payments.map(({ id, id_type, amount, fee }) => ({
    id,
    id_type,
    amount: amount.amount,
    fee: fee.amount,
  })),
})

/** The destination of a withdrawal, for SEP-6 `/info` and for transactions that ask for it again. */
export function destinationFields(
  rail?: RailKind,
): Record<string, { description: string; optional?: boolean }> {
  const routing =
    rail?.routing === undefined ? { label: 'routing number, IFSC or BIC', optional: true } : rail.routing
  return {
    dest: {
      description: `the account that receives ${rail ? `${rail.currency} over ${rail.label}` : 'the money'}`,
    },
    ...(routing && {
      dest_extra: {
        description: `${routing.label} of that account`,
        ...(routing.optional ? { optional: true } : {}),
      },
    }),
  }
}

/** The fields that a wallet may change on request. */
export const changeable = Object.keys(destinationFields())
