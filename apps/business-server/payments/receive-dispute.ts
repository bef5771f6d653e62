import { type Amount, amountOf, formatAmount, parseAmount, subtract } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import { recordDeducted, recordRailReceipt } from '../money/journal/entries.ts'
import { bindFact, isFactBound } from '../money/bound-facts/bound-facts.ts'
import { reverseEntry } from '../money/journal/journal.ts'
import type { DisputeReport } from '../rails/rail.ts'
import type { RailReceipt, Tables, Transfer } from '../tables.ts'
import { type CustomerDebt, lockDebtOf, restOf } from '../transfers/debts.ts'
import {
  changeDispute,
  disputeKey,
  disputeFacts,
  isKnown,
  lockDispute,
  type RailDispute,
} from '../transfers/disputes.ts'
import { lockTransfer } from '../transfers/find.ts'
import { lockByReference } from '../transfers/incoming-money.ts'
import { lockPaymentsOf } from './operator.ts'
import { findReceipt } from './rail-receipts.ts'
import { compareWithLedger, recordRailPayment, wakeAfterRailPayment } from './receive-rail-payment.ts'
import { findTakeable, oweMore, payDebt, takeBack, undoTakenBack } from './take-back.ts'

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
    const id = disputeKey(dispute)
    if (isEarlier(now, dispute) && (await isFactBound(deps, tx, disputeFacts, id))) return true
    if (!isKnown(dispute, now)) await changeDispute(tx, dispute, { now })
    await bindFact(deps, tx, disputeFacts, id)
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

/** What was asked for before the dispute ended, and is answered after it. Without a proof that the provider said so, it did not end. */
const isEarlier = (now: DisputeReport, { state, round }: RailDispute): boolean =>
  now.round < round || (now.round === round && now.state === 'open' && state !== 'open')

async function lockTransferOf(tx: Db<Tables>, receipt: RailReceipt): Promise<Transfer | null> {
  const { transfer_id: id, reference } = receipt
  const found = id === null ? await lockByReference(tx, reference ?? '') : { id }
  if (!found) return null
  await lockPaymentsOf(tx, found.id)
  return lockTransfer(tx, found.id)
}

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
  const debt = transfer && (await lockDebtOf(tx, transfer.id))
  if (debt && dispute.booked_as !== 'suspense' && isPaidDebtOf(dispute, debt)) {
    if (deducted > booked) await oweMore(tx, debt, subtract(deducted, booked))
    else await giveBackPaid(tx, dispute, debt, subtract(booked, deducted))
    return noteBooked(tx, dispute, deducted, 'owed')
  }
  // Where another amount is booked, that is given back first.
  if (booked > 0n && !(await giveBack(deps, tx, dispute, receipt, transfer))) return
  if (booked > 0n) await noteBooked(tx, dispute, amountOf(0n), null)
  if (deducted > 0n) await noteBooked(tx, dispute, deducted, await take(deps, tx, dispute, receipt, transfer))
}

const noteBooked = (
  tx: Db<Tables>,
  dispute: RailDispute,
  booked: Amount,
  as: RailDispute['booked_as'],
): Promise<void> =>
  changeDispute(tx, dispute, { booked: formatAmount(booked), booked_as: booked === 0n ? null : as })

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
    return takeBack(deps, tx, transfer, { cause: disputeKey(dispute), amount, reason, isPart: taken < came })
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
  (await lockDebtOf(tx, id))?.cause === disputeKey(dispute)

const deductedCause = (dispute: RailDispute): string => `dispute:${disputeKey(dispute)}`

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
  const debt = await lockDebtOf(tx, transfer.id)
  if (debt?.state === 'open' && debt.cause === disputeKey(dispute)) {
    // So that a new one can be booked: of another amount, or of a later round.
    await undoTakenBack(tx, transfer.id, disputeKey(dispute))
    return true
  }
  await giveBackPaid(tx, dispute, debt ?? { transfer_id: transfer.id }, booked)
  return true
}

/** Whether its customer paid some of what it took: then the debt is changed, so that nobody ends it by a cent. */
const isPaidDebtOf = (dispute: RailDispute, { cause, state, recovered }: CustomerDebt): boolean =>
  cause === disputeKey(dispute) && state !== 'written-off' && parseAmount(recovered) > 0n

/** The rest of a debt is paid by what the provider gave back, and what came twice is in suspense. */
async function giveBackPaid(
  tx: Db<Tables>,
  { rail, payment_id: paymentId, dispute_id: disputeId, round, currency, booked }: RailDispute,
  debt: CustomerDebt | Pick<CustomerDebt, 'transfer_id'>,
  amount: Amount,
): Promise<void> {
  const [owed, recovered] =
    'state' in debt && debt.state === 'open' ? [restOf(debt), debt.recovered] : [0n, 0]
  const paid = amountOf(owed < amount ? owed : amount)
  const id = `${paymentId}:${disputeId}:${round}:${booked}:${recovered}`
  if (paid > 0n) await payDebt(tx, debt.transfer_id, { paymentId: id, amount: formatAmount(paid) })
  const rest = subtract(amount, paid)
  if (rest === 0n) return
  const transferId = debt.transfer_id
  await recordRailReceipt(tx, { rail, paymentId: id, amount: formatAmount(rest), currency, transferId })
}
