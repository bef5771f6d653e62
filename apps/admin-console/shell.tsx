import { usePaletteKey } from '@windlass/ui/console/palette-key.ts'
import { Shortcuts } from '@windlass/ui/console/shortcuts.tsx'
import { lazy, Suspense, type ComponentProps } from 'react'
import { ConfirmationOutlet, ConfirmationProvider } from '@windlass/ui/confirmation.tsx'
import { ConnectionBar } from '@windlass/ui/console/connection.tsx'
import { adminLogout } from '@windlass/contracts/platform/administrators.ts'
import { chooseAdminLanguage } from '@windlass/contracts/platform/emails.ts'
import { useQuery } from '@tanstack/react-query'
import { Wordmark } from '@windlass/ui/brand.tsx'
import { buttonLook } from '@windlass/ui/button.tsx'
import { classNames } from '@windlass/ui/class-names.ts'
import { Drawing, Icon } from '@windlass/ui/icons.tsx'
import { LanguageSwitch, type KeepLanguage } from '@windlass/ui/language-switch.tsx'
import { BusyLine } from '@windlass/ui/page-error.tsx'
import { SkipLink } from '@windlass/ui/page.tsx'
import { texts as uiTexts } from '@windlass/ui/texts.ts'
import { ThemeSwitch } from '@windlass/ui/theme.tsx'
import { Link, NavLink, Outlet, ScrollRestoration, useNavigate, useNavigation } from 'react-router'
import { call, queries } from './api.ts'
import { drawings } from './drawings.tsx'
import { paths } from './paths.ts'
import { forgetPerson, meQuery } from './session.ts'
import { shell as texts } from './texts.ts'

const Palette = lazy(() => import('./palette.tsx'))
// Loaded when a confirmation is asked for.
const ConfirmAdministrator = lazy(() => import('./account/confirm-administrator.tsx'))
const confirmAdministrator = (props: ComponentProps<typeof ConfirmAdministrator>) => (
  <Suspense>
    <ConfirmAdministrator {...props} />
  </Suspense>
)

const keepLanguage: KeepLanguage = (language, signal) =>
  call(chooseAdminLanguage, { body: { language }, signal })

const items: [string, string, keyof typeof drawings | 'anchor' | 'clock'][] = [
  [paths.home(), texts.home, 'anchor'],
  [paths.applications(), texts.applications, 'inbox'],
  [paths.jobs(), texts.jobs, 'list'],
  [paths.fleet(), texts.fleet, 'fleet'],
  [paths.routing(), texts.routing, 'route'],
  [paths.policy(), texts.policy, 'gear'],
  [paths.emails(), texts.emails, 'inbox'],
  [paths.messages(), texts.messages, 'inbox'],
  [paths.audit(), texts.audit, 'clock'],
  [paths.administrators(), texts.administrators, 'people'],
  [paths.account(), texts.account, 'gear'],
]

export function Shell() {
  const username = useQuery(meQuery).data?.username
  const [searching, setSearching] = usePaletteKey()
  const busy = useNavigation().state !== 'idle'
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[232px_minmax(0,1fr)]">
      <SkipLink />
      <BusyLine busy={busy} />
      <div className="flex flex-col border-line bg-surface max-lg:border-b lg:sticky lg:top-0 lg:h-dvh lg:border-r">
        <header className="flex items-center justify-between px-4 pt-3 pb-1 lg:px-5 lg:pt-5">
          <Link to={paths.home()} className="flex rounded-6">
            <Wordmark suffix={texts.suffix} />
          </Link>
          <div className="lg:hidden">
            <SignOut />
          </div>
        </header>
        <nav aria-label={uiTexts.navigation} className="px-2 pb-1 lg:mt-4 lg:flex-1 lg:px-3">
          <ul className="flex flex-wrap lg:flex-col lg:gap-0.5">
            {items.map(([to, name, icon]) => (
              <li key={to}>
                <NavLink
                  to={to}
                  end={to === paths.home()}
                  className={({ isActive }) =>
                    classNames(
                      'control flex items-center gap-2.5 rounded-8 px-2.5 text-14 font-medium',
                      isActive ? 'bg-accent-tint text-accent' : 'text-soft hover:bg-hover hover:text-ink',
                    )
                  }
                >
                  {icon === 'anchor' || icon === 'clock' ? (
                    <Icon name={icon} className="max-lg:hidden" />
                  ) : (
                    <Drawing className="max-lg:hidden">{drawings[icon]}</Drawing>
                  )}
                  {name}
                </NavLink>
              </li>
            ))}
          </ul>
        </nav>
        <footer className="space-y-3 border-t border-line px-5 py-4 text-13 max-lg:hidden">
          <div className="flex flex-wrap items-center gap-2">
            <ThemeSwitch />
            <LanguageSwitch keep={keepLanguage} />
          </div>
          <p className="min-h-10 text-soft">
            {username && texts.signedInAs}{' '}
            <strong className="block font-medium wrap-break-word text-ink">{username}</strong>
          </p>
          <SignOut />
        </footer>
      </div>
      <main id="content" tabIndex={-1} data-quiet-focus className="min-w-0">
        <ConnectionBar />
        <div className="mx-auto w-full max-w-[1120px] space-y-6 px-4 py-6 sm:px-6 lg:py-8">
          <ConfirmationProvider form={confirmAdministrator}>
            <ConfirmationOutlet />
            <Outlet />
          </ConfirmationProvider>
        </div>
      </main>
      <ScrollRestoration />
      <Shortcuts />
      {searching && (
        <Suspense>
          <Palette pages={items} onClose={() => setSearching(false)} />
        </Suspense>
      )}
    </div>
  )
}

function SignOut() {
  const navigate = useNavigate()
  const signOut = async (): Promise<void> => {
    await call(adminLogout).catch(() => undefined)
    queries.clear()
    forgetPerson()
    await navigate(paths.login())
  }
  return (
    <button type="button" className={buttonLook('quiet', '-ml-2 px-2')} onClick={() => void signOut()}>
      {texts.signOut}
    </button>
  )
}
