import type { Figures } from '@windlass/contracts/anchor/developer-api.ts'
import type { AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount, subtract, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import { firstDay } from '../../paging.ts'
import type { Tables } from '../../tables.ts'
import { balanceOf, unitOf } from './journal.ts'

/** What the treasury held at the end of each of the last `days` days, oldest first. The last one is the balance now. */
export async function treasuryByDay(
  db: Db<Tables>,
  asset: AssetKey,
  days: number,
  timeZone: string,
): Promise<string[]> {
  const unit = unitOf(asset)
  const { rows } = await sql<{ ago: number; amount: string }>`
    select (now() at time zone ${timeZone})::date - (e.created_at at time zone ${timeZone})::date as ago,
      sum(l.amount)::text as amount
    from journal_entries e join journal_lines l on l.entry_id = e.id
    where l.account = 'treasury' and l.unit = ${unit} and e.created_at >= ${firstDay(days, timeZone)}
    group by 1`.execute(db)
  const moved = new Map(rows.map(({ ago, amount }) => [ago, parseAmount(amount)]))
  // Backwards from now, so that no entry before these days is read again.
  const balances: Amount[] = [await balanceOf(db, 'treasury', unit)]
  for (let ago = 0; ago < days - 1; ago++)
    balances.push(subtract(balances[ago]!, moved.get(ago) ?? amountOf(0n)))
  return balances.map(formatAmount).reverse()
}

interface FlowRow {
  day: string
  rail: string
  currency: string
  paid_in: string
  paid_out: string
}

/** Money that came and went over each rail in the last `days` days; days without any are left out. */
export async function cashFlow(
  db: Db<Tables>,
  days: number,
  timeZone: string,
): Promise<NonNullable<Figures['cash']>> {
  const { rows } = await sql<FlowRow>`
    select to_char((e.created_at at time zone ${timeZone})::date, 'YYYY-MM-DD') as day,
      substr(l.account, 6) as rail, l.unit as currency,
      coalesce(sum(l.amount) filter (where (l.amount > 0) = (e.reverses is null)), 0)::text as paid_in,
      coalesce(-sum(l.amount) filter (where (l.amount < 0) = (e.reverses is null)), 0)::text as paid_out
    from journal_entries e join journal_lines l on l.entry_id = e.id
    where l.account like 'rail:%' and e.created_at >= ${firstDay(days, timeZone)}
    group by 1, 2, 3 order by 1, 2, 3`.execute(db)
  return rows.map(({ day, rail, currency, paid_in, paid_out }) => ({
    ...{ day, rail, currency },
    in: formatAmount(parseAmount(paid_in)),
    out: formatAmount(parseAmount(paid_out)),
  }))
}
