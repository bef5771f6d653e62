import {
  listWorkspaceRefusedMessages,
  type RefusedAnchorMessage,
} from '@windlass/contracts/anchor/refused-anchor-messages.ts'
import { useQuery } from '@tanstack/react-query'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { Code, type Column, Table } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { operator } from '../../session.ts'
import { useWorkspace } from '../workspace.tsx'
import { refusedMessages as texts } from './request-texts.ts'

/** What the platform or the SEP server refused of the anchor's messages; nothing where there is none. */
export function RefusedMessages() {
  const { id: anchorId } = useWorkspace()
  const rows = useQuery(operator.query(listWorkspaceRefusedMessages, { params: { anchorId } })).data ?? []
  if (rows.length === 0) return null
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <Table
        caption={texts.title}
        rows={rows}
        keyOf={row => `${row.topic} ${row.id}`}
        columns={columnsOf(anchorId)}
      />
    </section>
  )
}

const columnsOf = (anchorId: string): Column<RefusedAnchorMessage>[] => [
  timeColumn(texts.columns.at, row => row.writtenAt),
  {
    head: texts.columns.message,
    named: true,
    cell: row => (
      <>
        <p>{texts.topics[row.topic]}</p>
        <Code>{row.what}</Code>
      </>
    ),
  },
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
  {
    head: texts.columns.about,
    cell: row =>
      row.transactionId !== null ? (
        <Link className="link" to={paths.workspace(anchorId, 'transactions', { open: row.transactionId })}>
          {texts.transaction}
        </Link>
      ) : (
        <Identifier value={row.keyId ?? row.id} what={texts.columns.about} />
      ),
  },
  {
    head: texts.columns.next,
    className: 'text-soft',
    cell: row =>
      row.nextAt === null ? texts.never : <time dateTime={row.nextAt}>{formatDateTime(row.nextAt)}</time>,
  },
]
