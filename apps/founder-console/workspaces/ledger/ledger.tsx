import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import type { JournalEntry, LedgerIncident } from '@windlass/contracts/anchor/developer-api.ts'
import {
  listWorkspaceBalances,
  listWorkspaceEntries,
  listWorkspaceIncidents,
  readWorkspaceLedgerAgain,
  resolveWorkspaceIncident,
} from '@windlass/contracts/platform/workspace-records.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { RecordList, rowsOf } from '@windlass/ui/console/record-list.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { formatAmount, formatDateTime } from '@windlass/ui/formats.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { Fact, Facts, Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { type Column, Table } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { operator } from '../../session.ts'
import { accountName } from '../journal-accounts.ts'
import { ledger as texts } from './texts.ts'
import { unitName } from '../assets.ts'
import { useWorkspace } from '../workspace.tsx'
import { manages } from '../manages.ts'
import { WaitingActs } from '../anchor/waiting-acts.tsx'

/** What happened on the ledger that an operator must know, and the anchor's journal. */
export function Component() {
  const { id: anchorId } = useWorkspace()
  return (
    <div className="space-y-8">
      <WaitingActs />
      <Incidents anchorId={anchorId} />
      <Balances anchorId={anchorId} />
      <Entries anchorId={anchorId} />
    </div>
  )
}

function Incidents({ anchorId }: { anchorId: string }) {
  const { role } = useWorkspace()
  const [resolving, setResolving] = useState<LedgerIncident>()
  const [readsAgain, setReadsAgain] = useState(false)
  const incidents = useQuery(
    operator.all(listWorkspaceIncidents, { params: { anchorId } }, { refetchInterval: 15_000 }),
  )
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.incidents.title}
        lead={texts.incidents.lead}
        actions={
          manages(role, 'finance') && (
            <Button onClick={() => setReadsAgain(true)}>{texts.readAgain.title}</Button>
          )
        }
      />
      <DataScreen
        query={incidents}
        explain={describeError}
        skeleton={<Bar className="h-24" />}
        isEmpty={rows => rows.length === 0}
        empty={<Empty title={texts.incidents.empty.title}>{texts.incidents.empty.detail}</Empty>}
      >
        {rows => (
          <ul className="space-y-4">
            {rows.map(row => (
              <li key={row.id}>
                <IncidentPanel incident={row} onResolve={() => setResolving(row)} />
              </li>
            ))}
          </ul>
        )}
      </DataScreen>
      {readsAgain && <ReadAgain anchorId={anchorId} onClose={() => setReadsAgain(false)} />}
      {resolving && (
        <ResolveIncident
          anchorId={anchorId}
          incident={resolving}
          onDone={() => {
            setResolving(undefined)
            void incidents.refetch()
          }}
          onClose={() => setResolving(undefined)}
        />
      )}
    </section>
  )
}

function IncidentPanel({ incident, onResolve }: { incident: LedgerIncident; onResolve(): void }) {
  const { role } = useWorkspace()
  const { kind, foundAt, resolvedAt, endedAs, details } = incident
  const resolution = endedAs ? texts.incidents.ended[endedAs] : incident.resolution
  const open = resolvedAt === null
  return (
    <Panel className="space-y-3 px-4 py-4 sm:px-5">
      <h3 className="flex flex-wrap items-center gap-x-4 gap-y-2 font-semibold">
        {texts.incidents.kinds[kind]}
        <Status tone={open ? 'warn' : 'neutral'}>
          {open ? texts.incidents.open : texts.incidents.resolved}
        </Status>
        <time dateTime={foundAt} className="text-13 font-normal text-soft">
          {formatDateTime(foundAt)}
        </time>
      </h3>
      <p className="text-14 wrap-anywhere">{describe(incident)}</p>
      {resolution && <p className="text-14 text-soft wrap-anywhere">{resolution}</p>}
      <Details details={details} />
      {open && manages(role, 'finance') && <Button onClick={onResolve}>{texts.incidents.resolve}</Button>}
    </Panel>
  )
}

