import { useEffect } from 'react'
import { currentLanguage, LANGUAGE_COOKIE, languages, type Language } from './catalogue.ts'
import { takeTyped } from './hydration.ts'
import { texts } from './texts.ts'

const YEAR_S = 31_536_000
/** The page loads in the new language after this time in any case. */
const KEPT_WITHIN_MS = 3_000

/** Keeps the language with the account of someone who is signed in: that of their emails. */
export type KeepLanguage = (language: Language, signal: AbortSignal) => Promise<unknown>

async function chooseLanguage(language: Language, keep: KeepLanguage | undefined): Promise<void> {
  const secure = location.protocol === 'https:' ? '; secure' : ''
  document.cookie = `${LANGUAGE_COOKIE}=${language}; path=/; max-age=${YEAR_S}; samesite=lax${secure}`
  // One that is not kept now is kept with the account at the next sign-in.
  await keep?.(language, AbortSignal.timeout(KEPT_WITHIN_MS)).catch(() => undefined)
  location.reload()
}

/** Keeps the language in this browser, and with the account by `keep`, and loads the page in it; one that was chosen before hydration too. */
export function LanguageSwitch({ keep }: { keep?: KeepLanguage | undefined }) {
  useEffect(() => {
    const { [LANGUAGE_COOKIE]: early } = takeTyped([LANGUAGE_COOKIE])
    if (early) void chooseLanguage(early as Language, keep)
  }, [keep])
  return (
    <select
      name={LANGUAGE_COOKIE}
      aria-label={texts.language}
      value={currentLanguage()}
      onChange={event => void chooseLanguage(event.target.value as Language, keep)}
      className="control rounded-8 border border-control bg-surface px-2 text-13 text-ink"
    >
      {(Object.keys(languages) as Language[]).map(language => (
        <option key={language} value={language} lang={language}>
          {languages[language]}
        </option>
      ))}
    </select>
  )
}
