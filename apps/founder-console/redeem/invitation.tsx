import { verifyInvitation } from '@windlass/contracts/platform/invitations.ts'
import { ProblemError } from '@windlass/client/client.ts'
import { codeOf, describeError } from '@windlass/ui/console/errors.ts'
import { useQuery } from '@tanstack/react-query'
import { buttonLook } from '@windlass/ui/button.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { Link } from 'react-router'
import { query } from '../api.ts'
import { paths } from '../paths.ts'
import { Queries } from '../query-pages.tsx'
import { shell } from '../texts.ts'
import { RedeemForm } from './redeem-form.tsx'
import { RedeemSkeleton } from './skeleton.tsx'
import { redeem as texts } from './texts.ts'

/** The form of a valid invitation, or why it cannot be used. */
export default function InvitationPage({ token }: { token: string }) {
  return (
    <Queries>
      <Invitation token={token} />
    </Queries>
  )
}

function Invitation({ token }: { token: string }) {
  const invitation = useQuery(query(verifyInvitation, { body: { token } }, { staleTime: Infinity }))
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
