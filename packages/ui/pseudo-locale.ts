/** The language tag of pages whose texts are marked and longer than any translation (`<html lang="en-XA">`). */
export const PSEUDO_LOCALE = 'en-XA'

/**
 * `Save` → `[Save ẋẋẋ]`, also what a sentence with gaps becomes: a text without brackets is not in a catalogue, and a
 * layout without room breaks.
 */
export function markText<T extends string | ((...gaps: never[]) => string)>(text: T): T {
  if (typeof text === 'string') return `[${text} ${padding(text.length)}]` as T
  return ((...gaps: never[]) => markText(text(...gaps))) as T
}

/** Two fifths of a text's length, in words. */
function padding(length: number): string {
  const letters = Math.max(2, Math.ceil(length * 0.4))
  return (
    'ẋ'
      .repeat(letters)
      .match(/.{1,7}/gu)
      ?.join(' ') ?? ''
  )
}
