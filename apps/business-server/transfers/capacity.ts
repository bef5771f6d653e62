import { parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Deps } from '../deps.ts'
import { readTreasury } from '../treasury/capacity.ts'
import type { Transfer } from './transfer.ts'

/**
 * The most that a deposit may come to: what the treasury can still promise, within the plan's limit. Confirming asks
 * again: until then nothing is promised. While the ledger does not answer, the plan's limit.
 */
export async function mostOf(
  deps: Deps,
  { direction, quote_id }: Pick<Transfer, 'direction' | 'quote_id'>,
): Promise<Amount> {
  const most = parseAmount(deps.config.anchor.plan.limits.max)
  // A withdrawal takes nothing out of the treasury, and a firm quote has its own promise.
  if (direction === 'withdrawal' || quote_id !== null) return most
  const treasury = await readTreasury(deps).catch((error: unknown) => {
    deps.logger.warn({ err: error }, 'what can be promised is not known')
    return null
  })
  return treasury && treasury.capacity < most ? treasury.capacity : most
}
