import { rewriteTexts } from './catalogue.ts'

/** The language tag of pages whose texts are marked and longer than any translation (`<html lang="en-XA">`). */
export const PSEUDO_LOCALE = 'en-XA'

/** `Save` → `[Save ẋẋẋ]`: a text without brackets is not in a catalogue, and a layout without room breaks. */
export function usePseudoLocale(): void {
  rewriteTexts(text => (text === '' ? text : `[${text} ${padding(text.length)}]`))
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
