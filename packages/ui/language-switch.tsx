import { currentLanguage, LANGUAGE_COOKIE, languages, type Language } from './catalogue.ts'
import { texts } from './texts.ts'

const YEAR_S = 31_536_000

function chooseLanguage(language: string): void {
  const secure = location.protocol === 'https:' ? '; secure' : ''
  document.cookie = `${LANGUAGE_COOKIE}=${language}; path=/; max-age=${YEAR_S}; samesite=lax${secure}`
  location.reload()
}

/** Keeps the language in this browser and loads the page in it. */
export function LanguageSwitch() {
  return (
    <select
      aria-label={texts.language}
      value={currentLanguage()}
      onChange={event => chooseLanguage(event.target.value)}
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
