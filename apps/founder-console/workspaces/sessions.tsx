import { SectionHeading } from '@windlass/ui/page.tsx'
import { describeError } from '@windlass/client/errors.ts'
import { endOperatorSession, listOperatorSessions } from '@windlass/contracts/operators.ts'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { Bar, DataScreen, ErrorNotice, useNow } from '@windlass/ui/data-screen.tsx'
import { formatAgo } from '@windlass/ui/formats.ts'
import { Status } from '@windlass/ui/notice.tsx'
import { queries } from '../api.ts'
import { operator } from '../session.ts'
import { workspace } from './texts.ts'

const texts = workspace.sessions

const sessionsQuery = queryOptions({
  queryKey: ['operator', 'sessions'],
  queryFn: ({ signal }) => operator.call(listOperatorSessions, { signal }),
})

export function Sessions() {
  const sessions = useQuery(sessionsQuery)
  const now = useNow(30_000)
  const end = useMutation({
    mutationFn: (id: string) => operator.call(endOperatorSession, { params: { id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  return (
    <section className="space-y-3 border-t border-line pt-8">
      <SectionHeading title={texts.title} lead={texts.lead} />
      {end.error && <ErrorNotice failure={{ ...describeError(end.error), title: texts.failed }} />}
      <DataScreen query={sessions} explain={describeError} skeleton={<Bar className="h-12" />}>
        {rows => (
          <ul className="divide-y divide-line rounded-8 border border-line bg-surface">
            {rows.map(session => {
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
