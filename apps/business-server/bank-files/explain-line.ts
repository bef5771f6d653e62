import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { OwnAccount } from '@windlass/contracts/anchor/journal.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { Transaction } from 'kysely'
import type { LineActionKind } from '../money/approvals/tables.ts'
import type { Deps } from '../deps.ts'
import { recordBankLine, recordOwnMoney } from '../money/journal/entries.ts'
import { bookOn } from '../money/journal/journal.ts'
import { refuseRailPayment } from '../payments/receive-rail-payment.ts'
import { agreedTerms, type AgreedTerms } from '../payments/reverse.ts'
import { recordOrderEnd } from '../payments/settle-order.ts'
import { lockPaymentsOf } from '../payments/operator.ts'
import { findOpenReturn, haveFailed, returnIdOf } from '../payments/rail-orders.ts'
import { findSentBack, isSentBack, lockSentBack } from '../payments/sent-back.ts'
import { amountOfAgain, payAgain } from '../payments/settle-sent-back.ts'
import {
  approvedFileOf,
  endPayout,
  lockOpenReturn,
  lockPayoutOfTransfer,
  lockPayouts,
  queuePayout,
  rejectedCodes,
  reopenPayout,
} from '../rails/bank-file/payouts.ts'
import type { BankLine, BankPayout, RailOrder, Tables, Transfer } from '../tables.ts'
import { findTakeable } from '../payments/take-back.ts'
import { findTransfer, lockTransfer } from '../transfers/find.ts'
import { railsOf } from './accounts.ts'
import { bookCharge, chargeOf, isSmall, noteKeptBy } from './charges.ts'
import {
  acceptDeposit,
  bookingOf,
  depositCharge,
  moneyOf,
  payerNames,
  paymentOf,
  takeDepositBack,
} from './match.ts'
import { endPayoutsOfFile, lockFileNamedBy, lockPayoutsOfLostFile } from './match-payouts.ts'
import { findLine, leftFor, openLine, type setOutcome } from './lines.ts'
import { mayBeTwins, weighDeposit, type Weighed, weighFile, weighPayout, weighTakenBack } from './ties.ts'

/** A decision about a line under review. */
export interface Explanation {
  kind: Exclude<LineActionKind, 'reverse'>
  transactionId?: string | undefined
  duplicateOf?: string | undefined
  account?: OwnAccount | undefined
  reason: string
}

/** What a line becomes, and what is needed to reverse it. */
interface Explained {
  outcome: Pick<
    Parameters<typeof setOutcome>[2],
    'state' | 'transfer_id' | 'order_id' | 'ignored_as' | 'own_account' | 'duplicate_of'
  >
  undo: Undo
}

export interface Undo {
  /** What was agreed about a matched deposit before. */
  terms?: AgreedTerms
  /** Orders that ended. */
  orders?: string[]
  /** What became of a deposit that the bank took back. */
  takenBack?: 'awaited' | 'owed'
  /** The order that people had paid at the bank themselves. */
  byHand?: string
  /** The rail over which a return leaves. */
  rail?: string
}

/** What a line is said to be the payment of. */
type Target =
  | { deposit: Transfer }
  /** A debit that takes its money back. */
  | { takenBack: Transfer; amount: string; isPart: boolean }
  | { payout: BankPayout; transferId: string | null }
  | { payouts: BankPayout[]; rejected: boolean }
  /** A debit that people made at the bank for what came back. */
  | { byHand: RailOrder; transfer: Transfer | null }

/** Does what a decision says, with all that follows from it, in the caller's transaction. */
export async function explainLine(
  deps: Deps,
  tx: Transaction<Tables>,
  line: BankLine,
  explanation: Explanation,
): Promise<Explained> {
  await bookOn(tx, bookingOf(line))
  const { amount, ...money } = moneyOf(line)
  if (explanation.kind === 'own') {
    const { account } = explanation
    await recordOwnMoney(tx, { cause: ownCause(line), amount, currency: money.currency, account })
    return { outcome: { state: 'ignored', ignored_as: 'own', own_account: account ?? null }, undo: {} }
  }
  const twin = explanation.kind === 'duplicate' ? await twinOf(tx, line, explanation) : null
  // It is explained now, by another entry or as a line that was counted twice.
  await recordBankLine(tx, { cause: decidedCause(line), ...money, amount: -amount })
  if (twin) return { outcome: { state: 'ignored', ignored_as: 'duplicate', duplicate_of: twin.id }, undo: {} }
  if (explanation.kind === 'return') return sendBack(deps, tx, line)
  const target = await targetOf(deps, tx, line, explanation.transactionId)
  return match(deps, tx, line, target)
}

