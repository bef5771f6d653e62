const DAY_MS = 86_400_000
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The last whole month, as days; of an anchor that began in this one, this one until today. */
export function latestMonth(
  { createdAt }: { createdAt: string },
  now = new Date(),
): { from: string; to: string } {
  const first = (months: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)
  return Date.parse(createdAt) >= first(0)
    ? { from: dayOf(first(0)), to: dayOf(now.getTime()) }
    : { from: dayOf(first(-1)), to: dayOf(first(0) - DAY_MS) }
}
