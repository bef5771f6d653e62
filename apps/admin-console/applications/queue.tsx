import {
  ApplicationStatus,
  listApplications,
  type ReviewedApplication,
} from '@windlass/contracts/applications.ts'
import { troubleOf } from '@windlass/client/trouble.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { buttonLook } from '@windlass/ui/button.tsx'
import { DataScreen, Empty, useNow } from '@windlass/ui/data-screen.tsx'
import { formatAgo, formatDateTime } from '@windlass/ui/formats.ts'
import { PageHeading } from '@windlass/ui/page.tsx'
import { Code, rowLink, Table, type Column } from '@windlass/ui/table.tsx'
import { Link, useNavigate, useSearchParams, type LoaderFunctionArgs } from 'react-router'
import { queries, send } from '../api.ts'
import { FilterBar } from '../filter-bar.tsx'
import { More, TableSkeleton } from '../list-parts.tsx'
import { listQuery } from '../pages.ts'
import { paths } from '../paths.ts'
import { applications as texts } from '../texts/applications.ts'
import { shell } from '../texts/shell.ts'
import { ApplicationPanel } from './application-panel.tsx'
import { ApplicationBadge } from './badge.tsx'
import { useStepping } from '../stepping.ts'

const statuses = ['applied', 'approved', 'rejected'] as const satisfies ApplicationStatus[]

const statusIn = (query: URLSearchParams): ApplicationStatus | undefined =>
  statuses.find(status => status === query.get('status'))

const queueOf = (status: ApplicationStatus | undefined) =>
  listQuery(['applications', status], (page, signal) =>
    send(listApplications, { query: { status, ...page }, signal }),
  )

export function loader({ request }: LoaderFunctionArgs) {
  void queries.prefetchInfiniteQuery(queueOf(statusIn(new URL(request.url).searchParams)))
  return null
}

export function Component() {
  const [query] = useSearchParams()
  const navigate = useNavigate()
  const status = statusIn(query)
  const open = query.get('open') ?? undefined
  const list = useInfiniteQuery(queueOf(status))
  const rows = list.data?.pages.flatMap(page => page.rows) ?? []
  const now = useNow(30_000)
  const show = (id: string | undefined) =>
    void navigate(paths.applications({ status, open: id }), {
      replace: open !== undefined,
      preventScrollReset: true,
    })
  useStepping(
    rows.map(row => row.id),
    open,
    show,
  )

  const columns: Column<ReviewedApplication>[] = [
    {
      head: texts.columns.company,
      className: 'max-sm:w-full',
      cell: row => (
        <Link to={paths.applications({ status, open: row.id })} preventScrollReset className={rowLink}>
          {row.companyProfile.name}
        </Link>
      ),
    },
    {
      head: texts.columns.email,
      className: 'text-soft max-sm:w-full wrap-anywhere',
      cell: row => row.companyProfile.businessEmail,
    },
    {
      head: texts.columns.asset,
      className: 'max-lg:hidden',
      cell: row => <Code>{row.stellarConfig.assetCode}</Code>,
    },
    {
      head: texts.columns.rails,
      className: 'max-lg:hidden',
      cell: row => row.paymentRails.rails?.join(', '),
    },
    {
      head: texts.columns.received,
      className: 'whitespace-nowrap text-soft max-sm:order-last max-sm:ml-auto',
      cell: row => (
        <time dateTime={row.createdAt} title={formatDateTime(row.createdAt)}>
          {formatAgo(Date.parse(row.createdAt), now)}
        </time>
      ),
    },
    { head: texts.columns.status, cell: row => <ApplicationBadge status={row.status} /> },
  ]
  return (
    <>
      <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
      <FilterBar
        options={statuses.map(option => [option, texts.status[option]] as const)}
        value={status ?? ''}
        to={option => paths.applications({ status: option })}
      />
      <DataScreen
        query={list}
        explain={troubleOf}
        skeleton={<TableSkeleton />}
        isEmpty={() => rows.length === 0}
        empty={<NoApplications filtered={status !== undefined} />}
      >
        {() => (
          <>
            <Table
              caption={texts.title}
              columns={columns}
              rows={rows}
              keyOf={row => row.id}
              isCurrent={row => row.id === open}
            />
            <More query={list} />
          </>
        )}
      </DataScreen>
      <ApplicationPanel id={open} known={rows.find(row => row.id === open)} onClose={() => show(undefined)} />
    </>
  )
}

function NoApplications({ filtered }: { filtered: boolean }) {
  if (!filtered) return <Empty title={texts.empty.title}>{texts.empty.detail}</Empty>
  return (
    <Empty
      title={texts.empty.filtered}
      action={
        <Link to={paths.applications()} className={buttonLook()}>
          {texts.empty.showAll}
        </Link>
      }
    />
  )
}
