import { amountOf, formatAmount, parseAmount, subtract, type Amount } from '@windlass/money/amount.ts'
import type { Deps } from '../../deps.ts'
import { receivedOver } from '../../payments/rail-receipts.ts'
import { receiveReport } from '../../payments/receive-report.ts'
import type { DisputeReport } from '../../rails/rail.ts'
import { isKnown, knownDisputes, type RailDispute, unsettledDisputes } from '../../transfers/disputes.ts'
import type { Found } from './store.ts'

/** What providers say of disputes, also those that no webhook reported, is recorded on the way. */
export async function compareDisputes(deps: Deps): Promise<Found[] | null> {
  for (const rail of deps.rails.values()) {
    if (!rail.disputes) continue
    try {
      const disputes: DisputeReport[] = []
      for await (const dispute of rail.disputes()) disputes.push(dispute)
      await receiveDisputes(deps, rail.name, disputes)
    } catch (error) {
      deps.logger.warn({ err: error, rail: rail.name }, 'the disputes of a rail are not recorded')
      return null
    }
  }
  return (await unsettledDisputes(deps.database.db)).map(disputeForm)
}

async function receiveDisputes(deps: Deps, rail: string, disputes: readonly DisputeReport[]): Promise<void> {
  const { db } = deps.database
  const payments = disputes.map(({ paymentId }) => paymentId)
  const ids = disputes.map(({ disputeId }) => disputeId)
  const [own, known] = [await receivedOver(db, rail, payments), await knownDisputes(db, rail, ids)]
  for (const dispute of disputes) {
    const row = known.get(dispute.disputeId)
    if (own.has(dispute.paymentId) && !(row && isKnown(row, dispute)))
      await receiveReport(deps, rail, { kind: 'dispute', ...dispute })
  }
}

function disputeForm(row: RailDispute): Found {
  const { rail, currency, transfer_id: transfer } = row
  const money = (amount: Amount) => `${formatAmount(amount)} ${currency}`
  const [amount, why] = openOf(row, money)
  const about = `The payer disputes ${money(parseAmount(row.amount))} of payment ${row.payment_id} over ${rail} (${row.reason}).`
  return {
    ...{ kind: 'payment-disputed', subject: `${rail}:${row.dispute_id}`, unit: currency },
    amount: formatAmount(amountOf(-amount)),
    detail: `${about} ${why}${transfer === null ? '' : ` Transaction ${transfer}.`}`,
  }
}

/** What of a dispute is open, and why. */
function openOf(row: RailDispute, money: (amount: Amount) => string): [Amount, string] {
  const [deducted, booked] = [parseAmount(row.deducted), parseAmount(row.booked)]
  if (deducted !== booked)
    return [
      subtract(deducted, booked),
      `${row.rail} took ${money(deducted)} of it, and ${money(booked)} is booked.`,
    ]
  if (row.booked_as === 'suspense')
    return [booked, `${row.rail} took ${money(booked)}, which no customer owes: it is in suspense.`]
  const until = row.respond_by ? ` until ${row.respond_by.toISOString().slice(0, 10)}` : ''
  return [parseAmount(row.amount), `Send evidence to the provider${until}.`]
}
