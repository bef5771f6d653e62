import { publishGauge } from '@windlass/service/observe/metrics.ts'
import type { Server } from '@windlass/service/http/server.ts'
import type { RegistryDeps } from '../registry/deps.ts'

/** Metrics of the registry in memory; every aggregator has all anchors. */
export function publishHealthMetrics(
  { app: { metrics } }: Server,
  { index, clock }: Pick<RegistryDeps, 'index' | 'clock'>,
): void {
  publishGauge(metrics, {
    name: 'windlass_registered_anchors',
    help: 'Anchors of the registry: their status, whether their last health check succeeded, and whose they are',
    labels: ['status', 'available', 'external'],
    read: () => {
      const counts = new Map<string, number>()
      for (const { status, available, external } of index.entries()) {
        const key = `${status} ${available} ${external !== null}`
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      return [...counts].map(([key, value]) => {
        const [status = '', available = '', external = ''] = key.split(' ')
        return { labels: { status, available, external }, value }
      })
    },
  })
  publishGauge(metrics, {
    name: 'windlass_health_check_oldest_seconds',
    help: 'Time since the active anchor that waits longest was last checked; 0: there is none',
    read: () => {
      const now = clock.now().getTime()
      let oldest = 0
      for (const { status, external, lastCheckedAt } of index.entries()) {
        if (status !== 'active' || external !== null || lastCheckedAt === null) continue
        oldest = Math.max(oldest, now - lastCheckedAt.getTime())
      }
      return oldest / 1_000
    },
  })
}
