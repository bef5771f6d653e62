import { formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import { recordLedgerReceipt } from '../journal/entries.ts'
import { queuePayment } from './ledger-payments.ts'
import { queueOrder } from './rail-orders.ts'
import { assetName } from '../pricing/asset.ts'
import type { Tables, Transfer, TransferChange } from '../tables.ts'
import { priceColumns, priceOf, sepAmounts } from '../transfers/amounts.ts'
import { isLate, lockByLedgerMemo } from '../transfers/find.ts'
import { move } from '../transfers/move.ts'

/** A payment to the distribution account, as Horizon describes it. */
export interface IncomingPayment {
  /** The operation's id: unique permanently. */
  id: string
  hash: string
  /** `G…` */
  sender: string
  /** Where it goes back to: the sender, or its muxed address. */
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

type Verdict =
  | { outcome: 'accepted'; transfer: Transfer; change: TransferChange; why: string }
  | { outcome: 'returned'; transfer: Transfer | null; why: string }
  | { outcome: 'ignored' | 'kept'; transfer: null; why: string }

/** Less XLM than this is not refunded: a thousand times the usual fee. */
const XLM_DUST = parseAmount('0.01')
/** Of the smallest transaction: less is not refunded, since anyone can send it for free and each refund costs a fee. */
const DUST_SHARE = 100n

/** Records one payment, in the caller's transaction, once: pays it out over the rail, or sends it back. */
export async function receivePayment(deps: Deps, tx: Db<Tables>, payment: IncomingPayment): Promise<void> {
  const memo = payment.muxedId ?? (payment.memoType === 'id' ? payment.memo : null)
  const transfer = memo === null ? null : await lockByLedgerMemo(tx, memo)
  const verdict = withoutDust(deps, payment, judge(deps, payment, transfer))
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
  if (verdict.outcome === 'accepted') await accept(deps, tx, verdict.transfer, verdict.change, payment)
  if (verdict.outcome === 'returned') await sendBack(deps, tx, verdict.transfer, payment, verdict.why)
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

function judge(deps: Deps, payment: IncomingPayment, transfer: Transfer | null): Verdict {
  const { issuer, distribution } = deps.config.anchor.accounts
  if (payment.sender === issuer || payment.sender === distribution) {
    return { outcome: 'ignored', transfer: null, why: "the anchor's own" }
  }
  const back = (why: string, ends: Transfer | null = null): Verdict => ({
    outcome: 'returned',
    transfer: ends,
    why,
  })
  // Operators top up the account with XLM.
  if (!transfer && payment.asset === 'native') {
    return { outcome: 'ignored', transfer: null, why: 'XLM that no withdrawal asked for' }
  }
  if (!transfer) return back('no withdrawal has this memo')
  if (payment.asset === 'native') return back('the withdrawal is not of XLM')
  if (transfer.state !== 'awaiting_funds' && transfer.state !== 'expired') {
    return back('the withdrawal has its payment already')
  }
  const amount = parseAmount(payment.amount)
  if (transfer.amount !== null && transfer.fiat_amount !== null) {
    const agreed = parseAmount(transfer.amount)
    if (amount !== agreed) return back(`${formatAmount(agreed)} was agreed`, transfer)
    // The customer saw: after the time to pay a quote is void, and without one the rate of the day applies.
    if (isLate(transfer, payment.closedAt)) {
      return transfer.quote_id
        ? back('the quote has expired', transfer)
        : judgeOpenAmount(deps, transfer, amount, 'late: priced at the rate of the day', back)
    }
    return { outcome: 'accepted', transfer, change: {}, why: 'as agreed' }
  }
  return judgeOpenAmount(deps, transfer, amount, 'any amount was agreed', back)
}

/** What is too little to be worth a fee is kept, and ends no withdrawal. */
function withoutDust({ config }: Deps, { asset, amount }: IncomingPayment, verdict: Verdict): Verdict {
  const least = asset === 'native' ? XLM_DUST : parseAmount(config.anchor.plan.limits.min) / DUST_SHARE
  if (verdict.outcome !== 'returned' || parseAmount(amount) >= least) return verdict
  return { outcome: 'kept', transfer: null, why: `${verdict.why}, and too little to be returned` }
}

function judgeOpenAmount(
  { config }: Deps,
  transfer: Transfer,
  amount: Amount,
  why: string,
  back: (why: string, ends: Transfer) => Verdict,
): Verdict {
  try {
    const change = priceColumns(config, priceOf(config, transfer, amount), transfer.currency)
    return { outcome: 'accepted', transfer, change, why }
  } catch (error) {
    if (error instanceof Problem) return back(error.message, transfer)
    throw error
  }
}

async function accept(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
  change: TransferChange,
  payment: IncomingPayment,
): Promise<void> {
  const agreed = { ...transfer, ...change } as Transfer
  const funded = await move(
    tx,
    transfer,
    'funded',
    { ...change, ledger_hash: payment.hash, stellar_account: payment.returnTo },
    [
      [
        'notify_onchain_funds_received',
        {
          ...sepAmounts(deps.config.anchor, agreed),
          stellar_transaction_id: payment.hash,
          source_account: payment.returnTo,
        },
      ],
    ],
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

async function sendBack(
  deps: Deps,
  tx: Db<Tables>,
  transfer: Transfer | null,
  payment: IncomingPayment,
  why: string,
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
    // A muxed address names the customer by itself, and a memo must not stand beside it.
    ...(payment.returnTo.startsWith('M') ? { memo: null, memo_type: null } : memo),
    claimable: false,
  })
  if (!transfer) return
  const message = `The payment goes back: ${why}.`
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
