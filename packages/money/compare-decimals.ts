const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/

/** Whether a text is a decimal number as this package writes it. */
export const isDecimal = (text: string): boolean => DECIMAL.test(text)

/** Compares two decimal numbers of any length, exactly: below, at or above 0, as `Array.prototype.toSorted` wants. */
export function compareDecimals(one: string, other: string): number {
  const places = Math.max(fractionOf(one).length, fractionOf(other).length)
  const difference = unitsOf(one, places) - unitsOf(other, places)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

function unitsOf(text: string, places: number): bigint {
  const [, sign, whole, fraction = ''] = DECIMAL.exec(text) ?? []
  if (whole === undefined) throw new Error(`${text} is not a decimal number`)
  const units = BigInt(whole + fraction.padEnd(places, '0'))
  return sign ? -units : units
}

const fractionOf = (text: string): string => text.split('.')[1] ?? ''
