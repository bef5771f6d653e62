import {
  listRefusedMessages,
  type RefusedMessage,
  retryRefusedMessage,
} from '@windlass/contracts/platform/refused-messages.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { TableSkeleton } from '@windlass/ui/console/record-list.tsx'
import { DataScreen, Empty, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { Notice } from '@windlass/ui/notice.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { Code, type Column, Table } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { call, queries, query, refresh } from '../api.ts'
import { shell } from '../texts.ts'
import { messages as texts } from './texts.ts'

const refusedQuery = query(listRefusedMessages, {}, { refetchInterval: 10_000 })

export function loader() {
  void queries.prefetchQuery(refusedQuery)
  return null
}

const columns: Column<RefusedMessage>[] = [
  { head: texts.columns.topic, cell: row => <Code>{row.topic}</Code> },
  {
    head: texts.columns.answer,
    className: 'wrap-anywhere',
    cell: row => (
      <>
        <Code>{row.code}</Code>
        {row.detail && <p className="text-13 text-soft">{row.detail}</p>}
      </>
    ),
  },
  { head: texts.columns.attempts, named: true, className: 'tabular', cell: row => row.attempts },
  timeColumn(texts.columns.since, row => row.since),
  { head: texts.columns.action, cell: row => <Retry message={row} /> },
]

export function Component() {
  const list = useQuery(refusedQuery)
  return (
    <>
      <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
      <DataScreen
        query={list}
        explain={describeError}
        skeleton={<TableSkeleton />}
        isEmpty={rows => rows.length === 0}
        empty={<Empty title={texts.empty.title}>{texts.empty.detail}</Empty>}
      >
        {rows => (
          <div className="space-y-4">
            <Notice tone="info" title={texts.remedy.title}>
              {texts.remedy.detail}
            </Notice>
            <Table caption={texts.title} rows={rows} keyOf={row => row.id} columns={columns} />
          </div>
        )}
      </DataScreen>
    </>
  )
}

function Retry({ message: { id, topic } }: { message: RefusedMessage }) {
  const retry = useMutation({
    mutationFn: () => call(retryRefusedMessage, { params: { id } }),
    onSuccess: () => refresh(listRefusedMessages),
  })
  if (retry.isSuccess) return <p role="status">{texts.sent}</p>
  return (
    <div className="space-y-2">
      <Button aria-label={texts.retryOf(topic)} pending={retry.isPending} onClick={() => retry.mutate()}>
        {texts.retry}
      </Button>
      {retry.error && <ErrorNotice failure={{ ...describeError(retry.error), title: texts.failed }} />}
    </div>
  )
}
