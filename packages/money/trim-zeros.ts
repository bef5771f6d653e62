const ZERO = 48
const POINT = 46

/** Decimals without the zeros at their end: `250` as `25`, `000` as nothing. In one pass, where `/0+$/` takes many. */
export function trimZeros(digits: string): string {
  let end = digits.length
  while (digits.charCodeAt(end - 1) === ZERO) end -= 1
  return digits.slice(0, end)
}

/** A decimal number in its shortest form: `12.50` as `12.5`, `3.0` as `3`, `100` as it is. */
export function shortest(decimal: string): string {
  if (!decimal.includes('.')) return decimal
  const text = trimZeros(decimal)
  return text.charCodeAt(text.length - 1) === POINT ? text.slice(0, -1) : text
}
