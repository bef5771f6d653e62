import { failedAs } from './errors.ts'
import type { SignInStep } from '@windlass/contracts/realm.ts'
import { lazy, Suspense, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { Button } from '../button.tsx'
import { TextField } from '../field.tsx'
import { FormShell, useForm } from '../form.tsx'
import { Notice } from '../notice.tsx'
import { PageHeading, Panel } from '../page.tsx'
import { signIn, type CodeSignInProps } from './code-sign-in-texts.ts'

// Needed once the code was sent.
const CodeForm = lazy(() => import('./code-form.tsx'))

/** Signs a person in with a code that is sent to their email address. */
export function CodeSignIn(props: CodeSignInProps) {
  const { texts, product, secondFactorStep: SecondFactorStep, otherWay, onSignedIn } = props
  const [awaiting, setAwaiting] = useState<SignInStep>()
  const [sentTo, setSentTo] = useState<string>()
  const { state } = useLocation() as { state: { expired?: boolean } | null }
  return (
    <div className="flex flex-1 items-center justify-center bg-deep px-4 py-10 sm:py-16">
      <Panel className="w-full max-w-[440px] space-y-6 p-6 sm:p-8">
        {awaiting && SecondFactorStep ? (
          <Suspense>
            <SecondFactorStep
              awaiting={awaiting}
              onDone={() => void onSignedIn()}
              onStartOver={() => {
                setAwaiting(undefined)
                setSentTo(undefined)
              }}
            />
          </Suspense>
        ) : sentTo === undefined ? (
          <>
            <PageHeading title={signIn.title} product={product} lead={texts.lead} />
            {state?.expired && <Notice tone="info" role="status" title={signIn.expired} />}
            <EmailForm {...props} onSent={setSentTo} />
            {otherWay && (
              <p className="text-14">
                <Link className="link" to={otherWay.to}>
                  {otherWay.label}
                </Link>
              </p>
            )}
          </>
        ) : (
          <>
            <PageHeading title={signIn.sentTitle} product={product} lead={texts.sentLead(sentTo)} />
            <Suspense>
              <CodeForm
                {...props}
                email={sentTo}
                onChangeEmail={() => setSentTo(undefined)}
                onAwaiting={setAwaiting}
              />
            </Suspense>
          </>
        )}
      </Panel>
    </div>
  )
}

function EmailForm({ texts, requestCode, onSent }: CodeSignInProps & { onSent(email: string): void }) {
  const form = useForm({
    initial: { email: '' },
    check: ({ email }) => {
      if (email.trim() === '') return { email: signIn.email.missing }
      return /^[^\s@]+@[^\s@]+$/.test(email.trim()) ? {} : { email: texts.emailWrong }
    },
    send: async ({ email }) => {
      await requestCode(email.trim())
      onSent(email.trim())
    },
    explain: failedAs(signIn.failed),
  })
  return (
    <FormShell form={form}>
      <TextField
        name="email"
        type="email"
        inputMode="email"
        autoComplete="email"
        label={signIn.email.label}
        hint={texts.emailHint}
      />
      <Button type="submit" look="primary" pending={form.pending} className="w-full">
        {signIn.send}
      </Button>
    </FormShell>
  )
}
