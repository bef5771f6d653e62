import type { Direction, Spread } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { RegistryEntry, RegistryStatus, Settlement } from '@windlass/contracts/aggregator/registry.ts'
import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { FeeSchedule } from '@windlass/money/fee.ts'
import { formatRate, parseRate, type Rate } from '@windlass/money/rate.ts'
import type { SealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import type { AnchorRow, AssetRow, ExternalRow, OwnTermsRow, StatedTerms } from '../tables.ts'
import { readSeen, type Seen } from './seen.ts'

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
  /** Rails and fees of withdrawals; null: as above. */
  withdrawal: { rails: string[]; fees: FeeSchedule } | null
  /** Where the fee over a rail differs, by direction and rail. */
  railFees: ReadonlyMap<string, FeeSchedule>
  /** Its share of an exchange rate; absent: none. */
  spread?: Readonly<Record<Direction, Rate>>
  /** What wallets saw of it, as far as that differs. */
  seen: Seen
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
interface External {
  seps: number[]
  unknown: string[]
  /** Over which it pays out. */
  withdrawalRails: readonly string[]
  /** By direction and `CODE:ISSUER`. */
  terms: ReadonlyMap<string, KnownTerms>
}

/** What one asset costs at an anchor, in asset units. */
interface KnownTerms {
  limits: { min: Amount; max: Amount }
  fees: FeeSchedule
  /** What is known of an external anchor: the most it takes, its prices by currency, and what is not known of it. */
  external: { capacity: Amount; prices: Readonly<Record<string, Rate>>; unknown: readonly string[] } | null
}

export type FurtherCapacity = ReadonlyMap<string, Amount>
const NO_FURTHER: FurtherCapacity = new Map()

/** What the latest probe found. */
export interface Condition {
  /** Capacity of the first asset. */
  capacity: Amount
  /** Capacity of each further asset, by its id. */
  further: FurtherCapacity
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

/** `CODE:ISSUER`, in upper case. */
export const assetId = ({ code, issuer }: Pick<AssetRow, 'code' | 'issuer'>): string =>
  `${code.toUpperCase()}:${issuer}`

const XLM = { code: 'XLM', issuer: 'native' }
/** As XLM is named, in upper case; its code alone may be another asset's. */
const NAMES_OF_XLM = new Set(['NATIVE', 'STELLAR:NATIVE', 'XLM:NATIVE'])

/** A name of an asset as the registry spells it: `CODE` or `CODE:ISSUER`. */
export function spelled(name: string): string {
  const upper = name.trim().toUpperCase()
  return NAMES_OF_XLM.has(upper) ? assetId(XLM) : upper
}

/** The asset that a name means at an anchor: the first of those with this name. */
export const assetNamed = ({ assets }: Pick<Entry, 'assets'>, name: string): AssetRow | undefined =>
  assets.length === 1 ? assets[0] : assets.find(offered => goesBy(offered, name))

/**
 * What an anchor can pay out of the asset that a name means, before firm quotes. One that reports a single figure has it
 * for each of its assets.
 */
export function capacityIn(entry: Pick<Entry, 'assets' | 'capacity' | 'further'>, name: string): Amount {
  const asset = assetNamed(entry, name)
  if (!asset || asset === entry.assets[0] || entry.further.size === 0) return entry.capacity
  return entry.further.get(assetId(asset)) ?? amountOf(0n)
}

export const readFurther = (stored: Record<string, string> | null): FurtherCapacity =>
  stored ? new Map(Object.entries(stored).map(([id, amount]) => [id, parseAmount(amount)])) : NO_FURTHER

export const storeFurther = (further: FurtherCapacity): Record<string, string> =>
  Object.fromEntries([...further].map(([id, amount]) => [id, formatAmount(amount)]))

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
    ...withSeen(row),
    settlement: row.settlement,
    signingKey: row.signing_key,
    summarySecret: row.summary_secret && openSecret(row.summary_secret, row.id, sealer),
    domainVerified: row.domain_verified,
    external: row.external && readExternal(row.external, row.assets),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    capacity: parseAmount(row.treasury_capacity),
    further: readFurther(row.further_capacity),
    available: row.current_availability,
    lastCheckedAt: row.last_checked_at,
  }
}

function withSeen(row: AnchorRow): Pick<Description, 'withdrawal' | 'railFees' | 'spread' | 'seen'> {
  const own = readOwnTerms(row.own_terms)
  return { ...own, seen: readSeen(row.seen, row.seen_at, own.spread?.deposit) }
}

function readOwnTerms(own: OwnTermsRow | null): Pick<Description, 'withdrawal' | 'railFees' | 'spread'> {
  const fee = ({
    fixed,
    percentage,
  }: OwnTermsRow['railFees'][number] | { fixed: string; percentage: string }) => ({
    fixed: parseAmount(fixed),
    percentage: parseRate(percentage),
  })
  return {
    withdrawal: own?.withdrawal ? { rails: own.withdrawal.rails, fees: fee(own.withdrawal.fees) } : null,
    railFees: new Map(own?.railFees.map(each => [`${each.direction} ${each.rail}`, fee(each)])),
    ...(own?.spread ? { spread: readSpread(own.spread) } : {}),
  }
}

