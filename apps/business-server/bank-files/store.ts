import type { CsvColumns } from '@windlass/contracts/anchor/bank-files.ts'
import { amountOf, formatLedgerAmount, parseAmount } from '@windlass/money/amount.ts'
import { claimDue } from '@windlass/service/work/claim-due.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql, type Insertable } from 'kysely'
import type { Deps } from '../deps.ts'
import { after } from '../paging.ts'
import type { BankLine, BankLineTable, BankStatementRow, Tables } from '../tables.ts'
import { factsOf, wordsOf } from './identity.ts'
import type { KnownLine } from './recognize.ts'
import type { LeftOut, StatementDay, StatementPart } from './statement-days.ts'

type Decided =
  'decided_by' | 'decided_at' | 'state' | 'why' | 'transfer_id' | 'order_id' | 'ignored_as' | 'duplicate_of'
export type NewLine = Omit<Insertable<BankLineTable>, Decided | 'next_try_at' | 'created_at'>

/** What a line says of people. */
interface LineDetails {
  text: string
  name: string | null
  account: string | null
  bank: string | null
  /** Why the bank sends a payment back, where it says so. */
  returnReason: string | null
}

const contextOf = (id: string) => `bank-line:${id}`

export const sealLine = (sealer: Sealer, id: string, details: LineDetails): Buffer =>
  sealer.seal(JSON.stringify(details), contextOf(id))

/** Throws where the key does not fit. */
export const openLine = (sealer: Sealer, { id, sealed }: Pick<BankLine, 'id' | 'sealed'>): LineDetails =>
  JSON.parse(sealer.open(sealed, contextOf(id))) as LineDetails

const SEALED_AT_ONCE = 500

/** Encrypts under the newest key what an older one encrypted. */
export async function sealLinesAgain({
  database,
  sealer,
  sealVersion,
}: Pick<Deps, 'database' | 'sealer' | 'sealVersion'>): Promise<void> {
  for (;;) {
    const rows = await database.db
      .selectFrom('bank_lines')
      .select(['id', 'sealed'])
      .where(sql<boolean>`substring(sealed for 1) <> ${Buffer.from([sealVersion])}`)
      .limit(SEALED_AT_ONCE)
      .execute()
    for (const row of rows) {
      const sealed = sealLine(sealer, row.id, openLine(sealer, row))
      await database.db.updateTable('bank_lines').set({ sealed }).where('id', '=', row.id).execute()
    }
    if (rows.length < SEALED_AT_ONCE) return
  }
}

