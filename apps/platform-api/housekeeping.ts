import { sql } from 'kysely'
import type { Deps } from './deps.ts'

/**
 * Removes what has served its time: sessions, kept answers, rates, delivered messages. Nothing that anyone may still
 * ask for; several processes may do it at once.
 */
export async function tidy({ database: { db }, clock }: Pick<Deps, 'database' | 'clock'>): Promise<void> {
  await sql`delete from sessions where least(expires_at, ended_at) < now() - interval '30 days'`.execute(db)
  await sql`delete from idempotency_keys where started_at < now() - interval '1 day'`.execute(db)
  await sql`delete from outbox where delivered_at < now() - interval '30 days'`.execute(db)
  // The rate limiter's own clock is the process', in milliseconds.
  await sql`delete from rate_limits where expire < ${clock.now().getTime()}`.execute(db)
}