export const ownCause = ({ id }: BankLine): string => `line:${id}:own`
export const decidedCause = ({ id }: BankLine): string => `line:${id}:decided`

/** A line is left out only beside the one that it repeats, which counts. */
async function twinOf(tx: Db<Tables>, line: BankLine, { duplicateOf }: Explanation): Promise<BankLine> {
  if (!duplicateOf) throw invalid('duplicateOf', 'is needed: name the line that this one repeats')
  const twin = await findLine(tx, duplicateOf)
  if (!mayBeTwins(line, twin))
    throw invalid(
      'duplicateOf',
      'is another booking: a line repeats one of the same account, direction, and amount or bank reference',
    )
  if (twin.ignored_as === 'duplicate') throw invalid('duplicateOf', 'repeats another line itself')
  if (twin.state === 'new') throw invalid('duplicateOf', 'was not looked at yet. Try again shortly')
  return twin
}

/** The names under which the customer may pay of whom a line is said to be. Read before: it takes a connection. */
export async function payersOf(deps: Deps, { transactionId }: Explanation): Promise<string[]> {
  const transfer = transactionId ? await findTransfer(deps.database.db, transactionId) : null
  return transfer ? payerNames(deps, transfer) : []
}

/** What ties a line to what it is matched to, and what speaks against it. Throws where it cannot be matched. */
export async function weighMatch(
  deps: Deps,
  tx: Db<Tables>,
  line: BankLine,
  { transactionId }: Explanation,
  payers: readonly string[],
): Promise<Weighed> {
  const target = await targetOf(deps, tx, line, transactionId)
  if ('takenBack' in target) return weighTakenBack(deps, tx, line, target, payers)
  if ('deposit' in target) return weighDeposit(deps, tx, line, target.deposit, payers)
  if ('payout' in target) return weighPayout(deps, tx, line, target.payout)
  // Nobody sees such a payment but at the bank.
  if ('byHand' in target) return { ties: [], doubts: [] }
  return weighFile(line, target)
}

async function targetOf(
  deps: Deps,
  tx: Db<Tables>,
  line: BankLine,
  transactionId: string | undefined,
): Promise<Target> {
  if (transactionId) return targetNamed(deps, tx, line, transactionId)
  const payout = await payoutNamedBy(deps, tx, line)
  if (payout?.ended_at && line.direction === 'out') return byHandTarget(tx, line, payout.id, null)
  if (payout) return { payout, transferId: null }
  const file = await lockFileNamedBy(tx, line)
  if (file) return file
  const lost = line.direction === 'out' ? await lockPayoutsOfLostFile(deps, tx, line) : []
  if (lost.length > 0) return { payouts: lost, rejected: false }
  throw invalid('transactionId', 'is needed to match a line')
}

