import { refreshBank } from './refresh-bank.ts'
import { describeError } from '@windlass/ui/console/errors.ts'
import type { BankStatement } from '@windlass/contracts/anchor/bank-files.ts'
import { downloadWorkspaceStatementFile } from '@windlass/contracts/platform/workspace-bank-accounts.ts'
import { listWorkspaceStatements } from '@windlass/contracts/platform/workspace-bank-files.ts'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { saveFile } from '@windlass/ui/console/csv.ts'
import { RecordList } from '@windlass/ui/console/record-list.tsx'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatDate } from '@windlass/ui/formats.ts'
import { SectionHeading } from '@windlass/ui/page.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { useState } from 'react'
import { operator } from '../../session.ts'
import { UploadForm } from './bank-forms.tsx'
import { CsvForm } from './csv-form.tsx'
import { texts } from './texts.ts'
import { useWorkspace } from '../workspace.tsx'
import { manages as mayAct } from '../manages.ts'

/** The first act of a day: what the bank booked. */
export function Uploads({ rails }: { rails: readonly string[] }) {
  const { role } = useWorkspace()
  const [form, setForm] = useState<'upload' | 'csv'>()
  const [read, setRead] = useState<BankStatement>()
  const close = () => setForm(undefined)
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.statements.lead}
        actions={
          mayAct(role, 'finance') && (
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => setForm('csv')}>{texts.statements.columnsOfCsv}</Button>
              <Button look="primary" onClick={() => setForm('upload')}>
                {texts.statements.upload}
              </Button>
            </div>
          )
        }
      />
      {read && (
        <p role="status" className="text-14 text-soft">
          {texts.upload.done(read.lines, read.newLines)}{' '}
          {Boolean(read.possibleDuplicates) && texts.upload.doubtful(read.possibleDuplicates ?? 0)}{' '}
          {read.notBooked ? texts.upload.leftOut(read.notBooked) : ''}{' '}
          {read.leftOut?.map(({ reason, detail }) => texts.upload.notRead[reason](detail)).join(' ')}
        </p>
      )}
      {form === 'upload' && (
        <UploadForm
          rails={rails}
          onClose={close}
          onDone={statement => {
            close()
            setRead(statement)
            refreshBank()
          }}
        />
      )}
      {form === 'csv' && <CsvForm rails={rails} onClose={close} />}
    </section>
  )
}

/** What was read, newest first. */
export function Statements() {
  const { id: anchorId, role } = useWorkspace()
  const list = useInfiniteQuery(operator.pages(listWorkspaceStatements, { params: { anchorId } }))
  const download = useMutation({
    mutationFn: async ({ id, fileName }: BankStatement) => {
      const answer = await operator.open(downloadWorkspaceStatementFile, { params: { anchorId, id } })
      saveFile(fileName, await answer.blob())
    },
  })
  const { columns: heads } = texts.statements
  const columns: Column<BankStatement>[] = [
    timeColumn(heads.at, row => row.createdAt),
    { head: heads.file, className: 'font-medium wrap-anywhere', value: row => row.fileName },
    { head: heads.rail, value: row => row.rail },
    {
      head: heads.days,
      className: 'text-soft',
      cell: row =>
        [...new Set([row.bookedFrom, row.bookedTo])].flatMap(day => (day ? formatDate(day) : [])).join(' – '),
    },
    { head: heads.lines, named: true, numeric: true, value: row => row.lines },
    { head: heads.newLines, named: true, numeric: true, value: row => row.newLines },
  ]
  if (mayAct(role, 'finance'))
    columns.push({
      head: heads.actions,
      className: 'text-right',
      cell: row =>
        row.hasFile && (
          <Button
            look="quiet"
            aria-label={texts.statements.downloadWhat(row.fileName)}
            title={row.sha256 && `SHA-256 ${row.sha256}`}
            onClick={() => download.mutate(row)}
          >
            {texts.statements.download}
          </Button>
        ),
    })
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.statements.title} />
      {download.error && (
        <ErrorNotice failure={{ ...describeError(download.error), title: texts.statements.downloadFailed }} />
      )}
      <RecordList texts={texts.statements} list={list} columns={columns} keyOf={row => row.id} />
    </section>
  )
}
