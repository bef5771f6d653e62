import type { SignInStep } from '@windlass/contracts/realm.ts'
import { Suspense, useEffect, useEffectEvent, useRef, useState, type ComponentType } from 'react'
import { useSearchParams } from 'react-router'
import { Button } from '../button.tsx'
import { ErrorNotice } from '../data-screen.tsx'
import type { ErrorDescription } from '../error-summary.tsx'
import { TextField } from '../field.tsx'
import { FormShell, useForm } from '../form.tsx'
import { PageHeading } from '../page.tsx'
import { codeOf } from './errors.ts'
import type { SignInStepProps } from './second-factor-step.tsx'
import { describeSignOn, isBack, leaveFor, takeBegun } from './sign-on.ts'
import { signOnTexts as texts } from './sign-on-texts.ts'

interface SignOnPageProps {
  product: string
  /** Whether people name their organization. */
  asksOrganization?: boolean
  start(organization: string): Promise<{ url: string; key: string }>
  finish(back: { key: string; query: string }): Promise<{ awaiting?: SignInStep }>
  secondFactorStep: ComponentType<SignInStepProps>
  /** `from`: the page to return to. */
  onSignedIn(from: string | null): Promise<void>
}

/** Where a sign-in by a provider begins, and where the provider sends people back. */
export function SignOnPage(props: SignOnPageProps) {
  const [query] = useSearchParams()
  const [back] = useState(() => (isBack(query) ? query.toString() : null))
  const [failure, setFailure] = useState<ErrorDescription>()
  if (back !== null && !failure) return <Finish {...props} query={back} onFailed={setFailure} />
  return (
    <>
      <PageHeading title={texts.title} product={props.product} lead={texts.lead} />
      {failure && <ErrorNotice failure={failure} />}
      <Start {...props} organization={query.get('organization') ?? ''} from={query.get('from')} />
    </>
  )
}

interface StartProps extends SignOnPageProps {
  organization: string
  from: string | null
}

function Start({ asksOrganization = false, start, organization, from }: StartProps) {
  const form = useForm({
    initial: { organization },
    check: values =>
      asksOrganization && values.organization.trim() === ''
        ? { organization: texts.organization.missing }
        : {},
    send: async values => leaveFor(await start(values.organization.trim()), from),
    explain: error =>
      asksOrganization && codeOf(error) === 'single-sign-on-not-set'
        ? { errors: { organization: texts.organization.unknown } }
        : { failure: describeSignOn(error) },
  })
  return (
    <FormShell form={form}>
      {asksOrganization && (
        <TextField
          name="organization"
          label={texts.organization.label}
          hint={texts.organization.hint}
          autoComplete="organization"
          autoCapitalize="off"
          spellCheck={false}
        />
      )}
      <Button type="submit" look="primary" pending={form.pending} className="w-full">
        {texts.send}
      </Button>
    </FormShell>
  )
}

interface FinishProps extends SignOnPageProps {
  query: string
  onFailed(failure: ErrorDescription): void
}

/** Each answer of a provider is sent once, and removed from the address. */
function Finish({ product, finish, query, onFailed, onSignedIn, secondFactorStep: Step }: FinishProps) {
  const [awaiting, setAwaiting] = useState<SignInStep>()
  const begun = useRef<ReturnType<typeof takeBegun>>(null)
  const sent = useRef(false)
  const enter = () => onSignedIn(begun.current?.from ?? null)
  const send = useEffectEvent(async () => {
    begun.current = takeBegun()
    history.replaceState(history.state, '', location.pathname)
    try {
      const answer = await finish({ key: begun.current?.key ?? 'none', query })
      if (answer.awaiting) setAwaiting(answer.awaiting)
      else await enter()
    } catch (error) {
      onFailed(describeSignOn(error))
    }
  })
  useEffect(() => {
    if (sent.current) return
    sent.current = true
    void send()
  }, [])
  if (awaiting)
    return (
      <Suspense>
        <Step
          awaiting={awaiting}
          onDone={() => void enter()}
          onStartOver={() => location.assign(location.pathname)}
        />
      </Suspense>
    )
  return <PageHeading title={texts.waiting} product={product} />
}
