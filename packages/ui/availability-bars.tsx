import { classNames } from './class-names.ts'
import { formatDay, formatFraction, formatTime } from './formats.ts'
import { availabilityTexts } from './console/availability-texts.ts'

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
        {availabilityTexts.lastHour}
        <span className="text-13 font-normal text-soft tabular">
          {uptime.checks > 0
            ? availabilityTexts.uptime(formatFraction((uptime.percentage / 100).toFixed(4)))
            : availabilityTexts.unknown}
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
  const bars = Array.from({ length: MINUTES }, (_, index) => last - (MINUTES - 1) + index).map(at => {
    const time = formatTime(at * 60_000)
    const minute = known.get(at)
    const title = minute
      ? availabilityTexts.minute(time, minute.good, minute.checks)
      : availabilityTexts.none(time)
    return { key: at, title, checks: minute }
  })
  return <Bars bars={bars} summary={availabilityTexts.summary} unknown={availabilityTexts.unknown} />
}

interface AvailabilityDay {
  /** `2026-11-22`, in UTC. */
  day: string
  good: number
  checks: number
}

const DAYS = 90
const DAY_MS = 86_400_000

/** The availability of the last 90 days, in words and a bar for each day (UTC). */
export function LastDays({ days, now }: { days: readonly AvailabilityDay[]; now: number }) {
  const known = new Map(days.map(day => [day.day, day]))
  const bars = Array.from({ length: DAYS }, (_, index) => now - (DAYS - 1 - index) * DAY_MS).map(at => {
    const key = new Date(at).toISOString().slice(0, 10)
    const date = formatDay(key)
    const day = known.get(key)
    const title = day ? availabilityTexts.minute(date, day.good, day.checks) : availabilityTexts.none(date)
    return { key, title, checks: day }
  })
  return (
    <div className="space-y-2">
      <h2 className="font-semibold">{availabilityTexts.lastDays}</h2>
      <Bars bars={bars} summary={availabilityTexts.summaryOfDays} unknown={availabilityTexts.unknownDays} />
    </div>
  )
}

interface BarsProps {
  bars: readonly { key: number | string; title: string; checks: Checks | undefined }[]
  summary: (percentage: string) => string
  unknown: string
}
type Checks = Pick<AvailabilityMinute, 'good' | 'checks'>

function Bars({ bars, summary, unknown }: BarsProps) {
  const sum = (name: keyof Checks) => bars.reduce((total, bar) => total + (bar.checks?.[name] ?? 0), 0)
  const checks = sum('checks')
  return (
    <div
      role="img"
      aria-label={checks > 0 ? summary(formatFraction((sum('good') / checks).toFixed(3))) : unknown}
      className="flex h-8 items-stretch gap-px"
    >
      {bars.map(bar => (
        <span
          key={bar.key}
          title={bar.title}
          className={classNames('min-w-0 flex-1 rounded-[1px]', lookOf(bar.checks))}
        />
      ))}
    </div>
  )
}

function lookOf(minute: Checks | undefined): string {
  if (!minute || minute.checks === 0) return 'bg-hover'
  if (minute.good === minute.checks) return 'bg-good'
  return minute.good === 0 ? 'bg-bad' : 'bg-warn'
}
