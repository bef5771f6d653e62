import { formatAmount, parseAmount, amountOf, formatLedgerAmount } from '@windlass/money/amount.ts'
import type { StatementFormat } from '@windlass/contracts/anchor/bank-files.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { partyDigest } from '../people/compliance/velocity.ts'
import type { BankStatementRow, Tables, BankLine } from '../tables.ts'
import {
  factsOf,
  idOf,
  wordsOf,
  comparisonsOfAFile,
  type Comparisons,
  recognize,
  type ReadLine,
  type KnownLine,
} from './recognize.ts'
import {
  type Balance,
  codesIn,
  type LeftOut,
  moneyOf,
  StatementError,
  type StatementLine,
  type StatementPart,
} from './statement.ts'
import type { StatementDay } from './statement-days.ts'
import { type NewLine, sealLine, openLine, UNDECIDED } from './lines.ts'
import { keepFile, lockAccount } from './statements.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createHash } from 'node:crypto'

/* What is stored of a statement: its parts, its days, and the lines that no earlier one had. */

/**
 * Records a file, the lines of it that no earlier one had, and as which line each of them counts, in the caller's
 * transaction. Those that may be an earlier one are possible duplicates.
 *
 * @throws {Problem} `statement-already-read`
 * @throws {StatementError} as `parts` does, and for days whose lines retention removed.
 */
export async function recordStatement(
  deps: Deps,
  tx: Db<Tables>,
  file: NewStatement & { original: string },
  parts: AsyncIterable<StatementPart>,
): Promise<BankStatementRow> {
  const { original, ...given } = file
  await lockAccount(tx, file.account)
  const statement = await addStatement(tx, given)
  await keepFile(deps, tx, statement.id, original)
  const count: Count = { lines: 0, added: 0, doubtful: 0, notBooked: 0, from: null, to: null, leftOut: [] }
  const comparisons = comparisonsOfAFile()
  let position = 0
  for await (const part of parts) {
    position += 1
    const recorded = await recordPart(deps, tx, statement, part, { position, comparisons })
    count.lines += part.lines.length
    count.added += recorded.added
    count.doubtful += recorded.doubtful
    count.notBooked += part.notBooked
    count.leftOut.push(...part.leftOut)
    for (const { line } of part.lines) {
      if (!count.from || line.bookedOn < count.from) count.from = line.bookedOn
      if (!count.to || line.bookedOn > count.to) count.to = line.bookedOn
    }
    // Days without a booking are in the statement too.
    const { closing } = part
    if (closing?.day && !closing.isBetween && closing.day > (count.to ?? '')) count.to = closing.day
  }
  return closeStatement(tx, statement, count)
}

/** Records the lines of a statement that are not recorded yet, and as which line each one counts. */
async function recordPart(
  deps: Deps,
  tx: Db<Tables>,
  statement: BankStatementRow,
  part: StatementPart,
  { position, comparisons }: { position: number; comparisons: Comparisons },
): Promise<{ added: number; doubtful: number }> {
  const { id: statementId, account, rail, format } = statement
  const days = daysOf(part, { statementId, format })
  const [rows, places]: [NewLine[], { position: number; lineId: string }[]] = [[], []]
  for (const { day, says, lines } of days) {
    const known = await linesOfDay(deps, tx, account, day)
    const numbers = countBy(known, ({ facts }) => facts)
    for (const [read, verdict] of recognize(says, lines.map(readLine), known, comparisons)) {
      const ordinal = numbers.get(read.facts) ?? 0
      const lineId = verdict.is === 'same' ? verdict.id : idOf(account, day, read.facts, ordinal)
      places.push({ position: read.position, lineId })
      if (verdict.is === 'same') continue
      numbers.set(read.facts, ordinal + 1)
      const place = { id: lineId, statement_id: statementId, position: read.position, account, rail }
      const { direction, party } = read.line
      const isNamed = direction === 'in' && party.name !== null && party.account !== null
      rows.push({
        ...rowOf(deps, read, place, verdict.is === 'doubtful' ? verdict.id : null),
        payer_digest: isNamed ? await partyDigest(deps, tx, party.account ?? '') : null,
      })
    }
  }
  await addLines(tx, rows)
  await addPart(tx, statementId, position, part, days, places)
  return { added: rows.length, doubtful: rows.filter(row => row.possible_duplicate_of !== null).length }
}

