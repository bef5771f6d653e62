import { refreshApplications } from './review-actions.tsx'
import {
  ApplicationStatus,
  approveApplication,
  listApplications,
  rejectApplication,
  type ReviewedApplication,
} from '@windlass/contracts/platform/applications.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNow } from '@windlass/ui/data-screen.tsx'
import { formatAgo } from '@windlass/ui/format-units.ts'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { PageHeading } from '@windlass/ui/page.tsx'
import { Code, type Column, rowLink } from '@windlass/ui/table.tsx'
import { Link, type LoaderFunctionArgs, useSearchParams } from 'react-router'
import { RecordList, rowsOf, useOpenRow } from '@windlass/ui/console/record-list.tsx'
import { BulkBar, useSelection, type BulkAction } from '@windlass/ui/console/bulk-actions.tsx'
import { all, call, queries, pages } from '../api.ts'
import { useMay } from '../may.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { applications as texts } from './texts.ts'
import { ApplicationBadge, ApplicationPanel } from './application-panel.tsx'

const statuses = ['applied', 'approved', 'rejected'] as const satisfies ApplicationStatus[]

const statusIn = (query: URLSearchParams): ApplicationStatus | undefined =>
  statuses.find(status => status === query.get('status'))

const queueOf = (status: ApplicationStatus | undefined) => pages(listApplications, { query: { status } })

export function loader({ request }: LoaderFunctionArgs) {
  void queries.prefetchInfiniteQuery(queueOf(statusIn(new URL(request.url).searchParams)))
  return null
}

const isOpen = ({ status }: ReviewedApplication) => status === 'applied'

const bulkActions = (): BulkAction<ReviewedApplication>[] => [
  {
    name: texts.approve,
    done: texts.bulk.approved,
    applies: isOpen,
    run: ({ id }) => call(approveApplication, { params: { id } }),
  },
  {
    name: texts.reject,
    done: texts.bulk.rejected,
    applies: isOpen,
    run: ({ id }, reason) => call(rejectApplication, { params: { id }, body: { reason } }),
    reason: texts.reason,
  },
]

export function Component() {
  const [query] = useSearchParams()
  const status = statusIn(query)
  const list = useInfiniteQuery(queueOf(status))
  const rows = rowsOf(list)
  const now = useNow(30_000)
  const mayReview = useMay('operator')
  const selection = useSelection({
    rows,
    keyOf: row => row.id,
    nameOf: row => row.companyProfile.name,
    isSelectable: isOpen,
  })
  const { open, close } = useOpenRow(
    rows.map(row => row.id),
    id => paths.applications({ status, open: id }),
  )

  const columns: Column<ReviewedApplication>[] = [
    {
      head: texts.columns.company,
      className: 'max-sm:w-full',
      value: row => row.companyProfile.name,
      cell: row => (
        <Link to={paths.applications({ status, open: row.id })} preventScrollReset className={rowLink}>
          {row.companyProfile.name}
        </Link>
      ),
    },
    {
      head: texts.columns.email,
      className: 'text-soft max-sm:w-full wrap-anywhere',
      value: row => row.companyProfile.businessEmail,
    },
    {
      head: texts.columns.asset,
      className: 'max-lg:hidden',
      cell: ({ stellarConfig: { assets, assetCode } }) => (
        <Code>{assets?.map(({ code }) => code).join(', ') ?? assetCode}</Code>
      ),
    },
    {
      head: texts.columns.rails,
      className: 'max-lg:hidden',
      value: row => row.paymentRails.rails?.join(', '),
    },
    {
      head: texts.columns.received,
      className: 'whitespace-nowrap text-soft max-sm:order-last max-sm:ml-auto',
      value: row => row.createdAt,
      cell: row => (
        <time dateTime={row.createdAt} title={formatDateTime(row.createdAt)}>
          {formatAgo(Date.parse(row.createdAt), now)}
        </time>
      ),
    },
    {
      head: texts.columns.status,
      value: row => texts.status[row.status],
      cell: row => <ApplicationBadge status={row.status} />,
    },
  ]
  return (
    <>
      <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
      <BulkBar selection={selection} actions={bulkActions()} onEnd={refreshApplications} />
      <RecordList
        texts={texts}
        list={list}
        columns={mayReview ? [selection.column, ...columns] : columns}
        keyOf={row => row.id}
        open={open}
        saved={{ name: 'applications', all: all(listApplications, { query: { status } }) }}
        filter={{
          value: status,
          options: statuses.map(option => [option, texts.status[option]]),
          to: option => paths.applications({ status: option }),
        }}
      />
      <ApplicationPanel id={open} known={rows.find(row => row.id === open)} onClose={close} />
    </>
  )
}
