import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import { type ChartAccount, journalChart } from '@windlass/contracts/anchor/journal.ts'
import {
  decideWorkspaceManualEntry,
  downloadWorkspaceManualDocument,
  listWorkspaceManualEntries,
  type ManualEntry,
  requestWorkspaceManualEntry,
  reverseWorkspaceManualEntry,
} from '@windlass/contracts/anchor/manual-entries.ts'
import { railKind } from '@windlass/contracts/platform/anchor-rails.ts'
import type { Workspace } from '@windlass/contracts/platform/workspaces.ts'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { ConfirmPanel } from '@windlass/ui/console/confirm-panel.tsx'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { amountErrors } from '@windlass/ui/amount-value.ts'
import { Button } from '@windlass/ui/button.tsx'
import { SelectField } from '@windlass/ui/choices.tsx'
import { saveFile } from '@windlass/ui/console/csv.ts'
import { RecordList } from '@windlass/ui/console/record-list.tsx'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import {
  controlBorder,
  controlLook,
  describedBy,
  Labelled,
  TextAreaField,
  TextField,
} from '@windlass/ui/field.tsx'
import { useForm, useFormField } from '@windlass/ui/form.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { formatAmount, formatDateTime } from '@windlass/ui/formats.ts'
import { SectionHeading } from '@windlass/ui/page.tsx'
import type { Column } from '@windlass/ui/table.tsx'
import { type RefObject, useRef, useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator, profileQuery } from '../../session.ts'
import { assetsOf, unitName } from '../assets.ts'
import { base64Of } from '../base64.ts'
import { accountName } from '../journal-accounts.ts'
import { useMemberName } from '../team/members.ts'
import { useWorkspace } from '../workspace.tsx'
import { manualTexts as texts } from './manual-texts.ts'
import { manages } from '../manages.ts'

/** Entries that people write for what no rule covers, two for each. */
export function ManualEntries() {
  const workspace = useWorkspace()
  const { id: anchorId, role } = workspace
  const [writing, setWriting] = useState(false)
  const [reversing, setReversing] = useState<ManualEntry>()
  const ownId = useQuery(profileQuery).data?.user.id
  const nameOf = useMemberName()
  const list = useInfiniteQuery(operator.pages(listWorkspaceManualEntries, { params: { anchorId } }))
  const decide = useMutation({
    mutationFn: ({ id, approve }: { id: string; approve: boolean }) =>
      operator.call(decideWorkspaceManualEntry, { params: { anchorId, id }, body: { approve } }),
    onSettled: () => refresh(listWorkspaceManualEntries),
  })
  const download = useMutation({
    mutationFn: async ({ id, document }: ManualEntry) => {
      const answer = await operator.open(downloadWorkspaceManualDocument, { params: { anchorId, id } })
      saveFile(document.fileName, await answer.blob())
    },
  })
  const columns: Column<ManualEntry>[] = [
    { head: texts.text, className: 'wrap-anywhere', value: row => row.text },
    {
      head: texts.lines,
      cell: row =>
        row.lines.map(({ account, unit, amount }) => (
          <p key={`${account} ${unit} ${amount}`} className="text-13">
            {accountName(account)} {formatAmount(amount)} {unitName(workspace, unit)}
          </p>
        )),
    },
    {
      head: texts.by,
      named: true,
      className: 'text-soft',
      cell: ({ requestedBy, requestedAt, reversal }) => (
        <>
          {nameOf(requestedBy)} <time dateTime={requestedAt}>{formatDateTime(requestedAt)}</time>
          {reversal && (
            <p className="text-13">{texts.takenBack(nameOf(reversal.requestedBy), reversal.reason)}</p>
          )}
        </>
      ),
    },
    { head: texts.status, named: true, cell: row => texts.states[row.status] },
  ]
  if (manages(role, 'finance'))
    columns.push({
      head: texts.actions,
      className: 'text-right',
      cell: row => {
        const isOwn =
          (row.status === 'waiting' ? row.requestedBy : row.reversal?.requestedBy) === `operator:${ownId}`
        const waits = row.status === 'waiting' || row.status === 'reversing'
        return (
          <div className="flex flex-wrap justify-end gap-2">
            <Button look="quiet" aria-label={texts.documentOf(row.text)} onClick={() => download.mutate(row)}>
              {texts.document}
            </Button>
            {waits && !isOwn && (
              <Button
                aria-label={texts.approveWhat(row.text)}
                onClick={() => decide.mutate({ id: row.id, approve: true })}
              >
                {texts.approve}
              </Button>
            )}
            {waits && (
              <Button
                look="quietDanger"
                aria-label={texts.rejectWhat(row.text)}
                onClick={() => decide.mutate({ id: row.id, approve: false })}
              >
                {texts.reject}
              </Button>
            )}
            {row.status === 'done' && (
              <Button look="quiet" aria-label={texts.reverseWhat(row.text)} onClick={() => setReversing(row)}>
                {texts.reverse}
              </Button>
            )}
          </div>
        )
      },
    })
  const error = decide.error ?? download.error
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      {manages(role, 'finance') && <Button onClick={() => setWriting(true)}>{texts.write}</Button>}
      {error && <ErrorNotice failure={{ ...describeError(error), title: texts.failed }} />}
      <RecordList texts={texts} list={list} keyOf={row => row.id} columns={columns} />
      {writing && <EntryForm onClose={() => setWriting(false)} />}
      {reversing && <ReversalForm entry={reversing} onClose={() => setReversing(undefined)} />}
    </section>
  )
}

