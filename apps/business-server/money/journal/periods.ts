import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Tables } from '../../tables.ts'
import type { Account, Balance } from './journal.ts'

/** Whole days in the time zone of the journal, as they count. */
export interface Period {
  /** `YYYY-MM-DD` */
  from: string
  /** Included. */
  to: string
  /** What was recorded before it; a transaction that is under way may still add earlier entries than others. */
  before: Date
}

const AT_ONCE = 500
const plain = (amount: string): string => formatAmount(parseAmount(amount))

export interface PeriodEntry {
  id: string
  kind: string
  transactionId: string | null
  at: string
  bookedOn: string
  valuedOn: string
  /** In whose period it is. */
  countedOn: string
  lines: Balance[]
}

interface EntryRow {
  id: string
  kind: string
  transfer_id: string | null
  created_at: Date
  booked_on: string
  valued_on: string
  counted_on: string
  lines: Balance[]
}

/**
 * Entries of a period, the oldest first, some hundred at a time: no connection is held while they are sent on.
 *
 * @param account only entries with a line of it
 */
export async function* entriesOf(
  db: Db<Tables>,
  period: Period,
  account: Account | null = null,
): AsyncGenerator<PeriodEntry> {
  let last: EntryRow | undefined
  for (;;) {
    const rows = await entriesAfter(db, period, account, last)
    for (const row of rows)
      yield {
        ...{ id: row.id, kind: row.kind, transactionId: row.transfer_id, at: row.created_at.toISOString() },
        ...{ bookedOn: row.booked_on, valuedOn: row.valued_on, countedOn: row.counted_on },
        lines: row.lines.map(line => ({ ...line, amount: plain(line.amount) })),
      }
    last = rows.at(-1)
    if (rows.length < AT_ONCE) return
  }
}

async function entriesAfter(
  db: Db<Tables>,
  { from, to, before }: Period,
  account: Account | null,
  last: EntryRow | undefined,
): Promise<EntryRow[]> {
  const later = last
    ? sql`(e.counted_on, e.created_at, e.id) > (${last.counted_on}, ${last.created_at}, ${last.id}::uuid)`
    : sql`true`
  const ofAccount = account
    ? sql`exists (select 1 from journal_lines l where l.entry_id = e.id and l.account = ${account})`
    : sql`true`
  const { rows } = await sql<EntryRow>`
    select e.id, e.kind, e.transfer_id, e.created_at, e.booked_on, e.valued_on, e.counted_on, (
      select json_agg(json_build_object('account', l.account, 'unit', l.unit, 'amount', l.amount::text)
        order by l.unit, l.amount desc, l.account) from journal_lines l where l.entry_id = e.id) as lines
    from journal_entries e
    where e.counted_on between ${from} and ${to} and e.created_at < ${before} and ${later} and ${ofAccount}
    order by e.counted_on, e.created_at, e.id limit ${AT_ONCE}`.execute(db)
  return rows
}