/** In the reader's language; an anchor of an earlier release says some of it in English only. */
function describe({ kind, message, details }: LedgerIncident): string {
  const { reason, difference, deposit, payments, secondSource } = details
  const said: Partial<Record<string, string>> = texts.incidents.said
  if (kind === 'history-gap' && difference === undefined) return texts.incidents.said['gap-unmeasured']
  if (kind === 'unrecorded-payment' && deposit) return texts.incidents.said['unrecorded-deposit']
  const lacks = secondSource === 'missing' ? 'second-lacks' : `second-${String(secondSource)}`
  const contradicted = kind === 'unproven-payment' ? said[lacks] : undefined
  if (contradicted !== undefined) return contradicted
  if (kind === 'held-receipt' && payments) return texts.incidents.said['merged-together']
  if (kind === 'unreadable-payment' && payments) return texts.incidents.said.gathered
  return said[typeof reason === 'string' ? reason : kind] ?? message
}

/** Said by the sentence, or a code. */
const UNLISTED = new Set(['reason', 'public', 'open', 'contradicted', 'secondSource'])

/** Single values as facts; what happened to each transfer or envelope as a list. */
function Details({ details }: { details: LedgerIncident['details'] }) {
  const { id: anchorId } = useWorkspace()
  const entries = Object.entries(details)
  const single = entries.filter(([name, value]) => typeof value !== 'object' && !UNLISTED.has(name))
  const lists = entries.flatMap(([name, value]) =>
    Array.isArray(value) && value.length > 0 ? [[name, value]] : [],
  )
  return (
    <>
      <Facts>
        {single.map(([name, value]) => (
          <Fact key={name} name={texts.incidents.details[name] ?? name}>
            <span className="wrap-anywhere tabular">{String(value)}</span>
          </Fact>
        ))}
      </Facts>
      {lists.map(([name, values]) => (
        <details key={String(name)} className="rounded-8 border border-line">
          <summary className="control flex items-center px-4 py-2 text-14 font-medium">
            {texts.incidents.list(texts.incidents.details[String(name)] ?? String(name), values?.length ?? 0)}
          </summary>
          <ol className="divide-y divide-line border-t border-line text-13">
            {(values as Record<string, unknown>[]).map((each, index) => (
              <li key={index} className="px-4 py-2 wrap-anywhere">
                {name === 'withdrawals' && (
                  <Link
                    to={paths.workspace(anchorId, 'transactions', { open: String(each['id']) })}
                    className="link mr-2"
                  >
                    {texts.incidents.openWithdrawal}
                  </Link>
                )}
                {Object.values(each)
                  .filter(value => value !== null)
                  .map(String)
                  .join(' · ')}
              </li>
            ))}
          </ol>
        </details>
      ))}
    </>
  )
}

const outcomes = ['applied', 'not-applied'] as const

/** What has to be answered to resolve an incident; null: nothing. */
function questionOf({ kind, details }: LedgerIncident) {
  const { outcome, held, cameBack, chain } = texts.resolve
  if (kind === 'unproven-payment') return outcome
  if (kind === 'held-receipt') return details.answers === undefined ? held : cameBack
  return kind === 'other-chain' ? chain : null
}

interface ResolveProps {
  anchorId: string
  incident: LedgerIncident
  onDone(): void
  onClose(): void
}

function ResolveIncident({ anchorId, incident, onDone, onClose }: ResolveProps) {
  const question = questionOf(incident)
  const form = useForm({
    initial: { resolution: '', outcome: '' },
    check: ({ resolution, outcome }) => {
      const errors: FormErrors = {}
      if (question && outcome === '') errors.outcome = question.missing
      if (resolution.trim() === '') errors.resolution = texts.resolve.resolution.missing
      return errors
    },
    send: async ({ resolution, outcome }) => {
      const known = outcomes.find(each => each === outcome)
      const body = { resolution: resolution.trim(), ...(known ? { outcome: known } : {}) }
      await operator.call(resolveWorkspaceIncident, { params: { anchorId, id: incident.id }, body })
      onDone()
    },
    explain: failedAs(texts.resolve.failed),
  })
  return (
    <FormPanel
      title={texts.incidents.kinds[incident.kind]}
      form={form}
      send={texts.incidents.resolve}
      lead={describe(incident)}
      onClose={onClose}
    >
      {question && (
        <ChoicesField
          single
          name="outcome"
          label={question.label}
          choices={outcomes.map(value => ({
            value,
            ...question.choices[value],
          }))}
        />
      )}
      <TextAreaField
        name="resolution"
        label={texts.resolve.resolution.label}
        hint={texts.resolve.resolution.hint}
        maxLength={500}
      />
    </FormPanel>
  )
}

