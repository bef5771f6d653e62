import type { CsvColumns } from '@windlass/contracts/anchor/bank-files.ts'
import { dayOf, StatementError } from './statement.ts'

const LANGUAGES = ['en', 'en-GB', 'de', 'es', 'fr', 'it', 'nl', 'pt', 'pl']

const wordOf = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}|\./gu, '')
    .toLowerCase()

let months: readonly [name: string, month: number][] | undefined

/** Names of months and their usual short forms, with their numbers. Most servers never read a file that has some. */
function getMonths(): readonly [name: string, month: number][] {
  months ??= LANGUAGES.flatMap(language =>
    (['long', 'short'] as const).flatMap(form => {
      const format = new Intl.DateTimeFormat(language, { month: form, day: 'numeric', timeZone: 'UTC' })
      return Array.from({ length: 12 }, (_, month): [string, number] => {
        const parts = format.formatToParts(Date.UTC(2026, month, 1))
        return [wordOf(parts.find(({ type }) => type === 'month')?.value ?? ''), month + 1]
      })
    }),
  )
  return months
}

/** The month that a word begins the name of, in the languages of banks; undefined: none, or several. */
function monthOf(text: string): string | undefined {
  const word = wordOf(text)
  if (word.length < 3) return undefined
  const found = new Set(
    getMonths()
      .filter(([name]) => name.startsWith(word))
      .map(([, month]) => month),
  )
  const [month] = found
  return found.size === 1 ? String(month) : undefined
}

/** Whether a cell has no day at all, as in rows of sums. */
export function hasNoDay(text: string): boolean {
  const [, word] = /^(\p{L}[\p{L}.]*)/u.exec(text) ?? []
  return !/\d/.test(text) || (word !== undefined && monthOf(word) === undefined)
}

const MOST_CHARACTERS = 60

/**
 * A day as a bank writes it, without its time. A month's name may stand at any place.
 *
 * @throws {StatementError} naming the row.
 */
export function dateOf(text: string, format: CsvColumns['dateFormat'], where: string): string {
  // oxlint-disable-next-line linear-patterns/by-any-text -- 60 characters
  const date = text.slice(0, MOST_CHARACTERS).replace(/(?:T|,?\s+)\d{1,2}:\d\d.*$/, '')
  const parts = /^\d{8}$/.test(date) ? compact(date, format) : date.split(/[-/.,\s]+/)
  const named = parts.findIndex(part => monthOf(part) !== undefined)
  const [year = '', month = '', day = ''] = inOrder(parts, format, named)
  if (parts.filter(Boolean).length !== 3)
    throw new StatementError(`${where} has no date: “${text.slice(0, 40)}”.`)
  return dayOf(year.length === 2 ? `20${year}` : year, two(monthOf(month) ?? month), two(day), where)
}

/** Year, month and day. */
function inOrder(parts: readonly string[], format: CsvColumns['dateFormat'], named: number): string[] {
  if (named >= 0) {
    const [first = '', second = ''] = parts.filter((_, index) => index !== named)
    const isYearFirst = first.length === 4 || (second.length !== 4 && format === 'year-month-day')
    return isYearFirst ? [first, parts[named] ?? '', second] : [second, parts[named] ?? '', first]
  }
  const [first = '', second = '', third = ''] = parts
  if (format === 'year-month-day') return [first, second, third]
  return format === 'month-day-year' ? [third, first, second] : [third, second, first]
}

const compact = (date: string, format: CsvColumns['dateFormat']): string[] =>
  (format === 'year-month-day' ? /(....)(..)(..)/ : /(..)(..)(....)/).exec(date)?.slice(1) ?? []

const two = (text: string): string => text.padStart(2, '0')
