import { everyPage } from '@windlass/client/next-page.ts'
import { add, amountOf, formatAmount as exactAmount, parseAmount } from '@windlass/money/amount.ts'
import { saveCsv, saveJson } from '@windlass/ui/console/csv.ts'
import { SearchForm, type SearchField } from '@windlass/ui/console/search-form.tsx'
import { Button } from '@windlass/ui/button.tsx'
import { RecordList, useOpenRow, rowsOf } from '@windlass/ui/console/record-list.tsx'
import { describeError } from '@windlass/ui/console/errors.ts'
import type { DeveloperTransaction } from '@windlass/contracts/anchor/developer-api.ts'
import { listWorkspaceTransactions } from '@windlass/contracts/platform/workspace-records.ts'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatAmount, formatMoney } from '@windlass/ui/formats.ts'
import { SectionHeading } from '@windlass/ui/page.tsx'
import { type Column, rowLink } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { Link, useSearchParams } from 'react-router'
import { operator } from '../../session.ts'
import { paths } from '../../paths.ts'
import { transactions as texts } from './texts.ts'
import { idOf } from '@windlass/contracts/internal/served-assets.ts'
import type { Workspace } from '@windlass/contracts/platform/workspaces.ts'
import { assetNameOf } from '../assets.ts'
import { useWorkspace } from '../workspace.tsx'
import { TransactionPanel, TransactionStatus, kindOf } from './transaction-panel.tsx'

/** Deposits and withdrawals at the anchor, with one of them open beside the list. */
const filterNames = ['text', 'kind', 'status', 'account'] as const
type Filter = Partial<Record<(typeof filterNames)[number], string>>

const filterIn = (query: URLSearchParams): Filter =>
  Object.fromEntries(filterNames.map(name => [name, query.get(name) ?? undefined]))

const kinds = ['deposit', 'withdrawal'] as const

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
    timeColumn(texts.columns.at, row => row.createdAt),
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
