import type { Spread } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { RegistryStatus, Settlement } from '@windlass/contracts/aggregator/registry.ts'
import type { TransferPlan } from '@windlass/contracts/aggregator/transfer-plans.ts'
import type { EligibilityRule, Weights } from '@windlass/contracts/aggregator/routing.ts'
import type { DeliveryTable } from '@windlass/service/outbound/webhook-sender.ts'
import type { ColumnType, Generated, JSONColumnType, Selectable } from 'kysely'

/** Every table of the aggregator, by the slice that owns it. */
export interface Tables {
  // registry
  anchors: AnchorTable
  // health
  health_metrics: HealthMetricTable
  health_days: { anchor_id: string; day: string; good: number; checks: number; latency_ms: string }
  health_counted: { until: Date }
  polling_shards: { shard: number; owner: string | null; lease_until: Date }
  polling_processes: { id: string; seen_at: Date }
  // routing
  routing_policies: RoutingPolicyTable
  routing_snapshots: RoutingSnapshotTable
  routing_decisions: RoutingDecisionTable
  // quotes
  quotes: QuoteTable
  firm_quote_totals: FirmQuoteTotalTable
  // webhooks
  wallet_keys: WalletKeyTable
  webhook_endpoints: WalletWebhookTable
  webhook_deliveries: WalletDeliveryTable
  reported_availability: { anchor_id: string; available: boolean; other_since: Date | null }
  // signed-logins
  signed_logins: SignedLoginTable
  // plans
  transfer_plans: { id: string; created_at: Date; plan: JSONColumnType<TransferPlan> }
}

export interface AssetRow {
  code: string
  issuer: string
  anchoredTo: string
  /** Terms that an external anchor states; no other has them. */
  terms?: AssetTerms
}

/** Terms of one asset as an external anchor states them: amounts in asset units, decimals; null: not known. */
export interface StatedTerms {
  min: string | null
  max: string | null
  fees: { fixed: string; percentage: string } | null
  /** Currency units for one asset unit, by currency. */
  prices: Record<string, string>
}

/** Terms of deposits, and of withdrawals where the anchor offers them. */
export interface AssetTerms extends StatedTerms {
  withdrawal?: StatedTerms
}

/** What is stored of an external anchor: the standards it serves and what none of its answers says. */
export interface ExternalRow {
  seps: number[]
  unknown: string[]
  /** Over which it pays out; absent: none is known. */
  withdrawalRails?: string[]
}

/** Amounts and rates as decimals. */
export interface OwnTermsRow {
  withdrawal: { rails: string[]; fees: { fixed: string; percentage: string } } | null
  railFees: { rail: string; direction: 'deposit' | 'withdrawal'; fixed: string; percentage: string }[]
  /** Absent: none. */
  spread?: Spread
}

/** What wallets saw of an anchor that differs from what it says: in how many looks in a row, and since when. */
export interface SeenRow {
  /** They pay more by this share, a decimal. */
  price?: { looks: number; since: string; share: string }
  /** They cannot start, for this reason in a word. */
  start?: { looks: number; since: string; failure: string }
}

interface AnchorTable {
  id: string
  slug: string
  name: string
  domain: string
  api_url: string
  status: RegistryStatus
  regions: string[]
  assets: JSONColumnType<AssetRow[]>
  rails: string[]
  limit_min: string
  limit_max: string
  fee_fixed: string
  fee_percentage: string
  /** Where fees differ over a rail or for withdrawals, and the rails of withdrawals; null: nowhere. */
  own_terms: ColumnType<OwnTermsRow | null, string | null | undefined, string | null>
  settlement: Settlement | 'unknown'
  signing_key: string | null
  /** Sealed. */
  summary_secret: Buffer | null
  treasury_capacity: string
  further_capacity: ColumnType<Record<string, string> | null, string | null | undefined, string | null>
  current_availability: boolean
  domain_verified: boolean
  domain_checked_at: Date | null
  last_checked_at: Date | null
  /** Null for an anchor of this platform. */
  external: JSONColumnType<ExternalRow> | null
  /** Null: what wallets saw is what it says, or nobody has looked. */
  seen: ColumnType<SeenRow | null, undefined, string | null>
  seen_at: ColumnType<Date | null, undefined, Date>
  created_at: Date
  updated_at: Date
}
export type AnchorRow = Selectable<AnchorTable>

