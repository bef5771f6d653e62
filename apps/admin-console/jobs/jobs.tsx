import { listJobs } from '@windlass/contracts/administrators.ts'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import { stageNames, type JobStatus } from '@windlass/contracts/provisioning.ts'
import { troubleOf } from '@windlass/client/trouble.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { buttonLook } from '@windlass/ui/button.tsx'
import { DataScreen, Empty, useNow } from '@windlass/ui/data-screen.tsx'
import { formatAgo, formatDateTime } from '@windlass/ui/formats.ts'
import { PageHeading } from '@windlass/ui/page.tsx'
import { rowLink, Table, type Column } from '@windlass/ui/table.tsx'
import { Link, useNavigate, useSearchParams, type LoaderFunctionArgs } from 'react-router'
import { queries, send } from '../api.ts'
import { FilterBar } from '../filter-bar.tsx'
import { More, TableSkeleton } from '../list-parts.tsx'
import { listQuery } from '../pages.ts'
import { paths } from '../paths.ts'
import { useStepping } from '../stepping.ts'
import { jobs as texts } from '../texts/jobs.ts'
import { shell } from '../texts/shell.ts'
import { JobBadge } from './badge.tsx'
import { JobPanel } from './job-panel.tsx'

export type ListedJob = AnswerOf<typeof listJobs>[number]

const statuses = ['pending', 'running', 'failed', 'completed'] as const satisfies JobStatus[]

type Filter = JobStatus | 'stalled' | undefined

const filterIn = (query: URLSearchParams): Filter =>
  ([...statuses, 'stalled'] as const).find(filter => filter === query.get('status'))

const jobsOf = (filter: Filter) =>
  listQuery(['jobs', filter], (page, signal) =>
    send(listJobs, {
      query: { ...(filter === 'stalled' ? { stalled: true } : { status: filter }), ...page },
      signal,
    }),
  )

export function loader({ request }: LoaderFunctionArgs) {
  void queries.prefetchInfiniteQuery(jobsOf(filterIn(new URL(request.url).searchParams)))
  return null
}

export function Component() {
  const [query] = useSearchParams()
  const navigate = useNavigate()
  const status = filterIn(query)
  const open = query.get('open') ?? undefined
  const list = useInfiniteQuery({ ...jobsOf(status), refetchInterval: 3_000 })
  const rows = list.data?.pages.flatMap(page => page.rows) ?? []
  const now = useNow(5_000)
  const show = (id: string | undefined) =>
    void navigate(paths.jobs({ status, open: id }), { replace: open !== undefined, preventScrollReset: true })
  useStepping(
    rows.map(row => row.jobId),
    open,
    show,
  )

  const columns: Column<ListedJob>[] = [
    {
      head: texts.columns.anchor,
      className: 'max-sm:w-full',
      cell: row => (
        <Link to={paths.jobs({ status, open: row.jobId })} preventScrollReset className={rowLink}>
          {row.subdomain}
        </Link>
      ),
    },
    {
      head: texts.columns.organization,
      className: 'text-soft max-sm:w-full',
      cell: row => row.organizationName,
    },
    {
      head: texts.columns.stage,
      className: 'max-lg:hidden',
      cell: row => (
        <>
          <span className="tabular text-soft">
            {texts.stageOf(stageNames.indexOf(row.stage) + 1, stageNames.length)}
          </span>{' '}
          {row.stage}
        </>
      ),
    },
    {
      head: texts.columns.updated,
      className: 'whitespace-nowrap text-soft max-sm:order-last max-sm:ml-auto',
      cell: row => (
        <time dateTime={row.updatedAt} title={formatDateTime(row.updatedAt)}>
          {formatAgo(Date.parse(row.updatedAt), now)}
        </time>
      ),
    },
    { head: texts.columns.status, cell: row => <JobBadge job={row} /> },
  ]
  return (
    <>
      <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
      <FilterBar
        options={[
          ...statuses.map(option => [option, texts.status[option]] as const),
          ['stalled', texts.stalled],
        ]}
        value={status ?? ''}
        to={option => paths.jobs({ status: option })}
      />
      <DataScreen
        query={list}
        explain={troubleOf}
        skeleton={<TableSkeleton />}
        isEmpty={() => rows.length === 0}
        empty={
          status ? (
            <Empty
              title={texts.empty.filtered}
              action={
                <Link to={paths.jobs()} className={buttonLook()}>
                  {texts.empty.showAll}
                </Link>
              }
            />
          ) : (
            <Empty title={texts.empty.title}>{texts.empty.detail}</Empty>
          )
        }
      >
        {() => (
          <>
            <Table
              caption={texts.title}
              columns={columns}
              rows={rows}
              keyOf={row => row.jobId}
              isCurrent={row => row.jobId === open}
            />
            <More query={list} />
          </>
        )}
      </DataScreen>
      <JobPanel jobId={open} known={rows.find(row => row.jobId === open)} onClose={() => show(undefined)} />
    </>
  )
}
