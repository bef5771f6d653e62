/** Formats of everything the consoles display, by Intl. */

// The texts are English, so the formats are the English ones of the reader's region.
const locale =
  (typeof navigator === 'undefined' ? [] : navigator.languages).find(tag => /^en\b/.test(tag)) ?? 'en-GB'

const dateTimeFormat = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
})
const timeFormat = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' })
const relativeFormat = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
const shortAmountFormat = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })
const amountFormat = new Intl.NumberFormat(locale, { maximumFractionDigits: 7 })
const percentFormat = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 5 })
const listFormat = new Intl.ListFormat(locale, { type: 'conjunction' })
const regionNames = new Intl.DisplayNames(locale, { type: 'region' })
const currencyNames = new Intl.DisplayNames(locale, { type: 'currency' })

/** In the reader's time zone, which is named: `20 Nov 2026, 10:00 UTC`. */
export const formatDateTime = (iso: string): string => dateTimeFormat.format(new Date(iso))

const dayFormat = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** A calendar day, `2026-11-22` → `22 Nov`, whatever the reader's zone is. */
export const formatDay = (day: string): string => dayFormat.format(new Date(`${day}T00:00:00Z`))

/** The reader's own zone, such as `Asia/Kolkata`. */
export const readerTimeZone = (): string => dateTimeFormat.resolvedOptions().timeZone

export const formatTime = (at: string | number): string => timeFormat.format(new Date(at))

const STEPS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** `2 hr. ago`, `now`. */
export function formatAgo(then: number, now: number): string {
  const elapsed = Math.max(0, now - then)
  const [unit, length] = STEPS.find(([, length]) => elapsed >= length) ?? STEPS[3]
  return relativeFormat.format(-Math.floor(elapsed / length), unit)
}

const BYTE_STEPS = [
  ['gigabyte', 1e9],
  ['megabyte', 1e6],
  ['kilobyte', 1e3],
  ['byte', 1],
] as const

/** `412 byte`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  const [unit, size] = BYTE_STEPS.find(([, size]) => bytes >= size) ?? BYTE_STEPS[3]
  const style = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, style).format(bytes / size)
}

const seconds = unitFormat('second', { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const wholeSeconds = unitFormat('second')
const minutes = unitFormat('minute')
const hours = unitFormat('hour')

/** `0.4s`, `12s`, `3m 5s`, `2h 4m`. */
export function formatDuration(milliseconds: number): string {
  const total = Math.max(0, milliseconds) / 1000
  if (total < 9.95) return seconds.format(total)
  const whole = Math.round(total)
  if (whole < 60) return wholeSeconds.format(whole)
  if (whole < 3600) return `${minutes.format(Math.floor(whole / 60))} ${wholeSeconds.format(whole % 60)}`
  return `${hours.format(Math.floor(whole / 3600))} ${minutes.format(Math.floor((whole % 3600) / 60))}`
}

function unitFormat(unit: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'narrow', ...options })
}

/** A decimal string with every digit: Intl formats strings without converting them to floats. Other text is unchanged. */
export const formatAmount = (amount: string): string =>
  isDecimal(amount) ? amountFormat.format(amount) : amount

/** Money on a rail, with the digits its currency is written with: `8938.5`, `INR` → `8,938.50 INR`. */
export function formatMoney(amount: string, currency: string): string {
  const text = isDecimal(amount) ? moneyFormat(currency).format(amount) : amount
  return `${text} ${currency}`
}

function moneyFormat(currency: string): Intl.NumberFormat {
  const known = /^[A-Z]{3}$/.test(currency)
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat(locale, {
    ...(known && { style: 'currency', currency }),
  }).resolvedOptions()
  return new Intl.NumberFormat(locale, {
    minimumFractionDigits: known ? digits : 0,
    maximumFractionDigits: 7,
  })
}

/** As {@link formatAmount}, rounded to hundredths: for sums that people compare. */
export const formatSum = (amount: string): string =>
  isDecimal(amount) ? shortAmountFormat.format(amount) : amount

/** A fraction (`0.005`) as `0.5%`. */
export const formatFraction = (fraction: string): string =>
  isDecimal(fraction) ? percentFormat.format(fraction) : fraction

const isDecimal = (text: string): text is `${number}` => /^-?\d+(\.\d+)?$/.test(text)

export const formatList = (items: readonly string[]): string => listFormat.format(items)

/** `IN` → `India`. An unknown code is unchanged. */
export const formatCountry = (code: string): string => named(regionNames, code)

export const formatCurrency = (code: string): string => named(currencyNames, code)

function named(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code
  } catch {
    return code
  }
}

/** An id shortened in its middle: `GBZX4…T7QD`. */
export const shorten = (id: string, head = 6, tail = 4): string =>
  id.length <= head + tail + 1 ? id : `${id.slice(0, head)}…${id.slice(-tail)}`
