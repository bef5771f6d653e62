import {
  isDeposit,
  rpcErrors,
  type Refunds,
  type RpcMethod,
  type RpcParams,
} from '@windlass/contracts/anchor/anchor-platform.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { enqueue } from '@windlass/service/work/outbox.ts'
import { randomUUID } from 'node:crypto'
import type { Tables } from '../tables.ts'
import type { Deps } from '../deps.ts'
import { openDetails, sealDetails } from '../transactions/details.ts'
import { quotedFee } from '../sep38/quotes.ts'
import { publishEvent, queueCallback } from '../transactions/events.ts'
import { changeTransaction, lockTransaction } from '../transactions/transactions.ts'
import { finalStatuses, transitionFor, type Transition } from '../transactions/status.ts'
import type { Transaction, TransactionChange } from '../tables.ts'
import { RpcError } from './rpc-error.ts'

/** Applies a call to its transaction by the table of transitions, in the caller's database transaction. */
export async function applyCall(
  tx: Db<Tables>,
  { sealer, clock }: Pick<Deps, 'sealer' | 'clock'>,
  method: RpcMethod,
  params: RpcParams,
): Promise<Transaction> {
  const now = clock.now()
  const row = await lockTransaction(tx, params.transaction_id)
  if (!row) throw new RpcError(rpcErrors.invalidParams, `unknown transaction ${params.transaction_id}`)
  const transition = transitionFor(method, row.kind, row.status)
  if (!transition) {
    throw new RpcError(rpcErrors.invalidRequest, `${method} does not fit a ${row.kind} that is ${row.status}`)
  }
  const change: TransactionChange = {
    ...dataOf(method, row, params, now),
    ...statusOf(transition, row, params, now),
  }
  // The wallet agreed to the quote's fee object; the business server reports the same fee in the anchor's asset.
  const fee =
    row.quote_id && params.fee_details
      ? await quotedFee(tx, row.quote_id, params.amount_in?.amount, params.amount_out?.amount)
      : null
  if (fee) change.fee_details = JSON.stringify(fee)
  if (params.payout_destination) {
    const details = openDetails(sealer, row)
    if (!details.dest) {
      change.details = sealDetails(sealer, row.id, { ...details, dest: params.payout_destination })
    }
  }
  const changed = await changeTransaction(tx, row.id, change)
  await publishEvent(tx, sealer, 'transaction_status_changed', changed)
  if (row.status === 'pending_customer_info_update' && changed.status !== row.status)
    await enqueue(tx, 'customer-update', randomUUID(), { account: row.account, memo: row.account_memo })
  if (row.status === 'incomplete' && changed.status !== 'incomplete') await queueCallback(tx, changed)
  return changed
}

function statusOf({ to }: Transition, row: Transaction, params: RpcParams, now: Date): TransactionChange {
  if (to === 'same') return {}
  if (to === 'pending_anchor' && params.success === false) return {}
  const received = row.transfer_received_at !== null
  const status = to === 'recovered' ? (received ? 'pending_anchor' : 'pending_user_transfer_start') : to
  const ended = finalStatuses.includes(status)
  return { status, completed_at: ended ? now : null }
}

function dataOf(method: RpcMethod, row: Transaction, params: RpcParams, now: Date): TransactionChange {
  const change: TransactionChange = { message: params.message ?? null }
  if (params.amount_in) {
    change.amount_in = params.amount_in.amount
    change.amount_in_asset = params.amount_in.asset ?? row.amount_in_asset
  }
  if (params.amount_out) {
    change.amount_out = params.amount_out.amount
    change.amount_out_asset = params.amount_out.asset ?? row.amount_out_asset
  }
  if (params.amount_expected) change.amount_expected = params.amount_expected.amount
  if (params.fee_details) change.fee_details = JSON.stringify(params.fee_details)
  if (params.external_transaction_id) change.external_transaction_id = params.external_transaction_id
  if (params.stellar_transaction_id) change.stellar_transaction_id = params.stellar_transaction_id
  if (params.claimable_balance_id) change.claimable_balance_id = params.claimable_balance_id
  if (params.customer_id) change.customer_id = params.customer_id
  if (params.kyc_verified !== undefined) change.kyc_verified = params.kyc_verified
  if (params.source_account) change.paid_by = params.source_account
  if (params.required_customer_info_updates) {
    change.customer_info_updates = JSON.stringify(params.required_customer_info_updates)
  }
  if (params.instructions) change.instructions = JSON.stringify(params.instructions)
  if (params.user_action_required_by)
    change.user_action_required_by = new Date(params.user_action_required_by)
  return { ...change, ...methodData(method, row, params, now) }
}

function methodData(method: RpcMethod, row: Transaction, params: RpcParams, now: Date): TransactionChange {
  switch (method) {
    case 'request_offchain_funds':
      // Also again, where a payment turned out to be someone else's.
      return { transfer_received_at: null }
    case 'notify_transaction_recovery':
      return row.status === 'refunded' ? { refunds: null } : {}
    case 'request_onchain_funds':
      return {
        withdraw_anchor_account: params.destination_account ?? null,
        withdraw_memo: params.memo ?? null,
        withdraw_memo_type: params.memo_type ?? null,
      }
    case 'notify_offchain_funds_received':
      return {
        transfer_received_at: new Date(params.funds_received_at ?? now),
        user_action_required_by: null,
      }
    case 'notify_onchain_funds_received':
      return { transfer_received_at: now, user_action_required_by: null }
    case 'notify_refund_sent':
      return { refunds: JSON.stringify(withRefund(row, params)) }
    default:
      return {}
  }
}

function withRefund(row: Transaction, { refund }: RpcParams): Refunds {
  if (!refund) throw new RpcError(rpcErrors.invalidParams, 'refund is required')
  const payment = {
    id: refund.id,
    id_type: isDeposit(row.kind) ? ('external' as const) : ('stellar' as const),
    amount: refund.amount,
    fee: refund.amount_fee,
  }
  const payments = [...(row.refunds?.payments ?? []).filter(({ id }) => id !== refund.id), payment]
  const sum = (values: string[]) =>
    formatAmount(amountOf(values.reduce((total, value) => total + parseAmount(value), 0n)))
  const [refunded, fees] = [payments.map(each => each.amount.amount), payments.map(each => each.fee.amount)]
  const isSame = refund.amount.asset === undefined || refund.amount.asset === row.amount_in_asset
  if (
    isSame &&
    row.amount_in !== null &&
    parseAmount(sum([...refunded, ...fees])) > parseAmount(row.amount_in)
  )
    throw new RpcError(rpcErrors.invalidParams, 'more would be refunded than was paid in')
  return {
    amount_refunded: { ...refund.amount, amount: sum(refunded) },
    amount_fee: { ...refund.amount_fee, amount: sum(fees) },
    payments,
  }
}
