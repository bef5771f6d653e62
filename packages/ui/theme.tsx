import { useSyncExternalStore } from 'react'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icons.tsx'
import { texts } from './texts.ts'

type Theme = 'system' | 'light' | 'dark'

const KEY = 'windlass.theme'
const icons: Record<Theme, IconName> = { system: 'screen', light: 'sun', dark: 'moon' }

/** The stored choice; build/pages.ts applies it before the first paint. */
function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    return 'system'
  }
}

// The choice of this visit, also where the browser stores nothing.
let chosen: Theme | undefined
const listeners = new Set<() => void>()

function chooseTheme(theme: Theme): void {
  chosen = theme
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function ThemeSwitch() {
  const theme = useSyncExternalStore(
    subscribe,
    () => chosen ?? storedTheme(),
    () => 'system',
  )
  return (
    <div
      role="group"
      aria-label={texts.theme}
      className="inline-flex gap-0.5 rounded-8 border border-line p-0.5"
    >
      {(['system', 'light', 'dark'] as const).map(option => (
        <button
          key={option}
          type="button"
          aria-pressed={theme === option}
          aria-label={texts.themes[option]}
          title={texts.themes[option]}
          onClick={() => chooseTheme(option)}
          className={classNames(
            'inline-flex size-7 items-center justify-center rounded-6 max-sm:size-9',
            theme === option ? 'bg-hover text-ink' : 'text-soft hover:text-ink',
          )}
        >
          <Icon name={icons[option]} />
        </button>
      ))}
    </div>
  )
}
