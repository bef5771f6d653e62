import { codeOf, describeError, failedAs } from '@windlass/ui/console/errors.ts'
import {
  MAX_STATEMENT_BYTES,
  type BankStatement,
  type LineDecision,
  type StatementLine,
} from '@windlass/contracts/anchor/bank-files.ts'
import { type BankPayout, type PayoutFile } from '@windlass/contracts/anchor/payout-files.ts'
import { type OwnAccount, ownAccounts } from '@windlass/contracts/anchor/journal.ts'
import {
  decideWorkspaceStatementLine,
  listWorkspaceLineCandidates,
  listWorkspaceLineTwins,
  previewWorkspaceCsvStatement,
  rejectWorkspacePayoutFile,
  setWorkspacePayoutAccount,
  uploadWorkspaceStatement,
} from '@windlass/contracts/platform/workspace-bank-files.ts'
import { useQuery } from '@tanstack/react-query'
import { ConfirmPanel } from '@windlass/ui/console/confirm-panel.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField, SelectField } from '@windlass/ui/choices.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { FileField } from '@windlass/ui/file-field.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { formatDate, formatMoney } from '@windlass/ui/formats.ts'
import { Fact, Facts } from '@windlass/ui/page.tsx'
import { useRef, useState } from 'react'
import { operator } from '../../session.ts'
import { accountName } from '../journal-accounts.ts'
import { base64Of } from '../base64.ts'
import { ReadingView, type Reading } from './statement-preview.tsx'
import { texts } from './texts.ts'
import { lineTexts } from './line-texts.ts'
import { payoutTexts } from './payout-texts.ts'
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
  const [shown, setShown] = useState<{ of: string; reading: Reading }>()
  /** The file that names no account: sent again, it is confirmed. */
  const [unnamed, setUnnamed] = useState<string>()
  const idOf = (rail: string) => [rail, chosen()?.name, chosen()?.size, chosen()?.lastModified].join(' ')
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
      // How a CSV is read depends on settings: it is shown before it counts.
      if (/\.(csv|tsv|txt)$/i.test(file.name) && shown?.of !== idOf(rail)) {
        const body = { data: await base64Of(file) }
        const { reading } = await operator.call(previewWorkspaceCsvStatement, {
          params: { anchorId, rail },
          body,
        })
        if (reading) return setShown({ of: idOf(rail), reading })
      }
      const accountConfirmed = unnamed === idOf(rail)
      try {
        onDone(
          await operator.call(uploadWorkspaceStatement, {
            params: { anchorId, rail },
            query: { fileName: file.name.slice(0, 200), ...(accountConfirmed && { accountConfirmed }) },
            // As bytes, so that it can be sent again after the operator confirmed that it is them.
            body: new Uint8Array(await file.arrayBuffer()),
          }),
        )
      } catch (error) {
        if (codeOf(error) !== 'statement-without-account') throw error
        setUnnamed(idOf(rail))
      }
    },
    explain: failedAs(texts.upload.failed),
  })
  return (
    <FormPanel title={texts.upload.title} form={form} send={texts.upload.send} onClose={onClose}>
      {rails.length > 1 && (
        <SelectField name="rail" label={texts.upload.rail} choices={choicesOf(rails)} required />
      )}
      <FileField name="file" label={texts.upload.file.label} hint={texts.upload.file.hint} inputRef={files} />
      {shown && shown.of === idOf(form.values.rail) && <ReadingView reading={shown.reading} />}
      {unnamed && unnamed === idOf(form.values.rail) && (
        <p role="alert" className="text-14">
          {texts.upload.unnamed(form.values.rail)}
        </p>
      )}
    </FormPanel>
  )
}

/** Why a line waits for a decision. */
export const reasonOf = ({ possibleDuplicateOf: other, reason, reasonCode }: StatementLine): string | null =>
  other
    ? lineTexts.review.possibleDuplicate(formatDate(other.bookedOn), other.fileName)
    : reasonCode === 'failed'
      ? lineTexts.review.failed
      : reason

const decisions = ['match', 'return', 'own', 'duplicate'] as const

function decisionOf(
  what: string,
  { transactionId, duplicateOf, account }: { transactionId: string; duplicateOf: string; account: string },
): Omit<LineDecision, 'reason'> {
  if (what === 'match') return { decision: 'match', ...(transactionId && { transactionId }) }
  if (what === 'return') return { decision: 'return' }
  if (what === 'own') return { decision: 'ignore', as: 'own', account: account as OwnAccount }
  return { decision: 'ignore', as: 'duplicate', duplicateOf }
}

