import type { AnchorSummary } from '@windlass/contracts/business-server.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { formatRate } from '@windlass/money/rate.ts'
import { unavailable } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import { observerLag } from '../ledger/observe.ts'
import { exchangeRate } from '../rates/exchange-rate.ts'
import { readTreasury } from './capacity.ts'

/** State and treasury for the health worker. 503 where the ledger cannot be asked: then nothing can be promised. */
export async function summarize(deps: Deps): Promise<AnchorSummary> {
  const { plan, accounts } = deps.config.anchor
  const [treasury, head, lag] = await Promise.all([
    readTreasury(deps),
    deps.horizon.head(),
    observerLag(deps),
  ]).catch((cause: unknown) => {
    throw unavailable('The ledger', cause)
  })
  const { code, anchoredTo } = plan.asset
  const held = { balance: formatAmount(treasury.balance), reserved: formatAmount(treasury.reserved) }
  return {
    status: 'ok',
    treasury_capacity: formatAmount(treasury.capacity),
    assets: [{ code, issuer: accounts.issuer, anchoredTo, ...held }],
    ledger: { connected: true, lastLedger: head.sequence, observerLag: lag },
    rails: [...deps.rails.values()].map(({ name, currency, simulated }) => {
      const rate = exchangeRate(deps.config.fx, anchoredTo, currency)
      return { name, currency, simulated, rate: rate && formatRate(rate) }
    }),
    version: deps.config.anchor.version,
  }
}
