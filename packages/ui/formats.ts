/** Formats of everything the consoles display, by Intl. */

import { currentLanguage } from './catalogue.ts'

/** The page's language as it is written in the reader's region. */
function localeOf(language: string): string {
  const known = typeof navigator === 'undefined' ? [] : navigator.languages
  const [primary] = language.split('-')
  return known.find(tag => tag.split('-')[0] === primary) ?? (primary === 'en' ? 'en-GB' : language)
}

function createFormats(locale: string, timeZone: string | undefined) {
  return {
    locale,
    dateTime: new Intl.DateTimeFormat(locale, {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
      timeZone,
    }),
    day: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    date: new Intl.DateTimeFormat(locale, {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      timeZone: 'UTC',
    }),
    time: new Intl.DateTimeFormat(locale, { timeStyle: 'medium', timeZone }),
    shortAmount: new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }),
    amount: new Intl.NumberFormat(locale, { maximumFractionDigits: 7 }),
    percent: new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 5 }),
    list: new Intl.ListFormat(locale, { type: 'conjunction' }),
    regions: new Intl.DisplayNames(locale, { type: 'region' }),
    currencies: new Intl.DisplayNames(locale, { type: 'currency' }),
  }
}

let zone: string | undefined
const created = new Map<string, ReturnType<typeof createFormats>>()

/** The formats of the page's language. */
function formats() {
  const language = currentLanguage()
  let known = created.get(language)
  if (!known) created.set(language, (known = createFormats(localeOf(language), zone)))
  return known
}

/** The language and region (BCP 47) by which numbers are shown, and read. */
export const readerLocale = (): string => formats().locale

/** Times are in this zone from now on; undefined: the device's. */
export function setTimeZone(chosen: string | undefined): void {
  zone = chosen
  created.clear()
}

/** In the reader's time zone, which is named: `20 Nov 2026, 10:00 UTC`. */
export const formatDateTime = (iso: string): string => formats().dateTime.format(new Date(iso))

/** A calendar day, `2026-11-22` → `22 Nov`, whatever the reader's zone is. */
export const formatDay = (day: string): string => formats().day.format(new Date(`${day}T00:00:00Z`))

/** As {@link formatDay}, with the year: `22 Nov 2026`. */
export const formatDate = (day: string): string => formats().date.format(new Date(`${day}T00:00:00Z`))

/** The zone that the reader chose, or the device's, such as `Asia/Kolkata`. */
export const readerTimeZone = (): string => formats().dateTime.resolvedOptions().timeZone

export const formatTime = (at: string | number): string => formats().time.format(new Date(at))

/** A decimal string with every digit: Intl formats strings without converting them to floats. Other text is unchanged. */
export const formatAmount = (amount: string): string =>
  isDecimal(amount) ? formats().amount.format(amount) : amount

/** Money on a rail, with the digits its currency is written with: `8938.5`, `INR` → `8,938.50 INR`. */
export function formatMoney(amount: string, currency: string): string {
  const text = isDecimal(amount) ? moneyFormat(currency).format(amount) : amount
  return `${text} ${currency}`
}

function moneyFormat(currency: string): Intl.NumberFormat {
  const known = /^[A-Z]{3}$/.test(currency)
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat(formats().locale, {
    ...(known && { style: 'currency', currency }),
  }).resolvedOptions()
  return new Intl.NumberFormat(formats().locale, {
    minimumFractionDigits: known ? digits : 0,
    maximumFractionDigits: 7,
  })
}

/** As {@link formatAmount}, rounded to hundredths: for sums that people compare. */
export const formatSum = (amount: string): string =>
  isDecimal(amount) ? formats().shortAmount.format(amount) : amount

/** A fraction (`0.005`) as `0.5%`. */
export const formatFraction = (fraction: string): string =>
  isDecimal(fraction) ? formats().percent.format(fraction) : fraction

const isDecimal = (text: string): text is `${number}` => /^-?\d+(\.\d+)?$/.test(text)

export const formatList = (items: readonly string[]): string => formats().list.format(items)

/** `IN` → `India`. An unknown code is unchanged. */
export const formatCountry = (code: string): string => named(formats().regions, code)

export const formatCurrency = (code: string): string => named(formats().currencies, code)

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