async function targetNamed(deps: Deps, tx: Db<Tables>, line: BankLine, id: string): Promise<Target> {
  const transfer = await findTransfer(tx, id)
  const rails = railsOf(deps, line.account).map(({ name }) => name)
  if (!transfer || !rails.includes(transfer.rail))
    throw new Problem('transaction-not-found', 'No transaction over this bank account has this id.')
  const back = line.direction === 'out' ? await findSentBack(tx, transfer.id) : null
  if (back) return byHandTarget(tx, line, back.id, transfer)
  if (transfer.direction === 'deposit') {
    if (line.direction === 'out') return takenBackTarget(tx, line, transfer)
    if (!transfer.reference) throw invalid('transactionId', 'is a deposit that is not agreed yet')
    return { deposit: transfer }
  }
  const payout = await lockPayoutOfTransfer(tx, transfer.id)
  if (!payout) throw invalid('transactionId', 'is a withdrawal that is not paid out yet')
  if ((await chargeFor(tx, line, payout)) === null)
    throw invalid(
      'transactionId',
      `is a withdrawal of ${formatAmount(parseAmount(payout.amount))} ${payout.currency}`,
    )
  if (line.direction === 'out' && payout.ended_at) throw invalid('transactionId', 'has ended already')
  if (line.direction === 'in' && (await isInNextFile(tx, payout)))
    throw invalid('transactionId', 'has a payout in another file, which a statement has to confirm first')
  if (line.direction === 'in' && (await haveFailed(tx, [payout.id])))
    throw invalid('transactionId', 'has a payout that came back already')
  // The bank has no payout of a file that nobody approved, so it cannot come back.
  if (line.direction === 'in' && !payout.ended_at && !(await approvedFileOf(tx, payout)))
    throw invalid(
      'transactionId',
      'has a payout that is in no approved file, so the bank cannot send it back',
    )
  return { payout, transferId: transfer.id }
}

/** A deposit whose money a debit takes back. */
async function takenBackTarget(tx: Db<Tables>, line: BankLine, { id }: Transfer): Promise<Target> {
  await lockPaymentsOf(tx, id)
  const transfer = await lockTransfer(tx, id)
  // Money that goes back already is back: this is its return, made by the bank or by hand.
  const payout = await lockOpenReturn(tx, await findOpenReturn(tx, id))
  if (payout && chargeOf(line, payout.amount) !== null) return { payout, transferId: id }
  const came = await findTakeable(tx, transfer, { mayBeTwice: true })
  if (typeof came === 'string')
    throw invalid('transactionId', `is no deposit that the bank takes back: ${came}`)
  if (chargeOf(line, came.amount) !== null) return { takenBack: transfer, amount: came.amount, isPart: false }
  // Less than what may be the whole without a charge: a part of it.
  if (parseAmount(line.amount) < parseAmount(came.amount))
    return { takenBack: transfer, amount: formatAmount(parseAmount(line.amount)), isPart: true }
  throw invalid('transactionId', `is a deposit of ${came.amount} ${came.currency}`)
}

/** What came back, and was paid at the bank by hand meanwhile. */
async function byHandTarget(
  tx: Db<Tables>,
  line: BankLine,
  orderId: string,
  transfer: Transfer | null,
): Promise<Target> {
  const byHand = await lockSentBack(tx, orderId)
  const amount = await amountOfAgain(tx, byHand)
  if (chargeOf(line, amount) === null)
    throw invalid('transactionId', `is of ${amount} ${byHand.currency}, which came back`)
  return { byHand, transfer: transfer && (await lockTransfer(tx, transfer.id)) }
}

/** The payout or return that a credit names which sends it back, or the open one that a debit names: one that was decided again after a restore is younger than its debit. */
async function payoutNamedBy(deps: Deps, tx: Db<Tables>, line: BankLine): Promise<BankPayout | null> {
  const rails = railsOf(deps, line.account).map(({ name }) => name)
  const [payout, another] = await lockPayouts(tx, line.codes)
  if (!payout || another || !rails.includes(payout.rail)) return null
  if ((await chargeFor(tx, line, payout)) === null) return null
  if (line.direction === 'out') return !payout.ended_at || (await isSentBack(tx, payout.id)) ? payout : null
  return payout.ended_at && !(await haveFailed(tx, [payout.id])) ? payout : null
}

const chargeFor = async (tx: Db<Tables>, line: BankLine, { id, amount }: BankPayout) =>
  chargeOf(line, amount, await leftFor(tx, id))

/** Whether the bank may still make a payout, of which it rejected an earlier file: what came back may be of that one. */
async function isInNextFile(tx: Db<Tables>, payout: BankPayout): Promise<boolean> {
  if (payout.ended_at || (await rejectedCodes(tx, [payout])).size === 0) return false
  return (await approvedFileOf(tx, payout)) !== null
}

