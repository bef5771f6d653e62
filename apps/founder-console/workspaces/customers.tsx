import { nextCursor } from '@windlass/client/next-page.ts'
import { troubleOf } from '@windlass/client/trouble.ts'
import { listWorkspaceCustomers } from '@windlass/contracts/workspace-books.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { Identifier } from '@windlass/ui/copy-button.tsx'
import { Bar, DataScreen, Empty } from '@windlass/ui/data-screen.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { Table } from '@windlass/ui/table.tsx'
import { operator } from '../operator.ts'
import { workspace } from '../texts/workspace.ts'
import { useWorkspace } from './workspace.tsx'

const texts = workspace.customers

/** Who uses the anchor and how their identity stands; never what they told about themselves. */
export function Component() {
  const { id: anchorId } = useWorkspace()
  const list = useInfiniteQuery({
    queryKey: ['operator', 'customers', anchorId],
    queryFn: async ({ pageParam, signal }) => {
      const { body, headers } = await operator.send(listWorkspaceCustomers, {
        params: { anchorId },
        query: { limit: 50, cursor: pageParam },
        signal,
      })
      return { rows: body, next: nextCursor(headers) }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next,
    refetchInterval: 15_000,
  })
  const rows = list.data?.pages.flatMap(page => page.rows) ?? []
  return (
    <section className="space-y-4">
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
              rows={rows}
              keyOf={row => row.id}
              columns={[
                {
                  head: texts.columns.account,
                  cell: row => <Identifier value={row.account} what={texts.columns.account} />,
                },
                {
                  head: texts.columns.memo,
                  named: true,
                  className: 'text-soft tabular',
                  cell: row => row.memo ?? '–',
                },
                {
                  head: texts.columns.since,
                  className: 'whitespace-nowrap text-soft',
                  cell: row => <time dateTime={row.createdAt}>{formatDateTime(row.createdAt)}</time>,
                },
                { head: texts.columns.status, cell: row => <Identity status={row.status} /> },
              ]}
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
    </section>
  )
}

const tones: Record<string, Tone> = { ACCEPTED: 'good', REJECTED: 'bad', PROCESSING: 'info' }

function Identity({ status }: { status: string }) {
  return <Status tone={tones[status] ?? 'neutral'}>{texts.statuses[status] ?? status}</Status>
}
