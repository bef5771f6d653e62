/** The languages of the consoles, by their own names. */
export const languages = { en: 'English', es: 'Español' } as const
export type Language = keyof typeof languages

/** The cookie in which a browser keeps the chosen language; the console's server reads it (console-host.ts). */
export const LANGUAGE_COOKIE = 'windlass_language'

// The server chose the language of the page.
let current = typeof document === 'undefined' ? 'en' : document.documentElement.lang || 'en'

/** The language of this page, as a BCP 47 tag. */
export const currentLanguage = (): string => current

/** Only for the build, which has no page. */
export function setLanguage(language: string): void {
  current = language
}

/** The value for the language of this page. The build of a language holds only that value (build/one-language.ts). */
export const byLanguage = <T>(en: T, es: NoInfer<T>): T => (current === 'es' ? es : en)

declare const translated: unique symbol
interface Translated {
  readonly [translated]: true
}
/** Words in each language, made by {@link text}. */
export type Text = string & Translated
type Sentence<Gaps extends unknown[]> = (...gaps: Gaps) => string

/** A text of a {@link catalogue} in English and Spanish: words, or a sentence with gaps. */
export function text(en: string, es: string): Text
export function text<Gaps extends unknown[]>(
  en: Sentence<Gaps>,
  es: NoInfer<Sentence<Gaps>>,
): Sentence<Gaps> & Translated
export function text(en: unknown, es: unknown): unknown {
  return byLanguage(en, es)
}

/** Words and sentences in each language, and groups and lists of them. */
type Entry = Translated | '' | readonly Entry[] | { readonly [name: string]: Entry }

/** What a screen reads: the words and sentences of its language. */
type Texts<T> = T extends string
  ? string
  : T extends Sentence<infer Gaps>
    ? Sentence<Gaps>
    : { readonly [K in keyof T]: Texts<T[K]> }

/** The texts of a screen. A text in one language only does not compile. */
export const catalogue = <const T extends { readonly [name: string]: Entry }>(texts: T): Texts<T> =>
  texts as unknown as Texts<T>