/** Every balance before a period, or at its end; those of zero are left out. */
export async function balancesOf(
  db: Db<Tables>,
  { from, to, before }: Period,
  at: 'opening' | 'closing',
): Promise<Balance[]> {
  const { rows } = await sql<Balance>`
    select l.account, l.unit, sum(l.amount)::text as amount
    from journal_lines l join journal_entries e on e.id = l.entry_id
    where e.created_at < ${before} and case ${at} when 'opening' then e.counted_on < ${from} else e.counted_on <= ${to} end
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

/** What was earned by exchanges, by day, rail, direction and asset. Money that was not covered takes its fee back. */
export async function earnedIn(db: Db<Tables>, { from, to, before }: Period): Promise<EarnedRow[]> {
  const { rows } = await sql<EarnedRow>`
    with earned as (
      select e.counted_on as day, e.kind,
        coalesce((select l.account from journal_lines l
          where l.entry_id = coalesce(d.id, e.id) and l.account like 'rail:%' limit 1), 'rail:') as account,
        (select l.unit from journal_lines l where l.entry_id = e.id and l.account = 'customers' limit 1) as unit,
        -coalesce(sum(l.amount) filter (where l.account = 'fees'), 0) as fees,
        -coalesce(sum(l.amount) filter (where l.account = 'rounding'), 0) as rounding
      from journal_entries e join journal_lines l on l.entry_id = e.id
        left join journal_entries d on e.kind = 'uncovered' and d.kind = 'deposit' and d.transfer_id = e.transfer_id
      where e.kind in ('deposit', 'uncovered', 'payout') and e.counted_on between ${from} and ${to}
        and e.created_at < ${before}
      group by e.id, d.id
    )
    select day, substring(account from 6) as rail,
      case when kind = 'payout' then 'withdrawal' else 'deposit' end as direction,
      (count(*) filter (where kind <> 'uncovered') - count(*) filter (where kind = 'uncovered'))::int as transactions,
      coalesce(unit, 'asset') as unit, sum(fees)::text as fees, sum(rounding)::text as rounding
    from earned group by 1, 2, 3, 5 order by 1, 2, 3, 5`.execute(db)
  return rows.map(row => ({ ...row, fees: plain(row.fees), rounding: plain(row.rounding) }))
}

/** Balances of a period's movements by month. */
interface MonthRow {
  month: string
  account: string
  unit: string
  amount: string
}

/** What each account moved, by month, account and unit. */
export async function movedByMonth(db: Db<Tables>, { from, to, before }: Period): Promise<MonthRow[]> {
  const { rows } = await sql<MonthRow>`
    select substring(e.counted_on for 7) as month, l.account, l.unit, sum(l.amount)::text as amount
    from journal_lines l join journal_entries e on e.id = l.entry_id
    where e.counted_on between ${from} and ${to} and e.created_at < ${before}
    group by 1, 2, 3 having sum(l.amount) <> 0 order by 1, 2, 3`.execute(db)
  return rows.map(row => ({ ...row, amount: plain(row.amount) }))
}

export interface ExchangedRow {
  month: string
  /** On which it was booked. */
  day: string
  transferId: string
  direction: 'deposit' | 'withdrawal'
  rail: string
  /** Units of the asset, and money of the currency; positive. */
  unit: string
  units: string
  currency: string
  money: string
  /** What the anchor took of it, in units: its fee and what rounding left. */
  fee: string
}

const sumOf = (
  lines: readonly { account: string; unit: string; amount: string }[],
  unit: string,
  accounts: readonly string[],
): bigint =>
  lines
    .filter(line => line.unit === unit && accounts.includes(line.account))
    .reduce((sum, { amount }) => sum + parseAmount(amount), 0n)

/** Every exchange of a period that was not taken back, the oldest first, some hundred at a time. */
export async function* exchangesIn(db: Db<Tables>, period: Period): AsyncGenerator<ExchangedRow> {
  const { rows } = await sql<{ id: string }>`
    select reverses as id from journal_entries where reverses is not null and created_at < ${period.before}`.execute(
    db,
  )
  const reversed = new Set(rows.map(({ id }) => id))
  const takenBack = new Set<string>()
  for await (const { transactionId, kind } of entriesOf(db, period))
    if (kind === 'uncovered' && transactionId) takenBack.add(transactionId)
  for await (const { id, kind, transactionId, bookedOn, countedOn, lines } of entriesOf(db, period)) {
    if (reversed.has(id)) continue
    if ((kind !== 'deposit' && kind !== 'payout') || !transactionId || takenBack.has(transactionId)) continue
    const rail = lines.find(({ account }) => account.startsWith('rail:'))
    const units = lines.find(({ account }) => account === 'customers')
    if (!rail || !units) continue
    const size = (amount: string) => amount.replace('-', '')
    yield {
      ...{
        month: countedOn.slice(0, 7),
        day: bookedOn,
        transferId: transactionId,
        rail: rail.account.slice('rail:'.length),
      },
      direction: kind === 'deposit' ? 'deposit' : 'withdrawal',
      ...{ unit: units.unit, units: size(units.amount), currency: rail.unit, money: size(rail.amount) },
      fee: formatAmount(amountOf(-sumOf(lines, units.unit, ['fees', 'rounding']))),
    }
  }
}