async function sendBack(deps: Deps, tx: Db<Tables>, line: BankLine): Promise<Explained> {
  if (line.direction === 'out') throw invalid('decision', 'cannot be return: the money left the account')
  const transfer = line.transfer_id ? await findTransfer(tx, line.transfer_id) : null
  // It leaves from the account to which it came, whatever account its transaction is paid over.
  const isOurs = railsOf(deps, line.account).some(({ name }) => name === transfer?.rail)
  const rail = (isOurs && transfer?.rail) || line.rail
  await refuseRailPayment(deps, tx, rail, paymentOf(deps, line, transfer?.reference ?? `line ${line.id}`))
  // Where an earlier decision to return it was reversed, its payout has ended.
  await reopenPayout(tx, returnIdOf(rail, line.id))
  return { outcome: { state: 'returned', transfer_id: transfer?.id ?? null }, undo: { rail } }
}

async function match(
  deps: Deps,
  tx: Transaction<Tables>,
  line: BankLine,
  target: Target,
): Promise<Explained> {
  if ('deposit' in target) return matchDeposit(deps, tx, line, target.deposit)
  if ('takenBack' in target) {
    const as = await takeDepositBack(deps, tx, line, target.takenBack, target.amount, target.isPart)
    return { outcome: { state: 'matched', transfer_id: target.takenBack.id }, undo: { takenBack: as } }
  }
  if ('byHand' in target) return matchByHand(deps, tx, line, target)
  if ('payouts' in target) {
    await endPayoutsOfFile(deps, tx, line, target.payouts)
    return { outcome: { state: 'matched' }, undo: { orders: target.payouts.map(({ id }) => id) } }
  }
  const { payout, transferId } = target
  await endByLine(deps, tx, line, payout)
  const outcome = { state: 'matched' as const, order_id: payout.id }
  return {
    outcome: transferId === null ? outcome : { ...outcome, transfer_id: transferId },
    undo: { orders: [payout.id] },
  }
}

async function matchByHand(
  deps: Deps,
  tx: Db<Tables>,
  line: BankLine,
  { byHand: order, transfer }: { byHand: RailOrder; transfer: Transfer | null },
): Promise<Explained> {
  const again = await payAgain(deps, tx, order, transfer, null)
  const { id, rail, currency, amount, kind } = again
  const of = {
    payout: { kind, transfer_id: transfer?.id ?? null, line_id: null },
    return: { kind, transfer_id: null, line_id: order.destination.paymentId ?? null },
  } as const
  await queuePayout(tx, { id, rail, currency, amount, ...of[kind] })
  await recordOrderEnd(deps, tx, { kind: 'paid', orderId: id, paymentId: line.id })
  await endPayout(tx, id)
  await bookCharge(tx, line, { rail, transfer_id: transfer?.id ?? null }, chargeOf(line, amount))
  const outcome = { state: 'matched', order_id: id, transfer_id: transfer?.id ?? null } as const
  return { outcome, undo: { byHand: id } }
}

async function matchDeposit(
  deps: Deps,
  tx: Db<Tables>,
  line: BankLine,
  transfer: Transfer,
): Promise<Explained> {
  const charge = depositCharge(line, transfer)
  // More than banks keep is another payment: it goes back.
  const isCharge = charge !== null && isSmall(charge, transfer.fiat_amount ?? '')
  const refused = await acceptDeposit(deps, tx, line, transfer, isCharge ? charge : 0n)
  if (refused !== null)
    throw invalid('transactionId', `cannot be matched: ${refused}. Return the money instead`)
  return {
    outcome: { state: 'matched', transfer_id: transfer.id },
    undo: { terms: agreedTerms(transfer) },
  }
}

async function endByLine(deps: Deps, tx: Db<Tables>, line: BankLine, payout: BankPayout): Promise<void> {
  const charge = await chargeFor(tx, line, payout)
  // The customer reads why: what the bank says, never what colleagues wrote for each other.
  const reason = openLine(deps.sealer, line).returnReason ?? 'the bank sent it back'
  await noteKeptBy(tx, line, payout, charge)
  await recordOrderEnd(
    deps,
    tx,
    line.direction === 'out'
      ? { kind: 'paid', orderId: payout.id, paymentId: line.id }
      : { kind: 'failed', orderId: payout.id, reason },
  )
  await endPayout(tx, payout.id)
  await bookCharge(tx, line, payout, charge)
}
