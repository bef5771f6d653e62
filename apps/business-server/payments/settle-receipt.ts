import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import type { Deps } from '../deps.ts'
import { recordLedgerReceipt } from '../journal/entries.ts'
import { assetName } from '../pricing/asset.ts'
import type { Tables, Transfer, TransferChange } from '../tables.ts'
import type { sepAmounts } from '../transfers/amounts.ts'
import { move } from '../transfers/move.ts'
import { queuePayment } from './ledger-payments.ts'
import { queueOrder } from './rail-orders.ts'

/** A payment to the distribution account, as Horizon describes it. */
export interface IncomingPayment {
  /** The operation's id: unique permanently. */
  id: string
  hash: string
  /** `G…` */
  sender: string
  /** Where a refund goes: the sender, or its muxed address. */
  returnTo: string
  amount: string
  /** Null: the anchor's asset. */
  asset: 'native' | null
  memo: string | null
  memoType: string
  /** The id of the muxed address it was paid to. */
  muxedId: string | null
  /** When its ledger closed. */
  closedAt: Date
}

/** What is decided about a payment; `accepted` and some `returned` ones change a transfer. */
export type Verdict =
  | { outcome: 'accepted'; transfer: Transfer; change: TransferChange; amounts: SepAmounts; why: string }
  | { outcome: 'returned'; transfer: Transfer | null; why: string }
  | { outcome: 'ignored' | 'kept'; transfer: null; why: string }
type SepAmounts = ReturnType<typeof sepAmounts>

/**
 * Records a payment with its verdict, in the caller's transaction: an accepted one is paid out over the rail, a
 * returned one refunded. Does nothing where the payment is recorded already.
 */
export async function settleReceipt(
  deps: Deps,
  tx: Db<Tables>,
  payment: IncomingPayment,
  verdict: Verdict,
): Promise<void> {
  const first = await tx
    .insertInto('ledger_receipts')
    .values({
      id: payment.id,
      hash: payment.hash,
      sender: payment.sender,
      amount: payment.amount,
      asset: payment.asset,
      memo: payment.memo,
      memo_type: payment.memoType,
      transfer_id: verdict.transfer?.id ?? null,
      outcome: verdict.outcome,
      why: verdict.why,
    })
    .onConflict(conflict => conflict.column('id').doNothing())
    .executeTakeFirst()
  if (first.numInsertedOrUpdatedRows === 0n) return
  await record(deps, tx, payment, verdict)
  if (verdict.outcome === 'accepted') await payOut(tx, payment, verdict)
  if (verdict.outcome === 'returned') await refund(deps, tx, payment, verdict)
}

async function record(
  deps: Deps,
  tx: Db<Tables>,
  { id, hash, asset, sender, amount }: IncomingPayment,
  { outcome, transfer }: Verdict,
): Promise<void> {
  const { issuer, distribution } = deps.config.anchor.accounts
  if (asset !== null || sender === distribution) return
  const accounts = { accepted: 'customers', returned: 'suspense', kept: 'kept', ignored: 'issued' } as const
  const to = sender === issuer ? 'issued' : accounts[outcome]
  await recordLedgerReceipt(tx, { id, hash, amount, transferId: transfer?.id ?? null, to })
}

async function payOut(
  tx: Db<Tables>,
  { hash, returnTo }: IncomingPayment,
  { transfer, change, amounts }: Extract<Verdict, { outcome: 'accepted' }>,
): Promise<void> {
  const received = { ...amounts, stellar_transaction_id: hash, source_account: returnTo }
  const funded = await move(
    tx,
    transfer,
    'funded',
    { ...change, ledger_hash: hash, stellar_account: returnTo },
    [['notify_onchain_funds_received', received]],
  )
  await queueOrder(tx, {
    cause: `payout:${funded.id}`,
    transfer_id: funded.id,
    kind: 'payout',
    rail: funded.rail,
    amount: funded.fiat_amount ?? '0',
    currency: funded.currency,
    destination: funded.destination,
  })
}

async function refund(
  deps: Deps,
  tx: Db<Tables>,
  payment: IncomingPayment,
  { transfer, why }: Extract<Verdict, { outcome: 'returned' }>,
): Promise<void> {
  // Without a memo of the wallet's own choice, SEP-29's and the ledger's own: the hash of what is returned.
  const memo = transfer?.refund_memo
    ? { memo: transfer.refund_memo, memo_type: transfer.refund_memo_type }
    : { memo: payment.hash, memo_type: 'return' }
  await queuePayment(tx, {
    cause: `refund:receipt:${payment.id}`,
    transfer_id: transfer?.id ?? null,
    purpose: 'refund',
    destination: payment.returnTo,
    amount: payment.amount,
    asset: payment.asset,
    // A muxed address names the customer by itself, and the ledger allows no memo beside it.
    ...(payment.returnTo.startsWith('M') ? { memo: null, memo_type: null } : memo),
    claimable: false,
  })
  if (!transfer) return
  const message = `The payment is refunded: ${why}.`
  const amount_in = {
    amount: formatAmount(parseAmount(payment.amount)),
    asset: assetName(deps.config.anchor),
  }
  await move(tx, transfer, 'returning', { message, ledger_hash: payment.hash }, [
    [
      'notify_onchain_funds_received',
      { amount_in, stellar_transaction_id: payment.hash, source_account: payment.returnTo, message },
    ],
  ])
}
