import type { ReactNode } from 'react'
import { Link, NavLink, Outlet, ScrollRestoration, useNavigation } from 'react-router'
import { Wordmark } from '../brand.tsx'
import { ConfirmationOutlet } from '../confirmation.tsx'
import { classNames } from '../class-names.ts'
import { LanguageSwitch, type KeepLanguage } from '../language-switch.tsx'
import { BusyLine } from '../page-error.tsx'
import { SkipLink } from '../page.tsx'
import { texts } from '../texts.ts'
import { ThemeSwitch } from '../theme.tsx'
import { ConnectionBar } from './connection.tsx'

interface SiteShellProps {
  home: string
  items: readonly (readonly [to: string, name: string])[]
  footer: string
  keepLanguage: KeepLanguage
  /** Whether the page has a navigation of its own beside it, which needs more width. */
  wide?: boolean
  /** Follows the items of the navigation. */
  children?: ReactNode
}

/** The frame of every page with a navigation bar at the top: navigation, content, footer. */
export function SiteShell({ home, items, footer, keepLanguage, wide, children }: SiteShellProps) {
  const width = classNames('mx-auto w-full', wide ? 'max-w-[1376px]' : 'max-w-[1120px]')
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      <ConnectionBar />
      <BusyLine busy={useNavigation().state !== 'idle'} />
      <header className="border-b border-line bg-surface">
        <div
          className={classNames(
            width,
            'flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 py-2.5 sm:px-6',
          )}
        >
          <Link to={home} className="flex rounded-6">
            <Wordmark />
          </Link>
          <nav aria-label={texts.navigation} className="-mx-2 flex flex-wrap items-center">
            {items.map(([to, name]) => (
              <NavLink
                key={to}
                to={to}
                className={({ isActive }) =>
                  classNames(
                    'control inline-flex items-center rounded-6 px-2.5 text-14 font-medium hover:bg-hover',
                    isActive ? 'text-ink' : 'text-soft',
                  )
                }
              >
                {name}
              </NavLink>
            ))}
            {children}
          </nav>
        </div>
      </header>
      <main id="content" tabIndex={-1} data-quiet-focus className="flex flex-1 flex-col">
        <ConfirmationOutlet className={classNames(width, 'px-4 pt-6 sm:px-6')} />
        <Outlet />
      </main>
      <footer className="border-t border-line">
        <div
          className={classNames(
            width,
            'flex flex-wrap items-center justify-between gap-3 px-4 py-4 text-13 text-soft sm:px-6',
          )}
        >
          <p>{footer}</p>
          <div className="flex flex-wrap items-center gap-3">
            <LanguageSwitch keep={keepLanguage} />
            <ThemeSwitch />
          </div>
        </div>
      </footer>
      <ScrollRestoration />
    </div>
  )
}
