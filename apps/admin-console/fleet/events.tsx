import { listFleetEvents } from '@windlass/contracts/anchor-life.ts'
import { troubleOf } from '@windlass/client/trouble.ts'
import { useQuery } from '@tanstack/react-query'
import { TroubleNotice } from '@windlass/ui/data-screen.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { call } from '../api.ts'
import { anchorLife } from '../texts/anchor-life.ts'

const texts = anchorLife.events

/** What the platform did to an anchor by itself; nothing while it did nothing. */
export function Events({ anchorId }: { anchorId: string }) {
  const events = useQuery({
    queryKey: ['fleet', anchorId, 'events'],
    queryFn: ({ signal }) => call(listFleetEvents, { params: { id: anchorId }, query: {}, signal }),
    refetchInterval: 15_000,
  })
  if (events.error) return <TroubleNotice trouble={troubleOf(events.error)} />
  if (!events.data || events.data.length === 0) return null
  return (
    <section className="space-y-3">
      <h3 className="text-13 font-medium text-soft">{texts.title}</h3>
      <ol className="divide-y divide-line rounded-8 border border-line text-13">
        {events.data.map(({ id, at, kind, detail }) => (
          <li key={id} className="space-y-0.5 px-3 py-2">
            <div className="flex flex-wrap justify-between gap-x-4">
              <strong className="font-medium">{texts.kinds[kind]}</strong>
              <time dateTime={at} className="text-soft">
                {formatDateTime(at)}
              </time>
            </div>
            <p className="wrap-anywhere text-soft">{detail}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}
