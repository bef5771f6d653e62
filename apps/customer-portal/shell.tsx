import { logoutCustomer } from '@windlass/contracts/platform/customers.ts'
import { useQuery } from '@tanstack/react-query'
import type { KeepLanguage } from '@windlass/ui/language-switch.tsx'
import { buttonLook } from '@windlass/ui/button.tsx'
import { SiteShell } from '@windlass/ui/console/site-shell.tsx'
import { useNavigate } from 'react-router'
import { call, queries } from './api.ts'
import { paths } from './paths.ts'
import { customerQuery, forgetPerson } from './session.ts'
import { shell as texts } from './texts.ts'

// Loaded when someone chooses a language.
const keepLanguage: KeepLanguage = async (...choice) =>
  (await import('./keep-language.ts')).keepLanguage(...choice)

export function Shell() {
  const navigate = useNavigate()
  const signedIn = useQuery({ ...customerQuery, enabled: false }).data !== undefined
  const signOut = async (): Promise<void> => {
    await call(logoutCustomer).catch(() => undefined)
    queries.clear()
    forgetPerson()
    await navigate(paths.signIn())
  }
  return (
    <SiteShell
      home={paths.home()}
      items={[
        [paths.account(), texts.account],
        [paths.transactions(), texts.transactions],
        [paths.wallets(), texts.wallets],
      ]}
      footer={texts.footer}
      keepLanguage={keepLanguage}
    >
      {signedIn && (
        <button type="button" className={buttonLook('quiet', 'px-2.5')} onClick={() => void signOut()}>
          {texts.signOut}
        </button>
      )}
    </SiteShell>
  )
}
