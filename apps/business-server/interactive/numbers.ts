import { cents } from '../rails/payment-instructions.ts'

const formats = new Map<string, Intl.NumberFormat>()

function formatOf(lang: string, cents: boolean): Intl.NumberFormat {
  const key = `${lang}:${cents}`
  const known = formats.get(key)
  if (known) return known
  const made = new Intl.NumberFormat(lang, {
    // Spanish would leave four digits together.
    useGrouping: 'always',
    minimumFractionDigits: cents ? 2 : 0,
    maximumFractionDigits: 20,
  })
  formats.set(key, made)
  return made
}

/** A decimal in the language's format, digits unchanged: `10000.5` as `10,000.5`. */
export const shown = (lang: string, decimal: string): string =>
  formatOf(lang, false).format(decimal as Intl.StringNumericLiteral)

/** A currency amount in the language's format: `8938.5` as `8,938.50`. */
export const shownCents = (lang: string, amount: string): string =>
  formatOf(lang, true).format(cents(amount) as Intl.StringNumericLiteral)
