/** 0 (too short) to 4 (strong): estimated from the number of guesses it resists. */
type Strength = 0 | 1 | 2 | 3 | 4

const COMMON =
  /pass(word|wort)?|qwert|asdf|letmein|welcome|admin|anchor|stellar|windlass|iloveyou|12345|abc123/gi

/**
 * Estimates the entropy in bits: character classes × length. Common words, the person's name and company, and runs
 * such as `aaaa` and `1234` count as one character, because attackers try them first.
 */
export function strengthOf(password: string, known: readonly string[] = []): Strength {
  if ([...password].length < 8) return 0
  const own = known
    .flatMap(text => text.toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .filter(word => word.length > 2)
  let rest = password.toLowerCase().replace(COMMON, '*')
  for (const word of own) rest = rest.replaceAll(word, '*')
  const bits = [...withoutRuns(rest)].length * Math.log2(alphabetOf(password))
  if (bits < 36) return 1
  if (bits < 52) return 2
  return bits < 70 ? 3 : 4
}

function alphabetOf(password: string): number {
  const classes: [RegExp, number][] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/\d/, 10],
    [/[^a-zA-Z0-9]/, 33],
  ]
  return classes.reduce((size, [has, letters]) => size + (has.test(password) ? letters : 0), 1)
}

// Keeps the first two characters of `aaaa`, `1234`, `dcba`.
function withoutRuns(text: string): string {
  const letters = [...text]
  const step = (i: number) => (letters[i]?.codePointAt(0) ?? 0) - (letters[i - 1]?.codePointAt(0) ?? 0)
  return letters.filter((_, i) => i < 2 || step(i) !== step(i - 1) || Math.abs(step(i)) > 1).join('')
}
