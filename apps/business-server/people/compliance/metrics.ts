import { kept, publishGauge } from '@windlass/service/observe/metrics.ts'
import { readScalar } from '@windlass/service/postgres/scalars.ts'
import type { Server } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { listAges, listsLoaded, waitsWithoutList } from './lists.ts'

const DAY_SECONDS = 86_400

export function publishScreeningMetrics({ app: { metrics } }: Server, deps: Deps): void {
  const { db } = deps.database
  publishGauge(metrics, {
    name: 'windlass_sanctions_list_overdue_seconds',
    help: 'How long a sanctions list has been older than its limit',
    labels: ['list'],
    read: kept(async () => {
      const ages = await readScalar(db, listAges)
      const limit = deps.config.lists.maxAgeDays * DAY_SECONDS
      return ages.map(({ list, seconds }) => ({ labels: { list }, value: Math.max(0, seconds - limit) }))
    }),
  })
  publishGauge(metrics, {
    name: 'windlass_screening_without_list',
    help: '1 while payments wait because no sanctions list is loaded',
    read: kept(async () => (waitsWithoutList(deps) && (await readScalar(db, listsLoaded)) === 0 ? 1 : 0)),
  })
}
