import type { ChartAccount, ExchangeTerms } from '@windlass/contracts/anchor/journal.ts'
import type { AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { readScalar, scalar, type Scalar } from '@windlass/service/postgres/scalars.ts'
import { sql, type Insertable } from 'kysely'
import { after } from '../../paging.ts'
import type { Tables } from '../../tables.ts'
import type { JournalEntryTable } from './tables.ts'

/** An account of the chart, or a bank's or provider's account: `rail:<name>`. */
export type Account = ChartAccount | `rail:${string}`

/** Units of an asset: `asset` for the anchor's first one, `CODE:ISSUER` for each further one. */
export const unitOf = (asset: AssetKey): string => asset ?? 'asset'

/** A line in units of an asset or of a currency (its code). Each unit balances by itself: units of two assets are never added. */
export type Line = readonly [account: Account, unit: string, amount: bigint]

interface Entry {
  /** What is recorded: a second entry for it fails, unless the first one was taken back. */
  cause: string
  kind: string
  transferId?: string | null
  /** Where it is not the day on which it is recorded, nor that of {@link bookOn}. */
  bookedOn?: string
  /** Present in an exchange. */
  exchange?: ExchangeTerms | null | undefined
  /** Come to zero in every unit. Lines of zero are left out. */
  lines: readonly Line[]
}

/** Adds an entry, in the transaction of the effect that it records. Throws where it does not balance. */
export async function recordEntry(
  tx: Db<Tables>,
  { cause, kind, transferId, bookedOn, exchange, lines }: Entry,
): Promise<void> {
  const sums = new Map<string, bigint>()
  for (const [, unit, amount] of lines) sums.set(unit, (sums.get(unit) ?? 0n) + amount)
  if ([...sums.values()].some(sum => sum !== 0n))
    throw new Error(`the journal entry ${cause} does not balance`)
  const moved = lines.filter(([, , amount]) => amount !== 0n)
  if (moved.length === 0) return
  const given = {
    cause,
    kind,
    transfer_id: transferId ?? null,
    ...(bookedOn && { booked_on: bookedOn }),
    exchange: exchange ?? null,
  }
  const id =
    (await addEntry(tx, given)) ?? (await addEntry(tx, { ...given, cause: await nextCause(tx, cause) }))
  if (id === null) throw new Error(`the journal has an entry for ${cause}, which is unique`)
  await addLines(tx, id, moved)
}

interface Booking {
  bookedOn: string
  valuedOn?: string | null
  /** The bank's line that has it. */
  lineId?: string
}

/**
 * Gives what the transaction records from now on the days of a booking, such as that of the bank's line which it is about,
 * and names that line.
 */
export async function bookOn(tx: Db<Tables>, { bookedOn, valuedOn, lineId }: Booking): Promise<void> {
  await sql`select set_config('windlass.booked_on', ${bookedOn}, true),
    set_config('windlass.valued_on', ${valuedOn ?? ''}, true),
    set_config('windlass.line_id', ${lineId ?? ''}, true)`.execute(tx)
}

type NewEntry = Insertable<JournalEntryTable>

/** Null: there is an entry for the cause. */
async function addEntry(tx: Db<Tables>, entry: NewEntry): Promise<string | null> {
  const row = await tx
    .insertInto('journal_entries')
    .values(entry)
    .onConflict(conflict => conflict.column('cause').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

interface RecordedEntry {
  id: string
  kind: string
  transfer_id: string | null
  booked_on: string
  valued_on: string
  line_id: string | null
  reversed: boolean
}

/** In which accounts besides `suspense` what counts for each of these causes was recorded. */
export async function accountsOfCauses(
  db: Db<Tables>,
  causes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (causes.length === 0) return new Map()
  const names = new Map(
    causes.flatMap(cause =>
      causesOf(cause)
        .slice(0, COMPARED_TIMES)
        .map(name => [name, cause] as const),
    ),
  )
  const rows = await db
    .selectFrom('journal_entries as entry')
    .innerJoin('journal_lines as line', 'line.entry_id', 'entry.id')
    .select(['entry.cause', 'line.account'])
    .where(sql<boolean>`entry.cause = any(${[...names.keys()]}::text[])`)
    .where('line.account', '<>', 'suspense')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('journal_entries as other')
            .select('other.id')
            .whereRef('other.reverses', '=', 'entry.id'),
        ),
      ),
    )
    .execute()
  return new Map(rows.map(({ cause, account }) => [names.get(cause) ?? cause, account] as const))
}

