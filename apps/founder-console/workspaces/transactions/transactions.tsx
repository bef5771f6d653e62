import { seesCompliance } from '@windlass/contracts/access.ts'
import { everyPage } from '@windlass/client/next-page.ts'
import { add, amountOf, formatAmount as exactAmount, parseAmount } from '@windlass/money/amount.ts'
import { saveCsv, saveJson } from '@windlass/ui/console/csv.ts'
import { SearchForm, type SearchField } from '@windlass/ui/console/search-form.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { RecordList, useOpenRow, rowsOf } from '@windlass/ui/console/record-list.tsx'
import { describeError } from '@windlass/ui/console/errors.ts'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import type { DeveloperTransaction } from '@windlass/contracts/anchor/developer-api.ts'
import {
  addWorkspaceTransactionNote,
  getWorkspaceTransaction,
  listWorkspaceEntries,
  listWorkspaceTransactions,
} from '@windlass/contracts/platform/workspace-records.ts'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatAmount, formatMoney, formatDateTime } from '@windlass/ui/formats.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { Fact, Facts, SectionHeading } from '@windlass/ui/page.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { type Column, rowLink } from '@windlass/ui/table.tsx'
import { Link, useSearchParams } from 'react-router'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { paths } from '../../paths.ts'
import { EvidenceExport } from '../compliance/evidence.tsx'
import { SidesExport } from '../compliance/travel-rule-forms.tsx'
import { LedgerPayments, PayoutWaits } from './ledger-payments.tsx'
import { JournalLines } from '../ledger/ledger.tsx'
import { Notes } from './notes.tsx'
import { texts as actionTexts } from './action-texts.ts'
import { transactions as texts } from './texts.ts'
import { ledger as ledgerTexts } from '../ledger/texts.ts'
import { TransactionActions } from './transaction-actions.tsx'
import { idOf } from '@windlass/contracts/internal/served-assets.ts'
import type { Workspace } from '@windlass/contracts/platform/workspaces.ts'
import { assetNameOf } from '../assets.ts'
import { useWorkspace } from '../workspace.tsx'

/** Deposits and withdrawals at the anchor, with one of them open beside the list. */
const filterNames = ['text', 'kind', 'status', 'account'] as const
type Filter = Partial<Record<(typeof filterNames)[number], string>>

const filterIn = (query: URLSearchParams): Filter =>
  Object.fromEntries(filterNames.map(name => [name, query.get(name) ?? undefined]))

const kinds = ['deposit', 'withdrawal'] as const

/** A direct payment (SEP-31) is a withdrawal of another anchor's customers. */
const kindOf = ({ kind, protocol }: Pick<DeveloperTransaction, 'kind' | 'protocol'>) =>
  protocol === 'sep31' ? texts.directPayment : texts.kinds[kind]

const queryOf = ({ text, kind, status, account }: Filter) => ({
  text,
  status,
  account,
  kind: kinds.find(known => known === kind),
})

const fields: SearchField[] = [
  { name: 'text', label: texts.fields.text, hint: texts.fields.textHint },
  { name: 'kind', label: texts.columns.kind, choices: Object.entries(texts.kinds) },
  { name: 'status', label: texts.columns.status, choices: Object.entries(texts.statuses) },
  { name: 'account', label: texts.fields.account },
]

