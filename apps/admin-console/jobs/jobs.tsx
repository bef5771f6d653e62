import { stages as stageTexts } from '@windlass/ui/console/stage-texts.ts'
import { listJobs } from '@windlass/contracts/platform/admin-home.ts'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import { type JobStatus, stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNow } from '@windlass/ui/data-screen.tsx'
import { formatAgo } from '@windlass/ui/format-units.ts'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { PageHeading } from '@windlass/ui/page.tsx'
import { type Column, rowLink } from '@windlass/ui/table.tsx'
import { Link, type LoaderFunctionArgs, useSearchParams } from 'react-router'
import { RecordList, rowsOf, useOpenRow } from '@windlass/ui/console/record-list.tsx'
import { all, queries, pages } from '../api.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { jobs as texts } from './texts.ts'
import { JobBadge, JobPanel } from './job-panel.tsx'

export type ListedJob = AnswerOf<typeof listJobs>[number]

const statuses = ['pending', 'running', 'failed', 'completed'] as const satisfies JobStatus[]

type Filter = JobStatus | 'stalled' | undefined

const filterIn = (query: URLSearchParams): Filter =>
  ([...statuses, 'stalled'] as const).find(filter => filter === query.get('status'))

const queryOf = (filter: Filter) => (filter === 'stalled' ? { stalled: true } : { status: filter })
const jobsOf = (filter: Filter) => pages(listJobs, { query: queryOf(filter) })

export function loader({ request }: LoaderFunctionArgs) {
  void queries.prefetchInfiniteQuery(jobsOf(filterIn(new URL(request.url).searchParams)))
  return null
}

export function Component() {
  const [query] = useSearchParams()
  const status = filterIn(query)
  const list = useInfiniteQuery({ ...jobsOf(status), refetchInterval: 3_000 })
  const rows = rowsOf(list)
  const now = useNow(5_000)
  const { open, close } = useOpenRow(
    rows.map(row => row.jobId),
    id => paths.jobs({ status, open: id }),
  )

  const columns: Column<ListedJob>[] = [
    {
      head: texts.columns.anchor,
      className: 'max-sm:w-full',
      value: row => row.subdomain,
      cell: row => (
        <Link to={paths.jobs({ status, open: row.jobId })} preventScrollReset className={rowLink}>
          {row.subdomain}
        </Link>
      ),
    },
    {
      head: texts.columns.organization,
      className: 'text-soft max-sm:w-full',
      value: row => row.organizationName,
    },
    {
      head: texts.columns.stage,
      className: 'max-lg:hidden',
      value: row => stageTexts[row.stage],
      cell: row => (
        <>
          <span className="tabular text-soft">
            {texts.stageOf(stageNames.indexOf(row.stage) + 1, stageNames.length)}
          </span>{' '}
          {stageTexts[row.stage]}
        </>
      ),
    },
    {
      head: texts.columns.updated,
      className: 'whitespace-nowrap text-soft max-sm:order-last max-sm:ml-auto',
      value: row => row.updatedAt,
      cell: row => (
        <time dateTime={row.updatedAt} title={formatDateTime(row.updatedAt)}>
          {formatAgo(Date.parse(row.updatedAt), now)}
        </time>
      ),
    },
    {
      head: texts.columns.status,
      value: row => texts.status[row.status],
      cell: row => <JobBadge job={row} />,
    },
  ]
  return (
    <>
      <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
      <RecordList
        texts={texts}
        list={list}
        columns={columns}
        keyOf={row => row.jobId}
        open={open}
        saved={{ name: 'jobs', all: all(listJobs, { query: queryOf(status) }) }}
        filter={{
          value: status,
          options: [
            ...statuses.map(option => [option, texts.status[option]] as const),
            ['stalled', texts.stalled],
          ],
          to: option => paths.jobs({ status: option }),
        }}
      />
      <JobPanel jobId={open} known={rows.find(row => row.jobId === open)} onClose={close} />
    </>
  )
}
