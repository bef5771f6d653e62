import {
  type Administrator,
  type AdministratorInvitation,
  listAdministratorInvitations,
  listAdministrators,
  revokeAdministratorInvitation,
} from '@windlass/contracts/platform/administrator-accounts.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Notice, Status } from '@windlass/ui/notice.tsx'
import { PageHeading, SectionHeading } from '@windlass/ui/page.tsx'
import { type Column, Table } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { call, queries, query, refresh } from '../api.ts'
import { useMay } from '../may.ts'
import { meQuery } from '../session.ts'
import { shell } from '../texts.ts'
import { ChangeRole, Invite, RemoveAdministrator, ResetSecondFactor } from './forms.tsx'
import { administrators as texts, roles } from './texts.ts'

const administratorsQuery = query(listAdministrators)
const invitationsQuery = query(listAdministratorInvitations)

export function loader() {
  void queries.prefetchQuery(administratorsQuery)
  void queries.prefetchQuery(invitationsQuery)
  return null
}

type Action = { kind: 'invite' } | { kind: 'change' | 'reset' | 'remove'; who: Administrator }

export function Component() {
  const isOwner = useMay('owner')
  const own = useQuery(meQuery).data?.username
  const list = useQuery(administratorsQuery)
  const [action, setAction] = useState<Action>()
  const [invited, setInvited] = useState<string>()
  const panel = {
    onClose: () => setAction(undefined),
    onDone: () => {
      setAction(undefined)
      void refresh(listAdministrators, listAdministratorInvitations)
    },
  }
  const who = action && 'who' in action ? { ...panel, who: action.who } : undefined
  return (
    <>
      <PageHeading
        title={texts.title}
        product={shell.product}
        lead={texts.lead}
        actions={
          isOwner && (
            <Button look="primary" onClick={() => setAction({ kind: 'invite' })}>
              {texts.invite}
            </Button>
          )
        }
      />
      {invited && <Notice tone="good" role="status" title={texts.invited(invited)} />}
      <DataScreen query={list} explain={describeError} skeleton={<Bar className="h-32" />}>
        {rows => (
          <Table
            caption={texts.title}
            rows={rows}
            keyOf={row => row.id}
            columns={columnsOf(own, isOwner && setAction)}
          />
        )}
      </DataScreen>
      <Invitations />
      {action?.kind === 'invite' && <Invite {...panel} onInvited={setInvited} />}
      {who && action?.kind === 'change' && <ChangeRole {...who} />}
      {who && action?.kind === 'reset' && <ResetSecondFactor {...who} />}
      {who && action?.kind === 'remove' && <RemoveAdministrator {...who} />}
    </>
  )
}

const nameOf = ({ name, username }: Administrator) => name ?? username

/** `act`: false for administrators who can only read. */
function columnsOf(
  own: string | undefined,
  act: false | ((action: Action) => void),
): Column<Administrator>[] {
  const { columns } = texts
  const read: Column<Administrator>[] = [
    {
      head: columns.name,
      className: 'max-sm:w-full',
      cell: row => (
        <>
          <span className="font-medium">{row.username === own ? texts.you(nameOf(row)) : nameOf(row)}</span>
          <span className="block text-13 wrap-anywhere text-soft">
            {row.fromSettings ? texts.fromSettings : row.username}
          </span>
        </>
      ),
    },
    { head: columns.role, named: true, cell: row => roles[row.role] },
    {
      head: columns.secondFactor,
      named: true,
      cell: row => (
        <Status tone={row.secondFactor ? 'good' : 'warn'}>
          {row.secondFactor ? texts.secondFactor.yes : texts.secondFactor.no}
        </Status>
      ),
    },
    {
      head: columns.lastSignIn,
      named: true,
      className: 'text-soft',
      cell: row => (row.lastSignInAt ? formatDateTime(row.lastSignInAt) : texts.notLately),
    },
  ]
  return act ? [...read, actionsColumn(act)] : read
}

const actionsColumn = (act: (action: Action) => void): Column<Administrator> => ({
  head: texts.columns.actions,
  className: 'text-right',
  cell: who =>
    !who.fromSettings && (
      <>
        <Button
          look="quiet"
          aria-label={texts.changeOf(nameOf(who))}
          onClick={() => act({ kind: 'change', who })}
        >
          {texts.change}
        </Button>
        {who.secondFactor && (
          <Button
            look="quiet"
            aria-label={texts.resetOf(nameOf(who))}
            onClick={() => act({ kind: 'reset', who })}
          >
            {texts.reset}
          </Button>
        )}
        <Button
          look="quietDanger"
          aria-label={texts.removeOf(nameOf(who))}
          onClick={() => act({ kind: 'remove', who })}
        >
          {texts.remove}
        </Button>
      </>
    ),
})

/** Invitations that are not accepted yet. Renders nothing without any. */
function Invitations() {
  const isOwner = useMay('owner')
  const invitations = useQuery(invitationsQuery)
  const revoke = useMutation({
    mutationFn: (id: string) => call(revokeAdministratorInvitation, { params: { id } }),
    onSettled: () => refresh(listAdministratorInvitations),
  })
  const { title, columns } = texts.invitations
  if (invitations.error) return <ErrorNotice failure={describeError(invitations.error)} />
  if (!invitations.data || invitations.data.length === 0) return null
  const read: Column<AdministratorInvitation>[] = [
    { head: columns.email, className: 'wrap-anywhere max-sm:w-full', value: row => row.email },
    { head: columns.role, named: true, cell: row => roles[row.role] },
    {
      head: columns.invitedBy,
      named: true,
      className: 'text-soft wrap-anywhere',
      value: row => row.invitedBy,
    },
    {
      head: columns.expires,
      named: true,
      className: 'text-soft',
      cell: row => formatDateTime(row.expiresAt),
    },
  ]
  const actions: Column<AdministratorInvitation> = {
    head: columns.actions,
    className: 'text-right',
    cell: row => (
      <Button
        look="quietDanger"
        aria-label={texts.invitations.revokeOf(row.email)}
        pending={revoke.isPending && revoke.variables === row.id}
        onClick={() => revoke.mutate(row.id)}
      >
        {texts.invitations.revoke}
      </Button>
    ),
  }
  return (
    <section className="space-y-4">
      <SectionHeading title={title} />
      {revoke.error && <ErrorNotice failure={{ ...describeError(revoke.error), title: texts.failed }} />}
      <Table
        caption={title}
        rows={invitations.data}
        keyOf={row => row.id}
        columns={isOwner ? [...read, actions] : read}
      />
    </section>
  )
}