/** What was recorded for a cause, in its order, and whether each entry was taken back. */
function entriesFor(tx: Db<Tables>, cause: string): Promise<RecordedEntry[]> {
  return tx
    .selectFrom('journal_entries as entry')
    .select(['entry.id', 'entry.kind', 'entry.transfer_id', 'entry.booked_on', 'entry.valued_on'])
    .select('entry.line_id')
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('journal_entries as other').select('other.id').whereRef('other.reverses', '=', 'entry.id'),
      )
        .$castTo<boolean>()
        .as('reversed'),
    )
    .where('entry.cause', 'in', causesOf(cause))
    .orderBy('entry.created_at')
    .execute()
}

const MOST_TIMES = 50
const COMPARED_TIMES = 5

/** A cause that was taken back and is recorded again has another name in the table, where each is unique. */
const causesOf = (cause: string): string[] =>
  Array.from({ length: MOST_TIMES }, (_, times) => (times === 0 ? cause : `${cause} again ${times}`))

/** Throws where what was recorded for the cause still counts. */
async function nextCause(tx: Db<Tables>, cause: string): Promise<string> {
  const entries = await entriesFor(tx, cause)
  const next = causesOf(cause)[entries.length]
  if (next === undefined || entries.some(({ reversed }) => !reversed))
    throw new Error(`the journal has an entry for ${cause}, which is unique`)
  return next
}

/** Whether something was ever recorded for a cause, also what was taken back. */
export const wasRecorded = async (tx: Db<Tables>, cause: string): Promise<boolean> =>
  (await entriesFor(tx, cause)).length > 0

/** Whether something that counts is recorded for a cause. */
export const isRecorded = async (tx: Db<Tables>, cause: string): Promise<boolean> =>
  (await entriesFor(tx, cause)).some(({ reversed }) => !reversed)

/**
 * Takes back what is recorded for a cause: the opposite of each of its lines, on its days. Then it can be recorded again. Throws where
 * nothing is recorded for it.
 */
export async function reverseEntry(tx: Db<Tables>, cause: string): Promise<void> {
  const entry = (await entriesFor(tx, cause)).find(({ reversed }) => !reversed)
  if (!entry) throw new Error(`the journal has nothing for ${cause} to take back`)
  const { id, transfer_id, booked_on, valued_on, line_id } = entry
  const reversal = await addEntry(tx, {
    cause: `reversal:${id}`,
    kind: 'reversal',
    ...{ transfer_id, booked_on, valued_on, line_id },
    reverses: id,
  })
  if (reversal === null) throw new Error(`the entry for ${cause} was taken back already`)
  const lines = await linesOf(tx, [id])
  await addLines(
    tx,
    reversal,
    lines.map(({ account, unit, amount }) => [account as Account, unit, -parseAmount(amount)]),
  )
}

async function addLines(tx: Db<Tables>, id: string, lines: readonly Line[]): Promise<void> {
  await tx
    .insertInto('journal_lines')
    .values(
      lines.map(([account, unit, amount]) => ({
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

/**
 * Every account's balance; accounts of zero are left out.
 *
 * @param at the end of this day, in the anchor's time zone
 */
export async function listBalances(db: Db<Tables>, at?: string): Promise<Balance[]> {
  let query = db
    .selectFrom('journal_lines')
    .select(['account', 'unit', sql<string>`sum(amount)`.as('amount')])
  if (at !== undefined)
    query = query
      .innerJoin('journal_entries', 'journal_entries.id', 'entry_id')
      .where('journal_entries.counted_on', '<=', at)
  const rows = await query
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

interface EntryFilter extends PageQuery {
  transactionId?: string
  account?: string
  unit?: string
  /** The first and last day on which they count. */
  from?: string
  to?: string
}

/** Entries, newest first, each with its lines. */
export async function listEntries(db: Db<Tables>, filter: EntryFilter) {
  const start = pageStart(filter)
  const { transactionId, account, unit, from, to } = filter
  let query = db.selectFrom('journal_entries').selectAll()
  if (transactionId) query = query.where(sql`transfer_id::text`, '=', transactionId)
  if (from) query = query.where('counted_on', '>=', from)
  if (to) query = query.where('counted_on', '<=', to)
  if (account || unit)
    query = query.where(({ exists, selectFrom }) => {
      let lines = selectFrom('journal_lines')
        .select('account')
        .whereRef('entry_id', '=', 'journal_entries.id')
      if (account) lines = lines.where('account', '=', account)
      if (unit) lines = lines.where('unit', '=', unit)
      return exists(lines)
    })
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
  ...{ bookedOn: row.booked_on, valuedOn: row.valued_on, countedOn: row.counted_on },
  exchange: row.exchange,
  lines: row.lines.map(({ account, unit, amount }) => ({
    account,
    unit,
    amount: formatAmount(parseAmount(amount)),
  })),
})
