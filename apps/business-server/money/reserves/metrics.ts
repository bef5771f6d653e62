import { parseAmount } from '@windlass/money/amount.ts'
import { kept, publishGauge } from '@windlass/service/observe/metrics.ts'
import type { Server } from '@windlass/service/http/server.ts'
import type { Deps } from '../../deps.ts'
import { readSafeguarding } from './safeguarding.ts'

const STROOPS = Number(parseAmount('1'))

/** For charts and alerts: money is never computed from it. */
export function publishSafeguardingMetrics({ app: { metrics } }: Server, deps: Deps): void {
  publishGauge(metrics, {
    name: 'windlass_safeguarding_shortfall',
    help: 'What is missing of what is owed to customers, in what the first asset is anchored to',
    labels: ['currency'],
    read: kept(async () => {
      const { total, isShort } = await readSafeguarding(deps)
      const missing = Math.max(0, -Number(parseAmount(total.difference)) / STROOPS)
      // A currency without a rate may be short although the total is not.
      return [{ labels: { currency: total.currency }, value: isShort ? missing || 1 / STROOPS : 0 }]
    }),
  })
}
