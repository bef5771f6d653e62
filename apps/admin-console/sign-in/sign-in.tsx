import { adminLogin, getAdminSignOn } from '@windlass/contracts/platform/administrators.ts'
import { codeOf, describeError } from '@windlass/ui/console/errors.ts'
import { Wordmark } from '@windlass/ui/brand.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { PasswordField, TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { LanguageSwitch } from '@windlass/ui/language-switch.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { ThemeSwitch } from '@windlass/ui/theme.tsx'
import type { SignInStep } from '@windlass/contracts/realm.ts'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'
import { call } from '../api.ts'
import { paths } from '../paths.ts'
import { hint } from '../session.ts'
import { shell } from '../texts.ts'
import { signIn as texts } from './texts.ts'

const SecondFactorStep = lazy(() => import('../account/sign-in-step.tsx'))

export function Component() {
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const { state } = useLocation() as { state: { expired?: boolean } | null }
  const [awaiting, setAwaiting] = useState<SignInStep>()
  const enter = async (): Promise<void> => {
    hint.keep()
    await navigate(paths.afterLogin(query.get('from')), { replace: true })
  }
  const form = useForm({
    initial: { username: '', password: '' },
    check: values => {
      const errors: FormErrors = {}
      if (values.username.trim() === '') errors.username = texts.username.missing
      if (values.password === '') errors.password = texts.password.missing
      return errors
    },
    send: async ({ username, password }) => {
      const answer = await call(adminLogin, { body: { username: username.trim(), password } })
      if (answer.awaiting) setAwaiting(answer.awaiting)
      else await enter()
    },
    explain: error => ({
      failure:
        codeOf(error) === 'login-failed' ? { kind: 'refused', ...texts.refused } : describeError(error),
    }),
  })
  return (
    <div className="flex min-h-dvh flex-col bg-deep">
      <main id="content" className="flex flex-1 items-center justify-center px-4 py-10">
        <div className="w-full max-w-[400px] space-y-6 rounded-8 border border-line bg-surface p-6 sm:p-8">
          <Wordmark suffix={shell.suffix} />
          {awaiting ? (
            <Suspense>
              <SecondFactorStep
                awaiting={awaiting}
                onDone={() => void enter()}
                onStartOver={() => setAwaiting(undefined)}
              />
            </Suspense>
          ) : (
            <>
              <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
              {state?.expired && <Notice tone="info" role="status" title={texts.expired} />}
              <FormShell form={form}>
                <TextField
                  name="username"
                  label={texts.username.label}
                  autoComplete="username"
                  autoCapitalize="off"
                  spellCheck={false}
                />
                <PasswordField name="password" label={texts.password.label} autoComplete="current-password" />
                <Button type="submit" look="primary" pending={form.pending} className="w-full">
                  {texts.send}
                </Button>
              </FormShell>
              <SignOnLink from={query.get('from') ?? undefined} />
            </>
          )}
          <div className="flex items-center justify-end gap-3">
            <LanguageSwitch />
            <ThemeSwitch />
          </div>
        </div>
      </main>
    </div>
  )
}

/** Where the settings name a provider. */
function SignOnLink({ from }: { from: string | undefined }) {
  const [available, setAvailable] = useState(false)
  useEffect(() => {
    // Without an answer the password is the way.
    call(getAdminSignOn).then(
      answer => setAvailable(answer.available),
      () => undefined,
    )
  }, [])
  if (!available) return null
  return (
    <p className="text-14">
      <Link className="link" to={paths.singleSignOn(from)}>
        {texts.singleSignOn}
      </Link>
    </p>
  )
}
