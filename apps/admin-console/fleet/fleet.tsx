import { listFleet, type AnchorStatus, type FleetAnchor } from '@windlass/contracts/administrators.ts'
import { listAnchors, type RegistryEntry } from '@windlass/contracts/registry.ts'
import { troubleOf } from '@windlass/client/trouble.ts'
import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { buttonLook } from '@windlass/ui/button.tsx'
import { DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { formatAmount } from '@windlass/ui/formats.ts'
import { Notice, Status } from '@windlass/ui/notice.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { Code, rowLink, Table, type Column } from '@windlass/ui/table.tsx'
import { Link, useNavigate, useSearchParams, type LoaderFunctionArgs } from 'react-router'
import { aggregator, queries, send } from '../api.ts'
import { FilterBar } from '../filter-bar.tsx'
import { More, TableSkeleton } from '../list-parts.tsx'
import { listQuery } from '../pages.ts'
import { paths } from '../paths.ts'
import { useStepping } from '../stepping.ts'
import { fleet as texts } from '../texts/fleet.ts'
import { shell } from '../texts/shell.ts'
import { AnchorPanel } from './anchor-panel.tsx'
import { AnchorBadge } from './badge.tsx'

const statuses = ['active', 'provisioning', 'suspended', 'error'] as const satisfies AnchorStatus[]

const statusIn = (query: URLSearchParams): AnchorStatus | undefined =>
  statuses.find(status => status === query.get('status'))

const fleetOf = (status: AnchorStatus | undefined) =>
  listQuery(['fleet', status], (page, signal) => send(listFleet, { query: { status, ...page }, signal }))

/** What the aggregator knows of the anchors: the health worker's view. */
const registryQuery = queryOptions({
  queryKey: ['registry'],
  queryFn: ({ signal }) => aggregator.call(listAnchors, { query: {}, signal }),
  refetchInterval: 15_000,
})

export function loader({ request }: LoaderFunctionArgs) {
  void queries.prefetchInfiniteQuery(fleetOf(statusIn(new URL(request.url).searchParams)))
  void queries.prefetchQuery(registryQuery)
  return null
}

export function Component() {
  const [query] = useSearchParams()
  const navigate = useNavigate()
  const status = statusIn(query)
  const open = query.get('open') ?? undefined
  const list = useInfiniteQuery(fleetOf(status))
  const registry = useQuery(registryQuery)
  const rows = list.data?.pages.flatMap(page => page.rows) ?? []
  const entryOf = (id: string) => registry.data?.anchors.find(anchor => anchor.id === id)
  const show = (id: string | undefined) =>
    void navigate(paths.fleet({ status, open: id }), {
      replace: open !== undefined,
      preventScrollReset: true,
    })
  useStepping(
    rows.map(row => row.id),
    open,
    show,
  )

  const columns: Column<FleetAnchor>[] = [
    {
      head: texts.columns.anchor,
      className: 'max-sm:w-full',
      cell: row => (
        <Link to={paths.fleet({ status, open: row.id })} preventScrollReset className={rowLink}>
          <span className="wrap-anywhere">{row.homeDomain}</span>
        </Link>
      ),
    },
    {
      head: texts.columns.organization,
      className: 'text-soft max-sm:w-full',
      cell: row => row.organizationName,
    },
    { head: texts.columns.asset, cell: row => <Code>{row.assetCode}</Code> },
    {
      head: texts.columns.availability,
      className: 'max-lg:hidden',
      cell: row => <Availability entry={entryOf(row.id)} known={registry.data !== undefined} />,
    },
    {
      head: texts.columns.capacity,
      numeric: true,
      className: 'max-lg:hidden',
      cell: row => formatAmount(entryOf(row.id)?.treasury_capacity ?? ''),
    },
    { head: texts.columns.status, cell: row => <AnchorBadge status={row.status} /> },
  ]
  return (
    <>
      <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
      <FilterBar
        options={statuses.map(option => [option, texts.status[option]] as const)}
        value={status ?? ''}
        to={option => paths.fleet({ status: option })}
      />
      {registry.error && <Notice tone="warn" role="status" title={texts.registryDown} />}
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
                <Link to={paths.fleet()} className={buttonLook()}>
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
              keyOf={row => row.id}
              isCurrent={row => row.id === open}
            />
            <More query={list} />
          </>
        )}
      </DataScreen>
      <AnchorPanel
        id={open}
        anchor={rows.find(row => row.id === open)}
        entry={entryOf(open ?? '')}
        onClose={() => show(undefined)}
      />
    </>
  )
}

function Availability({ entry, known }: { entry: RegistryEntry | undefined; known: boolean }) {
  if (!entry) return known ? <span className="text-soft">{texts.notRegistered}</span> : null
  return entry.current_availability ? (
    <Status tone="good">{texts.up}</Status>
  ) : (
    <Status tone="bad">{texts.down}</Status>
  )
}