/** The days of a statement, in order, with their lines in the order of the file. */
function daysOf(
  part: StatementPart,
  file: { statementId: string; format: StatementFormat },
): { day: string; says: StatementDay; lines: StatementPart['lines'] }[] {
  const byDay = Map.groupBy(part.lines, ({ line }) => line.bookedOn)
  const days = [...byDay.keys()].sort()
  const hasBalances = part.opening !== null && part.closing !== null
  const isLonger = days.length > 1 || periodOf(part) > 1
  let balance = part.opening?.amount ?? 0n
  return days.map((day, index) => {
    const lines = byDay.get(day) ?? []
    const opening = balance
    balance += lines.reduce((sum, { line }) => sum + moneyOf(line), 0n)
    const marked = (edge: Balance | null) => (hasBalances && edge?.isBetween === false ? 1 : 0)
    const says = {
      ...{ ...file, number: part.number, page: part.page, isLonger },
      ...{ opening: hasBalances ? opening : null, closing: hasBalances ? balance : null },
      starts: index > 0 && hasBalances ? 2 : marked(part.opening),
      ends: index < days.length - 1 && hasBalances ? 2 : marked(part.closing),
      ...bookingsOf(lines.map(({ line }) => line)),
    }
    return { day, says, lines }
  })
}

/** In days, from the end of the day before; an opening balance may have either day. */
function periodOf({ opening, closing }: StatementPart): number {
  if (!opening?.day || !closing?.day) return 0
  return (Date.parse(closing.day) - Date.parse(opening.day)) / 86_400_000
}

function bookingsOf(lines: readonly StatementLine[]): Pick<StatementDay, 'turnover' | 'bookings'> {
  const single = lines.filter(({ booking }) => booking === null)
  const whole = Map.groupBy(
    lines.flatMap(({ booking }) => booking ?? []),
    ({ number }) => number,
  )
  const bookings = [...single, ...[...whole.values()].flatMap(([first]) => first ?? [])]
  const amounts = bookings.map(each => `${each.direction} ${formatAmount(parseAmount(each.amount))}`).sort()
  return {
    turnover: bookings.reduce((sum, { amount }) => sum + parseAmount(amount), 0n),
    bookings: createHash('sha256').update(JSON.stringify(amounts)).digest('hex'),
  }
}

function countBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return counts
}

const readLine = ({ line, position }: StatementPart['lines'][number]): ReadLine => ({
  ...{ line, position, facts: factsOf(line), words: wordsOf(line), codes: codesIn(line) },
  ...{ bankReference: line.bankReference, name: line.party.name, account: line.party.account },
})

const rowOf = (
  { sealer }: Pick<Deps, 'sealer'>,
  { line, facts, codes }: ReadLine,
  place: Pick<NewLine, 'id' | 'statement_id' | 'position' | 'account' | 'rail'>,
  possibleDuplicateOf: string | null,
): NewLine => ({
  ...place,
  booked_on: line.bookedOn,
  valued_on: line.valuedOn ?? null,
  direction: line.direction,
  amount: formatAmount(parseAmount(line.amount)),
  currency: line.currency,
  bank_reference: line.bankReference,
  codes: [...codes],
  facts,
  booking: line.booking?.number ?? null,
  booking_direction: line.booking?.direction ?? null,
  booking_amount: line.booking?.amount ?? null,
  booking_reference: line.booking?.bankReference ?? null,
  possible_duplicate_of: possibleDuplicateOf,
  sealed: sealLine(sealer, place.id, { text: line.text, ...line.party, returnReason: line.returnReason }),
})

type NewStatement = Pick<
  BankStatementRow,
  'account' | 'rail' | 'currency' | 'format' | 'by' | 'file_name' | 'digest'
>

/**
 * Throws `statement-already-read` for a file that was read before. One that an older release read, whose rule lost
 * bookings, is read again.
 */
async function addStatement(tx: Db<Tables>, statement: NewStatement): Promise<BankStatementRow> {
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

async function addLines(tx: Db<Tables>, lines: readonly NewLine[]): Promise<void> {
  for (const rows of chunksOf(lines))
    await tx
      .insertInto('bank_lines')
      .values(rows.map(line => ({ ...line, why: null, ...UNDECIDED })))
      .execute()
}

const decimal = (amount: bigint | null | undefined): string | null =>
  amount === null || amount === undefined ? null : formatLedgerAmount(amountOf(amount))

/** Adds a statement of a file, what it says of its days, and as which line each of its lines counts. */
async function addPart(
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
async function linesOfDay(deps: Pick<Deps, 'sealer'>, tx: Db<Tables>, account: string, day: string) {
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
  leftOut: LeftOut[]
}

/** Where a file is read again, `new_lines` counts those that were new at first too. */
function closeStatement(
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
