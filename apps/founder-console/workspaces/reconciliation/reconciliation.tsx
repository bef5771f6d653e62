import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import {
  type Difference,
  type Reconciliation,
  resolutions,
} from '@windlass/contracts/anchor/reconciliation.ts'
import {
  approveWorkspaceDifference,
  assignWorkspaceDifference,
  getWorkspaceReconciliation,
  listWorkspaceDifferences,
  reconcileWorkspace,
  resolveWorkspaceDifference,
} from '@windlass/contracts/platform/workspace-reconciliation.ts'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { SelectField } from '@windlass/ui/choices.tsx'
import { RecordList } from '@windlass/ui/console/record-list.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, ErrorNotice, useNow } from '@windlass/ui/data-screen.tsx'
import { TextAreaField } from '@windlass/ui/field.tsx'
import { FormActions, type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { formatAgo } from '@windlass/ui/format-units.ts'
import { formatAmount, formatDateTime } from '@windlass/ui/formats.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator, profileQuery } from '../../session.ts'
import { Exports } from './exports-form.tsx'
import { SafeguardingView } from './safeguarding.tsx'
import { checkNames, texts } from './texts.ts'
import { membersQuery, useMemberName } from '../team/members.ts'
import { unitName } from '../assets.ts'
import { Detail } from '../notifications/notification-link.tsx'
import { useWorkspace } from '../workspace.tsx'
import { manages } from '../manages.ts'

const REFRESH_MS = 30_000
const refreshAll = () => void refresh(getWorkspaceReconciliation, listWorkspaceDifferences)

const lastQuery = (anchorId: string) =>
  operator.query(getWorkspaceReconciliation, { params: { anchorId } }, { refetchInterval: REFRESH_MS })

/** Whether journal, ledger and rails agree, and what became of each difference. */
export function Component() {
  return (
    <div className="space-y-8">
      <Last />
      <SafeguardingView />
      <Open />
      <Ended />
      <Exports />
    </div>
  )
}

const tones: Record<NonNullable<Reconciliation['last']>['checks'][number]['result'], Tone> = {
  equal: 'good',
  different: 'bad',
  'not-checked': 'neutral',
}

function Last() {
  const { id: anchorId, role } = useWorkspace()
  const now = useNow(15_000)
  const found = useQuery(lastQuery(anchorId))
  const compare = useMutation({
    mutationFn: () => operator.call(reconcileWorkspace, { params: { anchorId } }),
    onSettled: refreshAll,
  })
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      {compare.error && <ErrorNotice failure={{ ...describeError(compare.error), title: texts.failed }} />}
      <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-32" />}>
        {({ last }) => (
          <Panel className="space-y-3 px-4 py-4 sm:px-5">
            <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
              <p role="status" className="min-w-0 flex-1 text-14 text-soft">
                {last ? texts.last(formatAgo(Date.parse(last.at), now)) : texts.never}
              </p>
              {manages(role, 'finance') && (
                <Button pending={compare.isPending} onClick={() => compare.mutate()}>
                  {texts.compare}
                </Button>
              )}
            </div>
            {last && (
              <ul className="divide-y divide-line border-t border-line">
                {last.checks.map(({ name, result, detail }) => (
                  <li key={name} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 py-2 text-14">
                    <span className="w-48 font-medium">{checkNames[name] ?? name}</span>
                    <Status tone={tones[result]}>{texts.results[result]}</Status>
                    {result !== 'equal' && <span className="text-soft wrap-anywhere">{detail}</span>}
                  </li>
                ))}
              </ul>
            )}
          </Panel>
        )}
      </DataScreen>
    </section>
  )
}

/** An amount with the name of its unit. */
function useMoney(): (row: Difference) => string {
  const workspace = useWorkspace()
  return ({ amount, unit }) => `${formatAmount(amount)} ${unitName(workspace, unit)}`
}

/** Who works in the organization, by the name that the anchor keeps. */
function useMembers(): { value: string; label: string }[] {
  const { organization } = useWorkspace()
  const members = useQuery(membersQuery(organization.id)).data ?? []
  return members.map(({ userId, fullName, email }) => ({
    value: `operator:${userId}`,
    label: fullName ?? email,
  }))
}

