import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { createHash } from 'node:crypto'
import { isSameName } from './accounts.ts'
import type { StatementLine } from './statement.ts'

/** What two lines are compared by. */
export interface Facts {
  bankReference: string | null
  codes: readonly string[]
  name: string | null
  account: string | null
}

/**
 * Digest of all that a bank says of a booking, without its day. Two lines of one day with equal facts may still be two
 * bookings: how many there are is what statements have to agree on (`recognize.ts`).
 */
export const factsOf = (line: Described): string =>
  digest(wordsOf(line), referenceOf(line.bankReference) ?? '')

/** The same without the bank's reference, which may be another one in each file. */
export const wordsOf = ({ direction, amount, currency, text, party }: Described): string =>
  digest(
    ...[direction, formatAmount(parseAmount(amount)), currency],
    // Banks change spaces and capitals between files.
    [text, party.name ?? '', party.account ?? ''].join('|').replaceAll(/\s/g, '').toUpperCase(),
  )

/**
 * The id of a line: the same in every state of the database, since equal lines of a day can stand for each other.
 *
 * @param ordinal how many lines of the day have these facts already
 */
export const idOf = (account: string, day: string, facts: string, ordinal: number): string =>
  digest('line', account, day, facts, String(ordinal))

interface Described {
  direction: 'in' | 'out'
  amount: string
  currency: string
  bankReference: string | null
  text: string
  party: { name: string | null; account: string | null }
}

const digest = (...parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

const placeholders = new Set([
  'NONREF',
  'NOREF',
  'NOTPROVIDED',
  'NOTAVAILABLE',
  'UNKNOWN',
  'NONE',
  'NULL',
  'NA',
])

/**
 * A bank's reference without the place of a transaction in its booking; null: it has none, a placeholder, or a number so
 * short that it counts the bookings of a statement.
 */
export function referenceOf(given: string | null): string | null {
  const bare = (given ?? '')
    .replace(/\/\d+$/, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
  return /^0*\d{0,5}$/.test(bare) || placeholders.has(bare) ? null : bare
}

/** Whether two lines name different payments of ours. */
export const nameOthers = (one: Facts, other: Facts): boolean =>
  one.codes.length > 0 && other.codes.length > 0 && !one.codes.some(code => other.codes.includes(code))

/** Whether two lines say of themselves that they are different bookings. */
export function contradicts(one: Facts, other: Facts): boolean {
  const [a, b] = [accountOf(one), accountOf(other)]
  return (
    nameOthers(one, other) || isSameName(one.name, other.name) === false || (a !== '' && b !== '' && a !== b)
  )
}

const accountOf = ({ account }: Facts): string =>
  (account ?? '').replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase()

/** Our references in a text, also where a bank put spaces in: of deposits (W…), payouts (P…) and payout files (F…). */
export function codesIn({ text, bankReference }: Pick<StatementLine, 'text' | 'bankReference'>): string[] {
  const bare = `${text}|${bankReference ?? ''}`.replaceAll(/[\s\-/]/g, '').toUpperCase()
  const found = [...bare.matchAll(/(?=(W[0-9A-F]{16}|[PF][0-9A-F]{14}))/g)].map(([, code = '']) => code)
  return [...new Set(found)].slice(0, 20)
}
