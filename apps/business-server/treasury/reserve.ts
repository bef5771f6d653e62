import { formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import { Problem } from '@windlass/service/problem.ts'
import { sql } from 'kysely'
import type { BusinessDatabase } from '../database.ts'
import type { Deps } from '../deps.ts'
import { assetBalance } from './capacity.ts'
import { reservedAmount } from './queries.ts'

/**
 * Promises asset units under an id, in the caller's transaction; one at a time, so that two cannot promise the same
 * units. A promise under the same id is replaced. Throws `validation-failed` where the treasury does not hold them.
 */
export async function reserve(
  deps: Deps,
  tx: Db<BusinessDatabase>,
  id: string,
  amount: Amount,
  expiresAt: Date | null,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(727002)`.execute(tx)
  await release(tx, id)
  // The sum before the balance: a payment that ends in between counts twice then, and never not at all.
  const reserved = parseAmount(await reservedAmount(tx))
  const free = (await assetBalance(deps)) - reserved
  if (free < amount) {
    throw new Problem('validation-failed', 'the anchor cannot pay out that much at the moment')
  }
  await tx
    .insertInto('reservations')
    .values({ id, amount: formatAmount(amount), expires_at: expiresAt })
    .execute()
}

/** Gives a promise up, or marks it kept. */
export async function release(tx: Db<BusinessDatabase>, id: string): Promise<void> {
  await tx.deleteFrom('reservations').where('id', '=', id).execute()
}
