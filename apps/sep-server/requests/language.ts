import { inSpanish } from './spanish.ts'

/** What people read in the SEPs' answers; all else is for programs. */
const READ_BY_PEOPLE: ReadonlySet<string> = new Set([
  'description',
  'error',
  'how',
  'message',
  'required_customer_info_message',
  'required_info_message',
  'status_message',
])

/** Whether `lang` (RFC 4646) asks for Spanish; every other language is answered in English. */
const isSpanish = (lang: string | null | undefined): boolean => /^es([-_]|$)/i.test(lang ?? '')

/** An answer with its texts in the language that the wallet asked for. */
export const inLanguage = <T>(lang: string | null | undefined, answer: T): T =>
  isSpanish(lang) ? (translated(answer) as T) : answer

function translated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(translated)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === 'string' && READ_BY_PEOPLE.has(name) ? inSpanish(inner) : translated(inner),
    ]),
  )
}