function Open() {
  const { id: anchorId, role } = useWorkspace()
  const now = useNow(60_000)
  const [editing, setEditing] = useState<Difference>()
  const money = useMoney()
  const members = useMembers()
  const nameOf = useMemberName()
  const list = useInfiniteQuery({
    ...operator.pages(listWorkspaceDifferences, { params: { anchorId }, query: { status: 'open' } }),
    refetchInterval: REFRESH_MS,
  })
  const { columns: heads } = texts.open
  const columns: Column<Difference>[] = [
    {
      head: heads.kind,
      className: 'whitespace-nowrap',
      cell: row => (
        <>
          {texts.kinds[row.kind]}
          {row.dueAt && Date.parse(row.dueAt) > now && (
            <span className="block text-13 text-soft">{texts.open.notDue(formatDateTime(row.dueAt))}</span>
          )}
        </>
      ),
    },
    { head: heads.amount, numeric: true, cell: money },
    {
      head: heads.detail,
      className: 'text-soft wrap-anywhere',
      cell: row => (
        <>
          <Detail anchorId={anchorId}>{row.detail}</Detail>
          {row.saidBy && <span className="block">{texts.open.saidBy(nameOf(row.saidBy))}</span>}
          {row.pending && (
            <span className="block text-ink">
              {texts.open.pending(
                nameOf(row.pending.by),
                texts.form.resolve.resolution.choices[row.pending.resolution],
              )}{' '}
              ({row.pending.reason})
            </span>
          )}
        </>
      ),
    },
    {
      head: heads.age,
      className: 'whitespace-nowrap text-soft',
      named: true,
      value: row => row.foundAt,
      cell: row => (
        <time dateTime={row.foundAt} title={formatDateTime(row.foundAt)}>
          {formatAgo(Date.parse(row.foundAt), now)}
        </time>
      ),
    },
    {
      head: heads.assigned,
      named: true,
      cell: row => members.find(({ value }) => value === row.assignedTo)?.label ?? texts.open.nobody,
    },
  ]
  if (manages(role, 'finance'))
    columns.push({
      head: heads.actions,
      className: 'text-right whitespace-nowrap',
      cell: row => (
        <Button
          aria-label={texts.open.editWhat(texts.kinds[row.kind], money(row))}
          onClick={() => setEditing(row)}
        >
          {texts.open.edit}
        </Button>
      ),
    })
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.open.title} lead={texts.open.lead} />
      <RecordList texts={texts.open} list={list} columns={columns} keyOf={row => row.id} />
      {editing && (
        <EditPanel
          difference={editing}
          onClose={() => setEditing(undefined)}
          onDone={() => {
            setEditing(undefined)
            refreshAll()
          }}
        />
      )}
    </section>
  )
}

interface EditProps {
  difference: Difference
  onDone(): void
  onClose(): void
}

function EditPanel({ difference, onDone, onClose }: EditProps) {
  return (
    <SidePanel open onClose={onClose} title={texts.kinds[difference.kind]}>
      <p className="mb-6 text-14 text-soft wrap-anywhere">{difference.detail}</p>
      <div className="space-y-8">
        <AssignForm difference={difference} onDone={onDone} />
        {difference.pending ? (
          <Approval difference={difference} onDone={onDone} />
        ) : (
          <ResolveForm difference={difference} onDone={onDone} onClose={onClose} />
        )}
      </div>
    </SidePanel>
  )
}

function AssignForm({ difference, onDone }: Omit<EditProps, 'onClose'>) {
  const { id: anchorId } = useWorkspace()
  const { assign } = texts.form
  const choices = [{ value: '', label: texts.open.nobody }, ...useMembers()]
  const form = useForm({
    initial: { to: difference.assignedTo ?? '' },
    check: () => ({}),
    send: async ({ to }) => {
      const params = { anchorId, id: difference.id }
      await operator.call(assignWorkspaceDifference, { params, body: { to: to === '' ? null : to } })
      onDone()
    },
    explain: failedAs(assign.failed),
  })
  return (
    <FormShell form={form}>
      <SelectField name="to" label={assign.label} choices={choices} />
      <Button type="submit" pending={form.pending}>
        {assign.save}
      </Button>
    </FormShell>
  )
}

