import type { RegistryEntry, RegistryStatus, Settlement } from '@windlass/contracts/registry.ts'
import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { FeeSchedule } from '@windlass/money/fee.ts'
import { formatRate, parseRate, type Rate } from '@windlass/money/rate.ts'
import type { SealedColumn } from '@windlass/service/seal-again.ts'
import type { Sealer } from '@windlass/service/seal.ts'
import type { AnchorRow, AssetRow, AssetTerms, ExternalRow } from '../tables.ts'

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
  settlement: Settlement | 'unknown'
  signingKey: string | null
  summarySecret: string | null
  domainVerified: boolean
  /** Null for an anchor of this platform. */
  external: External | null
  createdAt: Date
  updatedAt: Date
}

/** An anchor of another platform. */
export interface External {
  seps: number[]
  unknown: string[]
  /** By `CODE:ISSUER`. */
  terms: ReadonlyMap<string, Terms>
}

/** What one asset costs at an anchor, in asset units. */
export interface Terms {
  limits: { min: Amount; max: Amount }
  fees: FeeSchedule
  /** Of an external anchor: the most it is known to take, its prices by currency, and what is not known of it. */
  external: { capacity: Amount; prices: Readonly<Record<string, Rate>>; unknown: readonly string[] } | null
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

export const sealedSummarySecrets: SealedColumn = {
  table: 'anchors',
  column: 'summary_secret',
  key: ['id'],
  contextOf: ({ id = '' }) => secretContext(id),
}

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
    external: row.external && readExternal(row.external, row.assets),
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

function readExternal({ seps, unknown }: ExternalRow, assets: readonly AssetRow[]): External {
  const terms = assets.map(
    asset => [`${asset.code}:${asset.issuer}`, readTerms(asset.terms, unknown)] as const,
  )
  return { seps, unknown, terms: new Map(terms) }
}

/** What is not known counts as the worst: a fee of the whole amount, no capacity (ADR 0035). */
function readTerms(terms: AssetTerms | undefined, unknown: readonly string[]): Terms {
  const { min, max, fees, prices } = terms ?? { min: null, max: null, fees: null, prices: {} }
  const largest = max === null ? amountOf(0n) : parseAmount(max)
  return {
    limits: { min: min === null ? amountOf(1n) : parseAmount(min), max: largest },
    fees: fees
      ? { fixed: parseAmount(fees.fixed), percentage: parseRate(fees.percentage) }
      : { fixed: amountOf(0n), percentage: { numerator: 1n, digits: 0 } },
    external: {
      capacity: largest,
      prices: Object.fromEntries(
        Object.entries(prices).map(([currency, price]) => [currency, parseRate(price)]),
      ),
      unknown: [...unknown, ...(fees ? [] : ['fees']), ...(max === null ? ['limits'] : [])],
    },
  }
}

/** An anchor's terms for an asset that it supports, `CODE` or `CODE:ISSUER` in upper case. */
export function termsFor({ assets, external, limits, fees }: Entry, asset: string): Terms {
  if (external === null) return { limits, fees, external: null }
  const meant = assets.find(offered => goesBy(offered, asset))
  return external.terms.get(`${meant?.code}:${meant?.issuer}`) ?? readTerms(undefined, external.unknown)
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
    ...(entry.external ? { external: { seps: entry.external.seps, unknown: entry.external.unknown } } : {}),
    lastCheckedAt: entry.lastCheckedAt?.toISOString() ?? null,
    createdAt: entry.createdAt.toISOString(),
    updatedAt: entry.updatedAt.toISOString(),
  }
}
