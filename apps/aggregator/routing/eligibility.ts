import type { EligibilityRule } from '@windlass/contracts/aggregator/routing.ts'
import { goesBy, type Entry } from '../registry/entry.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'
import type { Transaction } from './transaction.ts'

/** The first rule that one anchor fails, in the order in which the hard filter applies them; null: it is eligible. */
export function failedRule(
  index: RegistryIndex,
  entry: Entry,
  transaction: Transaction,
  furtherRule: (entry: Entry) => EligibilityRule | null,
): EligibilityRule | null {
  const { asset, rail, region, amount } = transaction
  if (!entry.assets.some(offered => goesBy(offered, asset))) return 'asset'
  if (!entry.rails.includes(rail)) return 'rail'
  if (region !== undefined && !entry.regions.includes(region)) return 'region'
  return (
    index.blockedBy(entry) ??
    furtherRule(entry) ??
    (index.capacityFor(entry, asset) < amount ? 'capacity' : null)
  )
}