/** What a second person approves or rejects; who asked for it only rejects. */
function Approval({ difference: { id, pending }, onDone }: Omit<EditProps, 'onClose'>) {
  const { id: anchorId } = useWorkspace()
  const { resolve } = texts.form
  const ownId = useQuery(profileQuery).data?.user.id
  const decide = useMutation({
    mutationFn: (approve: boolean) =>
      operator.call(approveWorkspaceDifference, { params: { anchorId, id }, body: { approve } }),
    onSuccess: onDone,
  })
  const isOwn = pending?.by === `operator:${ownId}`
  return (
    <section className="space-y-3">
      {decide.error && <ErrorNotice failure={{ ...describeError(decide.error), title: resolve.failed }} />}
      {isOwn && <p className="text-14 text-soft">{resolve.own}</p>}
      <div className="flex flex-wrap gap-2">
        {!isOwn && (
          <Button look="primary" pending={decide.isPending} onClick={() => decide.mutate(true)}>
            {resolve.approve}
          </Button>
        )}
        <Button look="quietDanger" pending={decide.isPending} onClick={() => decide.mutate(false)}>
          {resolve.reject}
        </Button>
      </div>
    </section>
  )
}

function ResolveForm({ difference, onDone, onClose }: EditProps) {
  const { id: anchorId } = useWorkspace()
  const { resolve } = texts.form
  const form = useForm({
    initial: { resolution: '', reason: '' },
    check: ({ resolution, reason }): FormErrors => ({
      ...(resolution === '' && { resolution: resolve.resolution.missing }),
      ...(reason.trim() === '' && { reason: resolve.reason.missing }),
    }),
    send: async ({ resolution: chosen, reason }) => {
      const resolution = resolutions.find(each => each === chosen) ?? 'other'
      const params = { anchorId, id: difference.id }
      await operator.call(resolveWorkspaceDifference, {
        params,
        body: { resolution, reason: reason.trim() },
      })
      onDone()
    },
    explain: failedAs(resolve.failed),
  })
  return (
    <FormShell form={form}>
      <h3 className="font-semibold">{resolve.title}</h3>
      <p className="text-14 text-soft">{resolve.lead}</p>
      <SelectField
        name="resolution"
        label={resolve.resolution.label}
        choices={resolutions.map(value => ({ value, label: resolve.resolution.choices[value] }))}
      />
      <TextAreaField name="reason" label={resolve.reason.label} hint={resolve.reason.hint} maxLength={500} />
      <FormActions onCancel={onClose}>
        <Button type="submit" look="primary" pending={form.pending}>
          {resolve.save}
        </Button>
      </FormActions>
    </FormShell>
  )
}

function Ended() {
  const { id: anchorId } = useWorkspace()
  const money = useMoney()
  const list = useInfiniteQuery({
    ...operator.pages(listWorkspaceDifferences, { params: { anchorId } }),
    select: data => ({
      ...data,
      pages: data.pages.map(page => ({ ...page, rows: page.rows.filter(({ status }) => status !== 'open') })),
    }),
    refetchInterval: REFRESH_MS,
  })
  const { columns: heads } = texts.ended
  const columns: Column<Difference>[] = [
    { head: heads.kind, className: 'whitespace-nowrap', cell: row => texts.kinds[row.kind] },
    { head: heads.amount, numeric: true, cell: money },
    {
      head: heads.status,
      cell: row => (
        <Status tone={row.status === 'resolved' ? 'good' : 'neutral'}>{texts.states[row.status]}</Status>
      ),
    },
    {
      head: heads.at,
      className: 'whitespace-nowrap text-soft',
      cell: row => row.endedAt && formatDateTime(row.endedAt),
    },
    { head: heads.reason, className: 'wrap-anywhere', cell: row => row.reason ?? texts.ended.gone },
  ]
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.ended.title} lead={texts.ended.lead} />
      <RecordList texts={texts.ended} list={list} columns={columns} keyOf={row => row.id} />
    </section>
  )
}
