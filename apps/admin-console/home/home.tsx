import { describeError } from '@windlass/ui/console/errors.ts'
import { getAdminHome } from '@windlass/contracts/platform/admin-home.ts'
import { listAudit, type NamedAuditEntry } from '@windlass/contracts/platform/administrators.ts'
import { listRefusedMessages } from '@windlass/contracts/platform/refused-messages.ts'
import { listAnchors } from '@windlass/contracts/aggregator/registry.ts'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import { useQuery } from '@tanstack/react-query'
import { buttonLook } from '@windlass/ui/button.tsx'
import { Figure } from '@windlass/ui/charts.tsx'
import { phraseOf } from '@windlass/ui/console/audit-entry.ts'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, useNow } from '@windlass/ui/data-screen.tsx'
import { formatAgo } from '@windlass/ui/format-units.ts'
import { formatDateTime, formatList } from '@windlass/ui/formats.ts'
import { Notice } from '@windlass/ui/notice.tsx'
import { PageHeading, SectionHeading } from '@windlass/ui/page.tsx'
import { Table, type Column } from '@windlass/ui/table.tsx'
import { timeColumn } from '@windlass/ui/time-column.tsx'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { aggregator, queries, query } from '../api.ts'
import { actorName, Subject } from '../audit/audit.tsx'
import { fleet } from '../fleet/texts.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { home as texts } from './texts.ts'

const Volume = lazy(() => import('./volume.tsx'))

type Home = AnswerOf<typeof getAdminHome>

const homeQuery = query(getAdminHome, {}, { refetchInterval: 10_000 })

const latestQuery = query(listAudit, { query: { limit: 8 } }, { refetchInterval: 10_000 })

export function loader() {
  void queries.prefetchQuery(homeQuery)
  return null
}

export function Component() {
  const home = useQuery(homeQuery)
  return (
    <>
      <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
      <DataScreen query={home} explain={describeError} skeleton={<Bar className="h-72" />}>
        {data => (
          <div className="space-y-8">
            <Actions home={data} />
            <Fleet home={data} />
            <Suspense fallback={<Bar className="h-40" />}>
              <Volume />
            </Suspense>
            <Alerts alerts={data.alerts} />
          </div>
        )}
      </DataScreen>
      <Activity />
    </>
  )
}

/** Active anchors whose last health check failed: at most a page of them. */
const unavailableQuery = aggregator.query(
  listAnchors,
  { query: { status: 'active', available: false, limit: 100 } },
  { refetchInterval: 15_000 },
)

const refusedQuery = query(listRefusedMessages, {}, { refetchInterval: 30_000 })

function Actions({ home: { applications, jobs } }: { home: Home }) {
  const now = useNow(30_000)
  const unavailable = useQuery(unavailableQuery).data?.anchors ?? []
  const refused = useQuery(refusedQuery).data ?? []
  const actions = [
    {
      count: applications.waiting,
      title: texts.applications,
      detail: applications.oldest ? texts.oldest(formatAgo(Date.parse(applications.oldest), now)) : '',
      action: texts.review,
      to: paths.applications({ status: 'applied' }),
    },
    {
      count: jobs.failed,
      title: texts.failed,
      detail: texts.failedDetail,
      to: paths.jobs({ status: 'failed' }),
    },
    {
      count: jobs.stalled,
      title: texts.stalled,
      detail: texts.stalledDetail,
      to: paths.jobs({ status: 'stalled' }),
    },
    {
      count: unavailable.length,
      title: texts.unavailable,
      detail: texts.unavailableDetail(formatList(unavailable.slice(0, 5).map(({ slug }) => slug))),
      to: paths.fleet({ status: 'active' }),
    },
    {
      count: refused.length,
      title: texts.refused,
      detail: texts.refusedDetail,
      to: paths.messages(),
    },
  ].filter(({ count }) => count > 0)
  return (
    <section className="space-y-3">
      <SectionHeading title={texts.action} />
      {actions.length === 0 && <p className="text-14 text-soft">{texts.nothing}</p>}
      <div className="grid gap-3 lg:grid-cols-2">
        {actions.map(({ count, title, detail, action = texts.see, to }) => (
          <Notice
            key={to}
            tone="warn"
            title={title(count)}
            actions={
              <Link to={to} className={buttonLook()} aria-label={`${action}: ${title(count)}`}>
                {action}
              </Link>
            }
          >
            {detail}
          </Notice>
        ))}
      </div>
    </section>
  )
}

function Fleet({ home: { anchors, jobs } }: { home: Home }) {
  return (
    <section className="space-y-3">
      <SectionHeading title={texts.fleet} />
      <dl className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {anchors.map(({ status, count }) => (
          <Figure key={status} name={fleet.status[status]} value={String(count)} />
        ))}
        <Figure name={texts.running} value={String(jobs.running)} />
      </dl>
    </section>
  )
}

const alertColumns: Column<Home['alerts'][number]>[] = [
  timeColumn(texts.columns.since, row => row.startedAt),
  { head: texts.columns.what, className: 'font-medium', cell: row => texts.kinds[row.kind] },
  {
    head: texts.columns.where,
    cell: row =>
      row.anchor ? (
        <Link to={paths.fleet({ open: row.anchor.id })} className="link">
          {row.anchor.subdomain}
        </Link>
      ) : (
        texts.platform
      ),
  },
  {
    head: texts.columns.detail,
    className: 'text-soft wrap-anywhere max-sm:w-full',
    value: row => row.detail,
  },
]

function Alerts({ alerts }: Pick<Home, 'alerts'>) {
  return (
    <section className="space-y-3">
      <SectionHeading title={texts.alerts} />
      {alerts.length === 0 ? (
        <p className="text-14 text-soft">{texts.noAlerts}</p>
      ) : (
        <Table caption={texts.alerts} columns={alertColumns} rows={alerts} keyOf={row => row.id} />
      )}
    </section>
  )
}

function Activity() {
  const latest = useQuery(latestQuery)
  const now = useNow(30_000)
  return (
    <section className="space-y-3">
      <SectionHeading
        title={texts.activity}
        actions={
          <Link to={paths.audit()} className="link text-14">
            {texts.all}
          </Link>
        }
      />
      <DataScreen query={latest} explain={describeError} skeleton={<Bar className="h-40" />}>
        {entries => (
          <ol className="divide-y divide-line rounded-8 border border-line bg-surface text-14">
            {entries.map(entry => (
              <Sentence key={entry.id} entry={entry} now={now} />
            ))}
          </ol>
        )}
      </DataScreen>
    </section>
  )
}

function Sentence({ entry, now }: { entry: NamedAuditEntry; now: number }) {
  return (
    <li className="flex flex-wrap justify-between gap-x-4 gap-y-1 px-4 py-2">
      <span className="min-w-0 flex-1 basis-64 wrap-break-word">
        <strong className="font-medium">{actorName(entry)}</strong> {phraseOf(entry)}{' '}
        <Subject entry={entry} />
      </span>
      <time dateTime={entry.at} title={formatDateTime(entry.at)} className="text-13 text-soft">
        {formatAgo(Date.parse(entry.at), now)}
      </time>
    </li>
  )
}