function ReadAgain({ anchorId, onClose }: { anchorId: string; onClose(): void }) {
  const form = useForm({
    initial: { from: '', reason: '' },
    check: ({ from, reason }) => {
      const errors: FormErrors = {}
      if (!/^[1-9]\d{0,8}$/.test(from.trim())) errors.from = texts.readAgain.from.invalid
      if (reason.trim() === '') errors.reason = texts.readAgain.reason.missing
      return errors
    },
    send: async ({ from, reason }) => {
      const body = { from: Number(from.trim()), reason: reason.trim() }
      await operator.call(readWorkspaceLedgerAgain, { params: { anchorId }, body })
      onClose()
    },
    explain: failedAs(texts.readAgain.failed),
  })
  return (
    <FormPanel
      title={texts.readAgain.title}
      lead={texts.readAgain.lead}
      form={form}
      send={texts.readAgain.send}
      onClose={onClose}
    >
      <TextField name="from" label={texts.readAgain.from.label} hint={texts.readAgain.from.hint} />
      <TextAreaField name="reason" label={texts.readAgain.reason.label} maxLength={500} />
    </FormPanel>
  )
}

function Balances({ anchorId }: { anchorId: string }) {
  const workspace = useWorkspace()
  const balances = useQuery(
    operator.query(listWorkspaceBalances, { params: { anchorId } }, { refetchInterval: 15_000 }),
  )
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.balances.title} lead={texts.balances.lead} />
      <DataScreen
        query={balances}
        explain={describeError}
        skeleton={<Bar className="h-40" />}
        isEmpty={rows => rows.length === 0}
        empty={<Empty title={texts.entries.empty.title}>{texts.entries.empty.detail}</Empty>}
      >
        {rows => (
          <Table
            caption={texts.balances.title}
            rows={rows}
            keyOf={row => `${row.account} ${row.unit}`}
            columns={[
              { head: texts.columns.account, cell: row => accountName(row.account) },
              {
                head: texts.columns.balance,
                numeric: true,
                cell: row => `${formatAmount(row.amount)} ${unitName(workspace, row.unit)}`,
              },
            ]}
          />
        )}
      </DataScreen>
    </section>
  )
}

/** What an entry of the journal changed. */
export function JournalLines({ lines }: Pick<JournalEntry, 'lines'>) {
  const workspace = useWorkspace()
  return (
    <ul className="text-13 tabular">
      {lines.map(({ account, unit, amount }) => (
        <li key={`${account} ${unit}`}>
          {accountName(account)}: {formatAmount(amount)} {unitName(workspace, unit)}
        </li>
      ))}
    </ul>
  )
}

function Entries({ anchorId }: { anchorId: string }) {
  const list = useInfiniteQuery(operator.pages(listWorkspaceEntries, { params: { anchorId } }))
  const columns: Column<JournalEntry>[] = [
    timeColumn(texts.columns.at, row => row.createdAt),
    { head: texts.columns.kind, cell: row => texts.kinds[row.kind] ?? row.kind.replaceAll('-', ' ') },
    {
      head: texts.columns.lines,
      cell: row => <JournalLines lines={row.lines} />,
    },
  ]
  if (rowsOf(list).length === 0) return null
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.entries.title} lead={texts.entries.lead} />
      <RecordList texts={texts.entries} list={list} columns={columns} keyOf={row => row.id} />
    </section>
  )
}
