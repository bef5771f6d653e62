import type { AssetKey } from '@windlass/contracts/served-assets.ts'
import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/pages.ts'
import { readScalar, scalar, type Scalar } from '@windlass/service/scalars.ts'
import { sql } from 'kysely'
import { after } from '../paging.ts'
import type { Tables } from '../tables.ts'

/**
 * `treasury`: units in the distribution account. `issued`: units that the issuing account made. `capital`: units of an
 * existing asset that the operator brought. `customers`: owed to
 * customers. `cold`: units in the cold account. `suspense`: to be returned. `fees`, `rounding`, `kept`: earned. `exchange`: what was changed between units
 * and currencies. `rail:<name>`: money at a bank. `lost`: with a network that was reset. `opening`: from before the
 * journal.
 */
export type Account =
  | 'treasury'
  | 'issued'
  | 'capital'
  | 'customers'
  | 'cold'
  | 'suspense'
  | 'fees'
  | 'rounding'
  | 'kept'
  | 'exchange'
  | 'lost'
  | 'opening'
  | `rail:${string}`

/** Units of an asset: `asset` for the anchor's first one, `CODE:ISSUER` for each further one. */
export const unitOf = (asset: AssetKey): string => asset ?? 'asset'

/** Of an asset, or of a currency (its code). Each unit balances by itself: units of two assets are never added. */
export type Line = readonly [account: Account, unit: string, amount: bigint]

export interface Entry {
  /** What is recorded: a second entry for it fails. */
  cause: string
  kind: string
  transferId?: string | null
  /** Come to zero in every unit. Lines of zero are left out. */
  lines: readonly Line[]
}

/** Adds an entry, in the transaction of the effect that it records. Throws where it does not balance. */
export async function recordEntry(tx: Db<Tables>, { cause, kind, transferId, lines }: Entry): Promise<void> {
  const sums = new Map<string, bigint>()
  for (const [, unit, amount] of lines) sums.set(unit, (sums.get(unit) ?? 0n) + amount)
  if ([...sums.values()].some(sum => sum !== 0n))
    throw new Error(`the journal entry ${cause} does not balance`)
  const moved = lines.filter(([, , amount]) => amount !== 0n)
  if (moved.length === 0) return
  const { id } = await tx
    .insertInto('journal_entries')
    .values({ cause, kind, transfer_id: transferId ?? null })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('journal_lines')
    .values(
      moved.map(([account, unit, amount]) => ({
        entry_id: id,
        account,
        unit,
        amount: formatAmount(amountOf(amount)),
      })),
    )
    .execute()
}

export interface Balance {
  account: string
  unit: string
  amount: string
}

/** Every account's balance; accounts of zero are left out. */
export async function listBalances(db: Db<Tables>): Promise<Balance[]> {
  const rows = await db
    .selectFrom('journal_lines')
    .select(['account', 'unit', sql<string>`sum(amount)`.as('amount')])
    .groupBy(['account', 'unit'])
    .having(sql<boolean>`sum(amount) <> 0`)
    .orderBy('account')
    .orderBy('unit')
    .execute()
  return rows.map(row => ({ ...row, amount: formatAmount(parseAmount(row.amount)) }))
}

export const balance = (account: Account, unit: string): Scalar<Amount> =>
  scalar(
    sql<string>`
      select coalesce(sum(amount), 0)::text from journal_lines where account = ${account} and unit = ${unit}`,
    parseAmount,
  )

export const balanceOf = (db: Db<Tables>, account: Account, unit: string): Promise<Amount> =>
  readScalar(db, balance(account, unit))

/** What customers do with the treasury. Issuing, sweeps and top-ups are the operator's. */
const CUSTOMER_FLOW = [
  'ledger-deposit',
  'ledger-refund',
  'ledger-reclaim',
  'ledger-redelivery',
  'ledger-receipt',
]
const FLOW_DAYS = 14

/**
 * Units that leave the treasury in a day, by the mean of the last 14 days or of the journal's age; negative where more
 * come in. Null where the journal is younger than a day.
 */
export const dailyOutflow = (asset: AssetKey): Scalar<Amount | null> =>
  scalar(
    sql<{ age: number | null; net: string }>`
      select json_build_object(
        'age', extract(epoch from now() - (select min(created_at) from journal_entries))::float / 86400,
        'net', (select coalesce(-sum(l.amount), 0)::text from journal_entries e join journal_lines l on l.entry_id = e.id
          where l.account = 'treasury' and l.unit = ${unitOf(asset)} and e.kind = any(${CUSTOMER_FLOW})
            and e.created_at > now() - make_interval(days => ${FLOW_DAYS})))`,
    ({ age, net }) => {
      if (age === null || age < 1) return null
      // A hundredth of a day is exact enough for a forecast.
      return amountOf((parseAmount(net) * 100n) / BigInt(Math.round(Math.min(age, FLOW_DAYS) * 100)))
    },
  )

/** Entries, newest first, each with its lines. */
export async function listEntries(db: Db<Tables>, filter: PageQuery & { transactionId?: string }) {
  const start = pageStart(filter)
  let query = db.selectFrom('journal_entries').selectAll()
  if (filter.transactionId) query = query.where(sql`transfer_id::text`, '=', filter.transactionId)
  if (start) query = query.where(after(start))
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize(filter))
    .execute()
  const lines = await linesOf(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map(row => ({ ...row, lines: lines.filter(({ entry_id }) => entry_id === row.id) }))
}

function linesOf(db: Db<Tables>, ids: string[]) {
  return db
    .selectFrom('journal_lines')
    .selectAll()
    .where('entry_id', 'in', ids.length > 0 ? ids : ['00000000-0000-0000-0000-000000000000'])
    .orderBy('unit')
    .orderBy('amount', 'desc')
    .execute()
}

/** An entry as operators and developers see it. */
export const entryForm = (row: Awaited<ReturnType<typeof listEntries>>[number]) => ({
  id: row.id,
  kind: row.kind,
  transactionId: row.transfer_id,
  createdAt: row.created_at.toISOString(),
  lines: row.lines.map(({ account, unit, amount }) => ({
    account,
    unit,
    amount: formatAmount(parseAmount(amount)),
  })),
})
