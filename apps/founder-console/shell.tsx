import { Wordmark } from '@windlass/ui/brand.tsx'
import { buttonLook } from '@windlass/ui/button.tsx'
import { classNames } from '@windlass/ui/class-names.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { SkipLink } from '@windlass/ui/page.tsx'
import { ThemeSwitch } from '@windlass/ui/theme.tsx'
import { useEffect } from 'react'
import { Link, NavLink, Outlet, ScrollRestoration, useNavigation, useRouteError } from 'react-router'
import { paths } from './paths.ts'
import { shell as texts } from './texts/shell.ts'

/** Around every page: the way through the console, and the place where pages appear. */
export function Shell() {
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      <Progress />
      <header className="border-b border-line bg-surface">
        <div className="mx-auto flex max-w-[1120px] flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 py-2.5 sm:px-6">
          <Link to={paths.home()} className="rounded-6">
            <Wordmark />
          </Link>
          <nav aria-label={texts.navigation} className="-mx-2 flex flex-wrap items-center">
            <Item to="/apply">{texts.apply}</Item>
            <Item to={paths.redeem()}>{texts.redeem}</Item>
          </nav>
        </div>
      </header>
      <main id="content" tabIndex={-1} data-quiet-focus className="flex flex-1 flex-col">
        <Outlet />
      </main>
      <footer className="border-t border-line">
        <div className="mx-auto flex max-w-[1120px] flex-wrap items-center justify-between gap-3 px-4 py-4 text-13 text-soft sm:px-6">
          <p>{texts.footer}</p>
          <ThemeSwitch />
        </div>
      </footer>
      <ScrollRestoration />
    </div>
  )
}

function Item({ to, children }: { to: string; children: string }) {
  return (
    <NavLink
      to={to}
      className={({ isActive }) =>
        classNames(
          'control inline-flex items-center rounded-6 px-2.5 text-14 font-medium hover:bg-hover',
          isActive ? 'text-ink' : 'text-soft',
        )
      }
    >
      {children}
    </NavLink>
  )
}

/** A line at the top while the next page is fetched. */
function Progress() {
  const { state } = useNavigation()
  if (state === 'idle') return null
  return (
    <div role="status" className="fixed inset-x-0 top-0 z-50 h-0.5 animate-pulse bg-accent">
      <span className="sr-only">{texts.loadingPage}</span>
    </div>
  )
}

/** What is shown in a page's place when it failed. A chunk that is gone means a newer build is out. */
export function PageError() {
  const error = useRouteError()
  const outdated = error instanceof TypeError && /module|import/i.test(error.message)
  useEffect(() => console.error(error), [error])
  const { title, detail } = outdated ? texts.newVersion : texts.broken
  return (
    <div className="mx-auto w-full max-w-[680px] px-4 py-16 sm:px-6">
      <Notice
        tone="bad"
        title={title}
        role="alert"
        actions={
          <>
            <button type="button" className={buttonLook('primary')} onClick={() => location.reload()}>
              {texts.broken.reload}
            </button>
            <a className={buttonLook('secondary')} href={paths.home()}>
              {texts.notFound.home}
            </a>
          </>
        }
      >
        {detail}
      </Notice>
    </div>
  )
}
