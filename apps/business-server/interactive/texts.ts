import { type Texts, english } from './texts-en.ts'
import { spanish } from './texts-es.ts'

export type { Texts } from './texts-en.ts'

/** The words for SEP-24's `lang` (RFC 4646: `es`, `es-MX`); English for languages we do not speak. */
export const textsFor = (lang: string | null): Texts =>
  lang?.toLowerCase().split(/[-_]/)[0] === 'es' ? spanish : english

/** Of a pair the word for this side. */
export const side = <T>([deposit, withdrawal]: readonly [T, T], direction: 'deposit' | 'withdrawal'): T =>
  direction === 'deposit' ? deposit : withdrawal

/** A rail's own word in this language. */
export const word = ({ words }: Texts, said: string): string => words[said] ?? said
