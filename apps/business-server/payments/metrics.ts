import { kept, publishGauge, type Sample } from '@windlass/service/observe/metrics.ts'
import type { Server } from '@windlass/service/http/server.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { observerLag } from './observe.ts'
import { kindOfWait } from './waits.ts'

interface Group {
  count: number
  oldest: number
}

const age = sql<number>`extract(epoch from clock_timestamp() - min(created_at))::float8`
const count = sql<number>`count(*)::int`

/** Payments on the ledger and over rails that are under way, and how far behind the ledger this server reads. */
export function publishPaymentMetrics({ app: { metrics } }: Server, deps: Deps): void {
  const { db } = deps.database
  const payments = kept(async () => {
    const rows = await db
      .selectFrom('ledger_payments')
      .select(['purpose', 'wait_code', count.as('count'), age.as('oldest')])
      .where('state', '=', 'queued')
      .groupBy(['purpose', 'wait_code'])
      .execute()
    return rows.map(({ purpose, wait_code, ...group }) => ({
      labels: { purpose, waits_for: kindOfWait(wait_code) },
      ...group,
    }))
  })
  const orders = kept(async () => {
    const rows = await db
      .selectFrom('rail_orders')
      .select(['rail', 'kind', 'state', count.as('count'), age.as('oldest')])
      .where('state', 'in', ['queued', 'sent'])
      .groupBy(['rail', 'kind', 'state'])
      .execute()
    return rows.map(({ rail, kind, state, ...group }) => ({
      labels: { rail, kind, state, provider: deps.config.rails.get(rail)?.provider ?? '' },
      ...group,
    }))
  })
  const inProgress = (
    names: { count: string; oldest: string },
    what: string,
    labels: string[],
    read: () => Promise<(Group & { labels: Record<string, string> })[]>,
  ) => {
    publishGauge(metrics, {
      name: names.count,
      help: what,
      labels,
      read: async () =>
        merged(
          await read(),
          ({ count }) => count,
          (a, b) => a + b,
        ),
    })
    publishGauge(metrics, {
      name: names.oldest,
      help: `${what}: time since the oldest was queued`,
      labels,
      read: async () => merged(await read(), ({ oldest }) => oldest, Math.max),
    })
  }
  inProgress(
    { count: 'windlass_ledger_payments', oldest: 'windlass_ledger_payment_oldest_seconds' },
    'Payments on the ledger that are not made yet',
    ['purpose', 'waits_for'],
    payments,
  )
  inProgress(
    { count: 'windlass_rail_orders', oldest: 'windlass_rail_order_oldest_seconds' },
    'Payouts and returns over rails that are under way',
    ['rail', 'kind', 'state', 'provider'],
    orders,
  )
  publishGauge(metrics, {
    name: 'windlass_ledger_dust_payments',
    help: 'Payments to the distribution account that were too small to be anything, since the anchor was made',
    read: kept(async () => {
      const { sum } = await db
        .selectFrom('ledger_dust')
        .select(sql<string>`coalesce(sum(payments), 0)`.as('sum'))
        .executeTakeFirstOrThrow()
      return Number(sum)
    }),
  })
  publishGauge(metrics, {
    name: 'windlass_observer_lag_seconds',
    help: 'Time since all payments to the distribution account were read',
    read: kept(() => observerLag(deps)),
  })
  publishGauge(metrics, {
    name: 'windlass_ledger_incidents',
    // 0 where all of a kind are resolved: an alert that looks back knows that they are.
    help: 'Incidents on the ledger that nobody has resolved',
    labels: ['kind'],
    read: kept(async () => {
      const rows = await db
        .selectFrom('ledger_incidents')
        .select(
          ({ fn }) => ['kind', fn.countAll().filterWhere('resolved_at', 'is', null).as('open')] as const,
        )
        .groupBy('kind')
        .execute()
      return rows.map(({ kind, open }) => ({ labels: { kind }, value: Number(open) }))
    }),
  })
}

/** One sample for each set of labels. */
function merged<T extends { labels: Record<string, string> }>(
  groups: readonly T[],
  valueOf: (group: T) => number,
  join: (a: number, b: number) => number,
): Sample[] {
  const samples = new Map<string, Required<Sample>>()
  for (const group of groups) {
    const key = Object.values(group.labels).join(' ')
    const before = samples.get(key)?.value
    const value = before === undefined ? valueOf(group) : join(before, valueOf(group))
    samples.set(key, { labels: group.labels, value })
  }
  return [...samples.values()]
}
