import { assetField } from '@windlass/contracts/internal/served-assets.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { kept, publishGauge } from '@windlass/service/observe/metrics.ts'
import type { Server } from '@windlass/service/http/server.ts'
import { spendableXlm } from '@windlass/stellar/horizon-account.ts'
import type { Deps } from '../../deps.ts'
import { readTreasuries, type Treasury } from './treasury.ts'

const STROOPS = Number(parseAmount('1'))

/**
 * What the distribution account holds. Figures for charts: money is never computed from them. The first asset has no label,
 * each further one `asset`.
 */
export function publishTreasuryMetrics({ app: { metrics } }: Server, deps: Deps): void {
  const horizon = deps.routineHorizon
  const treasuries = kept(() => readTreasuries({ ...deps, horizon }))
  const gauge = (name: string, help: string, of: (treasury: Treasury) => bigint) =>
    publishGauge(metrics, {
      ...{ name, help, labels: ['asset'] },
      read: async () =>
        (await treasuries()).map(treasury => ({
          labels: assetField(treasury.asset.key),
          value: Number(of(treasury)) / STROOPS,
        })),
    })
  gauge('windlass_treasury_balance', 'Units that the distribution account holds', ({ balance }) => balance)
  gauge('windlass_treasury_reserved', 'Units that are promised and not paid yet', ({ reserved }) => reserved)
  publishGauge(metrics, {
    name: 'windlass_treasury_spendable_xlm',
    help: 'XLM that the distribution account can spend on fees and reserves',
    read: kept(async () => {
      const [account, head] = await Promise.all([
        horizon.account(deps.config.anchor.accounts.distribution),
        horizon.head(),
      ])
      return account && Number(spendableXlm(account, head.baseReserve)) / STROOPS
    }),
  })
}
