import { assetName, idOf, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Deps } from '../deps.ts'
import { bookOn } from '../money/journal/journal.ts'
import { recordLedgerReceipt, type TopUp } from '../money/journal/ledger-entries.ts'
import { journalDay } from '../money/journal/settings.ts'
import { isOwnIssuer } from '../money/pricing/asset.ts'
import { currentSettings } from '../money/settings/settings.ts'
import { isColdAccount, TOP_UP_MEMO } from '../money/treasury/settings.ts'
import type { Tables, Transfer, TransferChange } from '../tables.ts'
import { priceColumns, priceOf, sepAmounts } from '../transfers/amounts.ts'
import { onTermsOf, refusedNow } from '../transfers/asked-again.ts'
import { keepBound } from '../transfers/bound-terms.ts'
import { maskAccount, openDestination } from '../transfers/destination.ts'
import { isLate, lockByPayment } from '../transfers/find.ts'
import { move } from '../transfers/move.ts'
import { leastReturned } from './dust.ts'
import { holdLedgerReceipt } from './held-receipts.ts'
import { countResets } from './incidents.ts'
import { type IncomingPayment, isOfPlatform } from './incoming-payment.ts'
import { queueOrder } from './rail-orders.ts'
import {
  feeOfRefunds,
  findCameBack,
  queueRefund,
  refundCause,
  refundStranger,
  type CameBack,
} from './refunds.ts'
import { restoredAt } from './restored.ts'
import { findUnrecorded } from './unrecorded.ts'

/** An amount is near what was asked for if it differs from it by a tenth at most. */
const NEAR_SHARE = 10n

/** What is decided about a payment; `accepted` and some `returned` ones change a transfer. */
export type Verdict =
  | {
      outcome: 'accepted'
      transfer: Transfer
      change: TransferChange
      amounts: ReturnType<typeof sepAmounts>
      why: string
    }
  | {
      outcome: 'returned'
      transfer: Transfer | null
      why: string
      /** Whose memo the payment has, where it changes nothing of it: its refund memo is on the refund too. */
      memoOf?: Transfer
      /** Whether the ledger has the refund, made from a later state of this database. */
      isPaid?: boolean
    }
  | { outcome: 'ignored' | 'kept' | 'held'; transfer: null; why: string; from?: TopUp; cameBack?: CameBack }

/** Finds a payment's withdrawal by its memo and decides what happens to it, in the caller's transaction, once. */
export async function receivePayment(deps: Deps, tx: Db<Tables>, payment: IncomingPayment): Promise<void> {
  await bookOn(tx, { bookedOn: await journalDay(tx, payment.closedAt) })
  const found = await lockByPayment(tx, payment)
  const transfer = found && (await onTermsOf(deps, tx, found, payment.closedAt))
  const from = transfer === null ? await topUpFrom(deps, tx, payment) : null
  const takesNear = transfer !== null && (await takesNearAmounts(deps, tx, transfer))
  const judged = await unlessRefused(deps, tx, judge(deps, payment, transfer, takesNear), payment)
  const verdict = from ? topUp(from) : await withoutDust(deps, tx, payment, judged)
  const restored = await afterRestore(deps, tx, payment, verdict)
  return settleReceipt(deps, tx, payment, await unlessItCameBack(tx, payment, restored))
}

/** A refund is never answered by a refund: what may be one waits for an operator. */
async function unlessItCameBack(
  tx: Db<Tables>,
  payment: IncomingPayment,
  verdict: Verdict,
): Promise<Verdict> {
  if (verdict.outcome !== 'returned') return verdict
  const cameBack = await findCameBack(tx, payment)
  return cameBack === null ? verdict : { outcome: 'held', transfer: null, why: verdict.why, cameBack }
}

/**
 * What came before an older state was restored may have been settled already: a refund that the ledger shows stands, and
 * what would be refunded now is held for an operator, since its withdrawal may be lost and paid out.
 */
async function afterRestore(
  deps: Deps,
  tx: Db<Tables>,
  payment: IncomingPayment,
  verdict: Verdict,
): Promise<Verdict> {
  if (verdict.outcome !== 'returned' && verdict.outcome !== 'accepted') return verdict
  const restored = await restoredAt(tx)
  if (restored === null || payment.closedAt > restored) return verdict
  const { transfer, why } = verdict
  const refund = await findUnrecorded(deps, tx, refundCause(payment))
  if (refund && refund.asset !== payment.asset) {
    return { outcome: 'held', transfer: null, why: 'it was refunded in another asset' }
  }
  if (refund) {
    return verdict.outcome === 'returned'
      ? { ...verdict, isPaid: true }
      : { outcome: 'returned', transfer, why: 'it was refunded before' }
  }
  return verdict.outcome === 'accepted' ? verdict : { outcome: 'held', transfer: null, why }
}

