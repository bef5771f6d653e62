import { keyOf } from '@windlass/ui/console/query.ts'
import {
  type CustomerTransaction,
  listCustomerAnchors,
  listCustomerTransactions,
} from '@windlass/contracts/platform/customers.ts'
import { transactionKinds } from '@windlass/contracts/anchor/developer-api.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { RecordList, rowsOf, useOpenRow } from '@windlass/ui/console/record-list.tsx'
import { SearchForm } from '@windlass/ui/console/search-form.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { formatAmount, formatDateTime, formatList, formatMoney } from '@windlass/ui/formats.ts'
import { Notice, Status, type Tone } from '@windlass/ui/notice.tsx'
import { Domain, Fact, Facts, PageHeading } from '@windlass/ui/page.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { type Column, rowLink } from '@windlass/ui/table.tsx'
import { texts as uiTexts } from '@windlass/ui/texts.ts'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { Link, useSearchParams } from 'react-router'
import { call, all } from '../api.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { transactions as texts } from './texts.ts'

const filterNames = ['anchorId', 'kind', 'status'] as const
type Filter = Partial<Record<(typeof filterNames)[number], string>>

const filterIn = (query: URLSearchParams): Filter =>
  Object.fromEntries(filterNames.map(name => [name, query.get(name) ?? undefined]))

const queryOf = ({ anchorId, kind, status }: Filter) => ({
  anchorId,
  status,
  kind: transactionKinds.find(known => known === kind),
})

/** The customer's deposits and withdrawals at all anchors they use, with one of them open beside the list. */
export function Component() {
  const filter = filterIn(useSearchParams()[0])
  // Not repeated by itself: each page asks every anchor, and wakes those that sleep.
  const list = useInfiniteQuery({
    queryKey: keyOf(listCustomerTransactions, { query: queryOf(filter) }, 'pages'),
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...queryOf(filter), cursor: pageParam }
      const { transactions, unavailable, next } = await call(listCustomerTransactions, { query, signal })
      return { rows: transactions, unavailable, next: next ?? undefined }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next,
  })
  const anchors = useQuery(all(listCustomerAnchors)).data
  const rows = rowsOf(list)
  const pathTo = (open: string | undefined) => paths.transactions({ ...filter, open })
  const { open, close } = useOpenRow(
    rows.map(({ id }) => id),
    pathTo,
  )
  const opened = rows.find(({ id }) => id === open)
  return (
    <div className="mx-auto w-full max-w-[1120px] flex-1 space-y-6 px-4 py-8 sm:px-6 sm:py-12">
      <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
      <SearchForm
        label={texts.search}
        fields={[
          {
            name: 'anchorId',
            label: texts.columns.anchor,
            choices: (anchors ?? []).map(({ id, organizationName }) => [id, organizationName]),
          },
          { name: 'kind', label: texts.columns.kind, choices: Object.entries(texts.kinds) },
          { name: 'status', label: texts.columns.status, choices: Object.entries(texts.statuses) },
        ]}
        values={filter}
        to={paths.transactions}
      />
      <Unavailable
        names={[
          ...new Set(
            list.data?.pages.flatMap(page =>
              page.unavailable.map(({ organizationName }) => organizationName),
            ),
          ),
        ]}
        retrying={list.isFetching}
        onRetry={() => void list.refetch()}
      />
      <RecordList
        texts={texts}
        list={list}
        columns={columnsWith(pathTo)}
        keyOf={row => row.id}
        open={open}
        showAll={filterNames.some(name => filter[name]) ? paths.transactions() : undefined}
      />
      {opened && (
        <SidePanel open onClose={close} title={texts.kinds[opened.kind]}>
          <TransactionFacts transaction={opened} />
        </SidePanel>
      )}
    </div>
  )
}

interface UnavailableProps {
  names: readonly string[]
  retrying: boolean
  onRetry(): void
}

/** The anchors whose transactions are missing in the list. */
function Unavailable({ names, retrying, onRetry }: UnavailableProps) {
  if (names.length === 0) return null
  return (
    <Notice
      tone="warn"
      role="status"
      title={texts.unavailable.title(formatList(names))}
      actions={
        <Button pending={retrying} onClick={onRetry}>
          {uiTexts.retry}
        </Button>
      }
    >
      {texts.unavailable.detail}
    </Notice>
  )
}

const columnsWith = (pathTo: (id: string) => string): Column<CustomerTransaction>[] => [
  {
    head: texts.columns.kind,
    cell: row => (
      <Link to={pathTo(row.id)} preventScrollReset className={rowLink}>
        {texts.kinds[row.kind]}
      </Link>
    ),
  },
  { head: texts.columns.anchor, cell: row => row.anchor.organizationName },
  {
    head: texts.columns.amount,
    numeric: true,
    cell: row => row.amount && `${formatAmount(row.amount)} ${row.assetCode}`,
  },
  {
    head: texts.columns.railAmount,
    numeric: true,
    cell: row => row.railAmount && formatMoney(row.railAmount, row.currency),
  },
  timeColumn(texts.columns.at, row => row.createdAt),
  { head: texts.columns.status, cell: row => <TransactionStatus status={row.status} /> },
]

function TransactionFacts({ transaction }: { transaction: CustomerTransaction }) {
  const { fields, columns } = texts
  const { anchor, amount, fee, assetCode, railAmount, currency, rail } = transaction
  const inAsset = (value: string | null) => value && `${formatAmount(value)} ${assetCode}`
  return (
    <div className="space-y-6">
      <TransactionStatus status={transaction.status} />
      {transaction.message && <p className="text-14 wrap-anywhere">{transaction.message}</p>}
      <Facts>
        <Fact name={columns.anchor}>
          {anchor.organizationName} <Domain>{anchor.homeDomain}</Domain>
        </Fact>
        <Fact name={columns.amount}>{inAsset(amount)}</Fact>
        <Fact name={fields.fee}>{inAsset(fee)}</Fact>
        <Fact name={columns.railAmount}>
          {railAmount && formatMoney(railAmount, currency)} {rail}
        </Fact>
        <Fact name={columns.at}>{formatDateTime(transaction.createdAt)}</Fact>
        <Fact name={fields.updated}>{formatDateTime(transaction.updatedAt)}</Fact>
        <Fact name={fields.wallet}>
          <Identifier value={transaction.account} what={fields.wallet} />
        </Fact>
        {transaction.ledgerTransaction && (
          <Fact name={fields.ledger}>
            <Identifier value={transaction.ledgerTransaction} what={fields.ledger} />
          </Fact>
        )}
        <Fact name={fields.id}>
          <Identifier value={transaction.id} what={fields.id} />
        </Fact>
      </Facts>
    </div>
  )
}

const tones: Record<string, Tone> = {
  completed: 'good',
  failed: 'bad',
  expired: 'neutral',
  returned: 'neutral',
}

function TransactionStatus({ status }: { status: string }) {
  return <Status tone={tones[status] ?? 'info'}>{texts.statuses[status] ?? status}</Status>
}
