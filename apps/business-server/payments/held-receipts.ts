import { assetField, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { unitOf } from '../money/journal/journal.ts'
import { recordExchange, recordRailDuplicate } from '../money/journal/entries.ts'
import type { LedgerIncident, Tables } from '../tables.ts'
import type { CameBack } from './came-back.ts'
import { openIncident, type Outcome } from './incidents.ts'
import { queueRefund, transferOf, type IncomingPayment } from './incoming-payment.ts'
import { queueOrder, returnCause } from './rail-orders.ts'

interface RailReceipt {
  rail: string
  paymentId: string
  reference: string
  amount: string
  currency: string
  /** Whether an operator marked its transaction as paid before: it may be that payment, under another id. */
  marked?: boolean
}

type Held = { ledger: IncomingPayment } | { rail: RailReceipt }

/**
 * Sets aside a payment to the distribution account that would otherwise be refunded: its transaction may have been
 * created, and its payout sent, after the state of the database that was restored; or it may be the answer to a payment
 * of ours, which a refund would be answered by again.
 */
export async function holdLedgerReceipt(
  deps: Deps,
  tx: Db<Tables>,
  payment: IncomingPayment,
  { why, cameBack }: { why: string; cameBack?: CameBack },
): Promise<void> {
  const { asset } = payment
  const unit = asset === 'native' ? 'XLM' : servedAsset(deps.config.anchor, asset).code
  const amount = formatAmount(parseAmount(payment.amount))
  await openIncident(tx, {
    kind: 'held-receipt',
    subject: `ledger:${payment.hash}:${payment.id}`,
    message:
      `${amount} ${unit} came from ${payment.sender} (transaction ${payment.hash}, memo ${payment.memo ?? 'none'})` +
      (cameBack
        ? `, and ${why}. It answers transaction ${cameBack.transaction} of this anchor, so it is not sent back by itself: ` +
          'its sender may send that back again. Find out whose money it is, then say whether it is settled. If not, it is ' +
          'sent back.'
        : ` before the database was restored, and ${why}. Its withdrawal may have been made and paid out after the state ` +
          'that was restored. Look for it in the statements of your rails, then say whether it was paid out. If not, it is ' +
          'refunded.'),
    details: {
      ...(cameBack ? { reason: cameBack.reason, answers: cameBack.transaction } : {}),
      transaction: payment.hash,
      amount,
      ...assetField(asset),
      sender: payment.sender,
      closedAt: payment.closedAt,
    },
    record: asRecord({ ledger: payment }),
  })
}

/** The same for money over a rail. */
export async function holdRailReceipt(tx: Db<Tables>, receipt: RailReceipt): Promise<void> {
  const { rail, paymentId, reference, amount, currency, marked } = receipt
  await openIncident(tx, {
    kind: 'held-receipt',
    subject: `rail:${rail}:${paymentId}`,
    message: marked
      ? `${amount} ${currency} came over ${rail} (payment ${paymentId}) for a transaction that an operator marked as ` +
        'paid before. If it is the same payment, say that it was paid. If the customer paid twice, say that it was not: ' +
        'then it is returned.'
      : `${amount} ${currency} came over ${rail} (payment ${paymentId}, reference ${reference}), and no transaction has ` +
        'this reference. Its deposit may have been made and paid on the ledger after the state that was restored: compare ' +
        'it with the incidents about unrecorded payments, then say whether it was paid. If not, it is returned.',
    details: { rail, payment: paymentId, reference, amount, currency },
    record: asRecord({ rail: receipt }),
  })
}

const asRecord = (held: Held): Buffer => Buffer.from(JSON.stringify(held))

/** An operator found whether what belongs to a held payment was paid: `not-applied` sends it back. */
export async function releaseHeld(
  deps: Deps,
  tx: Db<Tables>,
  { id, record }: LedgerIncident,
  outcome: Outcome,
): Promise<void> {
  if (record === null) throw new Error('a held payment has no record')
  const held = JSON.parse(record.toString()) as Held
  if ('ledger' in held) return releaseLedger(tx, id, held.ledger, outcome)
  return releaseRail(deps, tx, id, held.rail, outcome)
}

async function releaseLedger(
  tx: Db<Tables>,
  incidentId: string,
  payment: IncomingPayment,
  outcome: Outcome,
): Promise<void> {
  await tx
    .updateTable('ledger_receipts')
    .set({ outcome: outcome === 'applied' ? 'kept' : 'returned' })
    .where('id', '=', payment.id)
    .where('hash', '=', payment.hash)
    .execute()
  if (outcome === 'not-applied') {
    const transfer = await transferOf(tx, payment)
    return queueRefund(tx, payment, null, transfer ?? undefined)
  }
  const { asset, amount } = payment
  if (asset !== 'native') await recordExchange(tx, `resolved:${incidentId}`, unitOf(asset), amount)
}

async function releaseRail(
  deps: Deps,
  tx: Db<Tables>,
  incidentId: string,
  receipt: RailReceipt,
  outcome: Outcome,
): Promise<void> {
  const { rail, paymentId, amount, currency, marked } = receipt
  await tx
    .updateTable('rail_receipts')
    .set({ outcome: outcome === 'applied' ? 'kept' : 'unmatched' })
    .where('rail', '=', rail)
    .where('payment_id', '=', paymentId)
    .execute()
  if (outcome === 'applied') {
    const cause = `resolved:${incidentId}`
    return marked ? recordRailDuplicate(tx, cause, receipt) : recordExchange(tx, cause, currency, amount)
  }
  await queueOrder(deps, tx, {
    cause: returnCause(rail, paymentId),
    transfer_id: null,
    kind: 'return',
    rail,
    amount,
    currency,
    destination: { paymentId },
  })
}
