const FURTHER = /(\\*)([^\x00-\x7f])/g

/**
 * A program whose further characters are escaped, in strings and expressions. V8 keeps a source that has one of them in two
 * bytes for each character, in every process that loads it.
 */
export const inAscii = (code: string): string => code.replaceAll(FURTHER, escaped)

function escaped(_: string, before: string, unit: string): string {
  const escape = `u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  // Escaped already, for which there is no need.
  return before.length % 2 === 1 ? before + escape : `${before}\\${escape}`
}

/** The `mappings` of a program's source map once the program is written by {@link inAscii}. */
export function mappingsInAscii(mappings: string, code: string): string {
  const lines = code.split('\n')
  return mappings
    .split(';')
    .map((line, index) => moveColumns(line, lines[index] ?? ''))
    .join(';')
}

/** Each segment begins with its column, as the distance from the one before it. */
function moveColumns(line: string, code: string): string {
  const grown = [...code.matchAll(FURTHER)].map(({ 0: found, 1: before = '', 2: unit = '', index }) => ({
    at: index,
    by: escaped(found, before, unit).length - found.length,
  }))
  if (grown.length === 0) return line
  let [column, written, passed, growth] = [0, 0, 0, 0]
  return line
    .split(',')
    .map(segment => {
      const [, distance = '', rest = ''] = /^([g-z0-9+/]*[A-Za-f])(.*)$/.exec(segment) ?? []
      column += readDistance(distance)
      for (; (grown[passed]?.at ?? Infinity) < column; passed++) growth += grown[passed]?.by ?? 0
      const moved = writeDistance(column + growth - written)
      written = column + growth
      return moved + rest
    })
    .join(',')
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Base 64 VLQ, never negative here: columns of a line ascend. */
const readDistance = (text: string): number =>
  [...text].reduceRight((value, digit) => value * 32 + (DIGITS.indexOf(digit) % 32), 0) / 2

function writeDistance(distance: number): string {
  let text = ''
  for (let left = distance * 2; ; left = Math.floor(left / 32)) {
    text += DIGITS[(left % 32) + (left >= 32 ? 32 : 0)]
    if (left < 32) return text
  }
}