/** Accounts that entries of people may have; what is in the others comes from elsewhere. */
const accounts = (Object.keys(journalChart) as ChartAccount[]).filter(
  account => !['treasury', 'cold', 'issued', 'customers', 'debts'].includes(account),
)

/** What the journal of the anchor counts: currencies of its rails, and its assets. */
function unitsOf(workspace: Workspace) {
  const money = workspace.rails.map(rail => railKind(rail, workspace.asset.anchoredTo).currency)
  const assets = assetsOf(workspace).map(({ id, name }) => ({ value: id ?? 'asset', label: name }))
  return [...[...new Set(money)].map(value => ({ value, label: value })), ...assets]
}

/** An amount from one account to another. */
function EntryForm({ onClose }: { onClose(): void }) {
  const workspace = useWorkspace()
  const { id: anchorId } = workspace
  const file = useRef<HTMLInputElement>(null)
  const { form: words } = texts
  const form = useForm({
    initial: { text: '', from: '', to: '', amount: '', unit: '', bookedOn: '', document: '' },
    check: ({ text, from, to, amount, unit, document }) => {
      const errors = amountErrors({ amount }, { amount: { positive: true } })
      if (text.trim() === '') errors.text = words.text.missing
      if (from === '') errors.from = words.accountMissing
      if (to === '') errors.to = words.accountMissing
      else if (to === from) errors.to = words.sameAccount
      if (unit === '') errors.unit = words.unit.missing
      if (document === '') errors.document = words.document.missing
      return errors
    },
    send: async ({ text, from, to, amount, unit, bookedOn }) => {
      const [chosen] = file.current?.files ?? []
      if (!chosen) return
      await operator.call(requestWorkspaceManualEntry, {
        params: { anchorId },
        body: {
          text: text.trim(),
          ...(bookedOn !== '' && { bookedOn }),
          lines: [
            { account: to, unit, amount },
            { account: from, unit, amount: `-${amount}` },
          ],
          document: { fileName: chosen.name, data: await base64Of(chosen) },
        },
      })
      void refresh(listWorkspaceManualEntries)
      onClose()
    },
    explain: failedAs(texts.failed),
  })
  const choices = accounts.map(value => ({ value, label: accountName(value) }))
  return (
    <FormPanel title={words.title} lead={words.lead} form={form} send={words.send} onClose={onClose}>
      <TextAreaField name="text" label={words.text.label} maxLength={500} />
      <SelectField name="from" label={words.from} choices={choices} required />
      <SelectField name="to" label={words.to} choices={choices} required />
      <AmountField name="amount" label={words.amount} decimals={7} />
      <SelectField name="unit" label={words.unit.label} choices={unitsOf(workspace)} required />
      <TextField name="bookedOn" {...words.bookedOn} type="date" optional />
      <DocumentField inputRef={file} />
    </FormPanel>
  )
}

function DocumentField({ inputRef }: { inputRef: RefObject<HTMLInputElement | null> }) {
  const { id, error, set } = useFormField('document')
  const { label, hint } = texts.form.document
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <input
        ref={inputRef}
        type="file"
        id={id}
        onChange={event => set(event.target.value)}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        className={`${controlLook} ${controlBorder(error)} py-2`}
      />
    </Labelled>
  )
}

function ReversalForm({ entry, onClose }: { entry: ManualEntry; onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  return (
    <ConfirmPanel
      title={texts.reverse}
      lead={entry.text}
      send={texts.reverse}
      reason={texts.form.text}
      act={async reason => {
        const params = { anchorId, id: entry.id }
        await operator.call(reverseWorkspaceManualEntry, { params, body: { reason } })
        void refresh(listWorkspaceManualEntries)
        onClose()
      }}
      explain={failedAs(texts.failed)}
      onClose={onClose}
    />
  )
}
