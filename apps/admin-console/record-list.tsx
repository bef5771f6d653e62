import { troubleOf } from '@windlass/client/trouble.ts'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { Button, buttonLook } from '@windlass/ui/button.tsx'
import { Bar, DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { Table, type Column } from '@windlass/ui/table.tsx'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { FilterBar } from './filter-bar.tsx'
import { useStepping } from './stepping.ts'
import { shell } from './texts/shell.ts'

type List<Row> = UseInfiniteQueryResult<InfiniteData<{ rows: Row[] }>>

export const rowsOf = <Row,>(list: List<Row>): Row[] => list.data?.pages.flatMap(page => page.rows) ?? []

/**
 * The row that stands open beside its list, by the address (`?open=`), and the way to another one. J and K step
 * through the rows.
 */
export function useOpenRow(ids: readonly string[], pathTo: (open: string | undefined) => string) {
  const open = useSearchParams()[0].get('open') ?? undefined
  const navigate = useNavigate()
  const show = (id: string | undefined) =>
    // Closing, or going on to the next, is no step for the back button.
    void navigate(pathTo(id), { replace: open !== undefined, preventScrollReset: true })
  useStepping(ids, open, show)
  return { open, close: () => show(undefined) }
}

interface RecordListProps<Row> {
  texts: {
    title: string
    empty: { title: string; detail: string; filtered: string; showAll: string }
  }
  list: List<Row>
  columns: readonly Column<Row>[]
  keyOf(row: Row): string
  open: string | undefined
  /** The filter in the address, its values with their names, and where each leads. */
  filter: {
    value: string | undefined
    options: readonly (readonly [string, string])[]
    to(value: string): string
  }
}

/** A list that is filtered by its address and read page by page; a row leads to its record. */
export function RecordList<Row>({ texts, list, columns, keyOf, open, filter }: RecordListProps<Row>) {
  const rows = rowsOf(list)
  const { title, detail, filtered, showAll } = texts.empty
  return (
    <>
      <FilterBar options={filter.options} value={filter.value ?? ''} to={filter.to} />
      <DataScreen
        query={list}
        explain={troubleOf}
        skeleton={<TableSkeleton />}
        isEmpty={() => rows.length === 0}
        empty={
          filter.value ? (
            <Empty
              title={filtered}
              action={
                <Link to={filter.to('')} className={buttonLook()}>
                  {showAll}
                </Link>
              }
            />
          ) : (
            <Empty title={title}>{detail}</Empty>
          )
        }
      >
        {() => (
          <>
            <Table
              caption={texts.title}
              columns={columns}
              rows={rows}
              keyOf={keyOf}
              isCurrent={row => keyOf(row) === open}
            />
            <More query={list} />
          </>
        )}
      </DataScreen>
    </>
  )
}

interface MoreProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown }
}

/** Leads on to older rows where there are any. */
export function More({ query }: MoreProps) {
  if (!query.hasNextPage) return null
  return (
    <div className="mt-4 flex justify-center">
      <Button pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {shell.more}
      </Button>
    </div>
  )
}

export function TableSkeleton() {
  return (
    <div className="divide-y divide-line rounded-8 border border-line bg-surface">
      {Array.from({ length: 8 }, (_, row) => (
        <div key={row} className="flex h-10 items-center gap-6 px-4">
          <Bar className="h-4 w-48" />
          <Bar className="h-4 w-40 max-sm:hidden" />
          <Bar className="ml-auto h-4 w-20" />
        </div>
      ))}
    </div>
  )
}
