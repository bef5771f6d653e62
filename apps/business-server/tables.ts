import type { ActionKind } from '@windlass/contracts/operator-actions.ts'
import type { AnchorSettings, Fee, Tier } from '@windlass/contracts/anchor-settings.ts'
import type { Origin } from '@windlass/service/request-context.ts'
import type { CsvColumns, statementFormats, statementLineStates } from '@windlass/contracts/bank-files.ts'
import type { TransactionSep } from '@windlass/contracts/anchor-platform.ts'
import type { Difference, Reconciliation } from '@windlass/contracts/reconciliation.ts'
import type { ScreenedRole, VelocityFinding, VelocityRule } from '@windlass/contracts/compliance.ts'
import type { KycStatus } from '@windlass/contracts/kyc.ts'
import type { AssetKey } from '@windlass/contracts/served-assets.ts'
import type { ColumnType, Generated, Insertable, Selectable, Updateable } from 'kysely'

/** Every table of this server, grouped by the slice that owns it. */
export interface Tables {
  // customers
  customers: CustomerTable
  customer_files: CustomerFileTable
  customer_notes: CustomerNoteTable
  kyc_statuses: KycStatusTable
  kyc_sessions: KycSessionTable
  customer_tiers: CustomerTierTable
  // settings
  business_settings: BusinessSettingsTable
  logos: LogoTable
  // quotes
  firm_rates: FirmRateTable
  // transfers
  transfers: TransferTable
  transfer_steps: TransferStepTable
  transfer_notes: TransferNoteTable
  // operator-actions
  operator_actions: OperatorActionTable
  // compliance
  sanctions_lists: SanctionsListTable
  sanctions_names: SanctionsNameTable
  screening_thresholds: ScreeningThresholdTable
  screened_names: ScreenedNameTable
  screening_hits: ScreeningHitTable
  screening_decisions: ScreeningDecisionTable
  screening_holds: ScreeningHoldTable
  velocity_rules: VelocityRulesTable
  velocity_movements: VelocityMovementTable
  velocity_parties: VelocityPartyTable
  velocity_key: VelocityKeyTable
  // travel-rule
  travel_rule_settings: TravelRuleSettingsTable
  travel_rule_records: TravelRuleRecordTable
  // sep-calls
  platform_calls: SepCallTable
  // treasury
  reservations: ReservationTable
  treasury_settings: TreasurySettingsTable
  further_assets: { asset: string }
  // journal
  journal_entries: JournalEntryTable
  journal_lines: JournalLineTable
  // payments
  ledger_payments: LedgerPaymentTable
  ledger_envelopes: EnvelopeTable
  claimable_balances: ClaimableBalanceTable
  unrecorded_payments: UnrecordedPaymentTable
  ledger_channels: ChannelTable
  observed: ObservedTable
  ledger_receipts: LedgerReceiptTable
  ledger_incidents: LedgerIncidentTable
  rail_receipts: RailReceiptTable
  rail_orders: RailOrderTable
  // rails
  simulated_rail_payments: SimulatedPaymentTable
  payment_pages: PaymentPageTable
  bank_payouts: BankPayoutTable
  payout_files: PayoutFileTable
  payout_file_rejections: PayoutFileRejectionTable
  rejected_payouts: RejectedPayoutTable
  // bank-files
  bank_statements: BankStatementTable
  bank_lines: BankLineTable
  csv_columns: CsvColumnsTable
  // reconciliation
  reconciliations: ReconciliationTable
  reconciliation_differences: DifferenceTable
  // interactive
  opened_links: OpenedLinkTable
  // sending-anchors
  sending_anchors: SendingAnchorTable
  // webhooks
  webhook_endpoints: WebhookEndpointTable
  webhook_deliveries: WebhookDeliveryTable
}