export function Component() {
  const workspace = useWorkspace()
  const { id: anchorId, subdomain } = workspace
  const filter = filterIn(useSearchParams()[0])
  const list = useInfiniteQuery(
    operator.pages(listWorkspaceTransactions, { params: { anchorId }, query: queryOf(filter) }),
  )
  const rows = rowsOf(list)
  const save = useMutation({
    mutationFn: async (format: 'csv' | 'json') => {
      const all = await readAll(anchorId, filter)
      const name = `${subdomain}-transactions.${format}`
      if (format === 'csv')
        saveCsv(
          name,
          csvHead,
          all.map(row => csvRow(workspace, row)),
        )
      else saveJson(name, all)
    },
  })
  const pathTo = (id: string | undefined) =>
    paths.workspace(anchorId, 'transactions', { ...filter, open: id })
  const { open, close } = useOpenRow(
    rows.map(({ id }) => id),
    pathTo,
  )
  const columns: Column<DeveloperTransaction>[] = [
    {
      head: texts.columns.kind,
      value: kindOf,
      cell: row => (
        <Link to={pathTo(row.id)} preventScrollReset className={rowLink}>
          {kindOf(row)}
        </Link>
      ),
    },
    {
      head: texts.columns.customer,
      named: true,
      className: 'wrap-anywhere',
      value: ({ customer }) => customer?.name,
      cell: ({ customer, account }) => customer?.name ?? `${account.slice(0, 6)}…${account.slice(-4)}`,
    },
    {
      head: texts.columns.amount,
      numeric: true,
      value: row => row.amount,
      cell: row => row.amount && `${formatAmount(row.amount)} ${assetNameOf(workspace, row.asset)}`,
    },
    {
      head: texts.columns.railAmount,
      numeric: true,
      value: row => row.railAmount,
      cell: row => row.railAmount && formatMoney(row.railAmount, row.currency),
    },
    { head: texts.columns.rail, className: 'text-soft', value: row => row.rail },
    {
      head: texts.columns.at,
      className: 'whitespace-nowrap text-soft',
      value: row => row.createdAt,
      cell: row => <time dateTime={row.createdAt}>{formatDateTime(row.createdAt)}</time>,
    },
    { head: texts.columns.status, cell: row => <TransactionStatus status={row.status} /> },
  ]
  return (
    <section className="space-y-4">
      <SectionHeading
        title={texts.title}
        lead={texts.lead}
        actions={
          <div className="flex flex-wrap gap-2">
            {(['csv', 'json'] as const).map(format => (
              <Button
                key={format}
                pending={save.isPending && save.variables === format}
                onClick={() => save.mutate(format)}
              >
                {texts.export[format]}
              </Button>
            ))}
          </div>
        }
      />
      {save.error && <ErrorNotice failure={{ ...describeError(save.error), title: texts.exportFailed }} />}
      <SearchForm
        label={texts.search}
        fields={fields}
        values={filter}
        to={values => paths.workspace(anchorId, 'transactions', values)}
      />
      <Totals rows={rows} more={list.hasNextPage} />
      <RecordList
        texts={texts}
        list={list}
        columns={columns}
        keyOf={row => row.id}
        open={open}
        showAll={
          filterNames.some(name => filter[name]) ? paths.workspace(anchorId, 'transactions') : undefined
        }
      />
      {open && <TransactionPanel anchorId={anchorId} id={open} onClose={close} />}
    </section>
  )
}

/** Ledger amounts of the completed transactions in the list, of each asset by itself. */
function Totals({ rows, more }: { rows: readonly DeveloperTransaction[]; more: boolean }) {
  const workspace = useWorkspace()
  if (rows.length === 0) return null
  const byAsset = new Map<string, DeveloperTransaction[]>()
  for (const row of rows) {
    const id = row.asset ? idOf(row.asset) : 'asset'
    byAsset.set(id, [...(byAsset.get(id) ?? []), row])
  }
  const sum = (ofAsset: readonly DeveloperTransaction[], kind: DeveloperTransaction['kind']) => {
    const total = ofAsset
      .filter(row => row.kind === kind && row.status === 'completed')
      .reduce((units, { amount }) => add(units, parseAmount(amount ?? '0')), amountOf(0n))
    return `${formatAmount(exactAmount(total))} ${assetNameOf(workspace, ofAsset[0]?.asset)}`
  }
  return (
    <p className="text-14 text-soft tabular">
      {[...byAsset.values()].map(each => `${texts.totals(sum(each, 'deposit'), sum(each, 'withdrawal'))} `)}
      {more && texts.totalsOfShown(rows.length)}
    </p>
  )
}

