import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import type { ClosedPeriod, JournalSettings, OpenItem, Period } from '@windlass/contracts/anchor/journal.ts'
import {
  closeWorkspacePeriod,
  getWorkspaceJournalSettings,
  getWorkspacePeriod,
  listWorkspaceCloses,
  setWorkspaceJournalSettings,
} from '@windlass/contracts/platform/workspace-journal.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { amountErrors } from '@windlass/ui/amount-value.ts'
import { SelectField } from '@windlass/ui/choices.tsx'
import { RecordList } from '@windlass/ui/console/record-list.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { formatAmount, formatDate, formatMoney } from '@windlass/ui/formats.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { Panel, SectionHeading } from '@windlass/ui/page.tsx'
import { Table } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { Link } from 'react-router'
import { paths, type WorkspacePage } from '../../paths.ts'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { unitName } from '../assets.ts'
import { accountName } from '../journal-accounts.ts'
import { latestMonth } from '../latest-month.ts'
import { WaitingActs } from '../anchor/waiting-acts.tsx'
import { useMemberName } from '../team/members.ts'
import { useWorkspace } from '../workspace.tsx'
import { Accounts } from './accounts.tsx'
import { Balances } from './balances.tsx'
import { ManualEntries } from './manual-entries.tsx'
import { Positions } from './positions.tsx'
import { texts } from './texts.ts'
import { manages } from '../manages.ts'

/** Periods of the journal: what is open in one, its close, those that are closed, and how the journal is kept. */
export function Component() {
  return (
    <div className="space-y-8">
      <Choose />
      <Closes />
      <ManualEntries />
      <WaitingActs />
      <Settings />
      <Accounts />
    </div>
  )
}

function Choose() {
  const { period: words } = texts
  const workspace = useWorkspace()
  const form = useForm({
    initial: { kind: 'month', day: latestMonth(workspace).to },
    check: () => ({}),
    send: async () => {},
    explain: error => ({ failure: describeError(error) }),
  })
  const { kind, day } = form.values
  const kinds = (['month', 'day'] as const).map(value => ({ value, label: words.kinds[value] }))
  return (
    <section className="space-y-4">
      <SectionHeading title={words.title} lead={words.lead} />
      <Panel className="space-y-6 px-4 py-4 sm:px-5">
        <FormShell form={form}>
          <div className="grid gap-4 sm:grid-cols-2">
            <SelectField name="kind" label={words.kind} choices={kinds} required />
            <TextField name="day" label={kind === 'month' ? words.dayOfMonth : words.day} type="date" />
          </div>
        </FormShell>
        {/^\d{4}-\d{2}-\d{2}$/.test(day) && <Found kind={kind === 'day' ? 'day' : 'month'} day={day} />}
      </Panel>
    </section>
  )
}

/** Other units are `asset` and `CODE:ISSUER`. */
const isCurrency = (unit: string): boolean => /^[A-Z]{3}$/.test(unit)

interface Asked {
  kind: 'day' | 'month'
  day: string
}

function Found({ kind, day }: Asked) {
  const workspace = useWorkspace()
  const { id: anchorId, role } = workspace
  const found = useQuery(operator.query(getWorkspacePeriod, { params: { anchorId }, query: { kind, day } }))
  const money = ({ unit, amount }: { unit: string; amount: string }) =>
    isCurrency(unit) ? formatMoney(amount, unit) : `${formatAmount(amount)} ${unitName(workspace, unit)}`
  return (
    <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-56" />}>
      {period => (
        <div className="space-y-6">
          <p role="status" className="text-14 text-soft">
            {texts.period.days(formatDate(period.from), formatDate(period.to))}.{' '}
            {period.closedBy !== null
              ? texts.period.closed
              : period.isOver
                ? texts.period.over
                : texts.period.notOver}
          </p>
          {period.closedBy === null && <Open period={period} money={money} />}
          <Balances period={period} money={money} />
          <Positions period={period} />
          {period.late.length > 0 && <Late period={period} money={money} />}
          {manages(role, 'finance') && period.isOver && period.closedBy === null && (
            <CloseForm kind={kind} day={day} isOpen={period.open.length > 0} />
          )}
        </div>
      )}
    </DataScreen>
  )
}

