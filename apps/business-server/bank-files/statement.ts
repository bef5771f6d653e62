/** One booking on a bank account, as a statement has it. */
export interface StatementLine {
  /** `YYYY-MM-DD` */
  bookedOn: string
  /** `in`: money came. */
  direction: 'in' | 'out'
  /** A positive decimal number. */
  amount: string
  currency: string
  /** The bank's own reference of the booking. It may be a placeholder, or a number that comes again. */
  bankReference: string | null
  /** All texts in which a reference of ours may be. */
  text: string
  party: { name: string | null; account: string | null; bank: string | null }
  /** Why the bank sends a payment back, where it says so. */
  returnReason: string | null
  /** Of which booking of several transactions this is one; null: it is the whole booking. */
  booking: Booking | null
}

/** A booking whose transactions a file lists. */
export interface Booking {
  /** In the file, from 1. */
  number: number
  direction: 'in' | 'out'
  amount: string
  bankReference: string | null
}

/** What a reader of a format finds, in the order of the file. */
export type StatementItem =
  /** The account that the lines after it belong to, with which a statement begins; null: the format does not say. */
  | { kind: 'account'; account: string | null; currency: string | null }
  /** What the bank calls the statement that began: its number or id, and the page of it that this is. */
  | { kind: 'name'; number: string; page: string | null }
  | { kind: 'line'; line: StatementLine }
  /** A row that is not booked, or never will be. */
  | { kind: 'no-money'; state: 'pending' | 'failed' }
  /**
   * The account's balance, signed, before the lines of the statement or after them. `day`: the day whose end it is, or
   * for an opening one perhaps the day after. `isBetween`: the same day continues in another statement or page.
   */
  | { kind: 'balance'; amount: string; at: 'opening' | 'closing'; day?: string; isBetween?: boolean }

/** Why a file is refused, for the person who uploads it. Nothing of it is kept. */
export class StatementError extends Error {}

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** @throws {StatementError} where the bytes are not text in UTF-8 or, if allowed, ISO 8859-1. */
export async function* readText(chunks: Chunks, encoding: 'utf-8' | 'latin1'): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding === 'latin1' ? 'iso-8859-1' : 'utf-8', { fatal: true })
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (cause) {
    if (cause instanceof TypeError) throw new StatementError('The file is not text in UTF-8.')
    throw cause
  }
}

const LONGEST_TEXT = 1_000

/** One line of printable text, shortened. */
export const clean = (text: string): string =>
  text
    .replaceAll(/[\u0000-\u001f\u007f\s]+/g, ' ')
    .trim()
    .slice(0, LONGEST_TEXT)

/** @throws {StatementError} for what is not a positive amount with at most 7 fraction digits. */
export function positiveAmount(text: string, where: string): string {
  if (/^\d{1,12}(\.\d{1,7})?$/.test(text) && /[1-9]/.test(text)) return text
  throw new StatementError(`${where} has no positive amount: “${text.slice(0, 40)}”.`)
}

/** @throws {StatementError} for what is not a day. */
export function dayOf(year: string, month: string, day: string, where: string): string {
  const text = `${year}-${month}-${day}`
  const date = new Date(`${text}T00:00:00Z`)
  if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && /^(19|20)\d\d$/.test(year))
    return text
  throw new StatementError(`${where} has no date: “${text.slice(0, 40)}”.`)
}
