import {
  approveApplication,
  rejectApplication,
  type ReviewedApplication,
  getApplication,
  listApplications,
} from '@windlass/contracts/platform/applications.ts'
import {
  type Approval,
  reissueInvitation,
  revokeInvitation,
} from '@windlass/contracts/platform/invitations.ts'
import { codeOf, describeError } from '@windlass/ui/console/errors.ts'
import { useMutation } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { CopyButton } from '@windlass/ui/copy-button.tsx'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { useEffect, useState } from 'react'
import { TextAreaField } from '@windlass/ui/field.tsx'
import { FormActions, FormShell, useForm } from '@windlass/ui/form.tsx'
import { fieldId } from '@windlass/ui/focus-field.ts'
import { call, refresh } from '../api.ts'
import { useMay } from '../may.ts'
import { applications as texts } from './texts.ts'

/** The actions on an application in its current status, and the result of the last one. */
export function ReviewActions({ application }: { application: ReviewedApplication }) {
  const { id, status, invitation } = application
  const [rejecting, setRejecting] = useState(false)
  const [approval, setApproval] = useState<Approval>()
  const invitationId = invitation?.id ?? ''
  const mayReview = useMay('operator')
  const approve = useMutation({
    mutationFn: () => call(approveApplication, { params: { id } }),
    onSuccess: setApproval,
    onSettled: () => refreshApplications(),
  })
  const reject = useMutation({
    mutationFn: (reason: string) => call(rejectApplication, { params: { id }, body: { reason } }),
    onSuccess: () => setRejecting(false),
    onSettled: () => refreshApplications(),
  })
  const reissue = useMutation({
    mutationFn: () => call(reissueInvitation, { params: { id: invitationId } }),
    onSuccess: setApproval,
    onSettled: () => refreshApplications(),
  })
  const revoke = useMutation({
    mutationFn: () => call(revokeInvitation, { params: { id: invitationId } }),
    onSuccess: () => setApproval(undefined),
    onSettled: () => refreshApplications(),
  })
  const error = approve.error ?? reject.error ?? reissue.error ?? revoke.error
  const alreadyReviewed = codeOf(error) === 'application-already-reviewed'

  if (!mayReview) return null
  if (approval) return <OneTimeLink approval={approval} email={application.companyProfile.businessEmail} />
  return (
    <div className="space-y-3">
      {alreadyReviewed && <AlreadyReviewed application={application} />}
      {error && !alreadyReviewed && (
        <ErrorNotice failure={{ ...describeError(error), title: texts.failed }} />
      )}
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

export const refreshApplications = () => refresh(listApplications, getApplication)

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

/** Another administrator reviewed it while this page was open. */
function AlreadyReviewed({ application }: { application: ReviewedApplication }) {
  const { status, reviewedBy } = application
  return (
    <Notice tone="warn" role="alert" title={texts.alreadyReviewed.title}>
      {status === 'applied' || !reviewedBy
        ? texts.alreadyReviewed.other
        : texts.alreadyReviewed[status](reviewedBy)}
    </Notice>
  )
}

interface RejectFormProps {
  reject(reason: string): Promise<void>
  onCancel(): void
}

/** A rejection needs a reason. */
function RejectForm({ reject, onCancel }: RejectFormProps) {
  const form = useForm({
    initial: { reason: '' },
    check: ({ reason }) => {
      if (reason.trim() === '') return { reason: texts.reason.missing }
      return reason.length > 2000 ? { reason: texts.reason.tooLong } : {}
    },
    send: ({ reason }) => reject(reason.trim()),
    // The panel displays a review by another administrator.
    explain: error =>
      codeOf(error) === 'application-already-reviewed' ? {} : { failure: describeError(error) },
  })
  useEffect(() => document.getElementById(fieldId(form.id, 'reason'))?.focus(), [form.id])
  return (
    <FormShell form={form} className="space-y-3">
      <TextAreaField name="reason" label={texts.reason.label} hint={texts.reason.hint} rows={3} />
      <FormActions onCancel={onCancel}>
        <Button type="submit" look="danger" pending={form.pending}>
          {texts.confirmReject}
        </Button>
      </FormActions>
    </FormShell>
  )
}
