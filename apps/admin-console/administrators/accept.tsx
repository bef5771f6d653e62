import {
  acceptAdministratorInvitation,
  verifyAdministratorInvitation,
} from '@windlass/contracts/platform/administrator-accounts.ts'
import { codeOf, describeError, refusedAs } from '@windlass/ui/console/errors.ts'
import { useQuery } from '@tanstack/react-query'
import { Wordmark } from '@windlass/ui/brand.tsx'
import { Button, buttonLook } from '@windlass/ui/button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { call, query } from '../api.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { NewPasswordField, passwordFault } from './password-field.tsx'
import { administrators, roles } from './texts.ts'

const texts = administrators.accept

/** The page that an invitation's link opens. The token is in the fragment, which no server receives. */
export function Component() {
  const token = new URLSearchParams(useLocation().hash.slice(1)).get('token')
  return (
    <div className="flex min-h-dvh flex-col bg-deep">
      <main id="content" className="flex flex-1 items-center justify-center px-4 py-10">
        <div className="w-full max-w-[480px] space-y-6 rounded-8 border border-line bg-surface p-6 sm:p-8">
          <Wordmark suffix={shell.suffix} />
          {token ? (
            <Invitation key={token} token={token} />
          ) : (
            <PageHeading title={texts.title} product={shell.product} lead={texts.none} />
          )}
        </div>
      </main>
    </div>
  )
}

function Invitation({ token }: { token: string }) {
  const [accepted, setAccepted] = useState(false)
  const invitation = useQuery(
    query(verifyAdministratorInvitation, { body: { token } }, { staleTime: Infinity }),
  )
  if (accepted) return <Accepted />
  const code = codeOf(invitation.error)
  if (code === 'invitation-gone' || code === 'validation-failed') {
    return (
      <>
        <PageHeading title={texts.title} product={shell.product} />
        <Notice tone="warn" role="alert" title={texts.gone.title}>
          {texts.gone.detail}
        </Notice>
      </>
    )
  }
  return (
    <DataScreen query={invitation} explain={describeError} skeleton={<Bar className="h-64" />}>
      {({ email, role, invitedBy }) => (
        <>
          <PageHeading
            title={texts.title}
            product={shell.product}
            lead={texts.lead(invitedBy, roles[role].toLowerCase())}
          />
          <p className="text-14">
            <span className="text-soft">{texts.invitedAs}</span>{' '}
            <strong className="font-semibold wrap-anywhere">{email}</strong>
          </p>
          <AcceptForm
            token={token}
            email={email}
            onAccepted={() => setAccepted(true)}
            onGone={() => void invitation.refetch()}
          />
        </>
      )}
    </DataScreen>
  )
}

function Accepted() {
  return (
    <>
      <PageHeading title={texts.title} product={shell.product} />
      <Notice
        tone="good"
        role="status"
        title={texts.done}
        actions={
          <Link to={paths.login()} className={buttonLook()}>
            {texts.signIn}
          </Link>
        }
      >
        {texts.doneDetail}
      </Notice>
    </>
  )
}

interface AcceptFormProps {
  token: string
  email: string
  onAccepted(): void
  /** The invitation became invalid while the form was open. */
  onGone(): void
}

function AcceptForm({ token, email, onAccepted, onGone }: AcceptFormProps) {
  const form = useForm({
    initial: { name: '', password: '' },
    check: ({ name, password }): FormErrors => {
      const fault = passwordFault(password)
      return { ...(name.trim() === '' && { name: texts.name.missing }), ...(fault && { password: fault }) }
    },
    send: async ({ name, password }) => {
      await call(acceptAdministratorInvitation, { body: { token, name: name.trim(), password } })
      onAccepted()
    },
    explain: error => {
      if (codeOf(error) === 'invitation-gone') onGone()
      return refusedAs(texts.failed)(error)
    },
  })
  return (
    <FormShell form={form}>
      <TextField name="name" label={texts.name.label} autoComplete="name" maxLength={200} />
      <NewPasswordField
        password={form.values.password}
        known={[email, form.values.name]}
        label={administrators.password.title}
      />
      <Button type="submit" look="primary" pending={form.pending}>
        {texts.send}
      </Button>
    </FormShell>
  )
}
