import type { CsvColumns } from '@windlass/contracts/anchor/bank-files.ts'
import { amountOf, formatLedgerAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import { StatementError } from './statement.ts'
import type { Deps } from '../deps.ts'
import { after } from '../paging.ts'
import type { BankLine, BankStatementRow, Tables } from '../tables.ts'
import { factsOf, wordsOf } from './identity.ts'
import { openLine, UNDECIDED, type NewLine } from './lines.ts'
import type { KnownLine } from './recognize.ts'
import type { LeftOut, StatementDay, StatementPart } from './statement-days.ts'

/* Statements as they are stored, with their parts, days and lines, and how those in CSV are read. */

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
  // Lines are recognized by what they say: without it, a booking would count again.
  if (lines.some(({ removed_at }) => removed_at !== null))
    throw new StatementError(`The bookings of ${day} were removed by retention, and are not read again.`)
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

/** Where a file is read again, `new_lines` counts those that were new at first too. */
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

/** Whether a statement's file is kept, and when retention removed it. */
export interface Kept {
  has_file: boolean
  file_removed_at: Date | null
}

/** Each with whether its file was kept. */
export function listStatements(db: Db<Tables>, page: PageQuery): Promise<(BankStatementRow & Kept)[]> {
  const start = pageStart(page)
  let query = db
    .selectFrom('bank_statements')
    .leftJoin('bank_statement_files', 'statement_id', 'bank_statements.id')
    .selectAll('bank_statements')
    .select('bank_statement_files.removed_at as file_removed_at')
    .select(({ eb }) => eb('bank_statement_files.sealed', 'is not', null).$castTo<boolean>().as('has_file'))
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(page)).execute()
}

/** Lists the newest statement of each account: the one that reaches furthest, of those the one read last. */
export async function lastStatements(db: Db<Tables>): Promise<Map<string, BankStatementRow>> {
  const rows = await db
    .selectFrom('bank_statements')
    .selectAll()
    .distinctOn('account')
    .orderBy('account')
    .orderBy(sql`booked_to desc nulls last`)
    .orderBy('created_at', 'desc')
    .execute()
  return new Map(rows.map(row => [row.account, row]))
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

/** The last day that the statements of each account have, by account. */
export async function readUntil(db: Db<Tables>): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ account: string; day: string }>`
    select account, max(greatest(s.booked_to, p.closing_day)) as day
    from bank_statements s left join bank_statement_parts p on p.statement_id = s.id
    where s.booked_to is not null or p.closing_day is not null group by account`.execute(db)
  return new Map(rows.map(({ account, day }) => [account, day]))
}
