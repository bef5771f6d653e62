import type { Db } from '@windlass/service/postgres/database.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { claimDue, firstDueAt, RETRIES_WITHIN_SECONDS } from '@windlass/service/work/claim-due.ts'
import { fetchPart } from '@windlass/service/outbound/fetch-part.ts'
import { signWebhook } from '@windlass/service/outbound/webhooks.ts'
import type { Clock } from '@windlass/service/work/clock.ts'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { RailSimulation } from '../rail.ts'
import type { RailSettings } from '../settings.ts'
import type { SimulatedPayment, Tables } from '../../tables.ts'

type NewPayment = Omit<SimulatedPayment, 'rail' | 'currency' | 'due_at' | 'attempts' | 'reported_at'>

/** A bank takes a moment, or a minute. */
const DELAY_SECONDS = 1
const SLOW_SECONDS = 60
const MAX_RETRY_SECONDS = 30

interface Bank extends RailSimulation {
  /** Books a payment, once per id; it is reported after a moment. */
  book(payment: NewPayment, slow?: boolean): Promise<void>
}

/** The bank of a simulated rail: a table of payments, and signed reports to the anchor's own webhook endpoint. */
export function simulatedBank(
  { name: rail, webhookSecrets }: RailSettings,
  currency: string,
  { db, clock }: { db: Db<Tables>; clock: Clock },
): Bank {
  const book = async (payment: NewPayment, slow = false): Promise<void> => {
    await db
      .insertInto('simulated_rail_payments')
      .values({
        ...payment,
        rail,
        currency,
        due_at: sql<Date>`now() + ${slow ? SLOW_SECONDS : DELAY_SECONDS} * interval '1 second'`,
        reported_at: null,
      })
      .onConflict(conflict => conflict.column('id').doNothing())
      .execute()
  }
  const report = async (payment: SimulatedPayment, url: string): Promise<void> => {
    const body = JSON.stringify(reportOf(payment))
    const signature = signWebhook(webhookSecrets[0] ?? '', `rail_${payment.id}`, body, clock.now())
    const status = await fetchPart(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signature },
      body,
      signal: AbortSignal.timeout(5_000),
    }).then(
      answer => answer.status,
      () => 0,
    )
    const reported = status >= 200 && status < 300
    const pause = Math.min(MAX_RETRY_SECONDS, 2 ** payment.attempts)
    await db
      .updateTable('simulated_rail_payments')
      .set(
        reported
          ? { reported_at: sql<Date>`now()` }
          : { due_at: sql<Date>`now() + ${pause} * interval '1 second'` },
      )
      .where('id', '=', payment.id)
      .execute()
  }
  const unreported = {
    table: 'simulated_rail_payments',
    dueAt: 'due_at',
    where: sql`reported_at is null and rail = ${rail}`,
    longestSeconds: RETRIES_WITHIN_SECONDS,
  }
  const sendReports = async (url: string): Promise<void> => {
    const due = await claimDue<SimulatedPayment, Tables>(db as never, {
      ...unreported,
      leaseSeconds: MAX_RETRY_SECONDS,
      limit: 20,
      set: sql`attempts = attempts + 1`,
    })
    await Promise.all(due.map(payment => report(payment, url)))
  }
  return {
    book,
    payIn: ({ reference, amount }, slow) => {
      const paid = { direction: 'in', outcome: 'paid', reason: null } as const
      return book({ ...paid, id: randomUUID(), reference, amount }, slow)
    },
    hasPayIn: async reference => {
      return exists(
        db
          .selectFrom('simulated_rail_payments')
          .select('id')
          .where('reference', '=', reference)
          .where('rail', '=', rail)
          .where('direction', '=', 'in'),
      )
    },
    reports: url => ({
      name: `simulated ${rail}`,
      act: () => sendReports(url),
      dueAt: firstDueAt(unreported),
      pauseMs: 1_000,
    }),
  }
}

function reportOf({ id, direction, outcome, reference, amount, reason }: SimulatedPayment): object {
  if (direction === 'in') return { type: 'payment.received', paymentId: id, reference, amount }
  if (outcome === 'paid') return { type: 'payout.paid', orderId: id }
  return { type: 'payout.failed', orderId: id, reason: reason ?? 'no reason' }
}
