import type { BlockedMoney, BlockedProperty } from '@windlass/contracts/anchor/blocked-property.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { sql } from 'kysely'
import { addBusinessDays } from '../business-days.ts'
import { unitOf } from '../money/journal/journal.ts'
import { journalSettings } from '../money/journal/settings.ts'
import type { Deps } from '../deps.ts'
import { confirmedNameHit, findHits } from '../people/compliance/hits.ts'
import { namesOfTransactions } from '../people/compliance/screened-names.ts'
import type { Tables } from '../tables.ts'
import { openDestination } from '../transfers/destination.ts'
import { transfersWithIds } from '../transfers/find.ts'

type Table = 'ledger_payments' | 'rail_orders'

/**
 * Books a payment as blocked when a confirmed hit of a list holds it, and as released when nothing holds it any more. Each
 * payment is booked once.
 */
export async function bookBlocked(
  tx: Db<Tables>,
  table: Table,
  { id, transfer_id }: { id: string; transfer_id: string },
  isHeld: boolean,
): Promise<void> {
  const hit = isHeld ? await confirmedNameHit(tx, transfer_id) : null
  if (hit === null) {
    if (!isHeld) await releaseBlocked(tx, id)
    return
  }
  const money = await moneyOf(tx, table, id)
  if (money === null) return
  await tx
    .insertInto('blocked_money')
    .values({ payment_id: id, transfer_id, hit_id: hit, ...money })
    .onConflict(conflict => conflict.column('payment_id').where('released_at', 'is', null).doNothing())
    .execute()
}

/** Notes that a payment is blocked no more: nothing holds it, or it has ended. */
export async function releaseBlocked(tx: Db<Tables>, paymentId: string): Promise<void> {
  await tx
    .updateTable('blocked_money')
    .set({ released_at: sql<Date>`clock_timestamp()` })
    .where('payment_id', '=', paymentId)
    .where('released_at', 'is', null)
    .execute()
}

/** What does not leave: units, or the money of a rail. Fees in XLM are nobody's. */
async function moneyOf(tx: Db<Tables>, table: Table, id: string) {
  if (table === 'rail_orders') {
    const { currency: unit, amount } = await tx
      .selectFrom(table)
      .select(['currency', 'amount'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return { unit, amount }
  }
  const { asset, amount } = await tx
    .selectFrom(table)
    .select(['asset', 'amount'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return asset === 'native' ? null : { unit: unitOf(asset), amount }
}

/** Blocked money, newest first. */
async function rowsOf(db: Db<Tables>) {
  const { timeZone } = await journalSettings(db)
  return db
    .selectFrom('blocked_money')
    .selectAll()
    .select(sql<string>`to_char(blocked_at at time zone ${timeZone}, 'YYYY-MM-DD')`.as('day'))
    .orderBy('blocked_at', 'desc')
    .orderBy('id', 'desc')
}
type Row = Awaited<ReturnType<Awaited<ReturnType<typeof rowsOf>>['executeTakeFirstOrThrow']>>

/** All that is blocked, then what was last, newest first. */
async function listBlocked(deps: Deps): Promise<BlockedMoney[]> {
  const rows = await rowsOf(deps.database.db)
  const open = await rows.where('released_at', 'is', null).execute()
  const released = await rows.where('released_at', 'is not', null).limit(RELEASED_LISTED).execute()
  return formsOf(deps, [...open, ...released])
}

/** What is blocked no more, newest first, with where each row stands. */
export async function listReleased(
  deps: Deps,
  filter: PageQuery,
): Promise<{ id: string; createdAt: Date; money: BlockedMoney }[]> {
  const start = pageStart(filter)
  let query = (await rowsOf(deps.database.db)).where('released_at', 'is not', null)
  if (start) query = query.where(sql<boolean>`(blocked_at, id::text) < (${start.createdAt}, ${start.id})`)
  const rows = await query.limit(pageSize(filter)).execute()
  const forms = await formsOf(deps, rows)
  return rows.flatMap(({ id, blocked_at: createdAt }, index) => {
    const money = forms[index]
    return money ? [{ id, createdAt, money }] : []
  })
}

/** With what the authority asks for (31 CFR 501.603). */
async function formsOf(deps: Deps, rows: readonly Row[]): Promise<BlockedMoney[]> {
  const { db } = deps.database
  const ids = [...new Set(rows.map(({ transfer_id }) => transfer_id))]
  const transfers = new Map((await transfersWithIds(db, ids)).map(each => [each.id, each]))
  const hits = await findHits(deps, db, [...new Set(rows.map(({ hit_id }) => hit_id))])
  const names = await namesOfTransactions(db, deps.sealer, ids)
  return rows.map(row => {
    const transfer = transfers.get(row.transfer_id)
    const { dest = null, dest_extra = null } = transfer ? openDestination(deps.sealer, transfer) : {}
    return {
      ...{ id: row.id, transactionId: row.transfer_id, hitId: row.hit_id },
      match: hits.get(row.hit_id)?.match ?? null,
      ...{ unit: row.unit, amount: formatAmount(parseAmount(row.amount)) },
      direction: transfer?.direction ?? null,
      rail: transfer?.rail ?? null,
      wallet: transfer?.stellar_account ?? null,
      payee: { account: dest, bank: dest_extra },
      names: names.get(row.transfer_id) ?? [],
      blockedAt: row.blocked_at.toISOString(),
      reportBy: addBusinessDays(new Date(row.day), REPORTED_WITHIN),
      releasedAt: row.released_at?.toISOString() ?? null,
    }
  })
}

const RELEASED_LISTED = 200
/** Business days. Holidays are not known here. They could only make the day later. */
const REPORTED_WITHIN = 10

/** What is blocked now, by unit. */
async function totalsOf(db: Db<Tables>): Promise<BlockedProperty['totals']> {
  const rows = await db
    .selectFrom('blocked_money')
    .select(['unit', sql<string>`sum(amount)::text`.as('amount')])
    .where('released_at', 'is', null)
    .groupBy('unit')
    .orderBy('unit')
    .execute()
  return rows.map(({ unit, amount }) => ({ unit, amount: formatAmount(parseAmount(amount)) }))
}

/** What is blocked and by whom, as a draft of the report. */
export async function blockedProperty(deps: Deps): Promise<BlockedProperty> {
  const { organizationName, homeDomain, website, businessEmail } = deps.config.anchor.plan
  return {
    holder: { name: organizationName, homeDomain, website: website ?? null, email: businessEmail },
    totals: await totalsOf(deps.database.db),
    property: await listBlocked(deps),
    at: deps.clock.now().toISOString(),
  }
}
