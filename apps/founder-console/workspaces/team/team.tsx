import { SectionHeading } from '@windlass/ui/page.tsx'
import { describeError } from '@windlass/ui/console/errors.ts'
import { getAccessReview } from '@windlass/contracts/platform/access-review.ts'
import type { Member } from '@windlass/contracts/platform/members.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { saveJson } from '@windlass/ui/console/csv.ts'
import { Button } from '@windlass/ui/button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { SavedTable } from '@windlass/ui/console/saved-table.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { lazy, Suspense, useState } from 'react'
import { useNavigate } from 'react-router'
import { queries } from '../../queries.ts'
import { operator, profileQuery } from '../../session.ts'
import { paths } from '../../paths.ts'
import { team as texts } from './texts.ts'
import { workspace } from '../texts.ts'
import { AddMember, ChangeMember, RemoveMember } from './team-forms.tsx'
import { membersQuery } from './members.ts'
import { useWorkspace } from '../workspace.tsx'
import { manages } from '../manages.ts'

const SingleSignOnPanel = lazy(() => import('./single-sign-on.tsx'))

type Action = { kind: 'add' } | { kind: 'change' | 'remove'; member: Member }

/** Who works in the anchor's organization, and what each may do. */
export function Component() {
  const { id: anchorId, organization, role, subdomain } = useWorkspace()
  const navigate = useNavigate()
  const [action, setAction] = useState<Action>()
  const ownId = useQuery(profileQuery).data?.user.id
  const members = useQuery(membersQuery(organization.id))
  const done = async (): Promise<void> => {
    // A person who left has no access to this workspace.
    const left = action?.kind === 'remove' && action.member.userId === ownId
    if (left) await navigate(paths.workspaces())
    await queries.invalidateQueries({ queryKey: ['operator'] })
    setAction(undefined)
  }
  const close = () => setAction(undefined)
  const review = useMutation({
    mutationFn: async () =>
      saveJson(`${subdomain}-access.json`, await operator.call(getAccessReview, { params: { anchorId } })),
  })
  const form = { organizationId: organization.id, canAddOwners: role === 'owner', onDone: () => void done() }
  const canChange = (member: Member) =>
    member.userId === ownId || (manages(role) && (role === 'owner' || member.role !== 'owner'))
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.lead(organization.name)}
        actions={
          <div className="flex flex-wrap gap-2">
            {(manages(role) || role === 'auditor') && (
              <Button pending={review.isPending} onClick={() => review.mutate()}>
                {texts.review}
              </Button>
            )}
            {manages(role) && (
              <Button look="primary" onClick={() => setAction({ kind: 'add' })}>
                {texts.add}
              </Button>
            )}
          </div>
        }
      />
      {review.error && (
        <ErrorNotice failure={{ ...describeError(review.error), title: texts.reviewFailed }} />
      )}
      <DataScreen query={members} explain={describeError} skeleton={<Bar className="h-32" />}>
        {rows => (
          <SavedTable
            name={`${subdomain}-team`}
            caption={texts.title}
            rows={rows}
            keyOf={row => row.userId}
            columns={columnsOf(ownId, member => canChange(member) && { manages: manages(role), setAction })}
          />
        )}
      </DataScreen>
      {role === 'owner' && (
        <Suspense fallback={<Bar className="h-24" />}>
          <SingleSignOnPanel organizationId={organization.id} />
        </Suspense>
      )}
      {action?.kind === 'add' && <AddMember {...form} onClose={close} />}
      {action?.kind === 'change' && <ChangeMember {...form} member={action.member} onClose={close} />}
      {action?.kind === 'remove' && (
        <RemoveMember
          {...form}
          member={action.member}
          leaving={action.member.userId === ownId}
          onClose={close}
        />
      )}
    </section>
  )
}

type ActionsOf = (member: Member) => false | { manages: boolean; setAction(action: Action): void }

function columnsOf(ownId: string | undefined, actionsOf: ActionsOf): Column<Member>[] {
  const { columns } = texts
  return [
    {
      head: columns.name,
      className: 'font-medium max-sm:w-full',
      value: member => member.fullName,
      cell: member => (member.userId === ownId ? texts.you(member.fullName) : member.fullName),
    },
    { head: columns.email, className: 'text-soft wrap-anywhere', value: member => member.email },
    { head: columns.role, value: member => workspace.list.roles[member.role] },
    {
      head: columns.since,
      named: true,
      className: 'text-soft whitespace-nowrap max-lg:hidden',
      value: member => member.since,
      cell: member => <time dateTime={member.since}>{formatDateTime(member.since)}</time>,
    },
    {
      head: columns.actions,
      className: 'text-right whitespace-nowrap',
      cell: member => {
        const actions = actionsOf(member)
        if (!actions) return null
        const leave = member.userId === ownId
        return (
          <>
            {actions.manages && (
              <Button
                look="quiet"
                aria-label={texts.changeWhat(member.fullName)}
                onClick={() => actions.setAction({ kind: 'change', member })}
              >
                {texts.change}
              </Button>
            )}
            <Button
              look="quietDanger"
              aria-label={leave ? undefined : texts.removeWhat(member.fullName)}
              onClick={() => actions.setAction({ kind: 'remove', member })}
            >
              {leave ? texts.leave : texts.remove}
            </Button>
          </>
        )
      },
    },
  ]
}
