import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'

// packages/ui/language-switch.tsx sets it.
const LANGUAGE_COOKIE = /(?:^|;\s*)windlass_language=([a-z]{2})(?:;|$)/

/** The one of these languages that the reader chose. */
export function chosenLanguage<const L extends string>(
  headers: IncomingHttpHeaders,
  languages: readonly L[],
): L | undefined {
  const chosen = LANGUAGE_COOKIE.exec(headers.cookie ?? '')?.[1]
  return languages.find(language => language === chosen)
}

/** The language that the reader chose, or the one of these that their browser prefers, else the first. */
export function languageOf<const L extends string>(headers: IncomingHttpHeaders, languages: readonly L[]): L {
  const chosen = chosenLanguage(headers, languages)
  if (chosen) return chosen
  const preferred = new Negotiator({ headers }).language([...languages])
  return languages.find(language => language === preferred) ?? languages[0]!
}