interface Shown {
  period: Period
  money(row: { unit: string; amount: string }): string
}

/** Where what is open is decided; elsewhere it is on this page. */
const WHERE: Partial<Record<OpenItem['kind'], WorkspacePage>> = {
  'lines-undecided': 'bank',
  suspense: 'bank',
  kept: 'bank',
  'in-transit': 'bank',
  'statement-missing': 'bank',
  'statement-not-read': 'bank',
  'payouts-open': 'bank',
  differences: 'reconciliation',
  'payments-unconfirmed': 'reconciliation',
}

/** `DE89… 2026-10-15` or `DE89… never`. */
function unreadOf(said: string): string {
  const [, account = said, day = 'never'] = /^(.*) (\S+)$/.exec(said) ?? []
  return /^\d{4}-/.test(day)
    ? texts.open.unreadUntil(account, formatDate(day))
    : texts.open.neverRead(account)
}

/** Which ones are open: with days and amounts, or by name; a balance of an account is its amount alone. */
function whichOf({ kind, about, rows }: OpenItem, money: Shown['money']): string[] {
  if (kind === 'suspense' || kind === 'kept' || kind === 'in-transit') return []
  if (kind === 'statement-not-read') return about.map(unreadOf)
  if (!rows) return about
  const isNamed = kind === 'payments-unconfirmed'
  return rows.map(row => `${formatDate(row.day)}: ${money(row)}${isNamed ? ` (${row.about})` : ''}`)
}

function Open({ period: { open }, money }: Shown) {
  const { id: anchorId } = useWorkspace()
  if (open.length === 0) return <p className="text-14">{texts.period.nothingOpen}</p>
  return (
    <Notice tone="warn" title={texts.open.title}>
      <ul className="list-disc space-y-1 pl-5">
        {open.map(item => {
          const { kind, count, amounts } = item
          const [label, page, which] = [texts.open[kind], WHERE[kind], whichOf(item, money)]
          return (
            <li key={kind} className="wrap-anywhere">
              {page ? (
                <Link className="link" to={paths.workspace(anchorId, page)}>
                  {label}
                </Link>
              ) : (
                label
              )}{' '}
              ({count}){amounts.length > 0 && `: ${amounts.map(money).join(', ')}`}
              {which.length > 0 && <span className="block text-13 text-soft">{which.join(' · ')}</span>}
            </li>
          )
        })}
      </ul>
    </Notice>
  )
}

function Late({ period: { late, lateSums }, money }: Shown) {
  const { late: words } = texts
  return (
    <section className="space-y-2">
      <h3 className="font-semibold">
        {words.title} ({words.count(late.length)})
      </h3>
      <p className="text-14 text-soft">{words.lead}</p>
      <Table<Period['lateSums'][number]>
        caption={words.title}
        rows={lateSums}
        keyOf={row => `${row.account} ${row.unit}`}
        columns={[
          { head: texts.balances.account, cell: row => accountName(row.account) },
          { head: words.amount, numeric: true, cell: money },
        ]}
      />
    </section>
  )
}

function CloseForm({ kind, day, isOpen }: Asked & { isOpen: boolean }) {
  const { id: anchorId } = useWorkspace()
  const { close: words } = texts
  const form = useForm({
    initial: { reason: '' },
    check: ({ reason }): FormErrors => (isOpen && reason.trim() === '' ? { reason: words.missing } : {}),
    send: async ({ reason }) => {
      const body = { kind, day, ...(reason.trim() && { reason: reason.trim() }) }
      await operator.call(closeWorkspacePeriod, { params: { anchorId }, body })
      void refresh(getWorkspacePeriod, listWorkspaceCloses)
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormShell form={form}>
      {isOpen && <TextAreaField name="reason" label={words.reason} hint={words.hint} maxLength={500} />}
      <Button type="submit" look="primary" pending={form.pending}>
        {words.send}
      </Button>
    </FormShell>
  )
}

function Closes() {
  const { id: anchorId } = useWorkspace()
  const nameOf = useMemberName()
  const { closes: words } = texts
  const list = useInfiniteQuery(operator.pages(listWorkspaceCloses, { params: { anchorId } }))
  const openThen = ({ open, reason }: ClosedPeriod) =>
    open.length === 0 ? words.none : `${open.map(kind => texts.open[kind]).join(', ')}: ${reason ?? ''}`
  return (
    <section className="space-y-4">
      <SectionHeading title={words.title} lead={words.lead} />
      <RecordList
        texts={words}
        list={list}
        keyOf={row => row.id}
        columns={[
          {
            head: texts.period.kind,
            cell: row => texts.period.days(formatDate(row.from), formatDate(row.to)),
          },
          { head: words.openThen, className: 'wrap-anywhere', cell: openThen },
          { head: words.by, named: true, cell: row => nameOf(row.by) },
          timeColumn<ClosedPeriod>(words.at, row => row.at),
        ]}
      />
    </section>
  )
}

function Settings() {
  const { id: anchorId, role } = useWorkspace()
  const found = useQuery(operator.query(getWorkspaceJournalSettings, { params: { anchorId } }))
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.settings.title} />
      <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-16" />}>
        {settings =>
          !manages(role, 'finance') ? (
            <p className="text-14">
              {texts.settings.timeZone}: {settings.timeZone}
            </p>
          ) : (
            <SettingsForm key={JSON.stringify(settings)} settings={settings} />
          )
        }
      </DataScreen>
    </section>
  )
}

