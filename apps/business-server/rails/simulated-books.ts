import type { Db } from '@windlass/service/database.ts'
import { signStandard } from '@windlass/kyc-providers/webhook-signature.ts'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { BusinessDatabase } from '../database.ts'
import type { Deps } from '../deps.ts'
import type { SimulatedPayment } from './table.ts'

type NewPayment = Omit<SimulatedPayment, 'due_at' | 'attempts' | 'reported_at'>

/** A bank takes a moment, or a minute. */
const DELAY_SECONDS = 1
const SLOW_SECONDS = 60

/** Writes a payment into the simulated bank's books, once per id; it is reported after a moment. */
export async function bookPayment(
  db: Db<BusinessDatabase>,
  payment: NewPayment,
  slow = false,
): Promise<void> {
  await db
    .insertInto('simulated_rail_payments')
    .values({
      ...payment,
      destination: JSON.stringify(payment.destination),
      due_at: sql<Date>`now() + ${slow ? SLOW_SECONDS : DELAY_SECONDS} * interval '1 second'`,
      reported_at: null,
    })
    .onConflict(conflict => conflict.column('id').doNothing())
    .execute()
}

/** As if a customer had paid: what the button on the page does. */
export function payIn(
  db: Db<BusinessDatabase>,
  payment: { rail: string; currency: string; reference: string; amount: string },
  slow: boolean,
): Promise<void> {
  const booked = {
    id: randomUUID(),
    direction: 'in',
    destination: {},
    outcome: 'paid',
    reason: null,
  } as const
  return bookPayment(db, { ...booked, ...payment }, slow)
}

/** Sends the signed reports that are due to our own webhook endpoint, until they are taken. */
export async function reportSimulatedPayments(deps: Deps): Promise<void> {
  const { rows } = await sql<SimulatedPayment>`
    update simulated_rail_payments set attempts = attempts + 1,
      due_at = now() + least(30, power(2, least(attempts, 5))) * interval '1 second'
    where id in (select id from simulated_rail_payments
      where reported_at is null and due_at <= now() order by due_at limit 20 for update skip locked)
    returning *`.execute(deps.database.db)
  await Promise.all(rows.map(row => report(deps, row)))
}

async function report(deps: Deps, payment: SimulatedPayment): Promise<void> {
  const body = JSON.stringify(reportOf(payment))
  const url = `${deps.config.anchor.businessServerUrl}/api/v1/rails/${encodeURIComponent(payment.rail)}/webhook`
  const secret = deps.config.rails.get(payment.rail)?.webhookSecrets[0] ?? ''
  const signature = signStandard(secret, `rail_${payment.id}`, body, deps.clock.now())
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signature },
    body,
    signal: AbortSignal.timeout(5_000),
  }).catch(() => null)
  await response?.body?.cancel()
  if (!response?.ok) return
  await deps.database.db
    .updateTable('simulated_rail_payments')
    .set({ reported_at: sql<Date>`now()` })
    .where('id', '=', payment.id)
    .execute()
}

function reportOf({ id, direction, outcome, reference, amount, reason }: SimulatedPayment): object {
  if (direction === 'in') return { type: 'payment.received', paymentId: id, reference, amount }
  if (outcome === 'paid') return { type: 'payout.paid', orderId: id }
  return { type: 'payout.failed', orderId: id, reason: reason ?? 'no reason' }
}