export interface CustomerTable {
  id: Generated<string>
  account: string
  memo: string | null
  central_id: string | null
  /** Who passes here by a link to the account that nobody has proven: their limits count, and nothing else of theirs. */
  linked_to: ColumnType<string | null, undefined, string | null>
  /** Sealed; absent where nothing is known. */
  details: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  /** As an earlier version wrote them; empty once they are sealed. */
  pending_email: ColumnType<string | null, undefined, null>
  fields: ColumnType<Record<string, string>, undefined, string>
  created_at: Generated<Date>
}

export interface OperatorActionTable {
  id: Generated<string>
  transfer_id: string
  kind: ActionKind
  reason: string
  payment_id: string | null
  state: 'waiting' | 'done' | 'rejected'
  requested_by: string
  requested_at: Generated<Date>
  decided_by: ColumnType<string | null, undefined, string>
  decided_at: ColumnType<Date | null, undefined, Date>
  /** Whether the amount needs two people. */
  two_people: boolean
}

export interface SanctionsListTable {
  version: Generated<string>
  source: 'OFAC' | 'UN' | 'EU'
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
  /** When another version took its place. */
  replaced_at: ColumnType<Date | null, undefined, Date>
}

interface SanctionsNameTable {
  list: string
  entry_id: string
  name: string
  detail: string
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
  sealed: Buffer
  /** The newest version of lists and threshold that it was compared with. */
  compared: Generated<string>
  compared_at: ColumnType<Date | null, undefined, Date>
  /** When the subject got another name. */
  replaced_at: ColumnType<Date | null, undefined, Date>
  recorded_at: Generated<Date>
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
  state: ColumnType<'waiting' | 'cleared' | 'confirmed', undefined, 'cleared' | 'confirmed'>
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
  kind: 'customer' | 'account'
  key: string
  transfer_id: string
}

interface VelocityKeyTable {
  sealed: Buffer
}

/** What an operator decided about a person; the newest row counts. */
interface CustomerTierTable {
  id: Generated<string>
  central_id: string
  tier: Tier
  reason: string
  by: string
  at: Generated<Date>
}

interface BusinessSettingsTable {
  version: Generated<string>
  settings: ColumnType<AnchorSettings, string, never>
  by: string
  at: Generated<Date>
}

interface LogoTable {
  /** SHA-256 of the content in hexadecimal digits. */
  id: string
  media_type: 'image/png' | 'image/jpeg'
  content: Buffer
  by: string
  at: Generated<Date>
}

/** The fees of one direction and the limits of one transaction, as they were when it started. */
export interface TransferTerms {
  fee: Fee
  /** Where the fee over a rail differs, by rail. */
  railFees: Readonly<Record<string, Fee>>
  limits: { min: string; max: string }
  /** The anchor's share of the exchange rate, a fraction; absent: none. */
  spread?: string
}

export interface CustomerFileTable {
  customer_id: string
  /** SEP-9's name of the field, such as `photo_id_front`. */
  name: string
  media_type: string
  size: number
  sealed: Buffer
  created_at: Generated<Date>
}
export type CustomerFile = Omit<Selectable<CustomerFileTable>, 'sealed'>

interface KycStatusTable {
  central_id: string
  status: KycStatus
  provider: string | null
  session_id: string | null
  completed_at: Date
  updated_at: Generated<Date>
  sealed_name: Generated<Buffer | null>
}

interface KycSessionTable {
  session_id: string
  central_id: string
  url: string
  created_at: Generated<Date>
}

interface OpenedLinkTable {
  hash: Buffer
  expires_at: Date
}

export interface FirmRateTable {
  id: Generated<string>
  sell_asset: string
  buy_asset: string
  /** Of both, the one on the ledger. */
  asset: ColumnType<AssetKey, AssetKey | undefined, never>
  amount: string
  fee: string
  fiat_amount: string
  currency: string
  /** Null in quotes of version 0.1. */
  rate: string | null
  client_id: string | null
  client_memo: string | null
  client_domain: string | null
  /** Whether capacity is reserved for it. */
  reserved: Generated<boolean>
  expires_at: Date
  transfer_id: string | null
  terms: ColumnType<TransferTerms | null, string | null | undefined, never>
  /** Of a quote for one delivery method. */
  rail: ColumnType<string | null, string | null | undefined, never>
  created_at: Generated<Date>
}

