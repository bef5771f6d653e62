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
import { useSearchParams } from 'react-router'
import { paths } from '../paths.ts'
import { operator } from '../session.ts'
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
  const { id: anchorId } = useWorkspace()
  const filter = filterIn(useSearchParams()[0])
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
        columns={columns}
        keyOf={row => row.id}
        showAll={filter.account || filter.status ? pathTo({}) : undefined}
      />
    </section>
  )
}

const columns: Column<AnswerOf<typeof listWorkspaceCustomers>[number]>[] = [
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
]

const tones: Record<string, Tone> = { ACCEPTED: 'good', REJECTED: 'bad', PROCESSING: 'info' }

function IdentityStatus({ status }: { status: string }) {
  return <Status tone={tones[status] ?? 'neutral'}>{texts.statuses[status] ?? status}</Status>
}
