import type pg from 'pg'
import type { Registry } from 'prom-client'
import { setTimeout as sleep } from 'node:timers/promises'
import { databaseTakesData } from '../process/writable.ts'
import { publishClocks } from './clocks.ts'
import { publishGauge } from './metrics.ts'

/** A database that answers later is as good as down. */
const ANSWER_MS = 1_500

/**
 * Whether a database answers and takes data, what its clock shows, the connections of its pool by state, and how many
 * callers wait for one.
 */
export function publishPool(registry: Registry, pool: pg.Pool): void {
  const takesData = databaseTakesData({ pool })
  publishGauge(registry, {
    name: 'windlass_database_up',
    help: '1 while the database answers and takes data; unknown while all connections are in use',
    read: async () => {
      if (pool.idleCount === 0 && pool.totalCount === pool.options.max) return null
      const taken = takesData().then(
        () => 1,
        () => 0,
      )
      return Promise.race([taken, sleep(ANSWER_MS, 0, { ref: false })])
    },
  })
  publishGauge(registry, {
    name: 'windlass_database_connections',
    help: 'Connections to the database',
    labels: ['state'],
    read: () => [
      { labels: { state: 'idle' }, value: pool.idleCount },
      { labels: { state: 'busy' }, value: pool.totalCount - pool.idleCount },
    ],
  })
  publishGauge(registry, {
    name: 'windlass_database_connections_max',
    help: 'Connections to the database that the pool opens at most',
    read: () => pool.options.max ?? null,
  })
  publishGauge(registry, {
    name: 'windlass_database_waiting_callers',
    help: 'Callers that wait for a connection to the database',
    // Where a connection is idle, the pool queues a caller for the rest of this turn: the metrics' own queries, each time.
    read: () => Math.max(0, pool.waitingCount - pool.idleCount),
  })
  publishClocks(registry, pool)
}
