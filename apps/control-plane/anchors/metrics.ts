import { isPassedOn, kept, publishGauge } from '@windlass/service/observe/metrics.ts'
import type { Server } from '@windlass/service/http/server.ts'
import { hostOf } from './addresses.ts'
import type { Deps } from '../deps.ts'
import { listAsleep, listRunning } from './records.ts'

/**
 * How many anchors' servers run, and `GET /metrics/targets`: where, as Prometheus' HTTP service discovery reads it. As
 * `/metrics`, only for clients that reach the service itself.
 */
export function publishAnchors({ app }: Server, deps: Deps): void {
  const read = kept(() => listRunning(deps.database.db))
  publishGauge(app.metrics, {
    name: 'windlass_running_anchors',
    help: 'Anchors whose servers are to run',
    read: async () => (await read()).length,
  })
  publishGauge(app.metrics, {
    name: 'windlass_sleeping_anchors',
    help: 'Anchors whose servers sleep',
    read: kept(async () => (await listAsleep(deps.database.db)).length),
  })
  app.get('/metrics/targets', async (request, reply) => {
    if (isPassedOn(request.headers)) return reply.callNotFound()
    const anchors = await read()
    return anchors.flatMap(({ id, plan, slot, ports }) =>
      (['sep', 'business'] as const).map(role => ({
        targets: [new URL(deps.runtime.address({ anchorId: id, slot, role, port: ports[role] })).host],
        labels: { anchor: hostOf(plan), anchor_id: id, part: `${role}-server` },
      })),
    )
  })
}
