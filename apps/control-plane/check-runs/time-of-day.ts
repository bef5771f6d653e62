import { createHash } from 'node:crypto'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/**
 * When an anchor is checked next: daily at a time of its own, which spreads anchors over the day, and at least two hours
 * after the last check. After a failed check the next is an hour later, so that a repair shows soon.
 */
export function nextCheck(anchorId: string, after: Date, failed = false): Date {
  const own = createHash('sha256').update(anchorId).digest().readUInt32BE(0) % DAY
  const earliest = after.getTime() + 2 * HOUR
  const today = Math.floor(earliest / DAY) * DAY + own
  const daily = today >= earliest ? today : today + DAY
  return new Date(failed ? Math.min(daily, after.getTime() + HOUR) : daily)
}
