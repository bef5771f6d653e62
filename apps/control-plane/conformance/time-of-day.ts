import { createHash } from 'node:crypto'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/**
 * When an anchor is checked next: each day at a time of its own, so that many anchors spread over the day. Within two
 * hours after a check the time of day is passed over; after one that found something, the next is an hour later, so
 * that what was mended shows.
 */
export function nextCheck(anchorId: string, after: Date, foundSomething = false): Date {
  const own = createHash('sha256').update(anchorId).digest().readUInt32BE(0) % DAY
  const earliest = after.getTime() + 2 * HOUR
  const today = Math.floor(earliest / DAY) * DAY + own
  const daily = today >= earliest ? today : today + DAY
  return new Date(foundSomething ? Math.min(daily, after.getTime() + HOUR) : daily)
}
