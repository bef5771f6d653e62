import type { RegistryEntry, RegistryStatus, Settlement } from '@windlass/contracts/registry.ts'
import { formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { FeeSchedule } from '@windlass/money/fee.ts'
import { formatRate, parseRate } from '@windlass/money/rate.ts'
import type { Sealer } from '@windlass/service/seal.ts'
import type { AnchorRow, AssetRow } from '../tables.ts'

/** What the registry says of an anchor and its probes do not change. */
export interface Description {
  id: string
  slug: string
  name: string
  domain: string
  apiUrl: string
  status: RegistryStatus
  regions: string[]
  assets: AssetRow[]
  rails: string[]
  limits: { min: Amount; max: Amount }
  fees: FeeSchedule
  settlement: Settlement
  signingKey: string | null
  summarySecret: string | null
  domainVerified: boolean
  createdAt: Date
  updatedAt: Date
}

/** What the latest probe found. */
export interface Condition {
  capacity: Amount
  available: boolean
  lastCheckedAt: Date | null
}

/** One anchor as every aggregator process holds it in memory. */
export interface Entry extends Description, Condition {
  /** Its number in the index, the same for as long as the process lives. */
  readonly slot: number
}

/** Whether a name means an asset: `CODE`, or `CODE:ISSUER`, in upper case. */
export function goesBy({ code, issuer }: Pick<AssetRow, 'code' | 'issuer'>, name: string): boolean {
  const upper = code.toUpperCase()
  return name === upper || name === `${upper}:${issuer}`
}

/** The names of an anchor's assets: `CODE` and `CODE:ISSUER`, in upper case. */
export function assetNames(entry: Pick<Entry, 'assets'>): Set<string> {
  return new Set(
    entry.assets.flatMap(({ code, issuer }) => [code.toUpperCase(), `${code.toUpperCase()}:${issuer}`]),
  )
}

/** Binds a sealed summary secret to its anchor. */
export const secretContext = (anchorId: string) => `summary-secret:${anchorId}`

export function describe(row: AnchorRow, sealer: Sealer): Description & Condition {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    domain: row.domain,
    apiUrl: row.api_url,
    status: row.status,
    regions: row.regions,
    assets: row.assets,
    rails: row.rails,
    limits: { min: parseAmount(row.limit_min), max: parseAmount(row.limit_max) },
    fees: { fixed: parseAmount(row.fee_fixed), percentage: parseRate(row.fee_percentage) },
    settlement: row.settlement,
    signingKey: row.signing_key,
    summarySecret: row.summary_secret && openSecret(row.summary_secret, row.id, sealer),
    domainVerified: row.domain_verified,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    capacity: parseAmount(row.treasury_capacity),
    available: row.current_availability,
    lastCheckedAt: row.last_checked_at,
  }
}

// Sealed with a key that is gone: the anchor is probed at /health until the platform registers it again.
function openSecret(sealed: Buffer, id: string, sealer: Sealer): string | null {
  try {
    return sealer.open(sealed, secretContext(id))
  } catch {
    return null
  }
}

/** The public part of an entry. */
export function publish(entry: Entry): RegistryEntry {
  return {
    id: entry.id,
    slug: entry.slug,
    name: entry.name,
    domain: entry.domain,
    status: entry.status,
    regions: entry.regions,
    assets: entry.assets,
    rails: entry.rails,
    limits: { min: formatAmount(entry.limits.min), max: formatAmount(entry.limits.max) },
    fees: { fixed: formatAmount(entry.fees.fixed), percentage: formatRate(entry.fees.percentage) },
    settlement: entry.settlement,
    treasury_capacity: formatAmount(entry.capacity),
    current_availability: entry.available,
    domainVerified: entry.domainVerified,
    lastCheckedAt: entry.lastCheckedAt?.toISOString() ?? null,
    createdAt: entry.createdAt.toISOString(),
    updatedAt: entry.updatedAt.toISOString(),
  }
}