export type TransferState =
  | 'new'
  | 'identifying'
  | 'awaiting_funds'
  | 'funded'
  | 'awaiting_trust'
  | 'paying_out'
  | 'completed'
  | 'returning'
  | 'returned'
  | 'expired'
  | 'failed'

interface TransferTable {
  id: string
  sep: TransactionSep
  direction: 'deposit' | 'withdrawal'
  state: TransferState
  account: string
  /** Of the wallet's login; with `account` it is one customer. */
  account_memo: string | null
  /** Of a direct payment: the sender. */
  customer_id: string | null
  /** Of a direct payment. */
  receiver_id: string | null
  /** Towards whose limits it counts: the person's id at the platform, or the sender of a direct payment. Null: not known, or nothing is agreed yet. */
  person: ColumnType<string | null, undefined, string | null>
  stellar_account: string
  /** Of a deposit: the payment to `stellar_account` carries it. */
  memo: string | null
  memo_type: string | null
  /** A refund on the ledger carries it, except to a muxed address. */
  refund_memo: string | null
  refund_memo_type: string | null
  claimable: boolean
  client_domain: string | null
  lang: string | null
  rail: string
  currency: string
  asset: ColumnType<AssetKey, AssetKey | undefined, never>
  amount: string | null
  fee: string | null
  fiat_amount: string | null
  rate: string | null
  quote_id: string | null
  reference: string | null
  /** Of a withdrawal: the id memo that the customer's payment must have. */
  ledger_memo: string | null
  sealed_destination: Buffer | null
  /** As an earlier release wrote it; empty once it is encrypted. */
  destination: ColumnType<Record<string, string>, undefined, '{}'>
  ledger_hash: string | null
  claimable_balance_id: string | null
  rail_payment_id: string | null
  message: string | null
  callback: string | null
  expires_at: Date | null
  next_try_at: Date | null
  origin: ColumnType<Origin | null, string | null | undefined, string | null>
  /** Null: it started before terms were kept, with those of the plan. */
  terms: ColumnType<TransferTerms | null, string | null | undefined, never>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}
export type Transfer = Selectable<TransferTable>
export type NewTransfer = Insertable<TransferTable>
export type TransferChange = Updateable<TransferTable>

export interface TransferStepTable {
  id: Generated<string>
  transfer_id: string
  from_state: TransferState
  to_state: TransferState
  why: string
  at: Generated<Date>
}

export interface TransferNoteTable {
  id: Generated<string>
  transfer_id: string
  by: string
  text: string
  at: Generated<Date>
}

export interface CustomerNoteTable {
  id: Generated<string>
  customer_id: string
  by: string
  text: string
  at: Generated<Date>
}

export interface SendingAnchorTable {
  /** `G…` */
  account: string
  name: string
  tier: Generated<Tier>
  created_at: Generated<Date>
}

/** The newest row counts. */
interface TravelRuleSettingsTable {
  version: Generated<string>
  threshold: string | null
  lei: string | null
  by: string
  at: Generated<Date>
}

interface TravelRuleRecordTable {
  transfer_id: string
  /** An IVMS101 document. */
  sealed: Buffer
  at: Date
}

interface SepCallTable {
  id: Generated<string>
  transfer_id: string | null
  method: string
  params: ColumnType<Record<string, unknown>, string, string>
  created_at: Generated<Date>
  delivered_at: Date | null
  refused: string | null
  origin: ColumnType<Origin | null, string | null | undefined, never>
}

/** Asset units that are promised and not paid yet: open firm quotes and deposits under way. */
interface ReservationTable {
  /** A quote's or a transaction's id. */
  id: string
  asset: ColumnType<AssetKey, AssetKey | undefined, AssetKey>
  amount: string
  expires_at: Date | null
}

