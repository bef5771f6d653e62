import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { haveFailed } from '../payments/rail-orders.ts'
import { restoredAt } from '../payments/restored.ts'
import { recordOrderEnd } from '../payments/settle-order.ts'
import { dayAtBank } from '../rails/bank-file/bank-day.ts'
import {
  approvedFileOf,
  endPayout,
  findPayoutsOfLostFile,
  lockPayoutsOfFile,
  lockPayoutsOfRejectedFile,
  rejectedCodes,
} from '../rails/bank-file/payouts.ts'
import type { OrderReport } from '../rails/rail.ts'
import type { BankLine, BankPayout, Tables } from '../tables.ts'
import { railsOf } from './accounts.ts'
import { bookCharge, chargeOf, chargeOfFile, isTolerated, noteKeptBy, totalOf } from './charges.ts'
import {
  findReversal,
  leftFor,
  openLine,
  setOutcome,
  wasConfirmed,
  wasTakenBack,
  type Found,
  review,
} from './lines.ts'

const NO_RETURN = 'It names a payout, and the bank does not call it a return.'

/** What leaves confirms the payout, what comes back ends it as failed. */
export async function explainPayout(
  deps: Deps,
  tx: Db<Tables>,
  line: BankLine,
  payout: BankPayout,
): Promise<Found> {
  const charge = chargeOf(line, payout.amount, await leftFor(tx, payout.id))
  if (!(await isTolerated(deps, tx, line, charge, payout.amount)))
    return review(`It names a payout of ${formatAmount(parseAmount(payout.amount))} ${payout.currency}.`)
  const matched = { state: 'matched', order_id: payout.id } as const
  const other = await findReversal(tx, line, payout.code)
  const back = line.direction === 'in' ? line : other
  // Anyone can write its code into a payment. Only the bank marks a return.
  const isMarked = back !== null && openLine(deps.sealer, back).returnReason !== null
  const reversal = isMarked ? other : null
  if (await mayBeOfRejectedFile(tx, line, payout, reversal !== null))
    return review('The bank rejected a file with its payout: it may be of that file.')
  if (line.direction === 'out' && !reversal) {
    if (payout.ended_at && (await wasTakenBack(tx, payout.id)))
      return { ...matched, why: 'The bank made a payout and took it back.' }
    if (payout.ended_at) return review('Its payout has ended already.')
    const report = { kind: 'paid', orderId: payout.id, paymentId: line.id } as const
    await endPayoutAs(deps, tx, report)
    await bookCharge(tx, line, payout, charge)
    return { ...matched, why: 'It confirms a payout.', report }
  }
  if (line.direction === 'in' && (await haveFailed(tx, [payout.id])))
    return review('Its payout came back already.')
  // The bank has no payout of a file that nobody approved, so it cannot come back.
  if (line.direction === 'in' && !reversal && !payout.ended_at && !(await approvedFileOf(tx, payout)))
    return review('It names a payout that is in no approved file yet.')
  if (line.direction === 'in' && !isMarked) return review(NO_RETURN)
  const reason = (back && openLine(deps.sealer, back).returnReason) ?? 'the bank sent it back'
  const report = { kind: 'failed', orderId: payout.id, reason } as const
  if (!reversal) await noteKeptBy(tx, line, payout, charge)
  await endPayoutAs(deps, tx, report)
  if (!reversal) await bookCharge(tx, line, payout, charge)
  if (reversal)
    await setOutcome(tx, reversal.id, { ...matched, why: 'The bank made a payout and took it back.' })
  return { ...matched, why: 'The bank sent a payout back.', report }
}

/**
 * Whether a line may be of a file that the bank rejected and still made: the next file may be made too, so a person
 * decides. A debit is of the payout's next file if it names that, or was booked after the day of its approval.
 */
async function mayBeOfRejectedFile(
  tx: Db<Tables>,
  line: BankLine,
  payout: BankPayout,
  isReversed: boolean,
): Promise<boolean> {
  const rejected = (await rejectedCodes(tx, [payout])).get(payout.id)
  if (!rejected) return false
  if (isReversed || rejected.some(code => line.codes.includes(code))) return true
  if (line.direction === 'in') return !(await wasConfirmed(tx, payout.id))
  const file = await approvedFileOf(tx, payout)
  if (!file) return true
  return !line.codes.includes(file.code) && line.booked_on <= dayAtBank(payout.rail, file.approvedAt)
}

async function endPayoutAs(deps: Deps, tx: Db<Tables>, report: OrderReport): Promise<void> {
  await recordOrderEnd(deps, tx, report)
  await endPayout(tx, report.orderId)
}

