import { describeError } from '@windlass/client/errors.ts'
import {
  MAX_STATEMENT_BYTES,
  type BankPayout,
  type BankStatement,
  type CsvColumns,
  type LineDecision,
  type PayoutFile,
  type StatementLine,
} from '@windlass/contracts/bank-files.ts'
import {
  decideWorkspaceStatementLine,
  getWorkspaceCsvColumns,
  listWorkspaceLineCandidates,
  listWorkspaceLineTwins,
  rejectWorkspacePayoutFile,
  setWorkspaceCsvColumns,
  setWorkspacePayoutAccount,
  uploadWorkspaceStatement,
} from '@windlass/contracts/workspace-bank-files.ts'
import { useQuery } from '@tanstack/react-query'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField, SelectField } from '@windlass/ui/choices.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { FileField } from '@windlass/ui/file-field.tsx'
import { FormActions, type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { formatMoney } from '@windlass/ui/formats.ts'
import { Fact, Facts } from '@windlass/ui/page.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { useRef, useState } from 'react'
import { queries } from '../../queries.ts'
import { operator } from '../../session.ts'
import { texts } from './texts.ts'
import { useWorkspace } from '../workspace.tsx'

const choicesOf = (names: readonly string[]) => names.map(value => ({ value, label: value }))

interface UploadProps {
  rails: readonly string[]
  onDone(statement: BankStatement): void
  onClose(): void
}

export function UploadForm({ rails, onDone, onClose }: UploadProps) {
  const { id: anchorId } = useWorkspace()
  const files = useRef<HTMLInputElement>(null)
  const chosen = () => files.current?.files?.[0]
  const form = useForm({
    initial: { rail: rails[0] ?? '', file: '' },
    check: (): FormErrors => {
      const file = chosen()
      if (!file) return { file: texts.upload.file.missing }
      return file.size > MAX_STATEMENT_BYTES ? { file: texts.upload.file.tooLarge } : {}
    },
    send: async ({ rail }) => {
      const file = chosen()
      if (!file) return
      onDone(
        await operator.call(uploadWorkspaceStatement, {
          params: { anchorId, rail },
          query: { fileName: file.name.slice(0, 200) },
          // As bytes, so that it can be sent again after the operator confirmed that it is them.
          body: new Uint8Array(await file.arrayBuffer()),
        }),
      )
    },
    explain: error => ({ failure: { ...describeError(error), title: texts.upload.failed } }),
  })
  return (
    <FormPanel title={texts.upload.title} form={form} send={texts.upload.send} onClose={onClose}>
      {rails.length > 1 && (
        <SelectField name="rail" label={texts.upload.rail} choices={choicesOf(rails)} required />
      )}
      <FileField name="file" label={texts.upload.file.label} hint={texts.upload.file.hint} inputRef={files} />
    </FormPanel>
  )
}

/** Why a line waits for a decision. */
export const reasonOf = ({ possibleDuplicateOf: other, reason }: StatementLine): string | null =>
  other ? texts.review.possibleDuplicate(other.bookedOn, other.fileName) : reason

const decisions = ['match', 'return', 'own', 'duplicate'] as const

function decisionOf(
  what: string,
  { transactionId, duplicateOf }: { transactionId: string; duplicateOf: string },
): Omit<LineDecision, 'reason'> {
  if (what === 'match') return { decision: 'match', ...(transactionId && { transactionId }) }
  if (what === 'return') return { decision: 'return' }
  if (what === 'own') return { decision: 'ignore', as: 'own' }
  return { decision: 'ignore', as: 'duplicate', duplicateOf }
}

interface DecisionProps {
  line: StatementLine
  onDone(): void
  onClose(): void
}

export function DecisionForm({ line, onDone, onClose }: DecisionProps) {
  const { id: anchorId } = useWorkspace()
  const { decision: words } = texts
  const form = useForm({
    initial: {
      what: '',
      transactionId: line.transactionId ?? '',
      duplicateOf: line.possibleDuplicateOf?.id ?? '',
      reason: '',
    },
    check: ({ what, transactionId, duplicateOf, reason }) => {
      const errors: FormErrors = {}
      if (what === '') errors.what = words.what.missing
      // A debit may name the return that it paid.
      if (what === 'match' && line.direction === 'in' && transactionId.trim() === '')
        errors.transactionId = words.transaction.missing
      if (what === 'duplicate' && duplicateOf.trim() === '') errors.duplicateOf = words.duplicateOf.missing
      if (reason.trim() === '') errors.reason = words.reason.missing
      return errors
    },
    send: async ({ what, transactionId, duplicateOf, reason }) => {
      const decided = decisionOf(what, {
        transactionId: transactionId.trim(),
        duplicateOf: duplicateOf.trim(),
      })
      await operator.call(decideWorkspaceStatementLine, {
        params: { anchorId, id: line.id },
        body: { ...decided, reason: reason.trim() },
      })
      onDone()
    },
    explain: error => ({ failure: { ...describeError(error), title: words.failed } }),
  })
  const offered = decisions.filter(each => line.direction === 'in' || each !== 'return')
  return (
    <FormPanel
      title={words.title}
      form={form}
      send={words.send}
      lead={
        <div className="mb-6 space-y-4">
          <p className="text-14 wrap-anywhere">{reasonOf(line)}</p>
          {line.possibleDuplicateOf && <p className="text-14 text-soft">{words.other.lead}</p>}
          <LineFacts line={line} />
        </div>
      }
      onClose={onClose}
    >
      <ChoicesField
        single
        name="what"
        label={words.what.label}
        choices={offered.map(value => ({ value, ...words.what[value] }))}
      />
      {form.values.what === 'match' && (
        <>
          <TextField
            name="transactionId"
            label={words.transaction.label}
            hint={line.direction === 'in' ? words.transaction.hint : words.transaction.hintOfDebit}
          />
          {line.direction === 'in' && (
            <Candidates anchorId={anchorId} line={line} onChoose={id => form.set('transactionId', id)} />
          )}
        </>
      )}
      {form.values.what === 'duplicate' && (
        <>
          <TextField name="duplicateOf" label={words.duplicateOf.label} hint={words.duplicateOf.hint} />
          <Twins anchorId={anchorId} line={line} onChoose={id => form.set('duplicateOf', id)} />
        </>
      )}
      <TextAreaField name="reason" label={words.reason.label} hint={words.reason.hint} maxLength={500} />
    </FormPanel>
  )
}

export function LineFacts({ line }: { line: StatementLine }) {
  const { fields } = texts.decision
  const { party, amount, currency, bookedOn, text, bankReference, possibleDuplicateOf: other } = line
  const facts = [
    [texts.review.columns.amount, formatMoney(amount, currency)],
    [texts.review.columns.day, bookedOn],
    [fields.party, party.name],
    [fields.account, party.account],
    [fields.text, text],
    [fields.reference, bankReference],
    [texts.decision.other.reference, other?.bankReference],
    [texts.decision.other.status, other && texts.decision.other.statuses[other.status]],
  ] as const
  return (
    <Facts>
      {facts.map(
        ([name, value]) =>
          value && (
            <Fact key={name} name={name}>
              <span className="wrap-anywhere">{value}</span>
            </Fact>
          ),
      )}
    </Facts>
  )
}

interface CandidatesProps {
  anchorId: string
  line: StatementLine
  onChoose(transactionId: string): void
}

function Candidates({ anchorId, line, onChoose }: CandidatesProps) {
  const candidates = useQuery({
    queryKey: ['operator', 'bank', anchorId, 'candidates', line.id],
    queryFn: ({ signal }) =>
      operator.call(listWorkspaceLineCandidates, { params: { anchorId, id: line.id }, signal }),
  })
  if (candidates.data?.length === 0) return null
  return (
    <section className="space-y-2">
      <h3 className="text-13 font-medium text-soft">{texts.decision.candidates}</h3>
      <DataScreen query={candidates} explain={describeError} skeleton={<Bar className="h-16" />}>
        {rows => (
          <ul className="divide-y divide-line rounded-8 border border-line text-13">
            {rows.map(({ transactionId, reference, samePayer }) => (
              <li key={transactionId} className="flex flex-wrap items-center justify-between gap-2 px-3 py-2">
                <span className="font-mono wrap-anywhere">
                  {reference} {samePayer && `· ${texts.decision.samePayer}`}
                </span>
                <Button look="quiet" onClick={() => onChoose(transactionId)}>
                  {texts.decision.choose}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </DataScreen>
    </section>
  )
}

interface TwinsProps {
  anchorId: string
  line: StatementLine
  onChoose(id: string): void
}

/** Lines that a line may repeat. */
function Twins({ anchorId, line, onChoose }: TwinsProps) {
  const twins = useQuery({
    queryKey: ['operator', 'bank', anchorId, 'twins', line.id],
    queryFn: ({ signal }) =>
      operator.call(listWorkspaceLineTwins, { params: { anchorId, id: line.id }, signal }),
  })
  return (
    <section className="space-y-2">
      <h3 className="text-13 font-medium text-soft">{texts.decision.twins}</h3>
      <DataScreen
        query={twins}
        explain={describeError}
        skeleton={<Bar className="h-16" />}
        isEmpty={rows => rows.length === 0}
        empty={<p className="text-13 text-soft">{texts.decision.noTwins}</p>}
      >
        {rows => (
          <ul className="divide-y divide-line rounded-8 border border-line text-13">
            {rows.map(({ id, bookedOn, amount, currency, party, bankReference, text }) => (
              <li key={id} className="flex flex-wrap items-center justify-between gap-2 px-3 py-2">
                <span className="wrap-anywhere">
                  {[bookedOn, formatMoney(amount, currency), party.name, bankReference, text]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
                <Button look="quiet" onClick={() => onChoose(id)}>
                  {texts.decision.choose}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </DataScreen>
    </section>
  )
}

interface AccountProps {
  payout: BankPayout
  onDone(): void
  onClose(): void
}

export function AccountForm({ payout, onDone, onClose }: AccountProps) {
  const { id: anchorId } = useWorkspace()
  const { account: words } = texts
  // Where a payout goes was agreed with the customer: only who holds the account is added.
  const isReturn = payout.kind === 'return'
  const form = useForm({
    initial: { dest: '', dest_extra: '', dest_name: '' },
    check: ({ dest, dest_name }) => {
      const errors: FormErrors = {}
      if (isReturn && dest.trim() === '') errors.dest = words.missing
      if (dest_name.trim() === '') errors.dest_name = words.missing
      return errors
    },
    send: async ({ dest, dest_extra, dest_name }) => {
      const account = isReturn ? { dest, ...(dest_extra.trim() ? { dest_extra } : {}) } : {}
      const body = { dest_name, ...account }
      await operator.call(setWorkspacePayoutAccount, { params: { anchorId, id: payout.id }, body })
      onDone()
    },
    explain: error => ({ failure: { ...describeError(error), title: words.failed } }),
  })
  return (
    <FormPanel
      title={words.title}
      form={form}
      send={words.send}
      lead={isReturn ? words.lead : undefined}
      onClose={onClose}
    >
      {isReturn && (
        <>
          <TextField name="dest" label={words.dest.label} hint={words.dest.hint} />
          <TextField name="dest_extra" label={words.extra.label} hint={words.extra.hint} optional />
        </>
      )}
      <TextField name="dest_name" label={words.name.label} hint={words.name.hint} />
    </FormPanel>
  )
}

interface RejectionProps {
  file: PayoutFile
  onDone(): void
  onClose(): void
}

/** That the bank rejected a whole file. */
export function RejectionForm({ file: { id }, onDone, onClose }: RejectionProps) {
  const { id: anchorId } = useWorkspace()
  const { rejection: words } = texts.files
  const form = useForm({
    initial: { reason: '' },
    check: ({ reason }): FormErrors => (reason.trim() === '' ? { reason: words.reason.missing } : {}),
    send: async ({ reason }) => {
      const body = { reason: reason.trim() }
      await operator.call(rejectWorkspacePayoutFile, { params: { anchorId, id }, body })
      onDone()
    },
    explain: error => ({ failure: { ...describeError(error), title: words.failed } }),
  })
  return (
    <FormPanel
      title={words.title}
      form={form}
      send={words.send}
      lead={<p className="mb-6 text-14 text-soft">{words.lead}</p>}
      onClose={onClose}
    >
      <TextAreaField name="reason" label={words.reason.label} hint={words.reason.hint} maxLength={500} />
    </FormPanel>
  )
}

const columnsQuery = (anchorId: string, rail: string) => ({
  queryKey: ['operator', 'bank', anchorId, 'csv', rail],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    operator.call(getWorkspaceCsvColumns, { params: { anchorId, rail }, signal }),
})

export function CsvForm({ rails, onClose }: { rails: readonly string[]; onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const [rail, setRail] = useState(rails[0] ?? '')
  const saved = useQuery(columnsQuery(anchorId, rail))
  return (
    <SidePanel open onClose={onClose} title={texts.csv.title}>
      <p className="mb-6 text-14 text-soft">{texts.csv.lead}</p>
      <DataScreen query={saved} explain={describeError} skeleton={<Bar className="h-64" />}>
        {({ columns }) => (
          <ColumnsForm
            key={rail}
            rail={rail}
            rails={rails}
            columns={columns}
            onRail={setRail}
            onClose={onClose}
          />
        )}
      </DataScreen>
    </SidePanel>
  )
}

const optional = [
  'amount',
  'direction',
  'amountIn',
  'amountOut',
  'bankReference',
  'partyName',
  'partyAccount',
  'partyBank',
  'currency',
  'account',
  'balance',
] as const

interface ColumnsProps {
  rail: string
  rails: readonly string[]
  columns: CsvColumns | null
  /** Another rail was chosen, whose columns are read then. */
  onRail(rail: string): void
  onClose(): void
}

function ColumnsForm({ rail: chosen, rails, columns, onRail, onClose }: ColumnsProps) {
  const { id: anchorId } = useWorkspace()
  const { csv } = texts
  const form = useForm({
    initial: {
      rail: chosen,
      delimiter: columns?.delimiter ?? ',',
      skipLines: String(columns?.skipLines ?? 0),
      encoding: columns?.encoding ?? 'utf-8',
      decimal: columns?.decimal ?? '.',
      date: columns?.date ?? '',
      dateFormat: columns?.dateFormat ?? 'day-month-year',
      text: columns?.text.join(', ') ?? '',
      ...Object.fromEntries(optional.map(name => [name, columns?.[name] ?? ''])),
    } as Record<'rail' | 'text' | 'skipLines' | keyof CsvColumns, string>,
    onChange: ({ rail }) => {
      if (rail !== chosen) onRail(rail)
    },
    check: values => {
      const errors: FormErrors = {}
      if (!/^([0-9]|[1-4][0-9]|50)$/.test(values.skipLines.trim())) errors.skipLines = csv.skipLines.invalid
      if (values.date.trim() === '') errors.date = csv.missing
      if (values.text.trim() === '') errors.text = csv.missing
      const [one, both] = [values.amount.trim() !== '', values.amountIn.trim() && values.amountOut.trim()]
      if (one === Boolean(both)) errors.amount = csv.amountMissing
      return errors
    },
    send: async ({ rail, ...values }) => {
      const named = optional.map(name => [name, values[name].trim()]).filter(([, value]) => value !== '')
      const body = {
        ...Object.fromEntries(named),
        delimiter: values.delimiter,
        encoding: values.encoding,
        decimal: values.decimal,
        dateFormat: values.dateFormat,
        date: values.date.trim(),
        skipLines: Number(values.skipLines),
        text: values.text
          .split(',')
          .map(each => each.trim())
          .filter(Boolean),
      } as CsvColumns
      const set = await operator.call(setWorkspaceCsvColumns, { params: { anchorId, rail }, body })
      queries.setQueryData(columnsQuery(anchorId, rail).queryKey, set)
      onClose()
    },
    explain: error => ({ failure: { ...describeError(error), title: csv.failed } }),
  })
  const select = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).map(([value, label]) => ({ value, label }))
  return (
    <FormShell form={form}>
      {rails.length > 1 && (
        <SelectField name="rail" label={texts.upload.rail} choices={choicesOf(rails)} required />
      )}
      <SelectField name="delimiter" label={csv.delimiter} choices={select(csv.delimiters)} required />
      <SelectField name="decimal" label={csv.decimal} choices={select(csv.decimals)} required />
      <SelectField
        name="encoding"
        label={csv.encoding}
        choices={choicesOf(['utf-8', 'iso-8859-1'])}
        required
      />
      <AmountField name="skipLines" label={csv.skipLines.label} decimals={0} />
      <TextField name="date" label={csv.date} />
      <SelectField name="dateFormat" label={csv.dateFormat} choices={select(csv.dateFormats)} required />
      <TextField name="text" label={csv.text.label} hint={csv.text.hint} />
      {optional.map(name => {
        const words = csv[name]
        const [label, hint] = typeof words === 'string' ? [words, undefined] : [words.label, words.hint]
        return <TextField key={name} name={name} label={label} hint={hint} optional />
      })}
      <FormActions onCancel={onClose}>
        <Button type="submit" look="primary" pending={form.pending}>
          {csv.send}
        </Button>
      </FormActions>
    </FormShell>
  )
}
