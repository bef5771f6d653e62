import { logoutCustomer } from '@windlass/contracts/customers.ts'
import { useQuery } from '@tanstack/react-query'
import { Wordmark } from '@windlass/ui/brand.tsx'
import { buttonLook } from '@windlass/ui/button.tsx'
import { classNames } from '@windlass/ui/class-names.ts'
import { ConnectionBar } from '@windlass/ui/console/connection.tsx'
import { BusyLine } from '@windlass/ui/page-error.tsx'
import { SkipLink } from '@windlass/ui/page.tsx'
import { ThemeSwitch } from '@windlass/ui/theme.tsx'
import { Link, NavLink, Outlet, ScrollRestoration, useNavigate, useNavigation } from 'react-router'
import { call, queries } from './api.ts'
import { paths } from './paths.ts'
import { customerQuery, hint } from './session.ts'
import { shell as texts } from './texts.ts'

/** The frame of every page: navigation, content, footer. */
export function Shell() {
  const navigate = useNavigate()
  const signedIn = useQuery({ ...customerQuery, enabled: false }).data !== undefined
  const signOut = async (): Promise<void> => {
    await call(logoutCustomer).catch(() => undefined)
    queries.clear()
    hint.forget()
    await navigate(paths.signIn())
  }
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      <ConnectionBar />
      <BusyLine busy={useNavigation().state !== 'idle'} />
      <header className="border-b border-line bg-surface">
        <div className="mx-auto flex max-w-[1120px] flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 py-2.5 sm:px-6">
          <Link to={paths.home()} className="flex rounded-6">
            <Wordmark />
          </Link>
          <nav aria-label={texts.navigation} className="-mx-2 flex flex-wrap items-center">
            <Item to={paths.account()}>{texts.account}</Item>
            <Item to={paths.wallets()}>{texts.wallets}</Item>
            {signedIn && (
              <button type="button" className={buttonLook('quiet', 'px-2.5')} onClick={() => void signOut()}>
                {texts.signOut}
              </button>
            )}
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
