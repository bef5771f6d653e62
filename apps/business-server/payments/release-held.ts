import { invalid } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { forgetFact, isFactBound } from '../money/bound-facts/bound-facts.ts'
import { unitOf } from '../money/journal/journal.ts'
import { recordRailDuplicate } from '../money/journal/entries.ts'
import { recordExchange } from '../money/journal/ledger-entries.ts'
import type { LedgerIncident, Tables } from '../tables.ts'
import { lockByPayment } from '../transfers/incoming-money.ts'
import { type Held, type HeldPayment, heldReceipts, type Outcome, type RailReceipt } from './incidents.ts'
import { saidOfHeld } from './held-before.ts'
import { queuePayment } from './ledger-payments.ts'
import { queueOrder, returnCause } from './rail-orders.ts'
import { refundOf } from './refunds.ts'

/**
 * An operator found whether what belongs to a held payment was paid: `not-applied` sends it back.
 *
 * @throws {Problem} `validation-failed`: nothing proves that such a payment came
 */
export async function releaseHeld(
  deps: Deps,
  tx: Db<Tables>,
  { id, subject, record }: LedgerIncident,
  outcome: Outcome,
): Promise<void> {
  if (!(await isFactBound(deps, tx, heldReceipts, subject)))
    throw invalid('outcome', 'cannot be said: this server has no proof that such a payment came')
  await forgetFact(tx, heldReceipts, subject)
  await forgetFact(tx, saidOfHeld, id)
  if (record === null) throw new Error('a held payment has no record')
  const held = JSON.parse(record.toString()) as Held
  if ('merges' in held) {
    for (const merge of held.merges) await releaseLedger(deps, tx, `${id}:${merge.id}`, merge, outcome)
    return
  }
  if ('ledger' in held) return releaseLedger(deps, tx, id, held.ledger, outcome)
  return releaseRail(deps, tx, id, held.rail, outcome)
}

async function releaseLedger(
  deps: Deps,
  tx: Db<Tables>,
  incidentId: string,
  payment: HeldPayment,
  outcome: Outcome,
): Promise<void> {
  await tx
    .updateTable('ledger_receipts')
    .set({ outcome: outcome === 'applied' ? 'kept' : 'returned' })
    .where('id', '=', payment.id)
    .where('hash', '=', payment.hash)
    .execute()
  if (outcome === 'not-applied') {
    const transfer = await lockByPayment(tx, payment)
    return queuePayment(deps, tx, await refundOf(deps, tx, payment, { transfer: null, memoOf: transfer }))
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
    if (marked) await confirmEntered(tx, receipt)
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

/** What came is the payment that a person entered before, under another id. */
async function confirmEntered(tx: Db<Tables>, { rail, paymentId }: RailReceipt): Promise<void> {
  await sql`update rail_receipts entered set confirmed_at = clock_timestamp() from rail_receipts came
    where came.rail = ${rail} and came.payment_id = ${paymentId} and entered.transfer_id = came.transfer_id
      and entered.source = 'operator' and entered.confirmed_at is null`.execute(tx)
}
