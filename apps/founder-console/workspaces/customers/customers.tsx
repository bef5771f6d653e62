import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import { setWorkspaceCustomerTier, tiers } from '@windlass/contracts/anchor/anchor-settings.ts'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { TextAreaField } from '@windlass/ui/field.tsx'
import { useForm } from '@windlass/ui/form.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { Fact, Facts, SectionHeading } from '@windlass/ui/page.tsx'
import { RecordList, rowsOf, useOpenRow } from '@windlass/ui/console/record-list.tsx'
import { SearchForm, type SearchField } from '@windlass/ui/console/search-form.tsx'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import type { CustomerOverview } from '@windlass/contracts/anchor/developer-api.ts'
import {
  addWorkspaceCustomerNote,
  getWorkspaceCustomer,
  listWorkspaceCustomers,
  listWorkspaceTransactions,
} from '@windlass/contracts/platform/workspace-records.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen } from '@windlass/ui/data-screen.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { formatAmount, formatDateTime } from '@windlass/ui/formats.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { type Column, rowLink } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { refresh } from '../../queries.ts'
import { paths } from '../../paths.ts'
import { operator } from '../../session.ts'
import { useMemberName } from '../team/members.ts'
import { Notes } from '../transactions/notes.tsx'
import { texts as settings } from '../settings/texts.ts'
import { customers as texts } from './texts.ts'
import { transactions as transactionsTexts } from '../transactions/texts.ts'
import { TransactionStatus } from '../transactions/transaction-panel.tsx'
import { assetNameOf } from '../assets.ts'
import { useWorkspace } from '../workspace.tsx'
import { manages } from '../manages.ts'

const statuses = ['ACCEPTED', 'PROCESSING', 'REJECTED', 'NEEDS_INFO'] as const

const filterIn = (query: URLSearchParams) => ({
  text: query.get('text') ?? undefined,
  account: query.get('account') ?? undefined,
  status: statuses.find(known => known === query.get('status')),
})

const fields: SearchField[] = [
  { name: 'text', label: texts.columns.find, hint: texts.columns.findHint },
  { name: 'account', label: texts.columns.account },
  { name: 'status', label: texts.columns.status, choices: Object.entries(texts.statuses) },
]

/** The anchor's customers and the status of their identity check, without personal data; one of them open beside the list. */
export function Component() {
  const { id: anchorId, role, subdomain } = useWorkspace()
  const filter = filterIn(useSearchParams()[0])
  const [changing, setChanging] = useState<Customer>()
  const input = { params: { anchorId }, query: filter }
  const list = useInfiniteQuery(operator.pages(listWorkspaceCustomers, input))
  const pathTo = (values: Record<string, string | undefined>) =>
    paths.workspace(anchorId, 'customers', values)
  const openPath = (open: string | undefined) => pathTo({ ...filter, open })
  const { open, close } = useOpenRow(
    rowsOf(list).map(({ id }) => id),
    openPath,
  )
  const columns = columnsWith(openPath)
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead} />
      <SearchForm label={texts.search} fields={fields} values={filter} to={pathTo} />
      <RecordList
        texts={texts}
        list={list}
        columns={!manages(role, 'compliance') ? columns : [...columns, actionsColumn(setChanging)]}
        keyOf={row => row.id}
        open={open}
        saved={{ name: `${subdomain}-customers`, all: operator.all(listWorkspaceCustomers, input) }}
        showAll={filter.text || filter.account || filter.status ? pathTo({}) : undefined}
      />
      {open && !changing && <CustomerPanel id={open} onClose={close} />}
      {changing && <TierForm customer={changing} onClose={() => setChanging(undefined)} />}
    </section>
  )
}

type Customer = AnswerOf<typeof listWorkspaceCustomers>[number]

const columnsWith = (openPath: (id: string) => string): Column<Customer>[] => [
  {
    head: texts.columns.account,
    value: row => row.account,
    cell: row => (
      <Link to={openPath(row.id)} preventScrollReset className={`${rowLink} font-mono text-13`}>
        {`${row.account.slice(0, 6)}…${row.account.slice(-4)}`}
      </Link>
    ),
  },
  {
    head: texts.columns.name,
    named: true,
    className: 'wrap-anywhere',
    value: row => row.name,
    cell: row => row.name ?? '–',
  },
  {
    head: texts.columns.memo,
    named: true,
    className: 'text-soft tabular',
    value: row => row.memo,
    cell: row => row.memo ?? '–',
  },
  timeColumn(texts.columns.since, row => row.createdAt),
  {
    head: texts.columns.status,
    value: row => (isLinked(row) ? texts.linked : texts.statuses[row.status]),
    cell: row => <IdentityStatus of={row} />,
  },
  {
    head: settings.tier.column,
    named: true,
    value: row => settings.limits.tiers[row.tier ?? 'standard'],
  },
]

