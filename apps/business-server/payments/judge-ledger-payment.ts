import { idOf } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Deps } from '../deps.ts'
import type { TopUp } from '../money/journal/ledger-entries.ts'
import { isOwnIssuer } from '../money/pricing/asset.ts'
import { currentSettings } from '../money/settings/settings.ts'
import { topUpFrom } from '../money/treasury/treasury.ts'
import type { SepCall } from '../outgoing/sep-calls/sep-calls.ts'
import type { Tables, Transfer, TransferChange } from '../tables.ts'
import { pricedAt, sepAmounts } from '../transfers/amounts.ts'
import { isLate, lockByPayment, onTermsOf, refusedNow } from '../transfers/incoming-money.ts'
import { leastReturned } from './dust.ts'
import type { IncomingPayment } from './incoming-payment.ts'
import { feeOfRefunds, findCameBack, type CameBack } from './refunds.ts'
import { refundBeforeRestore, type RefundBefore } from './unrecorded.ts'

/** An amount is near what was asked for if it differs from it by a tenth at most. */
const NEAR_SHARE = 10n

export interface Accepted {
  outcome: 'accepted'
  transfer: Transfer
  /** What it is from then on. */
  change: TransferChange
  /** The call that its SEP server gets. */
  received: SepCall[1]
  why: string
}

export interface Returned {
  outcome: 'returned'
  /** The withdrawal that ends by it. */
  transfer: Transfer | null
  why: string
  /** Whose memo the payment has, where it changes nothing of it: its refund memo is on the refund too. */
  memoOf?: Transfer
  /** Units that are kept of a refund to someone who paid without a transaction. A customer's refund is whole. */
  fee: Amount
  /** Whether the ledger has the refund, made from a later state of this database. */
  isPaid?: boolean
}

/** What is decided about a payment; `accepted` and some `returned` ones change a transfer. */
export type Verdict =
  | Accepted
  | Returned
  | { outcome: 'ignored' | 'kept' | 'held'; transfer: null; why: string; from?: TopUp; cameBack?: CameBack }

/** Finds a payment's withdrawal by its memo, locks it, and decides what happens to the payment. Changes nothing. */
export async function judgePayment(deps: Deps, tx: Db<Tables>, payment: IncomingPayment): Promise<Verdict> {
  const found = await lockByPayment(tx, payment)
  const transfer = found && (await onTermsOf(deps, tx, found, payment.closedAt))
  const from = transfer ? null : payment.by === 'opening' ? 'capital' : await topUpFrom(tx, payment)
  if (from) return { outcome: 'ignored', transfer: null, why: 'a top-up', from }
  const takesNear = transfer !== null && (await takesNearAmounts(deps, tx, transfer))
  const verdict = judge(deps, payment, transfer, takesNear)
  if (verdict.outcome === 'returned') return judgeRefund(deps, tx, payment, verdict)
  if (verdict.outcome !== 'accepted') return verdict
  // Identity is asked again, after the time to pay pauses too. What was not agreed is checked against the limits now.
  const added = isAsAgreed(verdict.transfer, payment) ? null : payment.units
  const refused = await refusedNow(deps, tx, verdict.transfer, { cameAt: payment.closedAt, added })
  return judgeRefund(deps, tx, payment, refused === null ? verdict : returned(refused, verdict.transfer))
}

/** A quote is for its own amount, and of a direct payment the sending anchor said what is paid. */
async function takesNearAmounts(deps: Deps, tx: Db<Tables>, { quote_id, sep }: Transfer): Promise<boolean> {
  if (quote_id !== null || sep === '31') return false
  const { settings } = await currentSettings(deps, tx)
  return settings.limits.nearAmounts !== false
}

/** By the payment and its withdrawal alone. */
function judge(
  deps: Pick<Deps, 'config' | 'clock'>,
  payment: IncomingPayment,
  transfer: Transfer | null,
  takesNear: boolean,
): Verdict {
  const { anchor } = deps.config
  const { asset, sender } = payment
  const isFurther = asset !== null && asset !== 'native'
  if ((!isFurther && isOwnIssuer(anchor, sender)) || sender === anchor.accounts.distribution)
    return { outcome: 'ignored', transfer: null, why: "the anchor's own" }
  // Its memo says whose payment it is, but nobody paid: people decide.
  if (payment.by === 'merge')
    return { outcome: 'held', transfer: null, why: 'an account ended in the distribution account' }
  // Operators top up the account with XLM.
  if (!transfer && asset === 'native')
    return { outcome: 'ignored', transfer: null, why: 'XLM that no withdrawal asked for' }
  if (!transfer) return returned('no withdrawal has this memo')
  const unlike = (why: string): Returned => ({ ...returned(why), memoOf: transfer })
  if (!payment.served) return unlike('the withdrawal is not of XLM')
  if (asset !== transfer.asset) return unlike(`the withdrawal is not of ${idOf(payment.served)}`)
  if (transfer.state === 'failed') return unlike('the withdrawal was canceled')
  if (transfer.state !== 'awaiting_funds' && transfer.state !== 'expired')
    return unlike('the withdrawal has its payment already')
  return judgeAmount(deps, transfer, payment, takesNear)
}

