import type { Figures } from '@windlass/contracts/anchor/developer-api.ts'
import type { AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import { firstDay } from '../paging.ts'
import type { Tables, TransferState } from '../tables.ts'

const PENDING: readonly TransferState[] = [
  'awaiting_funds',
  'funded',
  'awaiting_trust',
  'paying_out',
  'sent_back',
  'returning',
]

/** Transfers of an asset that are agreed and have not ended, by direction and state. */
export async function pendingTransfers(db: Db<Tables>, asset: AssetKey): Promise<Figures['pending']> {
  const rows = await db
    .selectFrom('transfers')
    .select(['direction', 'state', sql<number>`count(*)::int`.as('count')])
    .select(sql<string>`coalesce(sum(amount), 0)::text`.as('amount'))
    .where('state', 'in', [...PENDING])
    .where('asset', 'is not distinct from', asset)
    .groupBy(['direction', 'state'])
    .orderBy('direction')
    .execute()
  return rows
    .toSorted((a, b) => PENDING.indexOf(a.state) - PENDING.indexOf(b.state))
    .map(({ direction, state, count, amount }) => ({
      kind: direction,
      status: state,
      count,
      amount: formatAmount(parseAmount(amount)),
    }))
}

/** Units of an asset that were received from customers, or sold to them, and are not paid out yet. */
export async function owedToCustomers(db: Db<Tables>, asset: AssetKey): Promise<bigint> {
  const row = await db
    .selectFrom('transfers')
    .select(sql<string>`coalesce(sum(amount), 0)::text`.as('units'))
    .where('asset', 'is not distinct from', asset)
    .where(({ eb, and, or }) =>
      or([
        and([eb('direction', '=', 'deposit'), eb('state', 'in', ['funded', 'awaiting_trust'])]),
        and([eb('direction', '=', 'withdrawal'), eb('state', 'in', ['funded', 'paying_out', 'sent_back'])]),
      ]),
    )
    .executeTakeFirstOrThrow()
  return parseAmount(row.units)
}

/** How far the transfers came that were started in the last `days` days. */
export async function countSteps(db: Db<Tables>, days: number, timeZone: string): Promise<Figures['funnel']> {
  const reached = (state: TransferState) =>
    sql<number>`(count(distinct t.id) filter (where s.to_state = ${state}))::int`
  return db
    .selectFrom('transfers as t')
    .leftJoin('transfer_steps as s', 's.transfer_id', 't.id')
    .select([
      sql<number>`count(distinct t.id)::int`.as('started'),
      reached('awaiting_funds').as('agreed'),
      reached('funded').as('paid'),
      reached('completed').as('completed'),
    ])
    .where('t.created_at', '>=', firstDay(days, timeZone))
    .executeTakeFirstOrThrow()
}

/** Seconds from the customer's payment to completion; null where nothing was completed. */
export async function completionTimes(
  db: Db<Tables>,
  days: number,
  timeZone: string,
): Promise<Figures['completion']> {
  const { rows } = await sql<{ median: number | null; p95: number | null }>`
    select percentile_cont(0.5) within group (order by seconds) as median,
      percentile_cont(0.95) within group (order by seconds) as p95
    from (
      select extract(epoch from min(done.at) - min(paid.at))::float as seconds
      from transfer_steps done
        join transfer_steps paid on paid.transfer_id = done.transfer_id and paid.to_state = 'funded'
      where done.to_state = 'completed' and done.at >= ${firstDay(days, timeZone)}
      group by done.transfer_id
    ) as each`.execute(db)
  const { median = null, p95 = null } = rows[0] ?? {}
  return median === null || p95 === null ? null : { median: tenths(median), p95: tenths(p95) }
}

const tenths = (seconds: number) => Math.round(seconds * 10) / 10
