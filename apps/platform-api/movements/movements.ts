import type { BodyOf, AnswerOf } from '@windlass/contracts/endpoint.ts'
import type { findMovementsElsewhere, reportMovement } from '@windlass/contracts/internal/internal.ts'
import { formatAmount, parseAmount, parsePositiveAmount } from '@windlass/money/amount.ts'
import { readField } from '@windlass/service/http/fields.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { PlatformDb } from '../tables.ts'
import { withAccess } from '../visits/visits.ts'

/*
 * What customers moved at anchors, for 31 days: rules of an anchor count what its customers moved at others. An anchor learns
 * of its own customers alone, and never at which anchor it was.
 */

const KEPT_MS = 31 * 86_400_000
/** Clocks of anchors' machines differ. */
const AHEAD_MS = 300_000
const MOST = 10_000
/** Movements of one customer at one anchor: what an anchor made up does not push out what others say. */
const MOST_OF_ONE = 200

/** Throws `validation-failed`. */
export async function addMovement(
  { database: { db }, clock }: Pick<Deps, 'database' | 'clock'>,
  anchorId: string,
  { customerId, reference, direction, currency, amount, at }: BodyOf<typeof reportMovement>,
): Promise<void> {
  const now = clock.now().getTime()
  const moved = new Date(at)
  if (moved.getTime() > now + AHEAD_MS) throw invalid('at', 'must not be in the future')
  if (moved.getTime() < now - KEPT_MS) return
  await db
    .insertInto('customer_movements')
    .values({
      ...{ anchor_id: anchorId, customer_id: customerId, reference, direction, currency },
      ...{ amount: formatAmount(readField('amount', amount, parsePositiveAmount)), at: moved },
    })
    .onConflict(conflict => conflict.columns(['anchor_id', 'reference']).doNothing())
    .execute()
}

interface ElsewhereRow {
  id: string
  customer_id: string
  direction: 'deposit' | 'withdrawal'
  currency: string
  amount: string
  hour: Date
}

/**
 * What customers moved elsewhere, newest first, of those who gave this anchor access. Where it is too much, the newest of each at
 * each anchor come before others.
 */
export async function movementsElsewhere(
  { database: { db } }: Pick<Deps, 'database'>,
  anchorId: string,
  customerIds: readonly string[],
  since: Date,
): Promise<AnswerOf<typeof findMovementsElsewhere>['movements']> {
  const known = await withAccess(db, anchorId, customerIds)
  if (known.length === 0) return []
  const { rows } = await sql<ElsewhereRow>`
    select id, customer_id, direction, currency, amount, date_trunc('hour', at) as hour from (
      select *, row_number() over (partition by customer_id, anchor_id order by at desc, id) as place
      from customer_movements
      where anchor_id <> ${anchorId} and customer_id = any(${known}::text[]) and at > ${since}) placed
    where place <= ${MOST_OF_ONE} order by place, at desc limit ${MOST}`.execute(db)
  rows.sort((one, other) => other.hour.getTime() - one.hour.getTime())
  return rows.map(({ id, customer_id: customerId, direction, currency, amount, hour }) => ({
    ...{ id, customerId, direction, currency, amount: formatAmount(parseAmount(amount)) },
    at: hour.toISOString(),
  }))
}

export async function pruneMovements(db: PlatformDb, now: Date): Promise<void> {
  await db
    .deleteFrom('customer_movements')
    .where('at', '<', new Date(now.getTime() - KEPT_MS))
    .execute()
}