/** Identity is asked again, after the time to pay pauses too. What was not agreed is checked against the limits now. */
async function unlessRefused(
  deps: Deps,
  tx: Db<Tables>,
  verdict: Verdict,
  { amount, closedAt }: IncomingPayment,
): Promise<Verdict> {
  if (verdict.outcome !== 'accepted') return verdict
  const { transfer } = verdict
  const paid = parseAmount(amount)
  const isAgreed = transfer.amount !== null && parseAmount(transfer.amount) === paid
  const isInTime = transfer.state !== 'expired' && !isLate(transfer, closedAt)
  const why = await refusedNow(deps, tx, transfer, {
    cameAt: closedAt,
    added: isAgreed && isInTime ? null : paid,
  })
  return why === null ? verdict : { outcome: 'returned', transfer, why }
}

const topUp = (from: TopUp): Verdict => ({ outcome: 'ignored', transfer: null, why: 'a top-up', from })

/** Where units were by which the operator tops the treasury up; null: the payment is no top-up. */
async function topUpFrom({ config }: Deps, tx: Db<Tables>, payment: IncomingPayment): Promise<TopUp | null> {
  const { asset, sender, memo, memoType } = payment
  if (asset === 'native') return null
  if (isOfPlatform(config.anchor, payment)) return 'capital'
  if (await isColdAccount(tx, asset, sender)) return 'cold'
  const { isOwn } = servedAsset(config.anchor, asset)
  return !isOwn && memoType === 'text' && memo === TOP_UP_MEMO ? 'capital' : null
}

/** A quote is for its own amount, and of a direct payment the sending anchor said what is paid. */
async function takesNearAmounts(deps: Deps, tx: Db<Tables>, { quote_id, sep }: Transfer): Promise<boolean> {
  if (quote_id !== null || sep === '31') return false
  const { settings } = await currentSettings(deps, tx)
  return settings.limits.nearAmounts !== false
}

const isNear = (amount: Amount, asked: Amount): boolean => {
  const apart = amount > asked ? amount - asked : asked - amount
  return apart * NEAR_SHARE <= asked
}

function judge(deps: Deps, payment: IncomingPayment, transfer: Transfer | null, takesNear: boolean): Verdict {
  const { anchor } = deps.config
  const isFurther = payment.asset !== null && payment.asset !== 'native'
  const isIssuing = !isFurther && isOwnIssuer(anchor, payment.sender)
  if (isIssuing || payment.sender === anchor.accounts.distribution) {
    return { outcome: 'ignored', transfer: null, why: "the anchor's own" }
  }
  const back = (why: string, ends: Transfer | null = null): Verdict => ({
    outcome: 'returned',
    transfer: ends,
    why,
    ...(transfer ? { memoOf: transfer } : {}),
  })
  // Its memo says whose payment it is, but nobody paid: people decide.
  if (payment.by === 'merge')
    return { outcome: 'held', transfer: null, why: 'an account ended in the distribution account' }
  // Operators top up the account with XLM.
  if (!transfer && payment.asset === 'native') {
    return { outcome: 'ignored', transfer: null, why: 'XLM that no withdrawal asked for' }
  }
  if (!transfer) return back('no withdrawal has this memo')
  if (payment.asset === 'native') return back('the withdrawal is not of XLM')
  if (payment.asset !== transfer.asset)
    return back(`the withdrawal is not of ${idOf(servedAsset(anchor, payment.asset))}`)
  if (transfer.state === 'failed') return back('the withdrawal was canceled')
  if (transfer.state !== 'awaiting_funds' && transfer.state !== 'expired') {
    return back('the withdrawal has its payment already')
  }
  const amount = parseAmount(payment.amount)
  if (transfer.amount !== null && transfer.fiat_amount !== null) {
    const agreed = parseAmount(transfer.amount)
    const other = amount !== agreed
    if (other && !(takesNear && isNear(amount, agreed)))
      return back(`${formatAmount(agreed)} was agreed`, transfer)
    const late = isLate(transfer, payment.closedAt)
    // The customer saw: a quote holds until the time to pay, and without one the rate is that of the payment's arrival.
    if (transfer.quote_id && late) return back('the quote has expired', transfer)
    if (!other && !late && !transfer.priced_at_arrival) return accept(deps, transfer, {}, 'as agreed')
    const why = other ? `near the ${formatAmount(agreed)} that was agreed` : 'priced at its arrival'
    return judgeOpenAmount(deps, transfer, amount, why, back)
  }
  return judgeOpenAmount(deps, transfer, amount, 'any amount was agreed', back)
}

/** What is too little to be worth a fee is kept, and ends no withdrawal. */
async function withoutDust(
  deps: Deps,
  tx: Db<Tables>,
  { asset, amount }: IncomingPayment,
  verdict: Verdict,
): Promise<Verdict> {
  if (verdict.outcome !== 'returned') return verdict
  const fee = verdict.transfer ? 0n : await feeOfRefunds(deps, tx, asset)
  const units = parseAmount(amount)
  if (units >= leastReturned(deps.config, asset === 'native') && units > fee) return verdict
  return { outcome: 'kept', transfer: null, why: `${verdict.why}, and too little to be returned` }
}

function judgeOpenAmount(
  deps: Deps,
  transfer: Transfer,
  amount: Amount,
  why: string,
  back: (why: string, ends: Transfer) => Verdict,
): Verdict {
  try {
    const { config, clock } = deps
    const change = priceColumns(config, priceOf(config, transfer, amount), transfer, clock.now())
    return accept(deps, transfer, { ...change, terms: transfer.terms }, why)
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return back(error.message, transfer)
    throw error
  }
}

