import type { caseOutcomes } from '@windlass/contracts/anchor/cases.ts'
import type {
  CountryFinding,
  ListId,
  ScreenedRole,
  VelocityFinding,
  VelocityRule,
} from '@windlass/contracts/anchor/compliance.ts'
import type { AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

type CaseOutcome = (typeof caseOutcomes)[number]

/** The tables that this slice owns. */
export interface ComplianceTables {
  sanctions_lists: SanctionsListTable
  sanctions_names: SanctionsNameTable
  list_fetches: ListFetchTable
  smaller_lists: SmallerListTable
  screening_thresholds: ScreeningThresholdTable
  screened_names: ScreenedNameTable
  screening_hits: ScreeningHitTable
  screening_decisions: ScreeningDecisionTable
  screening_holds: ScreeningHoldTable
  country_rules: CountryRulesTable
  payer_countries: { transfer_id: string; country: string }
  cases: CaseTable
  case_steps: CaseStepTable
  velocity_rules: VelocityRulesTable
  velocity_movements: VelocityMovementTable
  velocity_parties: VelocityPartyTable
  velocity_key: VelocityKeyTable
  movements_elsewhere: MovementElsewhereTable
  elsewhere_asked: { only_one: Generated<boolean>; at: Date }
}

interface MovementElsewhereTable {
  /** The platform's. */
  id: string
  /** The customer's id at the platform. */
  person: string
  direction: 'deposit' | 'withdrawal'
  currency: string
  amount: string
  at: Date
}

export interface SanctionsListTable {
  version: Generated<string>
  source: 'OFAC' | 'UN' | 'EU'
  list_id: ListId
  format: 'ofac-xml' | 'ofac-csv' | 'un-xml' | 'eu-xml'
  file_name: string
  /** SHA-256 of the file. */
  digest: Buffer
  /** `YYYY-MM-DD` */
  published_on: string | null
  entries: number
  names: number
  by: string
  at: Generated<Date>
  checked_at: ColumnType<Date, undefined, Date>
  /** When another version took its place. */
  replaced_at: ColumnType<Date | null, undefined, Date>
}

interface SanctionsNameTable {
  id: GeneratedAlways<string>
  /** The version that it came with. */
  list: string
  list_id: ListId
  /** The version that came without it. */
  gone_with: ColumnType<string | null, undefined, string>
  entry_id: string
  name: string
  detail: string
  /** Years of birth. */
  born: number[]
  /** ISO 3166-1, two letters. */
  countries: string[]
}

interface ListFetchTable {
  list_id: ListId
  tried_at: Date
  failure: 'unreachable' | 'refused' | null
  details: string | null
}

/** What the first of two people wanted to load. */
interface SmallerListTable {
  digest: Buffer
  list_id: ListId
  file_name: string
  entries: number
  by: string
  at: Generated<Date>
}

/** The newest row counts. */
interface ScreeningThresholdTable {
  version: Generated<string>
  threshold: string
  by: string
  at: Generated<Date>
}

export interface ScreenedNameTable {
  id: Generated<string>
  subject_kind: 'customer' | 'transaction' | 'payout'
  subject_id: string
  role: ScreenedRole
  /** Which owner it is; null: none. */
  owner_id: ColumnType<string | null, string | null | undefined, never>
  /** Null: removed by retention. */
  sealed: Buffer | null
  /** What else is known of who has the name. */
  facts: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  /** The newest version of lists and threshold that it was compared with. */
  compared: Generated<string>
  compared_at: ColumnType<Date | null, undefined, Date>
  /** When the subject got another name. */
  replaced_at: ColumnType<Date | null, undefined, Date>
  recorded_at: Generated<Date>
  removed_at: ColumnType<Date | null, undefined, Date>
}

/** About a name, or about a transfer that exceeds a velocity rule. */
interface ScreeningHitTable {
  id: Generated<string>
  name_id: string | null
  list: string | null
  source: string | null
  entry_id: string | null
  entry_name: string | null
  detail: string | null
  score: string | null
  transfer_id: string | null
  velocity: ColumnType<VelocityFinding | null, string | undefined, never>
  state: ColumnType<'waiting' | 'cleared' | 'confirmed', undefined, 'waiting' | 'cleared' | 'confirmed'>
  /** Proves that people cleared it. */
  cleared: ColumnType<Buffer | null, undefined, Buffer>
  /** Proves what people last decided about it. */
  decided: ColumnType<Buffer | null, undefined, Buffer>
  case_id: ColumnType<string | null, undefined, never>
  country: ColumnType<CountryFinding | null, string | undefined, never>
  outside: ColumnType<{ answer: string } | null, string | undefined, never>
  country_key: ColumnType<string | null, string | undefined, never>
  created_at: Generated<Date>
}

interface ScreeningDecisionTable {
  id: Generated<string>
  hit_id: string
  decision: 'clear' | 'confirm'
  reason: string
  evidence: string | null
  by: string
  at: Generated<Date>
}

interface ScreeningHoldTable {
  subject_kind: 'customer' | 'transaction' | 'payout'
  subject_id: string
  hit_id: string
}

/** The newest row counts. */
interface CountryRulesTable {
  version: GeneratedAlways<string>
  prohibited: string[]
  high_risk: string[]
  asks_residence: boolean
  by: string
  at: Generated<Date>
}

export interface CaseTable {
  id: Generated<string>
  subject_kind: 'customer' | 'transaction' | 'payout'
  subject_id: string
  state: ColumnType<'open' | 'closed', undefined, 'closed'>
  outcome: ColumnType<CaseOutcome | null, undefined, CaseOutcome>
  /** `operator:<id>` */
  assignee: ColumnType<string | null, undefined, string | null>
  due_on: string
  /** `screening` or `operator:<id>` */
  opened_by: string
  created_at: Generated<Date>
  closed_at: ColumnType<Date | null, undefined, Date>
}

export interface CaseStepTable {
  id: string
  case_id: string
  kind: 'opened' | 'noted' | 'planned' | 'closed'
  sealed: Buffer | null
  details: ColumnType<{ assignedTo?: string | null; dueOn?: string; outcome?: CaseOutcome }, string, never>
  by: string
  at: Generated<Date>
  /** When retention removed what was written. */
  removed_at: ColumnType<Date | null, undefined, Date>
}

/** The newest row counts. */
interface VelocityRulesTable {
  version: Generated<string>
  rules: ColumnType<VelocityRule[], string, never>
  by: string
  at: Generated<Date>
}

interface VelocityMovementTable {
  transfer_id: string
  direction: 'deposit' | 'withdrawal'
  asset: ColumnType<AssetKey, AssetKey | undefined, never>
  amount: string
  /** Who it is, to tell customers apart. */
  customer: string
  /** Null: too old for any rule. */
  at: Date | null
}

interface VelocityPartyTable {
  kind: 'customer' | 'account' | 'wallet' | 'address'
  key: string
  transfer_id: string
}

interface VelocityKeyTable {
  sealed: Buffer
}
