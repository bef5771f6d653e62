import type { ReadAnswer } from '@windlass/client/client.ts'
import type pg from 'pg'
import type { Registry } from 'prom-client'
import { fetchPart } from '../outbound/fetch-part.ts'
import { kept, publishGauge } from './metrics.ts'

/** Milliseconds since 1970, by the clock of its sender. A caller of ours sends its own, and the answer has the other. */
export const CLOCK_HEADER = 'x-clock'

/** Machines that set their clocks differ by less. A challenge may begin so far in its reader's future. */
export const CLOCKS_AGREE_MS = 10_000

/** What was last heard is forgotten, so that nobody is alarmed by it for days. */
const KNOWN_MS = 15 * 60_000

/** Seconds by which others are ahead of us, and when that was heard (by a clock that nobody sets). */
const heard = new Map<string, { seconds: number; at: number }>()

/**
 * Seconds by which another clock is ahead of ours, from a time that it told between two of ours. 0: they may agree. A slow
 * answer makes the difference no larger.
 */
export function secondsAhead(theirs: number, sent: number, received: number): number {
  if (!Number.isFinite(theirs)) return 0
  return (theirs < sent ? theirs - sent : Math.max(0, theirs - received)) / 1000
}

/** A fetch for a part of the platform, which compares its clock with ours by each answer. */
export function comparingClocks(part: string): (url: string, init: RequestInit) => Promise<ReadAnswer> {
  return async (url, init) => {
    const sent = Date.now()
    const headers = { ...(init.headers as Record<string, string>), [CLOCK_HEADER]: String(sent) }
    const answer = await fetchPart(url, { ...init, headers })
    const theirs = answer.header(CLOCK_HEADER)
    if (theirs !== null) record(part, secondsAhead(Number(theirs), sent, Date.now()))
    return answer
  }
}

const record = (of: string, seconds: number): void => void heard.set(of, { seconds, at: performance.now() })

/** By how much the clocks of others that this process asks differ from its own, the database's among them. */
export function publishClocks(registry: Registry, pool: pg.Pool): void {
  const askDatabase = kept(async () => {
    const sent = Date.now()
    const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now')
    const [row] = rows
    if (row) record('database', secondsAhead(row.now.getTime(), sent, Date.now()))
  })
  publishGauge(registry, {
    name: 'windlass_clock_ahead_seconds',
    help: 'Seconds by which the clock of what this process asks is ahead of its own; 0: they agree',
    labels: ['of'],
    read: async () => {
      // Without a free connection, and while the database is away, others are shown.
      const isFree = pool.idleCount > 0 || pool.totalCount < (pool.options.max ?? Infinity)
      if (isFree) await askDatabase().catch(() => undefined)
      const known = [...heard].filter(([, { at }]) => performance.now() - at < KNOWN_MS)
      return known.map(([of, { seconds }]) => ({ labels: { of }, value: seconds }))
    },
  })
}
