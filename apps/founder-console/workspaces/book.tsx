import type { Reply } from '@windlass/client/client.ts'
import { nextCursor } from '@windlass/client/next-page.ts'
import { troubleOf } from '@windlass/client/trouble.ts'
import { infiniteQueryOptions, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { Bar, DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { Table, type Column } from '@windlass/ui/table.tsx'
import { workspace } from '../texts/workspace.ts'

const ROWS_A_PAGE = 50

/** One of an anchor's books, read page by page, newest first, and kept fresh. */
export const bookQuery = <Row,>(
  name: string,
  anchorId: string,
  read: (query: { limit: number; cursor: string | undefined }, signal: AbortSignal) => Promise<Reply<Row[]>>,
) =>
  infiniteQueryOptions({
    queryKey: ['operator', name, anchorId],
    queryFn: async ({ pageParam, signal }) => {
      const { body, headers } = await read({ limit: ROWS_A_PAGE, cursor: pageParam }, signal)
      return { rows: body, next: nextCursor(headers) }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next,
    refetchInterval: 15_000,
  })

interface BookProps<Row> {
  texts: { title: string; lead: string; empty: { title: string; detail: string } }
  list: UseInfiniteQueryResult<InfiniteData<{ rows: Row[] }>>
  columns: readonly Column<Row>[]
  isCurrent?(row: Row): boolean
}

export function Book<Row extends { id: string }>({ texts, list, columns, isCurrent }: BookProps<Row>) {
  const rows = list.data?.pages.flatMap(page => page.rows) ?? []
  return (
    <>
      <div>
        <h2 className="text-18 font-semibold">{texts.title}</h2>
        <p className="text-14 text-soft">{texts.lead}</p>
      </div>
      <DataScreen
        query={list}
        explain={troubleOf}
        skeleton={<Bar className="h-40" />}
        isEmpty={() => rows.length === 0}
        empty={<Empty title={texts.empty.title}>{texts.empty.detail}</Empty>}
      >
        {() => (
          <>
            <Table
              caption={texts.title}
              columns={columns}
              rows={rows}
              keyOf={row => row.id}
              {...(isCurrent ? { isCurrent } : {})}
            />
            {list.hasNextPage && (
              <div className="mt-4 flex justify-center">
                <Button pending={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                  {workspace.activity.more}
                </Button>
              </div>
            )}
          </>
        )}
      </DataScreen>
    </>
  )
}
