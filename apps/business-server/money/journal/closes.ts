import type { Period } from '@windlass/contracts/anchor/journal.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { type Insertable, sql } from 'kysely'
import { after } from '../../paging.ts'
import type { JournalClose, Tables } from '../../tables.ts'
import { balancesOf } from './periods.ts'

/** Held until the transaction ends: entries wait for who closes, and who closes waits for entries under way. */
export async function lockCloses(tx: Db<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('journal-close', 0))`.execute(tx)
}

interface ClosedUntil {
  all: string | null
  months: string | null
}

/** The last closed day, by all closes and by those of months. */
export async function closedUntil(db: Db<Tables>): Promise<ClosedUntil> {
  const { rows } = await sql<ClosedUntil>`
    select max(to_day) as all, max(to_day) filter (where kind = 'month') as months from journal_closes`.execute(
    db,
  )
  return rows[0] ?? { all: null, months: null }
}

const closes = (db: Db<Tables>) => db.selectFrom('journal_closes').selectAll()

export const newestClose = (db: Db<Tables>): Promise<JournalClose | undefined> =>
  closes(db).orderBy('id', 'desc').limit(1).executeTakeFirst()

type Known = { id: string } | { kind: JournalClose['kind']; from: string }

export function findClose(db: Db<Tables>, by: Known): Promise<JournalClose | undefined> {
  const query =
    'id' in by
      ? closes(db).where(sql`id::text`, '=', by.id)
      : closes(db).where('kind', '=', by.kind).where('from_day', '=', by.from)
  return query.executeTakeFirst()
}

export function listCloses(db: Db<Tables>, page: PageQuery): Promise<JournalClose[]> {
  const start = pageStart(page)
  const query = start ? closes(db).where(after(start)) : closes(db)
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(page)).execute()
}

export const addClose = (
  tx: Db<Tables>,
  close: Insertable<Tables['journal_closes']>,
): Promise<JournalClose> =>
  tx.insertInto('journal_closes').values(close).returningAll().executeTakeFirstOrThrow()

export const contentOf = ({ content }: JournalClose) =>
  JSON.parse(content) as Period & { reason: string | null }

/** By how much balances at the end of the last closed period are no longer those that were signed. */
export async function changedSinceClose(
  db: Db<Tables>,
): Promise<{ to: string; account: string; unit: string; amount: string }[]> {
  const close = await newestClose(db)
  if (!close) return []
  const { from, to, balances } = contentOf(close)
  const now = await balancesOf(db, { from, to, before: new Date('9999-12-31') }, 'closing')
  const sums = new Map<string, { account: string; unit: string; amount: bigint }>()
  const add = (account: string, unit: string, amount: bigint) => {
    const key = `${unit} ${account}`
    sums.set(key, { account, unit, amount: (sums.get(key)?.amount ?? 0n) + amount })
  }
  for (const { account, unit, amount } of now) add(account, unit, parseAmount(amount))
  for (const { account, unit, closing } of balances) add(account, unit, -parseAmount(closing))
  return [...sums.values()]
    .filter(({ amount }) => amount !== 0n)
    .map(each => ({ to, ...each, amount: formatAmount(amountOf(each.amount)) }))
}
