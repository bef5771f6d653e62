import type { BankStatement, StatementFormat } from '@windlass/contracts/anchor/bank-files.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { createHash } from 'node:crypto'
import type { StatementItem, StatementLine } from './statement.ts'

/** One statement of a file, as it was read. */
export interface StatementPart {
  number: string | null
  page: string | null
  opening: Balance | null
  closing: Balance | null
  lines: { line: StatementLine; position: number }[]
  /** How many rows are pending or failed. */
  notBooked: number
  unread: Error[]
  /** Rows behind the bookings that are none. */
  footers: string[]
  /** What banks say that was wrong in payments that they made. */
  changes: string[]
  /** What of the file does not count, in the last part of a file. */
  leftOut: readonly LeftOut[]
}

/** What of a file does not count, for the person who uploads it. */
export type LeftOut = NonNullable<BankStatement['leftOut']>[number]

interface Balance {
  amount: bigint
  day: string | null
  isBetween: boolean
}

export const emptyPart = (): StatementPart => ({
  ...{ number: null, page: null, opening: null, closing: null },
  ...{ lines: [], notBooked: 0, unread: [], footers: [], changes: [], leftOut: [] },
})

/** @param position of a line in its file, from 1 */
export function addItem(part: StatementPart, item: StatementItem, position: number): void {
  if (item.kind === 'name') [part.number, part.page] = [item.number || null, item.page]
  if (item.kind === 'balance') addBalance(part, item)
  if (item.kind === 'no-money') part.notBooked += 1
  if (item.kind === 'unread') part.unread.push(item.error)
  if (item.kind === 'footer') part.footers.push(item.text)
  if (item.kind === 'change') part.changes.push(item.text)
  if (item.kind === 'line') part.lines.push({ line: item.line, position })
}

function addBalance(part: StatementPart, item: StatementItem & { kind: 'balance' }): void {
  const { amount, day = null, isBetween = false } = item
  const balance = { amount: parseAmount(amount), day, isBetween }
  if (item.at === 'opening') part.opening ??= balance
  else part.closing = balance
}

/** What a statement says of one day. Amounts are signed, in units of 10^-7. */
export interface StatementDay {
  /** The file. */
  statementId: string
  format: StatementFormat
  number: string | null
  page: string | null
  /** The account's balances before and after; null: the statement has none. */
  opening: bigint | null
  closing: bigint | null
  /** Whether it has the day from its beginning, to its end. 0: not known, 1: the bank says so, 2: it has days around it. */
  starts: number
  ends: number
  /** Sum of its bookings in both directions. */
  turnover: bigint
  /** Digest of the amounts of its bookings. */
  bookings: string
  /** Whether the statement has more days than this one. */
  isLonger: boolean
}

export const moneyOf = ({ direction, amount }: Pick<StatementLine, 'direction' | 'amount'>): bigint =>
  direction === 'in' ? parseAmount(amount) : -parseAmount(amount)

/** The days of a statement, in order, with their lines in the order of the file. */
export function daysOf(
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

/**
 * How what two statements say of a day is placed in the account's history. `overlaps`: one of the two has what the other has.
 * `apart`: they have no booking in common. `unclear`: both could be. `unknown`: nothing speaks against an overlap, and
 * nothing proves it.
 */
export type Relation = 'overlaps' | 'apart' | 'unclear' | 'unknown'

export function relate(one: StatementDay, other: StatementDay): Relation {
  const isNumbered = one.format === other.format && one.number !== null && other.number !== null
  const sameNumber = isNumbered && one.number === other.number
  if (one.statementId === other.statementId && !isSameRange(one, other)) return 'apart'
  if (one.opening === null || other.opening === null) {
    if (isMarkedWhole(one) || isMarkedWhole(other)) return 'overlaps'
    return isNumbered && !sameNumber ? 'unclear' : 'unknown'
  }
  const touches = one.opening === other.closing || one.closing === other.opening
  if (sameNumber && one.page !== other.page && touches) return 'apart'
  const [sameStart, sameEnd] = [one.opening === other.opening, one.closing === other.closing]
  // Two statements of one day, each with a number of its own: each may be a part of the day.
  const areNumberedApart = isNumbered && !sameNumber && !one.isLonger && !other.isLonger
  const isRepeated = sameNumber && one.page === other.page && sameStart && sameEnd
  if (isRepeated) return 'overlaps'
  if (areApartInOneDirection(one, other)) return 'apart'
  if (areNumberedApart) return 'unclear'
  if (isMarkedWhole(one) && isMarkedWhole(other) && sameStart && sameEnd) return 'overlaps'
  if (touches && (sameStart || sameEnd) && !isProvenWhole(one) && !isProvenWhole(other)) return 'unclear'
  if ((sameStart && one.starts > 0 && other.starts > 0) || (sameEnd && one.ends > 0 && other.ends > 0))
    return 'overlaps'
  const disagree =
    (!sameStart && one.starts > 0 && other.starts > 0) || (!sameEnd && one.ends > 0 && other.ends > 0)
  return (isProvenWhole(one) || isProvenWhole(other)) && !disagree ? 'overlaps' : 'unclear'
}

/** Whether two statements lead from the same balance to the same one by bookings of the same amounts. */
export const isSameRange = (one: StatementDay, other: StatementDay): boolean =>
  one.opening !== null &&
  one.opening === other.opening &&
  one.closing === other.closing &&
  one.bookings === other.bookings

const isMarkedWhole = ({ starts, ends }: StatementDay): boolean => starts > 0 && ends > 0
const isProvenWhole = ({ starts, ends }: StatementDay): boolean => starts > 1 && ends > 1

/** Where all money goes one way, no balance comes twice: what lies beside each other has nothing in common. */
function areApartInOneDirection(one: StatementDay, other: StatementDay): boolean {
  const [a, b] = [pathOf(one), pathOf(other)]
  if (!a || !b || a.isUp !== b.isUp) return false
  return a.high <= b.low || b.high <= a.low
}

function pathOf({ opening, closing, turnover }: StatementDay) {
  if (opening === null || closing === null) return null
  const change = closing - opening
  if (change !== turnover && change !== -turnover) return null
  return change > 0n
    ? { isUp: true, low: opening, high: closing }
    : { isUp: false, low: closing, high: opening }
}