const readSpread = ({ deposit, withdrawal }: Spread) => ({
  deposit: parseRate(deposit),
  withdrawal: parseRate(withdrawal),
})

// Sealed with a key that is gone: the anchor is probed at /health until the platform registers it again.
function openSecret(sealed: Buffer, id: string, sealer: Sealer): string | null {
  try {
    return sealer.open(sealed, secretContext(id))
  } catch {
    return null
  }
}

function readExternal(
  { seps, unknown, withdrawalRails = [] }: ExternalRow,
  assets: readonly AssetRow[],
): External {
  const terms = assets.flatMap(({ code, issuer, terms: stated }) => [
    [`deposit ${code}:${issuer}`, readTerms(stated, unknown)] as const,
    [`withdrawal ${code}:${issuer}`, readTerms(stated?.withdrawal, unknown)] as const,
  ])
  return { seps, unknown, withdrawalRails, terms: new Map(terms) }
}

/** What is not known counts as the worst: a fee of the whole amount, no capacity (ADR 0035). */
function readTerms(terms: StatedTerms | undefined, unknown: readonly string[]): KnownTerms {
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

/** An anchor's terms for an asset that it supports, `CODE` or `CODE:ISSUER` in upper case, over a rail. */
export function termsFor(
  entry: Entry,
  asset: string,
  rail?: string,
  direction: Direction = 'deposit',
): KnownTerms {
  const { assets, external, limits, railFees } = entry
  if (external === null) {
    const general = direction === 'withdrawal' && entry.withdrawal ? entry.withdrawal.fees : entry.fees
    return { limits, fees: railFees.get(`${direction} ${rail}`) ?? general, external: null }
  }
  const meant = assets.find(offered => goesBy(offered, asset))
  const stated = external.terms.get(`${direction} ${meant?.code}:${meant?.issuer}`)
  return stated ?? readTerms(undefined, external.unknown)
}

/** The rails over which an anchor pays out. */
export const withdrawalRails = ({ external, withdrawal, rails }: Entry): readonly string[] =>
  external?.withdrawalRails ?? withdrawal?.rails ?? rails

/** The public part of an entry. */
export function publish(entry: Entry): RegistryEntry {
  return {
    id: entry.id,
    slug: entry.slug,
    name: entry.name,
    domain: entry.domain,
    status: entry.status,
    regions: entry.regions,
    assets: publishAssets(entry),
    rails: entry.rails,
    limits: { min: formatAmount(entry.limits.min), max: formatAmount(entry.limits.max) },
    fees: { fixed: formatAmount(entry.fees.fixed), percentage: formatRate(entry.fees.percentage) },
    ...publishOwnTerms(entry),
    ...(entry.seen.differences.length > 0 ? { differences: [...entry.seen.differences] } : {}),
    settlement: entry.settlement,
    treasury_capacity: formatAmount(entry.capacity),
    current_availability: entry.available,
    domainVerified: entry.domainVerified,
    ...(entry.external ? { external: publishExternal(entry.external) } : {}),
    lastCheckedAt: entry.lastCheckedAt?.toISOString() ?? null,
    createdAt: entry.createdAt.toISOString(),
    updatedAt: entry.updatedAt.toISOString(),
  }
}

/** Lists the assets of an anchor of several, with the capacity of each. */
function publishAssets(entry: Entry): RegistryEntry['assets'] {
  const { assets, external } = entry
  if (entry.further.size === 0 || external) return assets
  return assets.map(asset => ({ ...asset, capacity: formatAmount(capacityIn(entry, assetId(asset))) }))
}

const publishExternal = ({ seps, unknown, withdrawalRails: paidOver }: External) => ({
  seps,
  unknown,
  ...(paidOver.length > 0 ? { withdrawalRails: [...paidOver] } : {}),
})

function publishOwnTerms({
  withdrawal,
  railFees,
  spread,
}: Entry): Pick<RegistryEntry, 'withdrawal' | 'railFees' | 'spread'> {
  const fee = ({ fixed, percentage }: FeeSchedule) => ({
    fixed: formatAmount(fixed),
    percentage: formatRate(percentage),
  })
  const own = [...railFees].map(([key, schedule]) => {
    const [direction, rail = ''] = key.split(' ')
    return {
      rail,
      direction: direction === 'withdrawal' ? ('withdrawal' as const) : ('deposit' as const),
      ...fee(schedule),
    }
  })
  return {
    ...(withdrawal ? { withdrawal: { rails: withdrawal.rails, fees: fee(withdrawal.fees) } } : {}),
    ...(own.length > 0 ? { railFees: own } : {}),
    ...(spread
      ? { spread: { deposit: formatRate(spread.deposit), withdrawal: formatRate(spread.withdrawal) } }
      : {}),
  }
}
