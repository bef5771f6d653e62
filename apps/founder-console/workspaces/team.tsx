import { troubleOf } from '@windlass/client/trouble.ts'
import type { Member } from '@windlass/contracts/members.ts'
import { useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { Bar, DataScreen } from '@windlass/ui/data-screen.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Table, type Column } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { queries } from '../api.ts'
import { profileQuery } from '../operator.ts'
import { paths } from '../paths.ts'
import { workspace } from '../texts/workspace.ts'
import { membersQuery } from './members.ts'
import { AddMember, ChangeMember, RemoveMember } from './team-forms.tsx'
import { useWorkspace } from './workspace.tsx'

const texts = workspace.team

type Act = { kind: 'add' } | { kind: 'change' | 'remove'; member: Member }

/** Who works in the anchor's organization, and what each may do. */
export function Component() {
  const { organization, role } = useWorkspace()
  const navigate = useNavigate()
  const [act, setAct] = useState<Act>()
  const own = useQuery(profileQuery).data?.user.id
  const members = useQuery(membersQuery(organization.id))
  const done = async (): Promise<void> => {
    // Who took out themselves has no workspace here any more.
    const left = act?.kind === 'remove' && act.member.userId === own
    if (left) await navigate(paths.workspaces())
    await queries.invalidateQueries({ queryKey: ['operator'] })
    setAct(undefined)
  }
  const close = () => setAct(undefined)
  const form = { organizationId: organization.id, mayMakeOwners: role === 'owner', onDone: () => void done() }
  const mayActOn = (member: Member) =>
    member.userId === own || (role !== 'member' && (role === 'owner' || member.role !== 'owner'))
  return (
    <section className="space-y-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div>
          <h2 className="text-18 font-semibold">{texts.title}</h2>
          <p className="text-14 text-soft">{texts.lead(organization.name)}</p>
        </div>
        {role !== 'member' && (
          <Button look="primary" onClick={() => setAct({ kind: 'add' })}>
            {texts.add}
          </Button>
        )}
      </div>
      <DataScreen query={members} explain={troubleOf} skeleton={<Bar className="h-32" />}>
        {rows => (
          <Table
            caption={texts.title}
            rows={rows}
            keyOf={row => row.userId}
            columns={columnsOf(own, member => mayActOn(member) && { manages: role !== 'member', setAct })}
          />
        )}
      </DataScreen>
      {act?.kind === 'add' && <AddMember {...form} onClose={close} />}
      {act?.kind === 'change' && <ChangeMember {...form} member={act.member} onClose={close} />}
      {act?.kind === 'remove' && (
        <RemoveMember {...form} member={act.member} leaving={act.member.userId === own} onClose={close} />
      )}
    </section>
  )
}

type Acts = (member: Member) => false | { manages: boolean; setAct(act: Act): void }

function columnsOf(own: string | undefined, actsOn: Acts): Column<Member>[] {
  const { columns } = texts
  return [
    {
      head: columns.name,
      className: 'font-medium max-sm:w-full',
      cell: member => (member.userId === own ? texts.you(member.fullName) : member.fullName),
    },
    { head: columns.email, className: 'text-soft wrap-anywhere', cell: member => member.email },
    { head: columns.role, cell: member => workspace.list.roles[member.role] },
    {
      head: columns.since,
      named: true,
      className: 'text-soft whitespace-nowrap max-lg:hidden',
      cell: member => <time dateTime={member.since}>{formatDateTime(member.since)}</time>,
    },
    {
      head: columns.acts,
      className: 'text-right whitespace-nowrap',
      cell: member => {
        const acts = actsOn(member)
        if (!acts) return null
        const leave = member.userId === own
        return (
          <>
            {acts.manages && (
              <Button
                look="quiet"
                aria-label={texts.changeWhat(member.fullName)}
                onClick={() => acts.setAct({ kind: 'change', member })}
              >
                {texts.change}
              </Button>
            )}
            <Button
              look="quietDanger"
              aria-label={leave ? undefined : texts.removeWhat(member.fullName)}
              onClick={() => acts.setAct({ kind: 'remove', member })}
            >
              {leave ? texts.leave : texts.remove}
            </Button>
          </>
        )
      },
    },
  ]
}
