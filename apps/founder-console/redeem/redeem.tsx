import { verifyInvitation } from '@windlass/contracts/invitations.ts'
import { ProblemError } from '@windlass/client/client.ts'
import { codeOf, describeError } from '@windlass/client/errors.ts'
import { useQuery } from '@tanstack/react-query'
import { Button, buttonLook } from '@windlass/ui/button.tsx'
import { Bar, DataScreen } from '@windlass/ui/data-screen.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormShell, useForm } from '@windlass/ui/form.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { isHydrating } from '@windlass/ui/hydration.ts'
import { useEffect, useLayoutEffect, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { call } from '../api.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { redeem as texts } from './texts.ts'
import { tokenIn, tokenInPasted } from './invitation-token.ts'
import { RedeemForm } from './redeem-form.tsx'

export function Component() {
  const given = tokenIn(useLocation())
  const navigate = useNavigate()
  // The page was built without a token. Until it is hydrated, its first script shows the placeholder if there is one.
  const [hydrating, setHydrating] = useState(isHydrating)
  useLayoutEffect(() => {
    delete document.documentElement.dataset.token
    setHydrating(false)
  }, [])
  useEffect(() => {
    // Moved out of the query, so that it appears in no history and no log.
    if (given?.inQuery) void navigate(paths.redeem(given.token), { replace: true })
  }, [given?.inQuery, given?.token, navigate])
  return (
    <div className="mx-auto w-full max-w-[680px] flex-1 px-4 py-8 sm:px-6 sm:py-14">
      {given && !hydrating ? (
        <Invitation key={given.token} token={given.token} />
      ) : (
        <>
          <div className="in-data-token:hidden">
            <PasteToken />
          </div>
          {hydrating && (
            <div aria-hidden="true" className="hidden in-data-token:block">
              <RedeemSkeleton />
            </div>
          )}
        </>
      )}
    </div>
  )
}

function Invitation({ token }: { token: string }) {
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => call(verifyInvitation, { body: { token }, signal }),
    staleTime: Infinity,
  })
  const refusal = invitation.data ? undefined : refusalOf(invitation.error)
  if (refusal) return <Refused {...texts.refused[refusal]} />
  return (
    <DataScreen query={invitation} explain={describeError} skeleton={<RedeemSkeleton />}>
      {({ email, companyName, expiresAt }) => (
        <RedeemForm
          token={token}
          email={email}
          companyName={companyName}
          expiresAt={expiresAt}
          onGone={() => void invitation.refetch()}
        />
      )}
    </DataScreen>
  )
}

type Refusal = keyof typeof texts.refused

/** Why an invitation cannot be used; undefined where the request itself failed. */
function refusalOf(error: unknown): Refusal | undefined {
  const code = codeOf(error)
  if (code === 'invitation-not-found' || code === 'validation-failed') return 'unknown'
  if (code !== 'invitation-gone' || !(error instanceof ProblemError)) return undefined
  const { reason } = error.problem
  return reason === 'used' || reason === 'revoked' || reason === 'expired' ? reason : 'gone'
}

function Refused({ title, detail }: { title: string; detail: string }) {
  return (
    <div className="space-y-6">
      <PageHeading title={texts.none.title} product={shell.product} />
      <Notice
        tone="warn"
        title={title}
        role="alert"
        actions={
          <Link to={paths.redeem()} className={buttonLook()}>
            {texts.another}
          </Link>
        }
      >
        {detail}
      </Notice>
    </div>
  )
}

function PasteToken() {
  const navigate = useNavigate()
  const form = useForm({
    initial: { link: '' },
    check: ({ link }) => (link.trim() === '' ? { link: texts.none.missing } : {}),
    send: ({ link }) => void navigate(paths.redeem(tokenInPasted(link))),
  })
  return (
    <div className="space-y-6">
      <PageHeading title={texts.none.title} product={shell.product} lead={texts.none.lead} />
      <FormShell form={form}>
        <TextField
          name="link"
          label={texts.none.label}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
        <Button type="submit" look="primary">
          {texts.none.go}
        </Button>
      </FormShell>
    </div>
  )
}

function RedeemSkeleton() {
  return (
    <div className="space-y-6">
      <Bar className="h-7 w-64" />
      <Bar className="h-5 w-96 max-w-full" />
      {[1, 2, 3].map(field => (
        <div key={field} className="space-y-2">
          <Bar className="h-4 w-32" />
          <Bar className="h-9" />
        </div>
      ))}
    </div>
  )
}