interface HealthMetricTable {
  anchor_id: string
  checked_at: Date
  current_availability: boolean
  treasury_capacity: string | null
  further_capacity: ColumnType<Record<string, string> | null, string | null | undefined, string | null>
  latency_ms: number
  source: string | null
  failure: string | null
  steps: JSONColumnType<unknown[]> | null
  batch_id: string
}

interface RoutingPolicyTable {
  id: Generated<string>
  version: Generated<number>
  name: string
  weights: JSONColumnType<Weights>
  active: boolean
  created_at: Generated<Date>
  activated_at: Date | null
}
export type RoutingPolicyRow = Selectable<RoutingPolicyTable>

/** A contender as a snapshot stores it: amounts and rates as decimals. */
export interface StoredContender {
  slug: string
  domain: string
  issuer: string
  fees: { fixed: string; percentage: string }
  /** Its share of the exchange rate in deposits; absent: none, or a snapshot from before it counted. */
  spread?: string
  capacity: string
  /** Absent in snapshots from before it was stored. */
  limits?: { min: string; max: string }
  /** What is not known of an external anchor. */
  unknown?: string[]
  /** What the scores are computed from, by score. */
  facts: Record<string, unknown>
}

type StoredFailing = { [rule in EligibilityRule]?: { count: number; first: string[] } }

interface RoutingSnapshotTable {
  id: string
  taken_at: Date
  asset: string
  rail: string
  region: string | null
  /** A snapshot stores only what differs from its base. */
  base_id: string | null
  failing: JSONColumnType<StoredFailing>
  /** By anchor id; null: the base has this contender and the snapshot does not. */
  contenders: JSONColumnType<Record<string, StoredContender | null>>
}
export type RoutingSnapshotRow = Selectable<RoutingSnapshotTable>

interface RoutingDecisionTable {
  id: string
  decided_at: Date
  snapshot_id: string
  policy_id: string
  /** The weights of the decision: a policy edited by hand changes no decision. */
  weights: ColumnType<Weights>
  amount: string
  currency: string | null
  /** Null: no anchor could serve the route. */
  winner: string | null
  stale: boolean
}
export type RoutingDecisionRow = Selectable<RoutingDecisionTable>

interface WalletKeyTable {
  id: Generated<string>
  name: string
  /** SHA-256 of the key. */
  hash: Buffer
  relay: string
  created_at: Generated<Date>
  used_at: Generated<Date>
}
export type WalletKeyRow = Selectable<WalletKeyTable>

interface WalletWebhookTable {
  id: string
  key_id: string
  url: string
  events: string[]
  sealed_secret: Buffer
  created_at: Generated<Date>
}
export type WalletWebhookRow = Selectable<WalletWebhookTable>

interface WalletDeliveryTable extends DeliveryTable {
  payload: string
}
export type WalletDeliveryRow = Selectable<WalletDeliveryTable>

interface SignedLoginTable {
  id: string
  secret_hash: Buffer
  challenge_hash: Buffer
  network_passphrase: string
  public_key: Buffer
  /** Encrypted for the page that holds the other half of its key; null: it has not come. */
  sealed: ColumnType<Buffer | null, undefined, Buffer>
  expires_at: Date
}

/** What firm quotes reserve together in a span of five seconds; triggers of `quotes` write it. */
interface FirmQuoteTotalTable {
  holder: string
  span: number
  amount: string
}

interface QuoteTable {
  id: string
  anchor_id: string
  amount: string
  currency: string
  asset: string
  /** Null in quotes that were made before it was stored. */
  issuer: string | null
  rail: string
  region: string | null
  fx_rate: string
  fee_fixed: string
  fee_percentage: string
  fee_variable: string
  fee_total: string
  sell_amount: string
  firm: boolean
  /** Keyed hash of the client's network; null in quotes that were made before it was stored, and in those not firm. */
  client: string | null
  reasoning: string
  created_at: Date
  expires_at: Date
}
export type QuoteRow = Selectable<QuoteTable>