/** Statements of one account are recorded one after the other. */
export async function lockAccount(tx: Db<Tables>, account: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`bank account ${account}`}, 0))`.execute(tx)
}

type NewStatement = Pick<
  BankStatementRow,
  'account' | 'rail' | 'currency' | 'format' | 'by' | 'file_name' | 'digest'
>

/**
 * Throws `statement-already-read` for a file that was read before. One that an older release read, whose rule lost
 * bookings, is read again.
 */
export async function addStatement(tx: Db<Tables>, statement: NewStatement): Promise<BankStatementRow> {
  const row = await tx
    .insertInto('bank_statements')
    .values({ ...statement, lines: 0, new_lines: 0, booked_from: null, booked_to: null, rule: 2 })
    .onConflict(conflict => conflict.columns(['account', 'digest']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row) return row
  const earlier = await tx
    .selectFrom('bank_statements')
    .selectAll()
    .where('account', '=', statement.account)
    .where('digest', '=', statement.digest)
    .executeTakeFirstOrThrow()
  if (earlier.rule === 1) return earlier
  throw new Problem(
    'statement-already-read',
    `This file was read on ${earlier.created_at.toISOString()} as ${earlier.file_name}. Nothing was changed.`,
    { extensions: { statementId: earlier.id } },
  )
}

/** Of a line about which nothing is decided. */
export const UNDECIDED = {
  transfer_id: null,
  order_id: null,
  decided_by: null,
  decided_at: null,
  ignored_as: null,
  duplicate_of: null,
} as const

const ROWS = 500

function* chunksOf<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS) yield rows.slice(start, start + ROWS)
}

export async function addLines(tx: Db<Tables>, lines: readonly NewLine[]): Promise<void> {
  for (const rows of chunksOf(lines))
    await tx
      .insertInto('bank_lines')
      .values(rows.map(line => ({ ...line, why: null, ...UNDECIDED })))
      .execute()
}

const decimal = (amount: bigint | null | undefined): string | null =>
  amount === null || amount === undefined ? null : formatLedgerAmount(amountOf(amount))

/** Adds a statement of a file, what it says of its days, and as which line each of its lines counts. */
export async function addPart(
  tx: Db<Tables>,
  statementId: string,
  position: number,
  { number, page, opening, closing }: StatementPart,
  days: readonly { day: string; says: StatementDay }[],
  places: readonly { position: number; lineId: string }[],
): Promise<void> {
  const { id } = await tx
    .insertInto('bank_statement_parts')
    .values({
      ...{ statement_id: statementId, position, number, page },
      ...{ opening: decimal(opening?.amount), opening_day: opening?.day ?? null },
      ...{ closing: decimal(closing?.amount), closing_day: closing?.day ?? null },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const rows of chunksOf(days))
    await tx
      .insertInto('bank_statement_days')
      .values(
        rows.map(({ day, says }) => ({
          ...{ part_id: id, day, opening: decimal(says.opening), closing: decimal(says.closing) },
          ...{ starts: says.starts, ends: says.ends, turnover: decimal(says.turnover) ?? '0' },
          ...{ bookings: Buffer.from(says.bookings, 'hex'), is_longer: says.isLonger },
        })),
      )
      .execute()
  for (const rows of chunksOf(places))
    await tx
      .insertInto('bank_line_places')
      .values(rows.map(({ position: at, lineId }) => ({ part_id: id, position: at, line_id: lineId })))
      .execute()
}

/** The lines of a day that are recorded, each with what statements that have it say of the day. */
export async function linesOfDay(deps: Pick<Deps, 'sealer'>, tx: Db<Tables>, account: string, day: string) {
  const lines = await tx
    .selectFrom('bank_lines')
    .innerJoin('bank_statements', 'bank_statements.id', 'bank_lines.statement_id')
    .selectAll('bank_lines')
    .select('bank_statements.format')
    .where('bank_lines.account', '=', account)
    .where('booked_on', '=', day)
    .orderBy('bank_lines.created_at')
    .orderBy('bank_lines.position')
    .execute()
  const says = lines.length > 0 ? await statementsOfDay(tx, account, day) : new Map<string, StatementDay[]>()
  return lines.map(line => knownLine(deps, line, says.get(line.id) ?? []))
}

async function statementsOfDay(
  tx: Db<Tables>,
  account: string,
  day: string,
): Promise<Map<string, StatementDay[]>> {
  const rows = await tx
    .selectFrom('bank_lines')
    .innerJoin('bank_line_places', 'bank_line_places.line_id', 'bank_lines.id')
    .innerJoin('bank_statement_parts', 'bank_statement_parts.id', 'bank_line_places.part_id')
    .innerJoin('bank_statements', 'bank_statements.id', 'bank_statement_parts.statement_id')
    .innerJoin('bank_statement_days', join =>
      join
        .onRef('bank_statement_days.part_id', '=', 'bank_statement_parts.id')
        .on('bank_statement_days.day', '=', day),
    )
    .select([
      'bank_lines.id',
      'bank_statement_parts.statement_id',
      'format',
      'number',
      'page',
      'starts',
      'ends',
    ])
    .select([
      'bank_statement_days.opening',
      'bank_statement_days.closing',
      'turnover',
      'bookings',
      'is_longer',
    ])
    .where('bank_lines.account', '=', account)
    .where('bank_lines.booked_on', '=', day)
    .execute()
  const found = new Map<string, StatementDay[]>()
  for (const { id, statement_id, is_longer, ...row } of rows) {
    const { format, number, page, starts, ends } = row
    const says = {
      ...{ statementId: statement_id, format, number, page, starts, ends, isLonger: is_longer },
      opening: row.opening === null ? null : parseAmount(row.opening),
      closing: row.closing === null ? null : parseAmount(row.closing),
      turnover: parseAmount(row.turnover),
      bookings: row.bookings.toString('hex'),
    }
    found.set(id, [...(found.get(id) ?? []), says])
  }
  return found
}

function knownLine(
  { sealer }: Pick<Deps, 'sealer'>,
  line: BankLine & { format: BankStatementRow['format'] },
  days: readonly StatementDay[],
): KnownLine {
  const { direction, amount, currency, format, codes } = line
  const { text, name, account } = openLine(sealer, line)
  const party = { name, account }
  const described = { direction, amount, currency, bankReference: line.bank_reference, text, party }
  const isDecided = line.state === 'matched' || line.state === 'returned' || line.ignored_as === 'own'
  return {
    ...{ id: line.id, statementId: line.statement_id, position: line.position, format, direction, amount },
    ...{ bankReference: line.bank_reference, codes, name, account, days },
    facts: line.facts ?? factsOf(described),
    words: wordsOf(described),
    booking: bookingOf(line),
    isDoubtful: !isDecided && (line.possible_duplicate_of ?? line.duplicate_of) !== null,
  }
}

const bookingOf = (line: BankLine): KnownLine['booking'] =>
  line.booking === null || line.booking_direction === null || line.booking_amount === null
    ? null
    : {
        ...{ number: line.booking, direction: line.booking_direction, amount: line.booking_amount },
        bankReference: line.booking_reference,
      }

interface Count {
  lines: number
  added: number
  notBooked: number
  doubtful: number
  from: string | null
  to: string | null
  leftOut: readonly LeftOut[]
}

/** Of a file that is read again, `new_lines` counts those that were new at first too. */
export function closeStatement(
  tx: Db<Tables>,
  { id, new_lines: before }: BankStatementRow,
  count: Count,
): Promise<BankStatementRow> {
  const { lines, added, doubtful, notBooked: not_booked, from: booked_from, to: booked_to } = count
  return tx
    .updateTable('bank_statements')
    .set({ lines, new_lines: before + added, not_booked, booked_from, booked_to })
    .set({ possible_duplicates: doubtful, left_out: JSON.stringify(count.leftOut.slice(0, 50)), rule: 2 })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function listStatements(db: Db<Tables>, page: PageQuery): Promise<BankStatementRow[]> {
  const start = pageStart(page)
  let query = db.selectFrom('bank_statements').selectAll()
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(page)).execute()
}

export function listLines(
  db: Db<Tables>,
  {
    status,
    statementId,
    decided,
    ...page
  }: PageQuery & { status?: BankLine['state']; statementId?: string; decided?: 'person' },
): Promise<BankLine[]> {
  const start = pageStart(page)
  let query = db.selectFrom('bank_lines').selectAll()
  if (status) query = query.where('state', '=', status)
  if (statementId) query = query.where(sql`statement_id::text`, '=', statementId)
  if (decided) query = query.where('decided_by', 'is not', null)
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(page)).execute()
}

/** Throws `statement-line-not-found`. */
export async function findLine(db: Db<Tables>, id: string): Promise<BankLine> {
  const line = await db.selectFrom('bank_lines').selectAll().where('id', '=', id).executeTakeFirst()
  if (!line) throw new Problem('statement-line-not-found', 'There is no statement line with this id.')
  return line
}

export async function lockLine(tx: Db<Tables>, id: string): Promise<BankLine> {
  return tx.selectFrom('bank_lines').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow()
}

export const newLinesDueAt = sql<Date | null>`select min(next_try_at) from bank_lines where state = 'new'`

/** Lines that were not looked at yet. */
export async function claimNewLines(db: Db<Tables>, limit: number): Promise<Pick<BankLine, 'id'>[]> {
  return claimDue<BankLine, Tables>(db, {
    table: 'bank_lines',
    dueAt: 'next_try_at',
    leaseSeconds: 60,
    limit,
    where: sql`state = 'new'`,
  })
}

type Outcome = Partial<
  Pick<BankLine, 'transfer_id' | 'order_id' | 'decided_by' | 'decided_at' | 'ignored_as' | 'duplicate_of'>
> & {
  state: 'matched' | 'review' | 'returned' | 'ignored'
  why: string
}

export function setOutcome(tx: Db<Tables>, id: string, outcome: Outcome): Promise<BankLine> {
  return tx
    .updateTable('bank_lines')
    .set(outcome)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A line in the other direction with the same code and amount that was not looked at yet: the bank took it back. */
export async function findReversal(tx: Db<Tables>, line: BankLine, code: string): Promise<BankLine | null> {
  const row = await tx
    .selectFrom('bank_lines')
    .selectAll()
    .where('account', '=', line.account)
    .where('direction', '<>', line.direction)
    .where('amount', '=', line.amount)
    .where('state', '=', 'new')
    .where(sql<boolean>`codes @> array[${code}]::text[]`)
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

/** Whether the only line of a payout is the one that brought its money back: the file with the other one comes later. */
export async function wasTakenBack(tx: Db<Tables>, orderId: string): Promise<boolean> {
  const lines = await tx
    .selectFrom('bank_lines')
    .select('direction')
    .where('order_id', '=', orderId)
    .where('state', '=', 'matched')
    .execute()
  return lines.length === 1 && lines[0]?.direction === 'in'
}

/** Whether a line that left the account confirmed the payout. */
export async function wasConfirmed(db: Db<Tables>, orderId: string): Promise<boolean> {
  const row = await db
    .selectFrom('bank_lines')
    .select('id')
    .where('order_id', '=', orderId)
    .where('direction', '=', 'out')
    .where('state', '=', 'matched')
    .executeTakeFirst()
  return row !== undefined
}

export const reviewsWaiting = scalar(
  sql<number>`select count(*) from bank_lines where state = 'review'`,
  Number,
)

/** A booking's reference without the place of a transaction in it, which differs between formats and files. */
const BOOKING_REFERENCE = sql<string>`regexp_replace(bank_reference, '/[0-9]+$', '')`

/** Other lines of a line's account and direction that have its amount or its booking's reference, the nearest day first. */
export function likeLines(db: Db<Tables>, line: BankLine, limit: number): Promise<BankLine[]> {
  return db
    .selectFrom('bank_lines')
    .selectAll()
    .where('account', '=', line.account)
    .where('direction', '=', line.direction)
    .where('currency', '=', line.currency)
    .where('id', '<>', line.id)
    .where('state', '<>', 'new')
    .where(sql<boolean>`ignored_as is distinct from 'duplicate'`)
    .where(({ eb, or }) =>
      or([
        eb('amount', '=', line.amount),
        eb(BOOKING_REFERENCE, '=', line.bank_reference?.replace(/\/[0-9]+$/, '') ?? null),
        eb('id', '=', line.possible_duplicate_of),
        eb('possible_duplicate_of', '=', line.id),
      ]),
    )
    .orderBy(sql`abs(booked_on::date - ${line.booked_on}::date)`)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** What the lines of each account come to, without those that are not looked at yet or counted twice. */
export async function bookedByAccount(
  db: Db<Tables>,
): Promise<{ account: string; currency: string; booked: string }[]> {
  return db
    .selectFrom('bank_lines')
    .select(['account', 'currency'])
    .select(sql<string>`sum(case direction when 'in' then amount else -amount end)::text`.as('booked'))
    .where('state', '<>', 'new')
    .where(sql<boolean>`ignored_as is distinct from 'duplicate'`)
    .groupBy(['account', 'currency'])
    .execute()
}

/** Whether a line that left the account until that day waits to be matched or decided. */
export async function hasUnexplainedDebit(db: Db<Tables>, account: string, until: string): Promise<boolean> {
  const row = await db
    .selectFrom('bank_lines')
    .select('id')
    .where('account', '=', account)
    .where('direction', '=', 'out')
    .where('booked_on', '<=', until)
    .where('state', 'in', ['new', 'review'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Those of our codes that stand in lines that left the account, whatever became of the lines. */
export async function namedByDebits(
  db: Db<Tables>,
  account: string,
  codes: readonly string[],
): Promise<ReadonlySet<string>> {
  if (codes.length === 0) return new Set()
  const lines = await db
    .selectFrom('bank_lines')
    .select('codes')
    .where('account', '=', account)
    .where('direction', '=', 'out')
    .where(sql<boolean>`codes && ${codes}::text[]`)
    .execute()
  return new Set(lines.flatMap(line => line.codes))
}

/** Those of these codes under which more left the account than came back. */
export async function bookedOnBalance(
  db: Db<Tables>,
  account: string,
  codes: readonly string[],
): Promise<ReadonlySet<string>> {
  if (codes.length === 0) return new Set()
  const { rows } = await sql<{ code: string }>`
    select code from bank_lines, unnest(codes) as code
    where account = ${account} and codes && ${codes}::text[] and code = any(${codes}::text[])
      and ignored_as is distinct from 'duplicate'
    group by code having sum(case direction when 'out' then amount else -amount end) > 0`.execute(db)
  return new Set(rows.map(({ code }) => code))
}

/** The last day that a statement of the account reaches; null: none. */
export async function lastBooked(db: Db<Tables>, account: string): Promise<string | null> {
  const row = await db
    .selectFrom('bank_statements')
    .select(({ fn }) => fn.max('booked_to').as('day'))
    .where('account', '=', account)
    .executeTakeFirst()
  return row?.day ?? null
}

export type LineOfFile = BankLine & { file_name: string }

/** The lines with these ids, with the names of their files. */
export async function linesOfFiles(db: Db<Tables>, ids: readonly string[]): Promise<LineOfFile[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('bank_lines')
    .innerJoin('bank_statements', 'bank_statements.id', 'bank_lines.statement_id')
    .selectAll('bank_lines')
    .select('bank_statements.file_name')
    .where('bank_lines.id', 'in', ids)
    .execute()
}

/** The lines with these ids, of those that exist. */
export async function linesOf(db: Db<Tables>, ids: readonly string[]): Promise<BankLine[]> {
  if (ids.length === 0) return []
  return db.selectFrom('bank_lines').selectAll().where('id', 'in', ids).execute()
}

const LISTED_VERSIONS = 20

export async function currentColumns(db: Db<Tables>, rail: string): Promise<CsvColumns | null> {
  return (await listColumns(db, rail, 1))[0]?.columns ?? null
}

export function listColumns(db: Db<Tables>, rail: string, limit = LISTED_VERSIONS) {
  return db
    .selectFrom('csv_columns')
    .selectAll()
    .where('rail', '=', rail)
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
}

export async function addColumns(
  db: Db<Tables>,
  rail: string,
  columns: CsvColumns,
  by: string,
): Promise<void> {
  await db
    .insertInto('csv_columns')
    .values({ rail, columns: JSON.stringify(columns), by })
    .execute()
}
