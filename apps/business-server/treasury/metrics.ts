import { parseAmount } from '@windlass/money/amount.ts'
import { kept, publishGauge } from '@windlass/service/metrics.ts'
import type { Server } from '@windlass/service/server.ts'
import { spendableXlm } from '@windlass/stellar/horizon-account.ts'
import type { Deps } from '../deps.ts'
import { readTreasury } from './treasury.ts'

const STROOPS = Number(parseAmount('1'))

/** What the distribution account holds. Figures for charts: money is never computed from them. */
export function publishTreasuryMetrics({ app: { metrics } }: Server, deps: Deps): void {
  const horizon = deps.routineHorizon
  const treasury = kept(() => readTreasury({ ...deps, horizon }, null))
  const gauge = (name: string, help: string, read: () => Promise<bigint | null>) =>
    publishGauge(metrics, {
      name,
      help,
      read: async () => {
        const stroops = await read()
        return stroops === null ? null : Number(stroops) / STROOPS
      },
    })
  gauge(
    'windlass_treasury_balance',
    'Units of the first asset that the distribution account holds',
    async () => (await treasury()).balance,
  )
  gauge(
    'windlass_treasury_reserved',
    'Units of the first asset that are promised and not paid yet',
    async () => (await treasury()).reserved,
  )
  gauge(
    'windlass_treasury_spendable_xlm',
    'XLM that the distribution account can spend on fees and reserves',
    kept(async () => {
      const [account, head] = await Promise.all([
        horizon.account(deps.config.anchor.accounts.distribution),
        horizon.head(),
      ])
      return account && spendableXlm(account, head.baseReserve)
    }),
  )
}