interface DecisionProps {
  line: StatementLine
  onDone(): void
  onClose(): void
}

export function DecisionForm({ line, onDone, onClose }: DecisionProps) {
  const { id: anchorId } = useWorkspace()
  const { decision: words } = lineTexts
  const form = useForm({
    initial: {
      what: '',
      transactionId: line.transactionId ?? '',
      duplicateOf: line.possibleDuplicateOf?.id ?? '',
      account: '',
      reason: '',
    },
    check: ({ what, transactionId, duplicateOf, account, reason }) => {
      const errors: FormErrors = {}
      if (what === '') errors.what = words.what.missing
      // A debit may name the return that it paid.
      if (what === 'match' && line.direction === 'in' && transactionId.trim() === '')
        errors.transactionId = words.transaction.missing
      if (what === 'duplicate' && duplicateOf.trim() === '') errors.duplicateOf = words.duplicateOf.missing
      if (what === 'own' && account === '') errors.account = words.account.missing
      if (reason.trim() === '') errors.reason = words.reason.missing
      return errors
    },
    send: async ({ what, transactionId, duplicateOf, account, reason }) => {
      const decided = decisionOf(what, {
        transactionId: transactionId.trim(),
        duplicateOf: duplicateOf.trim(),
        account,
      })
      await operator.call(decideWorkspaceStatementLine, {
        params: { anchorId, id: line.id },
        body: { ...decided, reason: reason.trim() },
      })
      onDone()
    },
    explain: failedAs(words.failed),
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
      {form.values.what === 'own' && (
        <SelectField
          name="account"
          {...words.account}
          choices={ownAccounts.map(value => ({ value, label: accountName(value) }))}
        />
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
  const { fields } = lineTexts.decision
  const { party, amount, currency, bookedOn, text, bankReference, possibleDuplicateOf: other } = line
  const facts = [
    [lineTexts.review.columns.amount, formatMoney(amount, currency)],
    [lineTexts.review.columns.day, formatDate(bookedOn)],
    [fields.party, party.name],
    [fields.account, party.account],
    [fields.text, text],
    [fields.reference, bankReference],
    [lineTexts.decision.other.reference, other?.bankReference],
    [lineTexts.decision.other.status, other && lineTexts.decision.other.statuses[other.status]],
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
  const candidates = useQuery(
    operator.query(listWorkspaceLineCandidates, { params: { anchorId, id: line.id } }),
  )
  if (candidates.data?.length === 0) return null
  return (
    <section className="space-y-2">
      <h3 className="text-13 font-medium text-soft">{lineTexts.decision.candidates}</h3>
      <DataScreen query={candidates} explain={describeError} skeleton={<Bar className="h-16" />}>
        {rows => (
          <ul className="divide-y divide-line rounded-8 border border-line text-13">
            {rows.map(({ transactionId, reference, samePayer }) => (
              <li key={transactionId} className="flex flex-wrap items-center justify-between gap-2 px-3 py-2">
                <span className="font-mono wrap-anywhere">
                  {reference} {samePayer && `· ${lineTexts.decision.samePayer}`}
                </span>
                <Button look="quiet" onClick={() => onChoose(transactionId)}>
                  {lineTexts.decision.choose}
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
  const twins = useQuery(operator.query(listWorkspaceLineTwins, { params: { anchorId, id: line.id } }))
  return (
    <section className="space-y-2">
      <h3 className="text-13 font-medium text-soft">{lineTexts.decision.twins}</h3>
      <DataScreen
        query={twins}
        explain={describeError}
        skeleton={<Bar className="h-16" />}
        isEmpty={rows => rows.length === 0}
        empty={<p className="text-13 text-soft">{lineTexts.decision.noTwins}</p>}
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
                  {lineTexts.decision.choose}
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
  const { account: words } = payoutTexts
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
    explain: failedAs(words.failed),
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
          <TextField name="dest" {...words.dest} />
          <TextField name="dest_extra" {...words.extra} optional />
        </>
      )}
      <TextField name="dest_name" {...words.name} />
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
  const { rejection: words } = payoutTexts.files
  return (
    <ConfirmPanel
      title={words.title}
      lead={words.lead}
      send={words.send}
      reason={words.reason}
      act={async reason => {
        await operator.call(rejectWorkspacePayoutFile, { params: { anchorId, id }, body: { reason } })
        onDone()
      }}
      explain={failedAs(words.failed)}
      onClose={onClose}
    />
  )
}
