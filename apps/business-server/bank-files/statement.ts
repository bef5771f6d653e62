import type { BankStatement } from '@windlass/contracts/anchor/bank-files.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { decimalsOf, isWhole } from '@windlass/money/number-text.ts'
import { trimZeros } from '@windlass/money/trim-zeros.ts'

/** One booking on a bank account, as a statement has it. */
export interface StatementLine {
  /** `YYYY-MM-DD` */
  bookedOn: string
  /** From when the money counts, where the format says so. */
  valuedOn?: string
  /** `in`: money came. */
  direction: 'in' | 'out'
  /** A positive decimal number. */
  amount: string
  currency: string
  /** The bank's own reference of the booking. It may be a placeholder, or a number that comes again. */
  bankReference: string | null
  /** All texts in which a reference of ours may be. */
  text: string
  party: Party
  /** Why the bank sends a payment back, where it says so. */
  returnReason: string | null
  /** The booking of several transactions that has this one; null: it is the whole booking. */
  booking: Booking | null
  /** What finds a returned entry in the payout file in which it left (NACHA). */
  original?: string
}

/** Who paid, or was paid. `name` has all holders, and the one on whose behalf they paid; null: it cannot be read. */
export interface Party {
  name: string | null
  account: string | null
  bank: string | null
}

/** A booking whose transactions a file lists. */
interface Booking {
  /** In the file, from 1. */
  number: number
  direction: 'in' | 'out'
  amount: string
  bankReference: string | null
}

/** What a reader of a format finds, in the order of the file. */
export type StatementItem =
  /**
   * The account that the lines after it belong to, with which a statement begins; null: the format does not say.
   * `company`: it says instead which company sent the payments that came back.
   */
  | { kind: 'account'; account: string | null; currency: string | null; company?: string }
  /** What the bank calls the statement that began: its number or id, and the page of it that this is. */
  | { kind: 'name'; number: string; page: string | null }
  | { kind: 'line'; line: StatementLine }
  /** A row that is not booked, or never will be. */
  | { kind: 'no-money'; state: 'pending' | 'failed' }
  /** A booking that cannot be read. The file counts only if its balances show that it moved nothing. */
  | { kind: 'unread'; error: StatementError }
  /** A bank says what was wrong in a payment that it made all the same. */
  | { kind: 'change'; text: string }
  /** A row behind the bookings that is none: it has no day. */
  | { kind: 'footer'; text: string }
  /**
   * The account's balance, signed, before the lines of the statement or after them. `day`: the day whose end it is, or
   * for an opening one perhaps the day after. `isBetween`: the same day continues in another statement or page.
   */
  | { kind: 'balance'; amount: string; at: 'opening' | 'closing'; day?: string; isBetween?: boolean }

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

export interface Balance {
  amount: bigint
  day: string | null
  isBetween: boolean
}

export const moneyOf = ({ direction, amount }: Pick<StatementLine, 'direction' | 'amount'>): bigint =>
  direction === 'in' ? parseAmount(amount) : -parseAmount(amount)

/** Why a file is refused, for the person who uploads it. Nothing of it is kept. */
export class StatementError extends Error {}

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

const LONGEST_TEXT = 1_000

/** One line of printable text, shortened. */
export const clean = (text: string): string =>
  text
    .replaceAll(/[\u0000-\u001f\u007f\s]+/g, ' ')
    .trim()
    .slice(0, LONGEST_TEXT)

/** The names of several people in one text. */
export const joinNames = (...names: readonly (string | null)[]): string | null =>
  [...new Set(names.filter(name => name !== null && name !== ''))].join(' / ') || null

const NUMBER = /^\+?0*((?:[1-9]\d{0,14})?)(?:\.(\d*))?$/
const MOST_CHARACTERS = 60

/**
 * A number as XML and SWIFT write it (`12`, `+12.50`, `.5`, `00012.`), in its shortest form.
 *
 * @throws {StatementError} for what is none, is below zero, or has more digits than money has.
 */
export function amountOf(text: string, where: string): string {
  const [, whole, decimals = ''] = text.length > MOST_CHARACTERS ? [] : (NUMBER.exec(text) ?? [])
  const fraction = trimZeros(decimals)
  if (whole === undefined || fraction.length > 7 || !/\d/.test(text))
    throw new StatementError(`${where} has no positive amount: “${text.slice(0, 40)}”.`)
  return `${whole || '0'}${fraction && '.'}${fraction}`
}

/** Reads a booked amount as {@link amountOf} does. Throws {@link StatementError} for parts of a cent, too: banks book none. */
export function bookedAmount(text: string, currency: string, where: string): string {
  const amount = amountOf(text, where)
  if (isWhole(parseAmount(amount), currency)) return amount
  throw new StatementError(
    `${where} has ${amount} ${currency}, which must have at most ${decimalsOf(currency)} decimals.`,
  )
}

/** @throws {StatementError} for what is not a positive amount with at most 7 fraction digits. */
export function positiveAmount(text: string, where: string): string {
  const amount = amountOf(text, where)
  if (amount === '0') throw new StatementError(`${where} has no positive amount: “${text.slice(0, 40)}”.`)
  return amount
}

/** @throws {StatementError} for what is not a day. */
export function dayOf(year: string, month: string, day: string, where: string): string {
  const text = `${year}-${month}-${day}`
  const date = new Date(`${text}T00:00:00Z`)
  if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && /^(19|20)\d\d$/.test(year))
    return text
  throw new StatementError(`${where} has no date: “${text.slice(0, 40)}”.`)
}

/**
 * A day for which interest is computed: where months have 30 days (30/360), `02-30` is February's last one.
 *
 * @throws {StatementError} for what is not a day.
 */
export function valueDayOf(year: string, month: string, day: string, where: string): string {
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  const isBeyond = /^(29|30|31)$/.test(day) && Number(day) > last
  return dayOf(year, month, isBeyond ? String(last) : day, where)
}

/** Our references in a text, also where a bank put spaces in: of deposits (W…), payouts (P…) and payout files (F…). */
export function codesIn({ text, bankReference }: Pick<StatementLine, 'text' | 'bankReference'>): string[] {
  const bare = `${text}|${bankReference ?? ''}`.replaceAll(/[\s\-/]/g, '').toUpperCase()
  const found = [...bare.matchAll(/(?=(W[0-9A-F]{16}|[PF][0-9A-F]{14}))/g)].map(([, code = '']) => code)
  return [...new Set(found)].slice(0, 20)
}
