import type { SanctionsList } from '@windlass/contracts/anchor/compliance.ts'
import { getWorkspaceScreening } from '@windlass/contracts/platform/workspace-compliance.ts'
import { useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { describeError } from '@windlass/ui/console/errors.ts'
import { DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { formatAmount, formatDate, formatDateTime } from '@windlass/ui/formats.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { type Column, Table } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { operator } from '../../session.ts'
import { LoadForm, ThresholdForm } from './compliance-forms.tsx'
import { refreshHits, scoreOf } from './screening.ts'
import { texts } from './texts.ts'
import { useWorkspace } from '../workspace.tsx'
import { manages } from '../manages.ts'

const LETTERS_OF_HASH = 12

/** The sanctions lists that names are compared with. */
export function Lists() {
  const { id: anchorId, role } = useWorkspace()
  const [form, setForm] = useState<'load' | 'threshold'>()
  const screening = useQuery(
    operator.query(
      getWorkspaceScreening,
      { params: { anchorId } },
      {
        refetchInterval: ({ state }) => (state.data?.outdated ? 3_000 : false),
      },
    ),
  )
  const { columns: heads } = texts.lists
  const columns: Column<SanctionsList>[] = [
    {
      head: heads.source,
      className: 'font-medium',
      cell: row => (row.list ? texts.lists.names[row.list] : row.source),
    },
    {
      head: heads.published,
      className: 'whitespace-nowrap',
      value: row => row.publishedOn,
      cell: row => row.publishedOn && formatDate(row.publishedOn),
    },
    {
      head: heads.entries,
      named: true,
      numeric: true,
      value: row => row.entries,
      cell: row => formatAmount(String(row.entries)),
    },
    {
      head: heads.hash,
      className: 'font-mono text-soft',
      cell: row => <span title={row.sha256}>{row.sha256.slice(0, LETTERS_OF_HASH)}</span>,
    },
    {
      head: heads.at,
      className: 'whitespace-nowrap text-soft',
      value: row => row.at,
      cell: row => (
        <>
          <time dateTime={row.at}>{formatDateTime(row.at)}</time>
          {row.current && row.checkedAt && row.checkedAt > row.at && (
            <span className="block">{texts.lists.checked(formatDateTime(row.checkedAt))}</span>
          )}
        </>
      ),
    },
    {
      head: heads.status,
      cell: row => (
        <Status tone={row.current ? 'good' : 'neutral'}>
          {row.current ? texts.lists.current : texts.lists.replaced}
        </Status>
      ),
    },
  ]
  const done = () => {
    setForm(undefined)
    refreshHits()
  }
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.lists.title}
        lead={texts.lists.lead}
        actions={
          manages(role, 'compliance') && (
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => setForm('threshold')}>{texts.threshold.change}</Button>
              <Button look="primary" onClick={() => setForm('load')}>
                {texts.lists.load}
              </Button>
            </div>
          )
        }
      />
      <DataScreen query={screening} explain={describeError} skeleton={<Bar className="h-40" />}>
        {({ threshold, lists, outdated }) => (
          <>
            <p className="text-14 text-soft">
              {lists.length === 0 ? texts.lists.none : texts.threshold.lead(scoreOf(threshold))}
              {outdated > 0 && ` ${texts.lists.outdated(outdated)}`}
            </p>
            {lists.length === 0 ? (
              <Empty title={texts.lists.empty.title}>{texts.lists.empty.detail}</Empty>
            ) : (
              <Table
                caption={texts.lists.title}
                columns={columns}
                rows={lists}
                keyOf={row => String(row.version)}
              />
            )}
            {form === 'threshold' && (
              <ThresholdForm
                threshold={scoreOf(threshold)}
                onDone={done}
                onClose={() => setForm(undefined)}
              />
            )}
          </>
        )}
      </DataScreen>
      {form === 'load' && <LoadForm onDone={done} onClose={() => setForm(undefined)} />}
    </section>
  )
}