function accept({ config }: Deps, transfer: Transfer, change: TransferChange, why: string): Verdict {
  const amounts = sepAmounts(config.anchor, { ...transfer, ...change } as Transfer)
  return { outcome: 'accepted', transfer, change, amounts, why }
}

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
  if (await wasJudgedBeforeReset(deps, tx, payment)) return
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
  const fee = keepsFee(verdict) ? await feeOfRefunds(deps, tx, payment.asset) : amountOf(0n)
  await record(deps, tx, payment, verdict, fee)
  if (verdict.outcome === 'accepted') await payOut(deps, tx, payment, verdict)
  if (verdict.outcome === 'returned') await refund(deps, tx, payment, verdict, fee)
  if (verdict.outcome === 'held') await holdLedgerReceipt(deps, tx, payment, verdict.cameBack)
}

/** A fee is kept only from a refund that belongs to no transaction. A customer's refund is whole. */
const keepsFee = ({ outcome, transfer }: Verdict): boolean => outcome === 'returned' && transfer === null

/**
 * A transaction is judged once, whatever is said of the chain later: only the issue may come again by the same
 * transaction, and is recorded again, since a reset takes what was issued out of the journal.
 */
async function wasJudgedBeforeReset(
  { config }: Deps,
  tx: Db<Tables>,
  { hash, sender }: IncomingPayment,
): Promise<boolean> {
  if (isOwnIssuer(config.anchor, sender)) return false
  const before = await tx
    .selectFrom('ledger_receipts')
    .select('id')
    .where('hash', '=', hash)
    // A reset puts the old chain's name before its ids.
    .where('id', 'like', '%:%')
    .executeTakeFirst()
  return before !== undefined
}

async function record(
  deps: Deps,
  tx: Db<Tables>,
  { id, hash, asset, sender, amount }: IncomingPayment,
  verdict: Verdict,
  fee: Amount,
): Promise<void> {
  const { anchor } = deps.config
  if (asset === 'native' || sender === anchor.accounts.distribution) return
  const { outcome, transfer } = verdict
  const accounts = {
    accepted: 'customers',
    returned: 'suspense',
    held: 'suspense',
    kept: 'unclaimed',
    ignored: 'issued',
  } as const
  const from = 'from' in verdict ? verdict.from : undefined
  const to = asset === null && isOwnIssuer(anchor, sender) ? 'issued' : (from ?? accounts[outcome])
  // After a reset of the network even the same transaction may come again: the one that issues the asset.
  const receipt = `${hash}:${id}:${await countResets(tx)}`
  await recordLedgerReceipt(tx, { id: receipt, asset, amount, transferId: transfer?.id ?? null, to, fee })
}

async function payOut(
  deps: Deps,
  tx: Db<Tables>,
  { hash, returnTo }: IncomingPayment,
  { transfer, change, amounts }: Extract<Verdict, { outcome: 'accepted' }>,
): Promise<void> {
  const received = { ...amounts, stellar_transaction_id: hash, source_account: returnTo }
  const fund = () =>
    move(tx, transfer, 'funded', { ...change, ledger_hash: hash, stellar_account: returnTo }, [
      ['notify_onchain_funds_received', received],
    ])
  const funded = await keepBound(deps, tx, transfer.id, fund)
  await queueOrder(deps, tx, {
    cause: `payout:${funded.id}`,
    transfer_id: funded.id,
    kind: 'payout',
    rail: funded.rail,
    amount: funded.fiat_amount ?? '0',
    currency: funded.currency,
    destination: { masked: maskedAccount(deps, funded) },
  })
}

/** Where the account cannot be read, the order is not bound and waits for people, who refund it. */
function maskedAccount({ sealer, logger }: Deps, transfer: Transfer): string {
  try {
    return maskAccount(openDestination(sealer, transfer).dest ?? '')
  } catch (error) {
    logger.error({ err: error, transfer: transfer.id }, 'the account of a withdrawal cannot be read')
    return maskAccount('')
  }
}

async function refund(
  deps: Deps,
  tx: Db<Tables>,
  payment: IncomingPayment,
  {
    transfer,
    why,
    memoOf = transfer ?? undefined,
    isPaid = false,
  }: Extract<Verdict, { outcome: 'returned' }>,
  fee: Amount,
): Promise<void> {
  if (!transfer) return refundStranger(tx, payment, { fee, memoOf, isPaid })
  await queueRefund(tx, payment, transfer.id, memoOf)
  const message = `The payment is refunded: ${why}.`
  const amount_in = {
    amount: formatAmount(parseAmount(payment.amount)),
    asset: assetName(servedAsset(deps.config.anchor, transfer.asset)),
  }
  await move(tx, transfer, 'returning', { message, ledger_hash: payment.hash }, [
    [
      'notify_onchain_funds_received',
      { amount_in, stellar_transaction_id: payment.hash, source_account: payment.returnTo, message },
    ],
  ])
}
