import type { HealthCheck } from '@windlass/contracts/aggregator/registry.ts'
import type { RegistryDeps } from '../registry/deps.ts'
import type { Entry } from '../registry/entry.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { daysOf, latestChecks, minutesSince } from './queries.ts'

const RECENT = 20
const HOUR_MS = 3_600_000

type HistoryDeps = Pick<RegistryDeps, 'database' | 'fromDatabase' | 'index' | 'clock'>

/** Uptime over the last hour and the latest checks, newest first; no checks while the database is out of reach. */
export async function healthOf(deps: HistoryDeps, entry: Entry) {
  const rows = await deps.fromDatabase(() => latestChecks(deps.database.db, entry.id, RECENT))
  const health = (rows ?? []).map((row): HealthCheck => ({
    checkedAt: row.checked_at.toISOString(),
    current_availability: row.current_availability,
    treasury_capacity:
      row.treasury_capacity === null ? undefined : formatAmount(parseAmount(row.treasury_capacity)),
    latencyMs: row.latency_ms,
    source: row.source ?? undefined,
    failure: row.failure ?? undefined,
    steps: (row.steps as HealthCheck['steps'] | null) ?? undefined,
  }))
  return { uptime: uptimeOf(deps, entry), health, ...(rows ? {} : { stale: true }) }
}

/** The last hour minute by minute; no minutes while the database is out of reach. */
export async function minutesOf(deps: HistoryDeps, entry: Entry) {
  const since = new Date(deps.clock.now().getTime() - HOUR_MS)
  const rows = await deps.fromDatabase(() => minutesSince(deps.database.db, entry.id, since))
  const minutes = (rows ?? []).map(({ minute, good, checks, latency_ms }) => ({
    minute: minute.toISOString(),
    good,
    checks,
    latencyMs: latency_ms,
  }))
  return { uptime: uptimeOf(deps, entry), minutes, ...(rows ? {} : { stale: true }) }
}

/** The last 90 days; no days while the database is out of reach. */
export async function historyOf({ database, fromDatabase, clock }: HistoryDeps, entry: Entry) {
  const rows = await fromDatabase(() => daysOf(database.db, entry.id, clock.now()))
  const days = (rows ?? []).map(({ day, good, checks, latency_ms }) => ({
    day,
    good,
    checks,
    latencyMs: latency_ms,
  }))
  return { days, ...(rows ? {} : { stale: true }) }
}

function uptimeOf({ index, clock }: Pick<HistoryDeps, 'index' | 'clock'>, entry: Entry) {
  index.advance(clock.now())
  const { good, checks } = index.uptimeOf(entry)
  const percentage = checks === 0 ? 100 : Math.round((1_000_000 * good) / checks) / 10_000
  return { good, checks, percentage }
}
