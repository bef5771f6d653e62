import { classNames } from './class-names.ts'
import { formatFraction, formatTime } from './formats.ts'
import { texts } from './texts.ts'

interface AvailabilityMinute {
  /** ISO 8601, the start of the minute. */
  minute: string
  good: number
  checks: number
}

const MINUTES = 60

interface LastHourProps {
  uptime: { checks: number; percentage: number }
  minutes: readonly AvailabilityMinute[]
  now: number
  /** Level and look of the heading, where it stands in the page. */
  level: 2 | 3
}

/** The availability of the last hour, in words and a bar for each minute. */
export function LastHour({ uptime, minutes, now, level }: LastHourProps) {
  const Heading = `h${level}` as const
  const look = level === 2 ? 'font-semibold' : 'text-13 font-medium text-soft'
  return (
    <div className="space-y-2">
      <Heading className={classNames('flex flex-wrap justify-between gap-x-4', look)}>
        {texts.availability.lastHour}
        <span className="text-13 font-normal text-soft tabular">
          {uptime.checks > 0
            ? texts.availability.uptime(formatFraction((uptime.percentage / 100).toFixed(4)))
            : texts.availability.unknown}
        </span>
      </Heading>
      <AvailabilityBars minutes={minutes} now={now} />
    </div>
  )
}

/** A bar for each minute of the last hour; empty where there was no check. */
function AvailabilityBars({ minutes, now }: { minutes: readonly AvailabilityMinute[]; now: number }) {
  const known = new Map(minutes.map(minute => [Math.floor(Date.parse(minute.minute) / 60_000), minute]))
  const last = Math.floor(now / 60_000)
  const bars = Array.from({ length: MINUTES }, (_, index) => last - (MINUTES - 1) + index)
  const checks = minutes.reduce((sum, minute) => sum + minute.checks, 0)
  const good = minutes.reduce((sum, minute) => sum + minute.good, 0)
  return (
    <div
      role="img"
      aria-label={
        checks > 0
          ? texts.availability.summary(formatFraction((good / checks).toFixed(3)))
          : texts.availability.unknown
      }
      className="flex h-8 items-stretch gap-px"
    >
      {bars.map(at => {
        const minute = known.get(at)
        const time = formatTime(at * 60_000)
        return (
          <span
            key={at}
            title={
              minute
                ? texts.availability.minute(time, minute.good, minute.checks)
                : texts.availability.none(time)
            }
            className={classNames('min-w-0 flex-1 rounded-[1px]', lookOf(minute))}
          />
        )
      })}
    </div>
  )
}

function lookOf(minute: AvailabilityMinute | undefined): string {
  if (!minute || minute.checks === 0) return 'bg-hover'
  if (minute.good === minute.checks) return 'bg-good'
  return minute.good === 0 ? 'bg-bad' : 'bg-warn'
}
