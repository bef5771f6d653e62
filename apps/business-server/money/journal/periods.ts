import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Tables } from '../../tables.ts'
import type { Account, Balance } from './journal.ts'

/** From the first moment to before the second one. */
export interface Period {
  from: Date
  to: Date
}

const AT_ONCE = 500
const plain = (amount: string): string => formatAmount(parseAmount(amount))

export interface PeriodEntry {
  id: string
  kind: string
  transactionId: string | null
  at: string
  lines: Balance[]
}

interface EntryRow {
  id: string
  kind: string
  transfer_id: string | null
  created_at: Date
  lines: Balance[]
}

/**
 * Entries of a period, the oldest first, some hundred at a time: no connection is held while they are sent on.
 *
 * @param account only entries with a line of it
 */
export async function* entriesOf(
  db: Db<Tables>,
  { from, to }: Period,
  account: Account | null = null,
): AsyncGenerator<PeriodEntry> {
  let last: EntryRow | undefined
  for (;;) {
    const rows = await entriesAfter(db, { from, to }, account, last)
    for (const { id, kind, transfer_id, created_at, lines } of rows)
      yield {
        ...{ id, kind, transactionId: transfer_id, at: created_at.toISOString() },
        lines: lines.map(line => ({ ...line, amount: plain(line.amount) })),
      }
    last = rows.at(-1)
    if (rows.length < AT_ONCE) return
  }
}

async function entriesAfter(
  db: Db<Tables>,
  { from, to }: Period,
  account: Account | null,
  last: EntryRow | undefined,
): Promise<EntryRow[]> {
  const later = last ? sql`(e.created_at, e.id) > (${last.created_at}, ${last.id}::uuid)` : sql`true`
  const ofAccount = account
    ? sql`exists (select 1 from journal_lines l where l.entry_id = e.id and l.account = ${account})`
    : sql`true`
  const { rows } = await sql<EntryRow>`
    select e.id, e.kind, e.transfer_id, e.created_at, (
      select json_agg(json_build_object('account', l.account, 'unit', l.unit, 'amount', l.amount::text)
        order by l.unit, l.amount desc, l.account) from journal_lines l where l.entry_id = e.id) as lines
    from journal_entries e
    where e.created_at >= ${from} and e.created_at < ${to} and ${later} and ${ofAccount}
    order by e.created_at, e.id limit ${AT_ONCE}`.execute(db)
  return rows
}

/** Every balance before a moment; those of zero are left out. */
export async function balancesBefore(db: Db<Tables>, at: Date): Promise<Balance[]> {
  const { rows } = await sql<Balance>`
    select l.account, l.unit, sum(l.amount)::text as amount
    from journal_lines l join journal_entries e on e.id = l.entry_id
    where e.created_at < ${at}
    group by l.account, l.unit having sum(l.amount) <> 0 order by l.unit, l.account`.execute(db)
  return rows.map(row => ({ ...row, amount: plain(row.amount) }))
}

export interface EarnedRow {
  day: string
  rail: string
  direction: 'deposit' | 'withdrawal'
  transactions: number
  /** Unit of fees and rounding: `asset`, or `CODE:ISSUER` of a further asset. */
  unit: string
  fees: string
  rounding: string
}

/** What was earned by exchanges, by day (UTC), rail, direction and asset. Money that was not covered takes its fee back. */
export async function earnedIn(db: Db<Tables>, { from, to }: Period): Promise<EarnedRow[]> {
  const { rows } = await sql<EarnedRow>`
    with earned as (
      select (e.created_at at time zone 'UTC')::date as day, e.kind,
        coalesce((select l.account from journal_lines l
          where l.entry_id = coalesce(d.id, e.id) and l.account like 'rail:%' limit 1), 'rail:') as account,
        (select l.unit from journal_lines l where l.entry_id = e.id and l.account = 'customers' limit 1) as unit,
        -coalesce(sum(l.amount) filter (where l.account = 'fees'), 0) as fees,
        -coalesce(sum(l.amount) filter (where l.account = 'rounding'), 0) as rounding
      from journal_entries e join journal_lines l on l.entry_id = e.id
        left join journal_entries d on e.kind = 'uncovered' and d.kind = 'deposit' and d.transfer_id = e.transfer_id
      where e.kind in ('deposit', 'uncovered', 'payout') and e.created_at >= ${from} and e.created_at < ${to}
      group by e.id, d.id
    )
    select to_char(day, 'YYYY-MM-DD') as day, substring(account from 6) as rail,
      case when kind = 'payout' then 'withdrawal' else 'deposit' end as direction,
      (count(*) filter (where kind <> 'uncovered') - count(*) filter (where kind = 'uncovered'))::int as transactions,
      coalesce(unit, 'asset') as unit, sum(fees)::text as fees, sum(rounding)::text as rounding
    from earned group by 1, 2, 3, 5 order by 1, 2, 3, 5`.execute(db)
  return rows.map(row => ({ ...row, fees: plain(row.fees), rounding: plain(row.rounding) }))
}
