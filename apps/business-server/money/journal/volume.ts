import type { Figures } from '@windlass/contracts/anchor/developer-api.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import { firstDay } from '../../paging.ts'
import type { AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import type { Tables } from '../../tables.ts'
import { unitOf } from './journal.ts'

interface DayRow {
  day: string
  deposits: number
  deposited: string
  withdrawals: number
  withdrawn: string
  fees: string
}

/**
 * Volume and fees of an asset in the last `days` days in a time zone, oldest first. A deposit that was not covered counts
 * on no side.
 */
export async function dailyVolume(
  db: Db<Tables>,
  asset: AssetKey,
  days: number,
  timeZone: string,
): Promise<Figures['days']> {
  const { rows } = await sql<DayRow>`
    with moved as (
      select (e.created_at at time zone ${timeZone})::date as day, coalesce(o.kind, e.kind) as kind, l.account, l.amount,
        case when o.id is null then 1 else -1 end as counts
      from journal_entries e join journal_lines l on l.entry_id = e.id left join journal_entries o on o.id = e.reverses
      where l.unit = ${unitOf(asset)} and l.account in ('customers', 'fees')
        and coalesce(o.kind, e.kind) in ('deposit', 'uncovered', 'payout')
        and e.created_at >= ${firstDay(days, timeZone)}
    )
    select to_char(each.day, 'YYYY-MM-DD') as day,
      coalesce(sum(case kind when 'uncovered' then -counts else counts end)
        filter (where account = 'customers' and kind in ('deposit', 'uncovered')), 0)::int as deposits,
      coalesce(-sum(amount) filter (where account = 'customers' and kind <> 'payout'), 0)::text as deposited,
      coalesce(sum(counts) filter (where account = 'customers' and kind = 'payout'), 0)::int as withdrawals,
      coalesce(sum(amount) filter (where account = 'customers' and kind = 'payout'), 0)::text as withdrawn,
      coalesce(-sum(amount) filter (where account = 'fees'), 0)::text as fees
    from generate_series(0, ${days}::int - 1) as ago
      cross join lateral (select (now() at time zone ${timeZone})::date - ago as day) as each
      left join moved on moved.day = each.day
    group by each.day order by each.day`.execute(db)
  return rows.map(row => ({
    day: row.day,
    deposits: { count: row.deposits, amount: plain(row.deposited) },
    withdrawals: { count: row.withdrawals, amount: plain(row.withdrawn) },
    fees: plain(row.fees),
  }))
}

const plain = (amount: string) => formatAmount(parseAmount(amount))