/** What the operator wants of the treasury; the newest row counts. */
export interface TreasurySettingsTable {
  version: Generated<string>
  asset: ColumnType<AssetKey, AssetKey | undefined, never>
  low: string
  ceiling: string | null
  cold_account: string | null
  xlm_low: string
  by: string
  at: Generated<Date>
}

interface JournalEntryTable {
  id: Generated<string>
  cause: string
  kind: string
  transfer_id: string | null
  created_at: Generated<Date>
}

interface JournalLineTable {
  entry_id: string
  account: string
  unit: string
  amount: string
}

/** `native`: XLM. */
export type LedgerAsset = AssetKey | 'native'

interface LedgerPaymentTable {
  id: Generated<string>
  /** What the payment is for: `deposit:<transfer>` or `refund:<receipt>`; a second one for it cannot be written. */
  cause: string
  transfer_id: string | null
  /**
   * `reclaim` takes back a claimable balance that nobody claimed; `redelivery` pays it to the customer's account;
   * `sweep` sends what exceeds the treasury's ceiling to the cold account; `open-channels` and `close-channels` pay
   * nobody: the amount is the XLM of the reserves.
   */
  purpose: 'deposit' | 'refund' | 'reclaim' | 'redelivery' | 'sweep' | 'open-channels' | 'close-channels'
  destination: string
  amount: string
  asset: LedgerAsset
  memo: string | null
  memo_type: string | null
  claimable: boolean
  state: ColumnType<'queued' | 'paid' | 'canceled', undefined, 'paid' | 'canceled'>
  hash: string | null
  waits_for: string | null
  attempts: Generated<number>
  next_try_at: Generated<Date>
  created_at: Generated<Date>
  paid_at: Date | null
  /** In XLM, once it is paid and the ledger's answer is known. */
  fee_charged: string | null
}
export type LedgerPayment = Selectable<LedgerPaymentTable>

interface EnvelopeTable {
  hash: string
  payment_id: string
  xdr: string
  source: string
  sequence: string
  max_time: ColumnType<string, number, never>
  ledger_sequence: number
  ledger_hash: string
  ledger_closed_at: ColumnType<Date | null, string | null, never>
  state: ColumnType<'open' | 'applied' | 'dead', 'applied' | undefined, 'applied' | 'dead'>
  why: string | null
  created_at: Generated<Date>
}

export interface ClaimableBalanceTable {
  id: string
  /** The deposit that became it. */
  payment_id: string
  reclaim_at: Date
  state: ColumnType<
    'open' | 'claimed' | 'reclaimed' | 'lost',
    undefined,
    'open' | 'claimed' | 'reclaimed' | 'lost'
  >
  next_look_at: Date
  created_at: Generated<Date>
}

/** A payment on the ledger that this database did not make: it is older than the payment. */
/** An account whose sequence numbers payments use beside the distribution account's. */
interface ChannelTable {
  account: string
  state: ColumnType<'open' | 'closing' | 'closed', 'open' | 'closing' | 'closed' | undefined>
  /** Whether a server with another state of this database may have signed with it. */
  foreign_use: Generated<boolean>
  opened_at: Generated<Date>
}

export interface UnrecordedPaymentTable {
  hash: string
  /** Its place in the transaction. */
  operation: number
  xdr: string
  source: string
  sequence: string
  max_time: ColumnType<string, number, never>
  ledger_sequence: number
  ledger_hash: string
  ledger_closed_at: Date
  destination: string
  /** Null: a claimable balance was taken back. */
  amount: string | null
  asset: LedgerAsset
  payment_id: string | null
  /** Whether an incident was opened. */
  reported: Generated<boolean>
  /** Whether an operator explained it. */
  closed: Generated<boolean>
  /** A sweep to the cold account, which needs no explanation. */
  is_sweep: Generated<boolean>
}

