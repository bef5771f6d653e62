import type { RegistryEntry } from '@windlass/contracts/aggregator/registry.ts'
import { formatAmount, formatFraction } from '@windlass/ui/formats.ts'
import { directory as texts } from './texts.ts'

/** The fee of an asset with its unit; null where it is not known. External anchors have a fee for each asset. */
export function feeOf(
  { external, fees }: Pick<RegistryEntry, 'external' | 'fees'>,
  asset: RegistryEntry['assets'][number] | undefined,
): string | null {
  const stated = external ? asset?.terms?.fees : fees
  if (!stated) return null
  return texts.fee(
    `${formatAmount(stated.fixed)} ${asset?.code ?? ''}`.trim(),
    formatFraction(stated.percentage),
  )
}
