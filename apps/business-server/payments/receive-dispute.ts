import { amountOf, formatAmount, parseAmount, subtract } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import { recordDeducted, recordRailReceipt } from '../money/journal/entries.ts'
import { reverseEntry } from '../money/journal/journal.ts'
import type { DisputeReport } from '../rails/rail.ts'
import type { RailReceipt, Tables, Transfer } from '../tables.ts'
import { findOpenDebtOf, lockDebtOf, restOf } from '../transfers/debts.ts'
import { changeDispute, isKnown, lockDispute, type RailDispute } from '../transfers/disputes.ts'
import { lockTransfer } from '../transfers/find.ts'
import { lockByReference } from '../transfers/incoming-money.ts'
import { lockPaymentsOf } from './operator.ts'
import { findReceipt } from './rail-receipts.ts'
import { compareWithLedger, recordRailPayment, wakeAfterRailPayment } from './receive-rail-payment.ts'
import { findTakeable, payDebt, takeBack, undoTakenBack } from './take-back.ts'

/**
 * Records what a provider says of a dispute now, in any order and however often: what it took of the money is booked, and
 * what it gave back (docs/adr/0178). A dispute about a payment that is not recorded here changes nothing.
 */
export async function receiveDispute(deps: Deps, rail: string, now: DisputeReport): Promise<void> {
  deps.faults.at('dispute:reported')
  await compareWithLedger(deps)
  const isOurs = await deps.database.db.transaction().execute(async tx => {
    const receipt = await findReceipt(tx, rail, now.paymentId)
    if (!receipt) return false
    const transfer = await lockTransferOf(tx, receipt)
    const dispute = await lockDispute(tx, rail, now, transfer)
    if (isEarlier(now, dispute)) return true
    if (!isKnown(dispute, now)) await changeDispute(tx, dispute, { now })
    await book(deps, tx, { ...dispute, ...now }, receipt, transfer)
    deps.faults.at('dispute:booked')
    return true
  })
  deps.faults.at('dispute:noted')
  if (!isOurs) deps.logger.info({ rail, paymentId: now.paymentId }, 'a dispute is about no payment here')
  deps.wake.emit('conditions')
  wakeAfterRailPayment(deps)
}

/** A rail took a payment back that it had reported: as a dispute that is lost whole. */
export async function receiveTakenBack(
  deps: Deps,
  rail: string,
  { paymentId, reason }: { paymentId: string; reason: string },
): Promise<void> {
  const receipt = await findReceipt(deps.database.db, rail, paymentId)
  if (!receipt)
    return deps.logger.error({ rail, paymentId, reason }, 'a rail took back what is no deposit here')
  const amount = formatAmount(parseAmount(receipt.amount))
  const lost = { state: 'lost', round: 0, respondBy: null } as const
  const { currency } = receipt
  await receiveDispute(deps, rail, {
    disputeId: paymentId,
    paymentId,
    currency,
    amount,
    deducted: amount,
    reason,
    ...lost,
  })
}

/** What was asked for before the dispute ended, and is answered after it. */
const isEarlier = (now: DisputeReport, { state, round }: RailDispute): boolean =>
  now.round < round || (now.round === round && now.state === 'open' && state !== 'open')

async function lockTransferOf(tx: Db<Tables>, receipt: RailReceipt): Promise<Transfer | null> {
  const { transfer_id: id, reference } = receipt
  const found = id === null ? await lockByReference(tx, reference ?? '') : { id }
  if (!found) return null
  await lockPaymentsOf(tx, found.id)
  return lockTransfer(tx, found.id)
}

const causeOf = ({ rail, dispute_id: id }: RailDispute): string => `${rail}:${id}`

/** Books what the provider took since, or gave back. What is of another currency is booked nowhere, and named. */
async function book(
  deps: Deps,
  tx: Transaction<Tables>,
  dispute: RailDispute & DisputeReport,
  receipt: RailReceipt,
  transfer: Transfer | null,
): Promise<void> {
  const [deducted, booked] = [parseAmount(dispute.deducted), parseAmount(dispute.booked)]
  if (deducted === booked || dispute.currency !== receipt.currency) return
  // Where another amount is booked, that is given back first.
  if (booked > 0n && (await giveBack(deps, tx, dispute, receipt, transfer)))
    await changeDispute(tx, dispute, { booked: '0', booked_as: null })
  else if (booked > 0n) return
  if (deducted === 0n) return
  const booked_as = await take(deps, tx, dispute, receipt, transfer)
  await changeDispute(tx, dispute, { booked: formatAmount(deducted), booked_as })
}