const actionsColumn = (change: (customer: Customer) => void): Column<Customer> => ({
  head: texts.columns.actions,
  named: true,
  cell: row =>
    row.status === 'ACCEPTED' ? (
      // Above the link that covers the row.
      <Button className="relative" onClick={() => change(row)}>
        {settings.tier.change}
      </Button>
    ) : null,
})

function CustomerPanel({ id, onClose }: { id: string; onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const found = useQuery(operator.query(getWorkspaceCustomer, { params: { anchorId, id } }))
  return (
    <SidePanel open onClose={onClose} title={texts.detail.title}>
      <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-64" />}>
        {customer => <CustomerFacts customer={customer} />}
      </DataScreen>
    </SidePanel>
  )
}

/** What the team may know of a customer: of what they sent to the anchor, only the names. */
function CustomerFacts({ customer }: { customer: CustomerOverview }) {
  const { id: anchorId } = useWorkspace()
  const { id, account, memo, tier, checked, held, notes, createdAt } = customer
  const words = texts.detail
  return (
    <div className="space-y-6">
      <IdentityStatus of={customer} />
      {isLinked(customer) && <p className="text-13 text-soft">{texts.linkedHint}</p>}
      <Facts>
        <Fact name={texts.columns.account}>
          <Identifier value={account} what={texts.columns.account} />
        </Fact>
        {memo && <Fact name={texts.columns.memo}>{memo}</Fact>}
        <Fact name={words.id}>
          <Identifier value={id} what={words.id} />
        </Fact>
        <Fact name={texts.columns.since}>{formatDateTime(createdAt)}</Fact>
        {checked && (
          <Fact name={words.checked}>
            {formatDateTime(checked.at)}
            {checked.provider && ` · ${checked.provider}`}
          </Fact>
        )}
        {customer.namesDiffer && (
          <Fact name={words.names}>
            <Status tone="warn">{words.namesDiffer}</Status>
            <p className="text-13 text-soft">{words.namesDifferHint}</p>
          </Fact>
        )}
        <SamePerson customer={customer} by="document" />
        <SamePerson customer={customer} by="name" />
        <Fact name={settings.tier.column}>{settings.limits.tiers[tier ?? 'standard']}</Fact>
        <Fact name={words.held}>
          {held.length === 0 ? (
            words.nothingHeld
          ) : (
            <>
              <code className="font-mono text-13 wrap-anywhere">{held.join(', ')}</code>
              <p className="text-13 text-soft">{words.heldHint}</p>
            </>
          )}
        </Fact>
      </Facts>
      <Tiers tiers={customer.tiers} />
      <LatestTransactions account={account} memo={memo} />
      <Notes
        notes={notes}
        add={async text => {
          await operator.call(addWorkspaceCustomerNote, { params: { anchorId, id }, body: { text } })
          await refresh(getWorkspaceCustomer)
        }}
      />
    </div>
  )
}

function SamePerson({ customer, by }: { customer: CustomerOverview; by: 'document' | 'name' }) {
  const { id: anchorId } = useWorkspace()
  const others = customer.samePerson?.filter(other => other.by === by) ?? []
  if (others.length === 0) return null
  const words = texts.detail.same
  return (
    <Fact name={words[by]}>
      <ul>
        {others.map(({ id, account, memo }) => (
          <li key={id}>
            <Link
              to={paths.workspace(anchorId, 'customers', { open: id })}
              className="link font-mono text-13"
            >
              {`${account.slice(0, 6)}…${account.slice(-4)}${memo === null ? '' : ` ${memo}`}`}
            </Link>
          </li>
        ))}
      </ul>
      <p className="text-13 text-soft">{words[`${by}Hint`]}</p>
    </Fact>
  )
}

function Tiers({ tiers: decisions }: Pick<CustomerOverview, 'tiers'>) {
  const nameOf = useMemberName()
  if (decisions.length === 0) return null
  return (
    <section className="space-y-2">
      <h3 className="text-13 font-medium text-soft">{texts.detail.tiers}</h3>
      <ol className="divide-y divide-line rounded-8 border border-line text-13">
        {decisions.map(({ tier, reason, by, at }) => (
          <li key={at} className="px-3 py-2">
            <p className="flex flex-wrap justify-between gap-x-4">
              <strong className="font-medium">
                {settings.limits.tiers[tier]} · {nameOf(by)}
              </strong>
              <time dateTime={at} className="text-soft">
                {formatDateTime(at)}
              </time>
            </p>
            <p className="whitespace-pre-wrap wrap-anywhere">{reason}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}

const LATEST = 20

/** The customer's among the account's latest: customers with different memos share an account. */
function LatestTransactions({ account, memo }: Pick<Customer, 'account' | 'memo'>) {
  const workspace = useWorkspace()
  const { id: anchorId } = workspace
  const found = useQuery(
    operator.query(listWorkspaceTransactions, { params: { anchorId }, query: { account, limit: LATEST } }),
  )
  const names = transactionsTexts
  return (
    <section className="space-y-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="text-13 font-medium text-soft">{texts.detail.transactions}</h3>
        <Link to={paths.workspace(anchorId, 'transactions', { account })} className="link text-13">
          {texts.detail.allTransactions}
        </Link>
      </div>
      <DataScreen
        query={found}
        explain={describeError}
        skeleton={<Bar className="h-16" />}
        isEmpty={rows => !rows.some(row => row.memo === memo)}
        empty={<p className="text-14 text-soft">{texts.detail.noTransactions}</p>}
      >
        {rows => (
          <ol className="divide-y divide-line rounded-8 border border-line text-13">
            {rows
              .filter(row => row.memo === memo)
              .map(row => (
                <li key={row.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
                  <Link
                    to={paths.workspace(anchorId, 'transactions', { account, open: row.id })}
                    className="link font-medium"
                  >
                    {names.kinds[row.kind]}
                  </Link>
                  {row.amount && (
                    <span className="tabular">
                      {formatAmount(row.amount)} {assetNameOf(workspace, row.asset)}
                    </span>
                  )}
                  <time dateTime={row.createdAt} className="flex-1 whitespace-nowrap text-soft">
                    {formatDateTime(row.createdAt)}
                  </time>
                  <TransactionStatus status={row.status} />
                </li>
              ))}
          </ol>
        )}
      </DataScreen>
    </section>
  )
}

function TierForm({ customer, onClose }: { customer: Customer; onClose(): void }) {
  const { id: anchorId } = useWorkspace()
  const words = settings.tier
  const form = useForm({
    initial: { tier: customer.tier ?? 'standard', reason: '' },
    check: ({ reason }) => (reason.trim() === '' ? { reason: words.reasonMissing } : {}),
    send: async ({ tier, reason }) => {
      await operator.call(setWorkspaceCustomerTier, {
        params: { anchorId, id: customer.id },
        body: { tier: tiers.find(each => each === tier) ?? 'standard', reason: reason.trim() },
      })
      await refresh(listWorkspaceCustomers, getWorkspaceCustomer)
      onClose()
    },
    explain: failedAs(words.failed),
  })
  const choices = tiers.map(value => ({ value, label: settings.limits.tiers[value] }))
  return (
    <FormPanel title={words.title} lead={words.lead} form={form} send={settings.save} onClose={onClose}>
      <ChoicesField single name="tier" label={words.label} choices={choices} />
      <TextAreaField name="reason" label={words.reason} hint={words.reasonHint} maxLength={500} />
    </FormPanel>
  )
}

const tones: Record<string, Tone> = { ACCEPTED: 'good', REJECTED: 'bad', PROCESSING: 'info' }

const isLinked = ({ status, linked }: Pick<Customer, 'status' | 'linked'>): boolean =>
  linked === true && status !== 'ACCEPTED'

function IdentityStatus({ of }: { of: Pick<Customer, 'status' | 'linked'> }) {
  const { status } = of
  if (isLinked(of)) return <Status tone="info">{texts.linked}</Status>
  return <Status tone={tones[status] ?? 'neutral'}>{texts.statuses[status] ?? status}</Status>
}
