import {
  type Case,
  type CaseFile,
  caseOutcomes,
  caseReportFormats,
} from '@windlass/contracts/anchor/cases.ts'
import { mayCall } from '@windlass/contracts/access.ts'
import {
  closeWorkspaceCase,
  getWorkspaceCase,
  getWorkspaceCaseReport,
  listWorkspaceCases,
  noteWorkspaceCase,
  openWorkspaceCase,
  planWorkspaceCase,
} from '@windlass/contracts/platform/workspace-cases.ts'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField, SelectField } from '@windlass/ui/choices.tsx'
import { saveFile, saveJson } from '@windlass/ui/console/csv.ts'
import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import { RecordList, rowsOf } from '@windlass/ui/console/record-list.tsx'
import { DataScreen, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { formatDate, formatDateTime } from '@windlass/ui/formats.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { Fact, Facts, SectionHeading } from '@windlass/ui/page.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { manages } from '../manages.ts'
import { membersQuery, useMemberName } from '../team/members.ts'
import { ReportFindings } from './report-settings.tsx'
import { useWorkspace } from '../workspace.tsx'
import { texts } from './case-texts.ts'

const refreshCases = () => void refresh(listWorkspaceCases, getWorkspaceCase)

export function Cases() {
  const { id: anchorId, role } = useWorkspace()
  const nameOf = useMemberName()
  const [open, setOpen] = useState<string>()
  const [isOpening, setOpening] = useState(false)
  const list = useInfiniteQuery(operator.pages(listWorkspaceCases, { params: { anchorId }, query: {} }))
  const found = rowsOf(list).find(({ id }) => id === open)
  const { columns: heads } = texts
  const columns: Column<Case>[] = [
    {
      head: heads.about,
      className: 'font-medium wrap-anywhere',
      cell: row => (
        <Button look="quiet" className="-ml-3.5" onClick={() => setOpen(row.id)}>
          {`${texts.subjects[row.subject.kind]} ${row.subject.id}`}
        </Button>
      ),
    },
    { head: heads.hits, named: true, numeric: true, value: row => row.hits },
    {
      head: heads.assigned,
      named: true,
      cell: row => (row.assignedTo ? nameOf(row.assignedTo) : texts.nobody),
    },
    {
      head: heads.due,
      named: true,
      className: 'whitespace-nowrap',
      value: row => row.dueOn,
      cell: row => formatDate(row.dueOn),
    },
    {
      head: heads.status,
      cell: row => (
        <Status tone={row.isOverdue ? 'bad' : row.status === 'open' ? 'warn' : 'neutral'}>
          {row.isOverdue ? texts.overdue : row.outcome ? texts.outcomes[row.outcome] : texts.statuses.open}
        </Status>
      ),
    },
  ]
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.lead}
        actions={
          manages(role, 'compliance') && (
            <Button onClick={() => setOpening(true)}>{texts.opening.action}</Button>
          )
        }
      />
      <RecordList texts={texts} list={list} columns={columns} keyOf={row => row.id} />
      {isOpening && (
        <OpenForm
          onDone={id => {
            setOpening(false)
            refreshCases()
            setOpen(id)
          }}
          onClose={() => setOpening(false)}
        />
      )}
      {found && <CasePanel key={found.id} id={found.id} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

/** A case that no hit opened. Where one is open about the same, what is written is added to it. */
function OpenForm({ onDone, onClose }: { onDone(id: string): void; onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const { opening: words } = texts
  const kinds = ['customer', 'transaction'] as const
  const form = useForm({
    initial: { kind: 'customer', id: '', reason: '' },
    check: ({ id, reason }): FormErrors => ({
      ...(id.trim() === '' && { id: words.missing }),
      ...(reason.trim() === '' && { reason: words.missing }),
    }),
    send: async ({ kind, id, reason }) => {
      const subject = { kind: kinds.find(each => each === kind) ?? 'customer', id: id.trim() }
      const body = { subject, reason: reason.trim() }
      const opened = await operator.call(openWorkspaceCase, { params: { anchorId }, body })
      onDone(opened.case.id)
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormPanel title={words.action} form={form} send={words.action} onClose={onClose}>
      <SelectField
        required
        name="kind"
        label={words.kind}
        choices={kinds.map(value => ({ value, label: texts.subjects[value] }))}
      />
      <TextField name="id" {...words.id} maxLength={200} autoComplete="off" />
      <TextAreaField name="reason" {...words.reason} maxLength={2000} />
    </FormPanel>
  )
}

function CasePanel({ id, onClose }: { id: string; onClose(): void }) {
  const { id: anchorId, role, subdomain } = useWorkspace()
  const query = useQuery(operator.query(getWorkspaceCase, { params: { anchorId, id } }))
  return (
    <SidePanel open onClose={onClose} title={texts.panel}>
      <DataScreen query={query} explain={describeError} skeleton={<Bar className="h-40" />}>
        {file => (
          <div className="space-y-6">
            <Facts>
              <Fact name={texts.subjects[file.case.subject.kind]}>
                <span className="font-mono wrap-anywhere">{file.case.subject.id}</span>
              </Fact>
              {file.linked.length > 0 && (
                <Fact name={texts.linked}>
                  <span className="font-mono wrap-anywhere">{file.linked.join(', ')}</span>
                </Fact>
              )}
            </Facts>
            <Steps file={file} />
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => saveJson(`${subdomain}-case-${id}.json`, file)}>{texts.export}</Button>
              {manages(role, 'compliance') && <Reports id={id} />}
            </div>
            {manages(role, 'compliance') && <NoteForm key={file.steps.length} id={id} />}
            {manages(role, 'compliance') && file.case.status === 'open' && (
              <>
                <PlanForm found={file.case} />
                <CloseForm id={id} />
              </>
            )}
          </div>
        )}
      </DataScreen>
    </SidePanel>
  )
}

/** Drafts of reports for authorities, as files. */
function Reports({ id }: { id: string }) {
  const { id: anchorId } = useWorkspace()
  const save = useMutation({
    mutationFn: async (format: (typeof caseReportFormats)[number]) => {
      const input = { params: { anchorId, id }, query: { format } }
      const { fileName, xml, schema } = await operator.call(getWorkspaceCaseReport, input)
      saveFile(fileName, new Blob([xml], { type: 'application/xml' }))
      return schema
    },
  })
  return (
    <>
      {caseReportFormats.map(format => (
        <Button key={format} pending={save.isPending} onClick={() => save.mutate(format)}>
          {texts.report.formats[format]}
        </Button>
      ))}
      {save.error && <ErrorNotice failure={{ ...describeError(save.error), title: texts.report.failed }} />}
      {save.data && <ReportFindings schema={save.data} />}
    </>
  )
}

function Steps({ file: { steps } }: { file: CaseFile }) {
  const nameOf = useMemberName()
  if (steps.length === 0) return null
  return (
    <section className="space-y-2">
      <h3 className="text-13 font-medium text-soft">{texts.steps}</h3>
      <ol className="divide-y divide-line rounded-8 border border-line text-13">
        {steps.map(({ kind, text, assignedTo, dueOn, outcome, by, at }) => (
          <li key={at} className="space-y-1 px-3 py-2">
            <p className="flex flex-wrap justify-between gap-x-4">
              <strong className="font-medium">{texts.done[kind]}</strong>
              <span className="text-soft">
                {nameOf(by)} · <time dateTime={at}>{formatDateTime(at)}</time>
              </span>
            </p>
            {kind === 'planned' && (
              <p>
                {assignedTo ? nameOf(assignedTo) : texts.nobody} · {dueOn && formatDate(dueOn)}
              </p>
            )}
            {outcome && <p>{texts.outcomes[outcome]}</p>}
            {text && <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>}
          </li>
        ))}
      </ol>
    </section>
  )
}

function NoteForm({ id }: { id: string }) {
  const { id: anchorId } = useWorkspace()
  const { note } = texts
  const form = useForm({
    initial: { text: '' },
    check: ({ text }): FormErrors => (text.trim() === '' ? { text: note.missing } : {}),
    send: async ({ text }) => {
      await operator.call(noteWorkspaceCase, { params: { anchorId, id }, body: { text: text.trim() } })
      refreshCases()
    },
    explain: failedAs(note.failed),
  })
  return (
    <FormShell form={form}>
      <TextAreaField name="text" label={note.label} hint={note.hint} maxLength={4000} />
      <Button type="submit" pending={form.pending}>
        {note.send}
      </Button>
    </FormShell>
  )
}

function PlanForm({ found: { id, assignedTo, dueOn } }: { found: Case }) {
  const { id: anchorId, organization } = useWorkspace()
  const members = useQuery(membersQuery(organization.id)).data ?? []
  const officers = members
    .filter(({ role }) => mayCall(role, planWorkspaceCase))
    .map(({ userId, fullName }) => ({ value: `operator:${userId}`, label: fullName }))
  const { plan } = texts
  const form = useForm({
    initial: { assignedTo: assignedTo ?? '', dueOn },
    check: (values): FormErrors => (values.dueOn === '' ? { dueOn: plan.missing } : {}),
    send: async values => {
      const body = { assignedTo: values.assignedTo || null, dueOn: values.dueOn }
      await operator.call(planWorkspaceCase, { params: { anchorId, id }, body })
      refreshCases()
    },
    explain: failedAs(plan.failed),
  })
  return (
    <FormShell form={form}>
      <SelectField
        name="assignedTo"
        label={plan.assigned}
        choices={[{ value: '', label: texts.nobody }, ...officers]}
      />
      <TextField name="dueOn" label={plan.due} type="date" />
      <Button type="submit" pending={form.pending}>
        {plan.send}
      </Button>
    </FormShell>
  )
}

function CloseForm({ id }: { id: string }) {
  const { id: anchorId } = useWorkspace()
  const { close } = texts
  const form = useForm({
    initial: { outcome: '', reason: '' },
    check: (values): FormErrors => ({
      ...(values.outcome === '' && { outcome: close.missing }),
      ...(values.reason.trim() === '' && { reason: close.reasonMissing }),
    }),
    send: async values => {
      const outcome = caseOutcomes.find(each => each === values.outcome)
      if (!outcome) return
      await operator.call(closeWorkspaceCase, {
        params: { anchorId, id },
        body: { outcome, reason: values.reason.trim() },
      })
      refreshCases()
    },
    explain: failedAs(close.failed),
  })
  return (
    <FormShell form={form}>
      <ChoicesField
        single
        name="outcome"
        label={close.outcome}
        choices={caseOutcomes.map(value => ({ value, label: texts.outcomes[value] }))}
      />
      <TextAreaField name="reason" label={close.reason} maxLength={4000} />
      <Button type="submit" look="primary" pending={form.pending}>
        {close.send}
      </Button>
    </FormShell>
  )
}
