import { keyOf } from '@windlass/ui/console/query.ts'
import { refreshFleet } from './refresh-fleet.ts'
import { nextCursor } from '@windlass/client/next-page.ts'
import {
  type AnchorStatus,
  type FleetAnchor,
  listFleet,
  resumeAnchor,
  suspendAnchor,
} from '@windlass/contracts/platform/administrators.ts'
import { listAnchors, type RegistryEntry } from '@windlass/contracts/aggregator/registry.ts'
import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { formatAmount } from '@windlass/ui/formats.ts'
import { Notice, Status } from '@windlass/ui/notice.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { Code, type Column, rowLink } from '@windlass/ui/table.tsx'
import { lazy, Suspense } from 'react'
import { Link, type LoaderFunctionArgs, useSearchParams } from 'react-router'
import { RecordList, rowsOf, useOpenRow } from '@windlass/ui/console/record-list.tsx'
import { BulkBar, useSelection, type BulkAction } from '@windlass/ui/console/bulk-actions.tsx'
import { aggregator, all, call, queries, pages } from '../api.ts'
import { useMay } from '../may.ts'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { fleet as texts } from './texts.ts'
import { AnchorBadge } from './anchor-badge.tsx'

// Loaded with the first anchor that is opened.
const AnchorPanel = lazy(async () => ({ default: (await import('./anchor-panel.tsx')).AnchorPanel }))

const statuses = ['active', 'provisioning', 'suspended', 'error', 'removed'] as const satisfies AnchorStatus[]

const statusIn = (query: URLSearchParams): AnchorStatus | undefined =>
  statuses.find(status => status === query.get('status'))

const fleetOf = (status: AnchorStatus | undefined) => pages(listFleet, { query: { status } })

/**
 * Registry entries with availability and liquidity. Both lists are newest first, so as many pages of the registry
 * as of the fleet cover the displayed rows.
 */
const registryQuery = (pages: number) =>
  queryOptions({
    queryKey: keyOf(listAnchors, { pages }, 'by id'),
    queryFn: async ({ signal }) => {
      const entries: RegistryEntry[] = []
      let cursor: string | undefined
      for (let page = 0; page < pages; page++) {
        const { body, headers } = await aggregator.send(listAnchors, { query: { cursor }, signal })
        entries.push(...body.anchors)
        cursor = nextCursor(headers)
        if (!cursor) break
      }
      return new Map(entries.map(entry => [entry.id, entry]))
    },
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  })

export function loader({ request }: LoaderFunctionArgs) {
  void queries.prefetchInfiniteQuery(fleetOf(statusIn(new URL(request.url).searchParams)))
  void queries.prefetchQuery(registryQuery(1))
  return null
}

const isActive = ({ status }: FleetAnchor) => status === 'active'
const isSuspended = ({ status }: FleetAnchor) => status === 'suspended'

const bulkActions = (): BulkAction<FleetAnchor>[] => [
  {
    name: texts.suspend,
    done: texts.status.suspended,
    applies: isActive,
    run: ({ id }, reason) => call(suspendAnchor, { params: { id }, body: { reason } }),
    reason: texts.reason,
  },
  {
    name: texts.resume,
    done: texts.status.active,
    applies: isSuspended,
    run: ({ id }) => call(resumeAnchor, { params: { id } }),
  },
]

export function Component() {
  const [query] = useSearchParams()
  const status = statusIn(query)
  const list = useInfiniteQuery(fleetOf(status))
  const registry = useQuery(registryQuery(list.data?.pages.length ?? 1))
  const rows = rowsOf(list)
  const entryOf = (id: string) => registry.data?.get(id)
  const mayChange = useMay('operator')
  const selection = useSelection({
    rows,
    keyOf: row => row.id,
    nameOf: row => row.homeDomain,
    isSelectable: row => isActive(row) || isSuspended(row),
  })
  const { open, close } = useOpenRow(
    rows.map(row => row.id),
    id => paths.fleet({ status, open: id }),
  )

  const columns: Column<FleetAnchor>[] = [
    {
      head: texts.columns.anchor,
      className: 'max-sm:w-full',
      value: row => row.homeDomain,
      cell: row => (
        <Link to={paths.fleet({ status, open: row.id })} preventScrollReset className={rowLink}>
          <span className="wrap-anywhere">{row.homeDomain}</span>
        </Link>
      ),
    },
    {
      head: texts.columns.organization,
      className: 'text-soft max-sm:w-full',
      value: row => row.organizationName,
    },
    { head: texts.columns.asset, value: row => row.assetCode, cell: row => <Code>{row.assetCode}</Code> },
    {
      head: texts.columns.availability,
      className: 'max-lg:hidden',
      cell: row => <Availability entry={entryOf(row.id)} known={registry.data !== undefined} />,
    },
    {
      head: texts.columns.capacity,
      numeric: true,
      className: 'max-lg:hidden',
      value: row => entryOf(row.id)?.treasury_capacity,
      cell: row => formatAmount(entryOf(row.id)?.treasury_capacity ?? ''),
    },
    {
      head: texts.columns.status,
      value: row => texts.status[row.status],
      cell: row => <AnchorBadge anchor={row} />,
    },
  ]
  return (
    <>
      <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
      {registry.error && <Notice tone="warn" role="status" title={texts.registryDown} />}
      <BulkBar selection={selection} actions={bulkActions()} onEnd={refreshFleet} />
      <RecordList
        texts={texts}
        list={list}
        columns={mayChange ? [selection.column, ...columns] : columns}
        keyOf={row => row.id}
        open={open}
        saved={{ name: 'anchors', all: all(listFleet, { query: { status } }) }}
        filter={{
          value: status,
          options: statuses.map(option => [option, texts.status[option]]),
          to: option => paths.fleet({ status: option }),
        }}
      />
      {open !== undefined && (
        <Suspense>
          <AnchorPanel
            id={open}
            anchor={rows.find(row => row.id === open)}
            entry={entryOf(open)}
            onClose={close}
          />
        </Suspense>
      )}
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
