import type { EligibilityRule } from '@windlass/contracts/routing.ts'
import { standings } from '../registry/columns.ts'
import type { Entry } from '../registry/entry.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'
import type { FurtherRule } from './filter.ts'
import type { Transaction } from './transaction.ts'

const standingRules: readonly (EligibilityRule | null)[] = [null, 'status', 'availability', 'domain']

/** The rule by which a standing keeps an anchor out, if it does. */
export const ruleOfStanding = (standing: number): EligibilityRule | null => standingRules[standing] ?? null

/** The first rule that one anchor fails, in the order in which the hard filter applies them; null: it is eligible. */
export function failedRule(
  index: RegistryIndex,
  entry: Entry,
  transaction: Transaction,
  furtherRule?: FurtherRule,
): EligibilityRule | null {
  const { asset, rail, region, amount } = transaction
  const names = entry.assets.flatMap(({ code, issuer }) => [
    code.toUpperCase(),
    `${code.toUpperCase()}:${issuer}`,
  ])
  if (!names.includes(asset)) return 'asset'
  if (!entry.rails.includes(rail)) return 'rail'
  if (region !== undefined && !entry.regions.includes(region)) return 'region'
  const standing = index.columns.standing[entry.slot] ?? standings.status
  return (
    ruleOfStanding(standing) ??
    furtherRule?.(entry) ??
    (index.freeCapacity(entry) < amount ? 'capacity' : null)
  )
}
