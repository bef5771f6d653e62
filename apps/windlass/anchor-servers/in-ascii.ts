/**
 * A program whose further characters are escaped, in strings and expressions. V8 keeps a source that has one of them in two
 * bytes for each character, in every process that loads it.
 */
export const inAscii = (code: string): string =>
  code.replaceAll(/(\\*)([^\x00-\x7f])/g, (_, before: string, unit: string) => {
    const escape = `u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    // Escaped already, for which there is no need.
    return before.length % 2 === 1 ? before + escape : `${before}\\${escape}`
  })
