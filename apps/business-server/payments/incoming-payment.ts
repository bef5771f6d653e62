import type { Db } from '@windlass/service/postgres/database.ts'
import type { LedgerAsset, Tables, Transfer } from '../tables.ts'
import { lockByLedgerMemo } from '../transfers/find.ts'
import { queuePayment, type NewPayment } from './ledger-payments.ts'

/** A payment to the distribution account, as Horizon describes it. */
export interface IncomingPayment {
  /** The operation's id, unique on its chain. */
  id: string
  hash: string
  /** `G…` or `C…` */
  sender: string
  /** Where a refund goes: the sender, or its muxed address. */
  returnTo: string
  amount: string
  asset: LedgerAsset
  memo: string | null
  memoType: string
  /** The id of the muxed address it was paid to. */
  muxedId: string | null
  /** When its ledger closed. */
  closedAt: Date
}

/** After a reset of the network, other payments have the same ids. */
export const refundCause = ({ hash, id }: IncomingPayment): string => `refund:receipt:${hash}:${id}`

/** The withdrawal whose memo a payment has, locked; null: there is none. */
export async function transferOf(
  tx: Db<Tables>,
  { muxedId, memo, memoType }: IncomingPayment,
): Promise<Transfer | null> {
  const id = muxedId ?? (memoType === 'id' ? memo : null)
  return id === null ? null : lockByLedgerMemo(tx, id)
}

/** Queues {@link refundOf} a payment, in the caller's transaction. */
export const queueRefund = (tx: Db<Tables>, ...of: Parameters<typeof refundOf>): Promise<void> =>
  queuePayment(tx, refundOf(...of))

/**
 * The refund of a payment.
 *
 * @param transferId that ends with it
 * @param refundMemo of the transfer whose memo the payment has
 */
export function refundOf(
  payment: IncomingPayment,
  transferId: string | null = null,
  refundMemo?: Pick<Transfer, 'refund_memo' | 'refund_memo_type'>,
): NewPayment {
  // Without a memo of the wallet's own choice, SEP-29's and the ledger's own: the hash of what is returned.
  const memo = refundMemo?.refund_memo
    ? { memo: refundMemo.refund_memo, memo_type: refundMemo.refund_memo_type }
    : { memo: payment.hash, memo_type: 'return' }
  return {
    cause: refundCause(payment),
    transfer_id: transferId,
    purpose: 'refund',
    destination: payment.returnTo,
    amount: payment.amount,
    asset: payment.asset,
    // A muxed address names the customer by itself, and the ledger allows no memo beside it, nor beside a call.
    ...(/^[MC]/.test(payment.returnTo) ? { memo: null, memo_type: null } : memo),
    claimable: false,
  }
}