interface ObservedTable {
  account: string
  cursor: string
  caught_up_at: Date | null
  ledger_sequence: number | null
  ledger_hash: string | null
  ledger_closed_at: Date | null
  /** Up to it every transaction of the account is known; null: compared when the next payment is signed. */
  accounted_sequence: string | null
  /** Horizon's paging token of the place in the account's history up to which every transaction is known. */
  accounted_cursor: string | null
}

interface LedgerIncidentTable {
  id: Generated<string>
  kind:
    | 'history-gap'
    | 'network-reset'
    | 'unreadable-payment'
    | 'unproven-payment'
    | 'unrecorded-payment'
    | 'held-receipt'
  subject: string
  message: string
  details: ColumnType<Record<string, unknown>, string, string>
  record: Buffer | null
  attempts: Generated<number>
  next_try_at: Date | null
  found_at: Generated<Date>
  resolved_at: Date | null
  resolved_by: string | null
  resolution: string | null
}
export type LedgerIncident = Selectable<LedgerIncidentTable>

interface LedgerReceiptTable {
  id: string
  hash: string
  sender: string
  amount: string
  asset: LedgerAsset
  memo: string | null
  memo_type: string | null
  transfer_id: string | null
  outcome: 'accepted' | 'returned' | 'ignored' | 'kept' | 'held'
  why: string
  seen_at: Generated<Date>
}

interface RailReceiptTable {
  rail: string
  payment_id: string
  reference: string | null
  amount: string
  currency: string
  transfer_id: string | null
  outcome: 'accepted' | 'returned' | 'unmatched' | 'held' | 'kept'
  why: string
  seen_at: Generated<Date>
}

interface RailOrderTable {
  id: Generated<string>
  cause: string
  transfer_id: string | null
  kind: 'payout' | 'return'
  rail: string
  amount: string
  currency: string
  /** `paymentId` of what is returned; `masked` of a payout's account, which an earlier release wrote whole. */
  destination: ColumnType<Record<string, string>, string, never>
  state: ColumnType<'queued' | 'sent' | 'paid' | 'failed', undefined, 'sent' | 'paid' | 'failed'>
  failure: string | null
  /** Why it is not sent. */
  waits_for: ColumnType<string | null, undefined, string | null>
  next_try_at: Generated<Date>
  created_at: Generated<Date>
}
export type RailOrder = Selectable<RailOrderTable>

interface SimulatedPaymentTable {
  id: string
  rail: string
  direction: 'in' | 'out'
  reference: string
  amount: string
  currency: string
  outcome: 'paid' | 'failed'
  reason: string | null
  due_at: Date
  attempts: Generated<number>
  reported_at: Date | null
}
export type SimulatedPayment = Selectable<SimulatedPaymentTable>

/** A payment of ours that goes into a bank file. */
interface ReconciliationTable {
  id: Generated<string>
  by: string
  checks: ColumnType<NonNullable<Reconciliation['last']>['checks'], string, never>
  at: Generated<Date>
}

interface DifferenceTable {
  id: Generated<string>
  kind: Difference['kind']
  subject: string
  unit: string
  amount: string
  detail: string
  state: Generated<Difference['status']>
  last_seen_at: Generated<Date>
  assigned_to: string | null
  ended_by: string | null
  ended_at: Date | null
  reason: string | null
  created_at: Generated<Date>
}
export type DifferenceRow = Selectable<DifferenceTable>

interface PaymentPageTable {
  provider_id: string
  rail: string
  reference: string
  url: string
  expires_at: Date
  checks: Generated<number>
  next_check_at: Generated<Date>
  closed_at: Date | null
  created_at: Generated<Date>
}
export type PaymentPage = Selectable<PaymentPageTable>

