import { type Texts, english } from './texts-en.ts'
import { spanish } from './texts-es.ts'

export type { Texts } from './texts-en.ts'

/** The texts for SEP-24's `lang` (RFC 4646: `es`, `es-MX`); English for other languages. */
export const textsFor = (lang: string | null): Texts =>
  lang?.toLowerCase().split(/[-_]/)[0] === 'es' ? spanish : english

/** A pair's text for this direction. */
export const side = <T>([deposit, withdrawal]: readonly [T, T], direction: 'deposit' | 'withdrawal'): T =>
  direction === 'deposit' ? deposit : withdrawal

/** A rail's own label in this language. */
export const word = ({ words }: Texts, said: string): string => words[said] ?? said