/** UTC is in no browser's list, and a browser may know the present zone by another name. */
const zonesWith = (present: string) =>
  [...new Set([present, 'UTC', ...Intl.supportedValuesOf('timeZone')])].map(value => ({
    value,
    label: value.replaceAll('_', ' '),
  }))

/** Numbers as DATEV gives them. */
const isDatev = (consultant: string, client: string): boolean =>
  /^[1-9]\d{3,6}$/.test(consultant) && Number(consultant) > 1000 && /^[1-9]\d{0,4}$/.test(client)

function SettingsForm({ settings: before }: { settings: JournalSettings }) {
  const workspace = useWorkspace()
  const { id: anchorId } = workspace
  const unit = unitName(workspace, 'asset')
  const { settings: words } = texts
  const form = useForm({
    initial: {
      timeZone: before.timeZone,
      stop: before.stopDepositsWhenShort ? 'yes' : 'no',
      tolerance: before.charges?.tolerance ?? '0',
      borne: before.charges?.returnsBorneBy ?? 'anchor',
      consultant: String(before.datev?.consultant ?? ''),
      client: String(before.datev?.client ?? ''),
    },
    check: ({ tolerance, consultant, client }): FormErrors => ({
      ...amountErrors({ tolerance }, { tolerance: {} }),
      ...((consultant || client) && !isDatev(consultant, client) && { consultant: words.datevWrong }),
    }),
    send: async ({ timeZone, stop, tolerance, borne, consultant, client }) => {
      const returnsBorneBy = borne === 'customer' ? ('customer' as const) : ('anchor' as const)
      const charges = { tolerance, returnsBorneBy }
      const datev = consultant && { consultant: Number(consultant), client: Number(client) }
      const { datev: _, ...rest } = before
      const body = {
        ...{ ...rest, timeZone, stopDepositsWhenShort: stop === 'yes', charges },
        ...(datev && { datev }),
      }
      await operator.call(setWorkspaceJournalSettings, { params: { anchorId }, body })
      void refresh(getWorkspaceJournalSettings)
    },
    explain: failedAs(words.failed),
  })
  return (
    <Panel className="px-4 py-4 sm:px-5">
      <FormShell form={form}>
        <SelectField
          name="timeZone"
          label={words.timeZone}
          hint={words.timeZoneHint}
          choices={zonesWith(before.timeZone)}
          required
        />
        <SelectField
          name="stop"
          label={words.stop}
          hint={words.stopHint}
          choices={(['no', 'yes'] as const).map(value => ({ value, label: words.stops[value] }))}
          required
        />
        <AmountField name="tolerance" label={words.tolerance} hint={words.toleranceHint} unit={unit} />
        <SelectField
          name="borne"
          label={words.borne}
          choices={(['anchor', 'customer'] as const).map(value => ({ value, label: words.bearers[value] }))}
          required
        />
        <TextField name="consultant" label={words.consultant} hint={words.datevHint} optional />
        <TextField name="client" label={words.client} optional />
        <Button type="submit" pending={form.pending}>
          {words.save}
        </Button>
      </FormShell>
    </Panel>
  )
}
