import { describeError } from './errors.ts'
import {
  useQueryClient,
  type FetchQueryOptions,
  type InfiniteData,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { Button, buttonLook } from '../button.tsx'
import { classNames } from '../class-names.ts'
import { Bar } from '../bar.tsx'
import { DataScreen, Empty } from '../data-screen.tsx'
import { Table, type Column, type TableProps } from '../table.tsx'
import { SavedTable } from './saved-table.tsx'
import { listTexts } from '../list-texts.ts'

export type List<Row> = UseInfiniteQueryResult<InfiniteData<{ rows: Row[] }>>

export const rowsOf = <Row,>(list: List<Row>): Row[] => list.data?.pages.flatMap(page => page.rows) ?? []

/** The row that is open beside its list (`?open=`), and the path to another. J and K step through the rows. */
export function useOpenRow(ids: readonly string[], pathTo: (open: string | undefined) => string) {
  const open = useSearchParams()[0].get('open') ?? undefined
  const navigate = useNavigate()
  const show = (id: string | undefined) =>
    // Closing a row or stepping to the next adds nothing to the browser's history.
    void navigate(pathTo(id), { replace: open !== undefined, preventScrollReset: true })
  useStepping(ids, open, show)
  return { open, close: () => show(undefined) }
}

/** J opens the next row and K the previous one, unless the focus is in a field. */
function useStepping(ids: readonly string[], open: string | undefined, show: (id: string) => void): void {
  const step = useEffectEvent((event: KeyboardEvent) => {
    const to = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
    if (to === 0 || event.ctrlKey || event.metaKey || event.altKey) return
    if (
      event.target instanceof HTMLElement &&
      event.target.matches('input:not([type=checkbox]), textarea, select')
    )
      return
    const next = ids[open === undefined ? 0 : ids.indexOf(open) + to]
    if (next !== undefined) show(next)
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => step(event)
    addEventListener('keydown', listener)
    return () => removeEventListener('keydown', listener)
  }, [])
}

/** A filter kept in the address: its value, its options with their names, and the path of each. */
interface Filter {
  value: string | undefined
  options: readonly (readonly [value: string, name: string])[]
  to(value: string): string
}

interface RecordListProps<Row> {
  texts: { title: string; empty: { title: string; detail: string; filtered?: string } }
  list: List<Row>
  columns: readonly Column<Row>[]
  keyOf(row: Row): string
  /** The key of the row that is open beside the list. */
  open?: string | undefined
  filter?: Filter
  /** The path without filters, where filters of another form apply. */
  showAll?: string | undefined
  /** As a table's, with the query of all rows. */
  saved?: { name: string; all: FetchQueryOptions<Row[]>; also?: readonly Column<Row>[] }
}

/** A list with its filter and its further pages. */
export function RecordList<Row>({
  texts,
  list,
  columns,
  keyOf,
  open,
  filter,
  showAll = filter?.value && filter.to(''),
  saved,
}: RecordListProps<Row>) {
  const rows = rowsOf(list)
  const client = useQueryClient()
  const { title, detail, filtered } = texts.empty
  const table: TableProps<Row> = {
    ...{ caption: texts.title, columns, rows, keyOf, isWhole: !list.hasNextPage },
    isCurrent: row => keyOf(row) === open,
  }
  return (
    <>
      {filter && <FilterBar {...filter} />}
      <DataScreen
        query={list}
        explain={describeError}
        skeleton={<TableSkeleton />}
        isEmpty={() => rows.length === 0}
        empty={
          showAll ? (
            <Empty
              title={filtered ?? title}
              action={
                <Link to={showAll} className={buttonLook()}>
                  {listTexts.showAll}
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
            {saved ? (
              <SavedTable
                {...table}
                name={saved.name}
                also={saved.also}
                readAll={() => client.fetchQuery(saved.all)}
              />
            ) : (
              <Table {...table} />
            )}
            <LoadMore list={list} />
          </>
        )}
      </DataScreen>
    </>
  )
}

function FilterBar({ options, value, to }: Filter) {
  return (
    <nav aria-label={listTexts.filter} className="flex flex-wrap gap-1">
      {[['', listTexts.all] as const, ...options].map(([option, name]) => (
        <Link
          key={option}
          to={to(option)}
          aria-current={option === (value ?? '') ? 'true' : undefined}
          className={classNames(
            'control inline-flex items-center rounded-8 border px-3 text-14 font-medium',
            option === (value ?? '')
              ? 'border-accent bg-accent-tint text-accent'
              : 'border-line bg-surface text-soft hover:text-ink',
          )}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}

/** Reads the next page of a list, where there is one. */
export function LoadMore({
  list,
}: {
  list: Pick<List<unknown>, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
}) {
  if (!list.hasNextPage) return null
  return (
    <div className="mt-4 flex justify-center">
      <Button pending={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {listTexts.more}
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