const csvHead = [
  'id',
  'created',
  'kind',
  'status',
  'account',
  'memo',
  'amount',
  'fee',
  'rail',
  'rail_amount',
  'currency',
  'ledger_transaction',
  'asset',
  'reference',
  'customer',
]

/** An asset as `CODE:ISSUER`, the first one too. */
const csvRow = (
  { asset: first, issuer }: Workspace,
  { id, createdAt, kind, status, account, memo, amount, fee, rail, ...row }: DeveloperTransaction,
) => {
  const asset = idOf(row.asset ?? { code: first.code, issuer: issuer ?? '' })
  const money = [amount, fee, rail, row.railAmount, row.currency, row.ledgerTransaction, asset]
  return [
    id,
    createdAt,
    kind,
    status,
    account,
    memo,
    ...money,
    row.reference ?? null,
    row.customer?.name ?? null,
  ]
}

/** Every transaction that matches. */
const readAll = (anchorId: string, filter: Filter): Promise<DeveloperTransaction[]> =>
  everyPage(page =>
    operator.send(listWorkspaceTransactions, {
      params: { anchorId },
      query: { ...queryOf(filter), ...page },
    }),
  )

interface TransactionPanelProps {
  anchorId: string
  id: string
  onClose(): void
}

function TransactionPanel({ anchorId, id, onClose }: TransactionPanelProps) {
  const found = useQuery(
    operator.query(getWorkspaceTransaction, { params: { anchorId, id } }, { refetchInterval: 5_000 }),
  )
  return (
    <SidePanel open onClose={onClose} title={found.data ? kindOf(found.data) : texts.title}>
      <DataScreen query={found} explain={describeError} skeleton={<Bar className="h-64" />}>
        {transaction => <TransactionFacts transaction={transaction} />}
      </DataScreen>
    </SidePanel>
  )
}

type Transaction = AnswerOf<typeof getWorkspaceTransaction>

function TransactionFacts({ transaction }: { transaction: Transaction }) {
  const workspace = useWorkspace()
  const { id: anchorId, role } = workspace
  const { fields } = texts
  const { id, status, amount, fee, railAmount, currency, rail, account, memo, ledgerTransaction } =
    transaction
  const code = assetNameOf(workspace, transaction.asset)
  const inAsset = (value: string | null) => value && `${formatAmount(value)} ${code}`
  return (
    <div className="space-y-6">
      <TransactionStatus status={status} />
      {transaction.message && <p className="text-14 wrap-anywhere">{transaction.message}</p>}
      <Facts>
        <Fact name={fields.id}>
          <Identifier value={id} what={fields.id} />
        </Fact>
        {transaction.reference && (
          <Fact name={fields.reference}>
            <Identifier value={transaction.reference} what={fields.reference} />
          </Fact>
        )}
        {transaction.customer && (
          <Fact name={texts.columns.customer}>
            <Link
              to={paths.workspace(anchorId, 'customers', { open: transaction.customer.id })}
              className="link"
            >
              {transaction.customer.name ?? texts.unnamed}
            </Link>
          </Fact>
        )}
        <Fact name={fields.amount}>{inAsset(amount)}</Fact>
        <Fact name={fields.fee}>{inAsset(fee)}</Fact>
        <Fact name={fields.railAmount}>
          {railAmount && formatMoney(railAmount, currency)} {rail}
        </Fact>
        <Fact name={fields.account}>
          <Identifier value={account} what={fields.account} />
          {memo && ` ${texts.memo(memo)}`}
        </Fact>
        {ledgerTransaction && (
          <Fact name={fields.ledger}>
            <Identifier value={ledgerTransaction} what={fields.ledger} />
          </Fact>
        )}
        {transaction.railPaymentId && (
          <Fact name={fields.railPayment}>
            <Identifier value={transaction.railPaymentId} what={fields.railPayment} />
          </Fact>
        )}
      </Facts>
      <LedgerPayments payments={transaction.payments ?? []} code={code} />
      <PayoutWaits waiting={transaction.payoutWaits ?? null} />
      <TransactionActions
        id={id}
        direction={transaction.kind}
        refund={refundOf(transaction, code)}
        actions={transaction.actions ?? []}
        possible={transaction.possibleActions ?? []}
      />
      {transaction.travelRule && seesCompliance(role) && <SidesExport id={id} />}
      {seesCompliance(role) && <EvidenceExport id={id} />}
      <Timeline history={transaction.history} id={id} />
      <Notes
        notes={transaction.notes ?? []}
        add={async text => {
          await operator.call(addWorkspaceTransactionNote, { params: { anchorId, id }, body: { text } })
          await refresh(getWorkspaceTransaction)
        }}
      />
    </div>
  )
}

