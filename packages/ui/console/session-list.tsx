import { describeError } from './errors.ts'
import type { OpenSession } from '@windlass/contracts/platform/operators.ts'
import { useMutation } from '@tanstack/react-query'
import { Button } from '../button.tsx'
import { Bar } from '../bar.tsx'
import { DataScreen, ErrorNotice, useNow } from '../data-screen.tsx'
import { formatAgo } from '../format-units.ts'
import { Status } from '../notice.tsx'
import { SectionHeading } from '../page.tsx'
import { type List, LoadMore, rowsOf } from './record-list.tsx'
import { secondFactorTexts } from './second-factor-texts.ts'

const texts = secondFactorTexts.sessions

interface SessionListProps {
  sessions: List<OpenSession>
  end(id: string): Promise<unknown>
}

/** The person's open sessions, each of which they can end. */
export function SessionList({ sessions, end: endSession }: SessionListProps) {
  const now = useNow(30_000)
  const end = useMutation({
    mutationFn: endSession,
    onSettled: () => sessions.refetch(),
  })
  return (
    <section className="space-y-3">
      <SectionHeading title={texts.title} lead={texts.lead} />
      {end.error && <ErrorNotice failure={{ ...describeError(end.error), title: texts.failed }} />}
      <DataScreen query={sessions} explain={describeError} skeleton={<Bar className="h-12" />}>
        {() => (
          <>
            <ul className="divide-y divide-line rounded-8 border border-line bg-surface">
              {rowsOf(sessions).map(session => {
                const device = deviceOf(session.userAgent) || texts.unknownDevice
                return (
                  <li
                    key={session.id}
                    className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-14"
                  >
                    <span className="font-medium">{device}</span>
                    <span className="font-mono text-13 text-soft">{session.address}</span>
                    <span className="text-soft">
                      {texts.seen(formatAgo(Date.parse(session.lastSeenAt), now))}
                    </span>
                    <span className="ml-auto">
                      {session.current ? (
                        <Status tone="good">{texts.current}</Status>
                      ) : (
                        <Button
                          look="quiet"
                          aria-label={texts.endWhat(device)}
                          pending={end.isPending && end.variables === session.id}
                          onClick={() => end.mutate(session.id)}
                        >
                          {texts.end}
                        </Button>
                      )}
                    </span>
                  </li>
                )
              })}
            </ul>
            <LoadMore list={sessions} />
          </>
        )}
      </DataScreen>
    </section>
  )
}

const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
]
const systems: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Mac OS X/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
]

/** A browser's own words about itself in two of ours: `Firefox, Linux`. */
function deviceOf(userAgent: string): string {
  const find = (known: [RegExp, string][]) => known.find(([pattern]) => pattern.test(userAgent))?.[1]
  return [find(browsers), find(systems)].filter(Boolean).join(', ')
}
