import { railKind } from '@windlass/contracts/platform/anchor-rails.ts'
import type { Entry } from '../registry/entry.ts'
import { listEntries } from '../registry/list.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'

/** The address, asset, rail, region and currency that the guides' examples have. */
const EXAMPLE = {
  address: 'http://localhost:3005',
  asset: 'LOTUS',
  rail: 'UPI',
  region: 'IN',
  currency: 'INR',
}

/**
 * A guide whose examples answer at this platform: its address, and in the first example an anchor that is there. Without
 * an anchor the example stays as it is.
 */
export function withExamples(text: string, index: RegistryIndex, publicUrl: string): string {
  const here = text.replaceAll(EXAMPLE.address, publicUrl)
  const [anchor] = listEntries(index, { status: 'active', available: true, limit: 1 })
  if (!anchor) return here
  return here.replace(/```sh\n[\s\S]*?\n```/, example => adapted(example, anchor))
}

function adapted(example: string, { assets: [asset], rails: [rail], regions: [region] }: Entry): string {
  if (!asset || !rail || !region) return example
  return example
    .replaceAll(EXAMPLE.asset, asset.code)
    .replace(/\bUPI\b/g, rail)
    .replace(/(?<=region["=:]+)IN\b/g, region)
    .replace(/\bINR\b/g, railKind(rail, asset.anchoredTo).currency)
}
