/** The languages of the consoles, by their own names. */
export const languages = { en: 'English', es: 'Español' } as const
export type Language = keyof typeof languages

/** The cookie in which a browser keeps the chosen language; the console's server reads it (console-host.ts). */
export const LANGUAGE_COOKIE = 'windlass_language'

/** What a catalogue may hold: words, sentences with gaps, and groups and lists of them. */
interface Catalogue {
  readonly [name: string]: CatalogueEntry
}
type CatalogueEntry = string | ((...gaps: never[]) => string) | Catalogue | readonly CatalogueEntry[]

/** A catalogue in another language: the same names, gaps and lengths of lists. */
export type Translation<T> = T extends string
  ? string
  : T extends (...gaps: infer Gaps) => string
    ? (...gaps: Gaps) => string
    : { readonly [K in keyof T]: Translation<T[K]> }

/** Translated catalogues by their names. */
export type Translations = Readonly<Record<string, object>>

type Group = Record<string, unknown>

const catalogues = new Map<string, Group>()
let translations: Translations = {}
let change: ((text: string) => string) | undefined
// The server chose the language of the page.
let current = typeof document === 'undefined' ? 'en' : document.documentElement.lang || 'en'

/** The language of this page, as a BCP 47 tag. */
export const currentLanguage = (): string => current

/** Only for the build, which has no page. */
export function setLanguage(language: string): void {
  current = language
}

/**
 * Declares the English texts of a screen. In another language the same object holds that language's texts.
 * `name` is unique in a console: the translation is given under it, see {@link translate}.
 */
export function catalogue<const T extends Catalogue>(name: string, english: T): T {
  const texts = english as unknown as Group
  catalogues.set(name, texts)
  if (translations[name]) replace(texts, translations[name] as Group)
  if (change) rewrite(texts, change)
  return english
}

/** Puts translations in place of the English texts, also of catalogues that load later. */
export function translate(given: Translations): void {
  translations = { ...translations, ...given }
  for (const [name, texts] of Object.entries(given)) {
    const known = catalogues.get(name)
    if (known) replace(known, texts as Group)
  }
}

/** Changes every text, also of catalogues that load later: see pseudo-locale.ts. */
export function rewriteTexts(rewriting: (text: string) => string): void {
  change = rewriting
  for (const texts of catalogues.values()) rewrite(texts, rewriting)
}

/** The English texts of every catalogue that has loaded, by name. */
export const loadedCatalogues = (): ReadonlyMap<string, object> => catalogues

const isGroup = (entry: unknown): entry is Group => typeof entry === 'object' && entry !== null

/** In place, because a screen may hold a part of its catalogue. */
function replace(texts: Group, given: Group): void {
  for (const [name, entry] of Object.entries(given)) {
    const known = texts[name]
    if (isGroup(entry) && isGroup(known)) replace(known, entry)
    else texts[name] = entry
  }
}

function rewrite(texts: Group, rewriting: (text: string) => string): void {
  for (const [name, entry] of Object.entries(texts)) {
    if (typeof entry === 'string') texts[name] = rewriting(entry)
    else if (typeof entry === 'function') {
      const sentence = entry as (...gaps: unknown[]) => string
      texts[name] = (...gaps: unknown[]) => rewriting(sentence(...gaps))
    } else if (isGroup(entry)) rewrite(entry, rewriting)
  }
}