interface BankPayoutTable {
  /** The rail order's. */
  id: string
  /** What the bank shows with it: `P` and 14 hexadecimal digits. */
  code: string
  kind: 'payout' | 'return'
  rail: string
  amount: string
  currency: string
  /** Of a payout: the withdrawal, which has the account. */
  transfer_id: string | null
  /** Of a return: the line whose money goes back. */
  line_id: string | null
  /** Where a return goes if the line names no account. */
  sealed_destination: Buffer | null
  file_id: string | null
  ended_at: Date | null
  created_at: Generated<Date>
}
export type BankPayout = Selectable<BankPayoutTable>

interface PayoutFileTable {
  id: Generated<string>
  rail: string
  code: string
  format: 'pain.001' | 'nacha' | 'csv'
  file_name: string
  sealed: Buffer
  digest: Buffer
  payouts: number
  total: string
  currency: string
  state: ColumnType<
    'created' | 'approved' | 'canceled' | 'rejected',
    undefined,
    'approved' | 'canceled' | 'rejected'
  >
  created_by: string
  approved_by: string | null
  approved_at: Date | null
  downloaded_at: Date | null
  created_at: Generated<Date>
}
export type PayoutFile = Selectable<PayoutFileTable>

/** That the bank rejected an approved file. */
interface PayoutFileRejectionTable {
  id: Generated<string>
  file_id: string
  reason: string
  state: ColumnType<'waiting' | 'done' | 'dismissed', undefined, 'done' | 'dismissed'>
  requested_by: string
  requested_at: Generated<Date>
  decided_by: ColumnType<string | null, undefined, string>
  decided_at: ColumnType<Date | null, undefined, Date>
}
export type PayoutFileRejection = Selectable<PayoutFileRejectionTable>

/** The payouts that left a file when it was rejected. */
interface RejectedPayoutTable {
  file_id: string
  payout_id: string
}

interface BankStatementTable {
  id: Generated<string>
  account: string
  rail: string
  currency: string
  format: (typeof statementFormats)[number]
  file_name: string
  digest: Buffer
  lines: number
  new_lines: number
  /** `YYYY-MM-DD` */
  booked_from: string | null
  booked_to: string | null
  by: string
  created_at: Generated<Date>
}
export type BankStatementRow = Selectable<BankStatementTable>

export interface BankLineTable {
  id: string
  statement_id: string
  position: number
  account: string
  rail: string
  /** `YYYY-MM-DD` */
  booked_on: string
  direction: 'in' | 'out'
  amount: string
  currency: string
  bank_reference: string | null
  codes: string[]
  sealed: Buffer
  state: ColumnType<
    (typeof statementLineStates)[number],
    undefined,
    'matched' | 'review' | 'returned' | 'ignored'
  >
  why: string | null
  transfer_id: string | null
  order_id: string | null
  /** Of an ignored line. */
  ignored_as: 'own' | 'duplicate' | null
  decided_by: string | null
  decided_at: Date | null
  next_try_at: Generated<Date>
  created_at: Generated<Date>
}
export type BankLine = Selectable<BankLineTable>

interface CsvColumnsTable {
  version: Generated<string>
  rail: string
  columns: ColumnType<CsvColumns, string, never>
  by: string
  at: Generated<Date>
}

interface WebhookEndpointTable {
  id: Generated<string>
  url: string
  sealed_secret: Buffer | null
  /** As an earlier release wrote it; null once it is encrypted. */
  secret: ColumnType<string | null, undefined, null>
  events: string[]
  active: Generated<boolean>
  created_at: Generated<Date>
}
export type WebhookEndpoint = Selectable<WebhookEndpointTable>

interface WebhookDeliveryTable {
  id: Generated<string>
  endpoint_id: string
  message_id: string
  event: string
  payload: ColumnType<Record<string, unknown>, string, never>
  state: ColumnType<'waiting' | 'delivered' | 'dead', undefined, 'waiting' | 'delivered' | 'dead'>
  attempts: Generated<number>
  last_status: number | null
  last_error: string | null
  next_try_at: Generated<Date>
  created_at: Generated<Date>
  delivered_at: Date | null
}
export type WebhookDelivery = Selectable<WebhookDeliveryTable>
