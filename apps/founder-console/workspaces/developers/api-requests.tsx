import type { ApiRequest } from '@windlass/contracts/anchor/api-requests.ts'
import { listApiKeys } from '@windlass/contracts/platform/api-keys.ts'
import { listWorkspaceApiRequests } from '@windlass/contracts/platform/workspace-api-requests.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { RecordList } from '@windlass/ui/console/record-list.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { Status } from '@windlass/ui/notice.tsx'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { Code, type Column } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { useSearchParams } from 'react-router'
import { paths } from '../../paths.ts'
import { operator } from '../../session.ts'
import { useWorkspace } from '../workspace.tsx'
import { apiRequests as texts } from './request-texts.ts'

/** What the anchor's keys asked of its API, and how it was answered. */
export function ApiRequests() {
  const { id: anchorId } = useWorkspace()
  const failed = useSearchParams()[0].get('failed') === 'true'
  const list = useInfiniteQuery(
    operator.pages(listWorkspaceApiRequests, {
      params: { anchorId },
      query: { failed: failed || undefined, limit: 20 },
    }),
  )
  const keys = useQuery(operator.query(listApiKeys, { params: { anchorId } })).data ?? []
  const nameOf = (id: string) => keys.find(key => key.id === id)?.name ?? id
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <RecordList
        texts={texts}
        list={list}
        columns={columnsWith(nameOf)}
        keyOf={row => row.id}
        filter={{
          value: failed ? 'true' : undefined,
          options: [['true', texts.failed]],
          to: value => paths.workspace(anchorId, 'developers', { failed: value || undefined }),
        }}
      />
    </section>
  )
}

const columnsWith = (nameOf: (keyId: string) => string): Column<ApiRequest>[] => [
  timeColumn(texts.columns.at, row => row.at),
  {
    head: texts.columns.request,
    className: 'wrap-anywhere max-sm:w-full',
    value: row => `${row.method} ${row.path}`,
    cell: row => <Code>{`${row.method} ${row.path}`}</Code>,
  },
  {
    head: texts.columns.status,
    value: row => row.status,
    cell: row => <Status tone={row.status < 400 ? 'good' : 'bad'}>{row.status}</Status>,
  },
  { head: texts.columns.key, named: true, value: row => nameOf(row.keyId) },
  {
    head: texts.columns.duration,
    numeric: true,
    value: row => row.durationMs,
    cell: row => `${row.durationMs} ms`,
  },
  {
    head: texts.columns.requestId,
    named: true,
    value: row => row.requestId,
    cell: row => <Identifier value={row.requestId} what={texts.columns.requestId} />,
  },
]