/** A bank may book a file as one amount. */
export async function explainFile(deps: Deps, tx: Db<Tables>, line: BankLine): Promise<Found> {
  const codes = line.codes.filter(code => code.startsWith('F'))
  for (const code of codes) {
    const payouts = await lockPayoutsOfFile(tx, code)
    if (payouts.length === 0) continue
    const total = totalOf(payouts)
    if (!(await isTolerated(deps, tx, line, chargeOfFile(line, payouts), total)))
      return review(`It names a payout file of ${total} ${line.currency}.`)
    if (payouts.some(({ ended_at }) => ended_at)) return review('Payouts of its file have ended already.')
    if (line.direction === 'in' && !openLine(deps.sealer, line).returnReason) return review(NO_RETURN)
    const report = await endPayoutsOfFile(deps, tx, line, payouts)
    return { state: 'matched', why: 'It confirms a payout file.', report }
  }
  for (const code of codes)
    if ((await lockPayoutsOfRejectedFile(tx, code)).length > 0)
      return review('It names a payout file that the bank rejected.')
  const lost = await lockPayoutsOfLostFile(deps, tx, line)
  if (lost.length === 0) return review('It has no reference of a payout.')
  const report = await endPayoutsOfFile(deps, tx, line, lost)
  return { state: 'matched', why: 'It confirms a payout file that a restored database lacks.', report }
}

/** A bank may send a whole file back as one amount, after its debit was read. Null: the line names no file. */
export async function explainReturnedFile(deps: Deps, tx: Db<Tables>, line: BankLine): Promise<Found | null> {
  for (const code of line.codes.filter(each => each.startsWith('F'))) {
    const payouts = await lockPayoutsOfFile(tx, code)
    if (payouts.length === 0) continue
    const total = totalOf(payouts)
    if (!(await isTolerated(deps, tx, line, chargeOfFile(line, payouts), total)))
      return review(`It names a payout file of ${total} ${line.currency}.`)
    if (payouts.some(({ ended_at }) => !ended_at))
      return review('The debit of its payout file was not read yet.')
    if (await haveFailed(tx, idsOf(payouts))) return review('Payouts of its file came back already.')
    const report = await endPayoutsOfFile(deps, tx, line, payouts)
    return { state: 'matched', why: 'The bank sent a payout file back.', report }
  }
  return null
}

/** The payouts of a file that was made after the state to which the database was restored. */
export async function lockPayoutsOfLostFile(
  deps: Pick<Deps, 'rails'>,
  tx: Db<Tables>,
  line: BankLine,
): Promise<BankPayout[]> {
  if (!(await restoredAt(tx))) return []
  for (const code of line.codes.filter(each => each.startsWith('F')))
    for (const { name } of railsOf(deps, line.account)) {
      const payouts = await findPayoutsOfLostFile(tx, name, code, parseAmount(line.amount))
      if (payouts.length > 0) return payouts
    }
  return []
}

/**
 * The payouts of a file that a line names as a whole, locked: a debit pays those of an approved file, or of one that the bank
 * rejected, a credit sends them back. Null: it names none, is of another amount, or they ended otherwise.
 */
export async function lockFileNamedBy(
  tx: Db<Tables>,
  line: BankLine,
): Promise<{ payouts: BankPayout[]; rejected: boolean } | null> {
  const isOut = line.direction === 'out'
  for (const code of line.codes.filter(each => each.startsWith('F'))) {
    const left = isOut ? await lockPayoutsOfRejectedFile(tx, code) : []
    const payouts = left.length > 0 ? left : await lockPayoutsOfFile(tx, code)
    if (payouts.length === 0 || chargeOfFile(line, payouts) === null) continue
    const isOpen = payouts.every(({ ended_at }) => (ended_at === null) === isOut)
    if (!isOpen || (!isOut && (await haveFailed(tx, idsOf(payouts))))) continue
    return { payouts, rejected: left.length > 0 }
  }
  return null
}

const idsOf = (payouts: readonly BankPayout[]): string[] => payouts.map(({ id }) => id)

/** What leaves for a whole file confirms its payouts, what comes back ends them as failed. */
export async function endPayoutsOfFile(
  deps: Deps,
  tx: Db<Tables>,
  line: BankLine,
  payouts: readonly BankPayout[],
): Promise<OrderReport> {
  const reason = openLine(deps.sealer, line).returnReason ?? 'the bank sent it back'
  const reportOf = (orderId: string): OrderReport =>
    line.direction === 'in'
      ? { kind: 'failed', orderId, reason }
      : { kind: 'paid', orderId, paymentId: line.id }
  for (const { id } of payouts) await endPayoutAs(deps, tx, reportOf(id))
  const [first] = payouts
  if (!first) throw new Error(`line ${line.id} names a file without payouts`)
  await bookCharge(tx, line, { rail: first.rail, transfer_id: null }, chargeOfFile(line, payouts))
  return reportOf(first.id)
}
