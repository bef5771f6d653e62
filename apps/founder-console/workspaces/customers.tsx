import { describeError } from '@windlass/client/errors.ts'
import { setWorkspaceCustomerTier, tiers } from '@windlass/contracts/anchor-settings.ts'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { TextAreaField } from '@windlass/ui/field.tsx'
import { FormActions, FormShell, useForm } from '@windlass/ui/form.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { listQuery, RecordList } from '@windlass/ui/console/record-list.tsx'
import { SearchForm, type SearchField } from '@windlass/ui/console/search-form.tsx'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import { listWorkspaceCustomers } from '@windlass/contracts/workspace-records.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { queries } from '../queries.ts'
import { paths } from '../paths.ts'
import { operator } from '../session.ts'
import { texts as settings } from './settings-texts.ts'
import { workspace } from './texts.ts'
import { useWorkspace } from './workspace.tsx'

const texts = workspace.customers

const statuses = ['ACCEPTED', 'PROCESSING', 'REJECTED', 'NEEDS_INFO'] as const

const filterIn = (query: URLSearchParams) => ({
  account: query.get('account') ?? undefined,
  status: statuses.find(known => known === query.get('status')),
})

const fields: SearchField[] = [
  { name: 'account', label: texts.columns.account },
  { name: 'status', label: texts.columns.status, choices: Object.entries(texts.statuses) },
]

/** The anchor's customers and the status of their identity check, without personal data. */
export function Component() {
  const { id: anchorId, role } = useWorkspace()
  const filter = filterIn(useSearchParams()[0])
  const [changing, setChanging] = useState<Customer>()
  const list = useInfiniteQuery(
    listQuery(['operator', 'customers', anchorId, filter], (page, signal) =>
      operator.send(listWorkspaceCustomers, { params: { anchorId }, query: { ...filter, ...page }, signal }),
    ),
  )
  const pathTo = (values: Record<string, string | undefined>) =>
    paths.workspace(anchorId, 'customers', values)
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <SearchForm label={texts.search} fields={fields} values={filter} to={pathTo} />
      <RecordList
        texts={texts}
        list={list}
        columns={role === 'member' ? columns : [...columns, actionsColumn(setChanging)]}
        keyOf={row => row.id}
        showAll={filter.account || filter.status ? pathTo({}) : undefined}
      />
      {changing && <TierForm customer={changing} onClose={() => setChanging(undefined)} />}
    </section>
  )
}

type Customer = AnswerOf<typeof listWorkspaceCustomers>[number]

const columns: Column<Customer>[] = [
  {
    head: texts.columns.account,
    cell: row => <Identifier value={row.account} what={texts.columns.account} />,
  },
  {
    head: texts.columns.memo,
    named: true,
    className: 'text-soft tabular',
    cell: row => row.memo ?? '–',
  },
  {
    head: texts.columns.since,
    className: 'whitespace-nowrap text-soft',
    cell: row => <time dateTime={row.createdAt}>{formatDateTime(row.createdAt)}</time>,
  },
  { head: texts.columns.status, cell: row => <IdentityStatus status={row.status} /> },
  {
    head: settings.tier.column,
    named: true,
    cell: row => settings.limits.tiers[row.tier ?? 'standard'],
  },
]

const actionsColumn = (change: (customer: Customer) => void): Column<Customer> => ({
  head: settings.tier.title,
  named: true,
  cell: row =>
    row.status === 'ACCEPTED' && <Button onClick={() => change(row)}>{settings.tier.change}</Button>,
})

function TierForm({ customer, onClose }: { customer: Customer; onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const words = settings.tier
  const form = useForm({
    initial: { tier: customer.tier ?? 'standard', reason: '' },
    check: ({ reason }) => (reason.trim() === '' ? { reason: words.reasonMissing } : {}),
    send: async ({ tier, reason }) => {
      await operator.call(setWorkspaceCustomerTier, {
        params: { anchorId, id: customer.id },
        body: { tier: tiers.find(each => each === tier) ?? 'standard', reason: reason.trim() },
      })
      await queries.invalidateQueries({ queryKey: ['operator', 'customers', anchorId] })
      onClose()
    },
    explain: error => ({ failure: { ...describeError(error), title: words.failed } }),
  })
  const choices = tiers.map(value => ({ value, label: settings.limits.tiers[value] }))
  return (
    <SidePanel open onClose={onClose} title={words.title}>
      <p className="mb-4 text-14">{words.lead}</p>
      <FormShell form={form}>
        <ChoicesField single name="tier" label={words.label} choices={choices} />
        <TextAreaField name="reason" label={words.reason} hint={words.reasonHint} maxLength={500} />
        <FormActions onCancel={onClose}>
          <Button type="submit" look="primary" pending={form.pending}>
            {settings.save}
          </Button>
        </FormActions>
      </FormShell>
    </SidePanel>
  )
}

const tones: Record<string, Tone> = { ACCEPTED: 'good', REJECTED: 'bad', PROCESSING: 'info' }

function IdentityStatus({ status }: { status: string }) {
  return <Status tone={tones[status] ?? 'neutral'}>{texts.statuses[status] ?? status}</Status>
}
