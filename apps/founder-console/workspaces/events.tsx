import { troubleOf } from '@windlass/client/trouble.ts'
import { listAnchorEvents } from '@windlass/contracts/anchor-life.ts'
import { useQuery } from '@tanstack/react-query'
import { TroubleNotice } from '@windlass/ui/data-screen.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Table } from '@windlass/ui/table.tsx'
import { operator } from '../operator.ts'
import { workspace } from '../texts/workspace.ts'

const texts = workspace.events

/** What the platform did to the anchor by itself: healed after a ledger reset, upgraded. Nothing while it did nothing. */
export function Events({ anchorId }: { anchorId: string }) {
  const events = useQuery({
    queryKey: ['operator', 'events', anchorId],
    queryFn: ({ signal }) => operator.call(listAnchorEvents, { params: { anchorId }, query: {}, signal }),
  })
  if (events.error) return <TroubleNotice trouble={troubleOf(events.error)} />
  if (!events.data || events.data.length === 0) return null
  return (
    <section className="space-y-4">
      <div>
        <h2 className="text-18 font-semibold">{texts.title}</h2>
        <p className="text-14 text-soft">{texts.lead}</p>
      </div>
      <Table
        caption={texts.title}
        rows={events.data}
        keyOf={row => row.id}
        columns={[
          {
            head: texts.columns.at,
            className: 'whitespace-nowrap text-soft',
            cell: row => <time dateTime={row.at}>{formatDateTime(row.at)}</time>,
          },
          { head: texts.columns.kind, className: 'font-medium', cell: row => texts.kinds[row.kind] },
          { head: texts.columns.detail, className: 'text-soft wrap-anywhere', cell: row => row.detail },
        ]}
      />
    </section>
  )
}