function judgeAmount(
  { config, clock }: Pick<Deps, 'config' | 'clock'>,
  transfer: Transfer,
  payment: IncomingPayment,
  takesNear: boolean,
): Verdict {
  const { units, closedAt } = payment
  let why = 'any amount was agreed'
  if (transfer.amount !== null && transfer.fiat_amount !== null) {
    const agreed = parseAmount(transfer.amount)
    const other = units !== agreed
    if (other && !(takesNear && isNear(units, agreed)))
      return returned(`${formatAmount(agreed)} was agreed`, transfer)
    const late = isLate(transfer, closedAt)
    // The customer saw: a quote holds until the time to pay, and without one the rate is that of the payment's arrival.
    if (transfer.quote_id && late) return returned('the quote has expired', transfer)
    if (!other && !late && !transfer.priced_at_arrival)
      return accepted(config, payment, transfer, {}, 'as agreed')
    why = other ? `near the ${formatAmount(agreed)} that was agreed` : 'priced at its arrival'
  }
  try {
    const columns = pricedAt(config, transfer, units, clock.now())
    return accepted(config, payment, transfer, { ...columns, terms: transfer.terms }, why)
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return returned(error.message, transfer)
    throw error
  }
}

/** The withdrawal takes the payment, as it was agreed or by a new price. */
export function accepted(
  { anchor }: Deps['config'],
  { hash, returnTo }: Pick<IncomingPayment, 'hash' | 'returnTo'>,
  transfer: Transfer,
  price: TransferChange,
  why: string,
): Accepted {
  const amounts = sepAmounts(anchor, { ...transfer, ...price } as Transfer)
  return {
    ...{ outcome: 'accepted', transfer, why },
    change: { ...price, ledger_hash: hash, stellar_account: returnTo },
    received: { ...amounts, stellar_transaction_id: hash, source_account: returnTo },
  }
}

const isNear = (amount: Amount, asked: Amount): boolean => {
  const apart = amount > asked ? amount - asked : asked - amount
  return apart * NEAR_SHARE <= asked
}

/** Whether the customer agreed to this amount, within their limits, and paid it in time. */
const isAsAgreed = (transfer: Transfer, { units, closedAt }: IncomingPayment): boolean =>
  transfer.amount !== null &&
  parseAmount(transfer.amount) === units &&
  transfer.state !== 'expired' &&
  !isLate(transfer, closedAt)

const returned = (why: string, transfer: Transfer | null = null): Returned => ({
  ...{ outcome: 'returned', transfer, why, fee: amountOf(0n) },
})

/**
 * Whether what would be sent back is. Too little to be worth a fee is kept, and ends no withdrawal. A refund is never
 * answered by a refund: what may be one waits for an operator.
 */
async function judgeRefund(
  deps: Deps,
  tx: Db<Tables>,
  payment: IncomingPayment,
  judged: Accepted | Returned,
): Promise<Verdict> {
  const { asset, units } = payment
  const fee = judged.transfer ? amountOf(0n) : await feeOfRefunds(deps, tx, asset)
  const isTooLittle = units < leastReturned(deps.config, asset === 'native') || units <= fee
  if (judged.outcome === 'returned' && isTooLittle)
    return { outcome: 'kept', transfer: null, why: `${judged.why}, and too little to be returned` }
  const verdict = afterRestore(judged, await refundBeforeRestore(deps, tx, payment))
  const cameBack = verdict.outcome === 'returned' ? await findCameBack(tx, payment) : null
  if (cameBack) return { outcome: 'held', transfer: null, why: verdict.why, cameBack }
  return verdict.outcome === 'returned' ? { ...verdict, fee } : verdict
}

/**
 * What came before an older state was restored may have been settled already: a refund that the ledger shows stands, and
 * what would be refunded now is held for an operator, since its withdrawal may be lost and paid out.
 */
function afterRestore(verdict: Accepted | Returned, before: RefundBefore | null): Verdict {
  if (before === null) return verdict
  const { transfer, why } = verdict
  if (before === 'another-asset')
    return { outcome: 'held', transfer: null, why: 'it was refunded in another asset' }
  if (before === 'made')
    return verdict.outcome === 'returned'
      ? { ...verdict, isPaid: true }
      : returned('it was refunded before', transfer)
  return verdict.outcome === 'accepted' ? verdict : { outcome: 'held', transfer: null, why }
}
