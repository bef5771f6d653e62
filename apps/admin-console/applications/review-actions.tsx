import {
  approveApplication,
  rejectApplication,
  type ReviewedApplication,
} from '@windlass/contracts/applications.ts'
import { reissueInvitation, revokeInvitation, type Approval } from '@windlass/contracts/invitations.ts'
import { codeOf, troubleOf } from '@windlass/client/trouble.ts'
import { useMutation } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { CopyButton } from '@windlass/ui/copy-button.tsx'
import { TroubleNotice } from '@windlass/ui/data-screen.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { useState } from 'react'
import { call, queries } from '../api.ts'
import { applications as texts } from '../texts/applications.ts'
import { RejectForm } from './reject-form.tsx'

/** What may be done with an application in its present state, and how the last act went. */
export function ReviewActions({ application }: { application: ReviewedApplication }) {
  const { id, status, invitation } = application
  const [rejecting, setRejecting] = useState(false)
  const [approval, setApproval] = useState<Approval>()
  const invitationId = invitation?.id ?? ''
  const approve = useMutation({
    mutationFn: () => call(approveApplication, { params: { id } }),
    onSuccess: setApproval,
    onSettled: () => refresh(id),
  })
  const reject = useMutation({
    mutationFn: (reason: string) => call(rejectApplication, { params: { id }, body: { reason } }),
    onSuccess: () => setRejecting(false),
    onSettled: () => refresh(id),
  })
  const reissue = useMutation({
    mutationFn: () => call(reissueInvitation, { params: { id: invitationId } }),
    onSuccess: setApproval,
    onSettled: () => refresh(id),
  })
  const revoke = useMutation({
    mutationFn: () => call(revokeInvitation, { params: { id: invitationId } }),
    onSuccess: () => setApproval(undefined),
    onSettled: () => refresh(id),
  })
  const error = approve.error ?? reject.error ?? reissue.error ?? revoke.error
  const raced = codeOf(error) === 'application-already-reviewed'

  if (approval) return <OneTimeLink approval={approval} email={application.companyProfile.businessEmail} />
  return (
    <div className="space-y-3">
      {raced && <Raced application={application} />}
      {error && !raced && <TroubleNotice trouble={{ ...troubleOf(error), title: texts.failed }} />}
      {reject.isSuccess && <Notice tone="good" role="status" title={texts.rejected} />}
      {status === 'applied' && !rejecting && (
        <div className="flex flex-wrap gap-2">
          <Button look="primary" pending={approve.isPending} onClick={() => approve.mutate()}>
            {texts.approve}
          </Button>
          <Button onClick={() => setRejecting(true)}>{texts.reject}</Button>
        </div>
      )}
      {status === 'applied' && rejecting && (
        <RejectForm
          applicationId={id}
          reject={reason => reject.mutateAsync(reason).then(() => undefined)}
          onCancel={() => setRejecting(false)}
        />
      )}
      {status === 'approved' && invitation && invitation.status !== 'used' && (
        <div className="flex flex-wrap gap-2">
          <Button pending={reissue.isPending} onClick={() => reissue.mutate()}>
            {texts.reissue}
          </Button>
          {invitation.status === 'open' && (
            <Button look="quiet" pending={revoke.isPending} onClick={() => revoke.mutate()}>
              {texts.revoke}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

const refresh = (id: string) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: ['application', id] }),
    queries.invalidateQueries({ queryKey: ['applications'] }),
  ])

function OneTimeLink({ approval, email }: { approval: Approval; email: string }) {
  return (
    <Notice
      tone="good"
      role="status"
      title={texts.approved.title}
      actions={<CopyButton value={approval.redeemUrl} what={texts.approved.copy} />}
    >
      <p>{texts.approved.detail(email)}</p>
      <p className="mt-2 text-13">{texts.approved.link}</p>
      <code className="mt-1 block rounded-6 bg-sunken p-2 font-mono text-13 break-all text-ink">
        {approval.redeemUrl}
      </code>
      <p className="mt-1 text-13">{texts.approved.expires(formatDateTime(approval.invitation.expiresAt))}</p>
    </Notice>
  )
}

/** Somebody else reviewed it while this page stood open: who and how, and that nothing was done twice. */
function Raced({ application }: { application: ReviewedApplication }) {
  const { status, reviewedBy } = application
  return (
    <Notice tone="warn" role="alert" title={texts.raced.title}>
      {status === 'applied' || !reviewedBy ? texts.raced.other : texts.raced[status](reviewedBy)}
    </Notice>
  )
}
