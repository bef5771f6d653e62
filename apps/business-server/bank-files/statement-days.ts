import type { StatementFormat } from '@windlass/contracts/anchor/bank-files.ts'

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