/** The customer owes what was taken of a deposit, or the deposit waits again. Anything else is in suspense, for people. */
async function take(
  deps: Deps,
  tx: Transaction<Tables>,
  dispute: RailDispute,
  receipt: RailReceipt,
  transfer: Transfer | null,
): Promise<NonNullable<RailDispute['booked_as']>> {
  const { rail, currency, reason } = dispute
  const amount = formatAmount(parseAmount(dispute.deducted))
  const [taken, came] = [parseAmount(amount), parseAmount(receipt.amount)]
  if (await wasBookedBefore(tx, dispute, transfer)) return 'owed'
  const isDeposit = transfer !== null && receipt.transfer_id === transfer.id && receipt.outcome === 'accepted'
  if (isDeposit && taken <= came && typeof (await findTakeable(tx, transfer)) !== 'string')
    return takeBack(deps, tx, transfer, { cause: causeOf(dispute), amount, reason, isPart: taken < came })
  const cause = deductedCause(dispute)
  await recordDeducted(tx, { cause, rail, currency, amount: taken, transferId: transfer?.id ?? null })
  return 'suspense'
}

/** By an earlier release, which kept no dispute: a rail reported the payment as taken back. */
async function wasBookedBefore(
  tx: Db<Tables>,
  dispute: RailDispute,
  transfer: Transfer | null,
): Promise<boolean> {
  const isFirst = dispute.dispute_id === dispute.payment_id && parseAmount(dispute.booked) === 0n
  return isFirst && transfer !== null && (await isOwnDebt(tx, dispute, transfer))
}

const isOwnDebt = async (tx: Db<Tables>, dispute: RailDispute, { id }: Transfer): Promise<boolean> =>
  (await lockDebtOf(tx, id))?.cause === causeOf(dispute)

const deductedCause = (dispute: RailDispute): string => `dispute:${causeOf(dispute)}`

/**
 * The provider gave back what it took: the deposit has its money again, or nothing is owed. Where the customer paid some of
 * it, the rest of the debt is paid, and what came twice is in suspense. False: what is booked stays, for people.
 */
async function giveBack(
  deps: Deps,
  tx: Transaction<Tables>,
  dispute: RailDispute,
  receipt: RailReceipt,
  transfer: Transfer | null,
): Promise<boolean> {
  const { rail, payment_id: paymentId, currency, booked_as: as } = dispute
  const booked = parseAmount(dispute.booked)
  if (as === 'suspense') {
    await reverseEntry(tx, deductedCause(dispute))
    return true
  }
  if (!transfer) return false
  if (as === 'awaited') {
    await changeDispute(tx, dispute, { booked: '0', booked_as: null })
    const amount = formatAmount(parseAmount(receipt.amount))
    await recordRailPayment(deps, tx, rail, {
      kind: 'received',
      paymentId,
      currency,
      amount,
      reference: receipt.reference ?? '',
    })
    return true
  }
  const debt = await findOpenDebtOf(tx, transfer.id)
  const isUntouched = debt !== null && parseAmount(debt.recovered) === 0n
  if (isUntouched && (await isOwnDebt(tx, dispute, transfer))) {
    // So that a new one can be booked: of another amount, or of a later round.
    await undoTakenBack(tx, transfer.id, causeOf(dispute))
    return true
  }
  const owed = debt ? restOf(debt) : 0n
  const paid = owed < booked ? owed : booked
  const id = `${paymentId}:${dispute.dispute_id}:${dispute.round}`
  if (paid > 0n) await payDebt(tx, transfer.id, { paymentId: id, amount: formatAmount(amountOf(paid)) })
  const rest = formatAmount(subtract(amountOf(booked), amountOf(paid)))
  if (parseAmount(rest) === 0n) return true
  await recordRailReceipt(tx, { rail, paymentId: id, amount: rest, currency, transferId: transfer.id })
  return true
}