/** What a refund sends: what came over the rail, or the asset. */
function refundOf({ kind, amount, railAmount, currency, rail }: Transaction, code: string) {
  if (kind === 'deposit')
    return railAmount ? actionTexts.sentBack.deposit(formatMoney(railAmount, currency), rail) : undefined
  return amount ? actionTexts.sentBack.withdrawal(`${formatAmount(amount)} ${code}`) : undefined
}

interface TimelineProps {
  history: Transaction['history']
  id: string
}

/** The transaction's steps and its entries in the journal, in the order of their times. */
function Timeline({ history, id }: TimelineProps) {
  const { id: anchorId } = useWorkspace()
  const entries = useQuery(
    operator.query(
      listWorkspaceEntries,
      { params: { anchorId }, query: { transactionId: id } },
      { refetchInterval: 5_000 },
    ),
  ).data
  const steps = history.map(({ status, reason, at }, index) => ({
    key: `step-${index}`,
    at,
    title: statusName(status),
    detail: <p className="wrap-anywhere text-soft">{reason}</p>,
  }))
  const booked = (entries ?? []).map(({ id: entryId, kind, createdAt, lines }) => ({
    key: entryId,
    at: createdAt as string | undefined,
    title: `${texts.journal}: ${ledgerTexts.kinds[kind] ?? kind.replaceAll('-', ' ')}`,
    detail: <JournalLines lines={lines} />,
  }))
  const known = [...steps, ...booked].filter(({ at }) => at !== undefined)
  // Without times, as at anchors of earlier releases, the steps keep their order.
  const timeline = [
    ...steps.filter(({ at }) => at === undefined),
    ...known.toSorted((a, b) => (a.at ?? '').localeCompare(b.at ?? '')),
  ]
  return (
    <section className="space-y-2">
      <h3 className="text-13 font-medium text-soft">{texts.history}</h3>
      <ol className="divide-y divide-line rounded-8 border border-line text-13">
        {timeline.map(({ key, at, title, detail }) => (
          <li key={key} className="px-3 py-2">
            <p className="flex flex-wrap justify-between gap-x-4">
              <strong className="font-medium">{title}</strong>
              {at && (
                <time dateTime={at} className="text-soft">
                  {formatDateTime(at)}
                </time>
              )}
            </p>
            {detail}
          </li>
        ))}
      </ol>
    </section>
  )
}

const tones: Record<string, Tone> = {
  completed: 'good',
  failed: 'bad',
  expired: 'neutral',
  sent_back: 'warn',
  returning: 'warn',
  returned: 'neutral',
}

export function TransactionStatus({ status }: { status: string }) {
  return <Status tone={tones[status] ?? 'info'}>{statusName(status)}</Status>
}

/** The label of a status; a status of a later version keeps its own name. */
const statusName = (status: string): string => texts.statuses[status] ?? status.replaceAll('_', ' ')
