import type { AnchorStatus } from '@windlass/contracts/platform/administrators.ts'
import type { AnchorEventKind, Export, Removal, WindDown } from '@windlass/contracts/platform/anchor-life.ts'
import type { AnchorSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { RailChange } from '@windlass/contracts/platform/rail-changes.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { ApiKeyScope } from '@windlass/contracts/platform/api-keys.ts'
import type {
  ApplicationStatus,
  CompanyProfile,
  Compliance,
  StellarConfig,
} from '@windlass/contracts/platform/applications.ts'
import type { EmailLanguage } from '@windlass/contracts/platform/emails.ts'
import type { CheckResult } from '@windlass/contracts/platform/wallet-checks.ts'
import type {
  AnchorNotificationKind,
  NotificationFormat,
  NotificationKind,
} from '@windlass/contracts/platform/notifications.ts'
import type { Job, JobStatus } from '@windlass/contracts/platform/provisioning.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { SigningLimits } from '@windlass/contracts/internal/signer.ts'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import { fileURLToPath } from 'node:url'
import type { AuditHeadTable, AuditLogTable, AuditSignatureTable } from './audit/tables.ts'
import type {
  AdministratorInvitationsTable,
  AdministratorsTable,
  AuthenticatorAppsTable,
  CodeFailuresTable,
  EmailedCodesTable,
  MembershipsTable,
  OrganizationsTable,
  PasskeyChallengesTable,
  PasskeysTable,
  RecoveryCodesTable,
  RefreshTokensTable,
  SessionsTable,
  SingleSignOnAttemptsTable,
  SingleSignOnPeopleTable,
  SingleSignOnProvidersTable,
  UsersTable,
} from './sign-in-tables.ts'
import type {
  AnchorAccountsTable,
  AnchorLoginsTable,
  AnchorVisitsTable,
  CustomerEmailsTable,
  CustomerMovementsTable,
  CustomersTable,
  EmailLanguagesTable,
  KycDeliveriesTable,
  IdentityDigestsTable,
  IdentityKeyTable,
  KycRecordsTable,
  KycSessionsTable,
  LoginProofsTable,
  WalletChallengesTable,
  WalletRemovalsTable,
  WalletsTable,
} from './customer-tables.ts'

export interface Tables {
  administrator_invitations: AdministratorInvitationsTable
  administrators: AdministratorsTable
  anchor_accounts: AnchorAccountsTable
  anchor_events: AnchorEventsTable
  anchor_logins: AnchorLoginsTable
  anchor_visits: AnchorVisitsTable
  customer_movements: CustomerMovementsTable
  anchors: AnchorsTable
  api_keys: ApiKeysTable
  key_acts: KeyActsTable
  applications: ApplicationsTable
  audit_head: AuditHeadTable
  audit_log: AuditLogTable
  audit_signature: AuditSignatureTable
  authenticator_apps: AuthenticatorAppsTable
  code_failures: CodeFailuresTable
  customer_emails: CustomerEmailsTable
  customers: CustomersTable
  email_languages: EmailLanguagesTable
  time_zones: TimeZonesTable
  emailed_codes: EmailedCodesTable
  invitations: InvitationsTable
  jobs: JobsTable
  kyc_deliveries: KycDeliveriesTable
  kyc_records: KycRecordsTable
  identity_key: IdentityKeyTable
  identity_digests: IdentityDigestsTable
  kyc_sessions: KycSessionsTable
  login_proofs: LoginProofsTable
  memberships: MembershipsTable
  notification_preferences: NotificationPreferencesTable
  notification_webhooks: NotificationWebhooksTable
  notifications: NotificationsTable
  organizations: OrganizationsTable
  passkey_challenges: PasskeyChallengesTable
  passkeys: PasskeysTable
  rail_changes: RailChangesTable
  wind_downs: WindDownsTable
  recovery_codes: RecoveryCodesTable
  refresh_tokens: RefreshTokensTable
  remote_acts: RemoteActsTable
  lowered_limits: LoweredLimitsTable
  read_traces: ReadTracesTable
  removals: RemovalsTable
  sessions: SessionsTable
  single_sign_on_attempts: SingleSignOnAttemptsTable
  single_sign_on_people: SingleSignOnPeopleTable
  single_sign_on_providers: SingleSignOnProvidersTable
  stored_credentials: StoredCredentialsTable
  users: UsersTable
  waiting_acts: WaitingActsTable
  wallet_check_reports: WalletCheckReportsTable
  wallet_challenges: WalletChallengesTable
  wallet_removals: WalletRemovalsTable
  wallets: WalletsTable
}

/** The platform's database, or a transaction in it. */
export type PlatformDb = Db<Tables>

export const migrations = fileURLToPath(new URL('./migrations/', import.meta.url))

type Json<T> = ColumnType<T, string, string>

/** Payment rails as they are stored: checked, without credentials, amounts as exact decimal strings. */
export interface StoredPaymentRails {
  rails?: string[]
  fee?: { fixed?: string; percentage?: string }
  limits?: { min?: string; max?: string }
  settlement?: 'instant' | 'under_60_minutes'
}

interface ApplicationsTable {
  id: string
  status: ApplicationStatus
  company_profile: Json<CompanyProfile>
  stellar_config: Json<StellarConfig>
  payment_rails: Json<StoredPaymentRails>
  compliance: Json<Compliance>
  credentials: string | null
  created_at: Date
  reviewed_at: Date | null
  reviewed_by: string | null
  reason: string | null
  /** Language of the page on which it was sent. */
  language: Generated<EmailLanguage>
}

interface InvitationsTable {
  id: string
  application_id: string
  token_hash: Buffer
  created_at: Date
  created_by: string
  expires_at: Date
  used_at: Date | null
  revoked_at: Date | null
}

interface StoredCredentialsTable {
  name: string
  state: 'writing' | 'kept' | 'leaving'
  created_at: Generated<Date>
}

export interface AnchorsTable {
  id: string
  organization_id: string
  application_id: string
  subdomain: string
  home_domain: string
  status: AnchorStatus
  plan: ColumnType<AnchorPlan, string, string>
  /** As its business server last reported them; null: those of the plan. */
  settings: ColumnType<AnchorSettings | null, string | undefined, string>
  settings_version: ColumnType<string, number | undefined, number>
  reason: string | null
  issuer: string | null
  distribution: string | null
  signing_key: string | null
  api_url: string | null
  /** At provisioning; the aggregator's health worker has the present one. */
  treasury_capacity: string | null
  summary_secret: Buffer | null
  sealed_proof_key: Buffer | null
  service_secret_digest: Buffer | null
  /** Written by earlier releases; it is emptied, and null from then on. */
  service_secret_hash: Buffer | null
  created_at: Date
  activated_at: Date | null
  /** As the control plane last reported it; null: its servers run. */
  asleep_since: Date | null
  /** For whom what is encrypted in its export can be opened; null: for nobody but the platform. */
  export_key: string | null
}

/** How anchors that owe something are closed. */
export interface WindDownsTable {
  id: string
  anchor_id: string
  state: ColumnType<WindDown['state'], undefined, WindDown['state']>
  reason: string
  /** `YYYY-MM-DD` */
  redeem_until: string
  successor: ColumnType<WindDown['successor'], string, never>
  requested_by: string
  requested_at: Date
  decided_by: ColumnType<string | null, undefined, string>
  decided_at: ColumnType<Date | null, undefined, Date>
}

export interface RailChangesTable {
  id: string
  anchor_id: string
  rail: string
  provider: string
  fields: ColumnType<Record<string, string>, string, never>
  secrets: string[]
  adds: boolean
  credentials: string
  status: ColumnType<RailChange['status'], undefined, RailChange['status']>
  requested_by: string
  requested_at: Date
  decided_by: ColumnType<string | null, undefined, string>
  decided_at: ColumnType<Date | null, undefined, Date>
}

interface AnchorEventsTable {
  id: string
  anchor_id: string
  kind: AnchorEventKind
  detail: string
  at: Date
}

interface ReadTracesTable {
  user_id: string
  anchor_id: string
  what: string
  day: string
}

export interface RemovalsTable {
  id: string
  anchor_id: string
  state: Removal['state']
  reason: string
  forced: boolean
  export: ColumnType<Export | null, string | null | undefined, string | null>
  error: ColumnType<string | null, string | null | undefined, string | null>
  created_at: Date
  finished_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

interface JobsTable {
  id: string
  anchor_id: string
  status: JobStatus
  snapshot: ColumnType<Job, string, string>
  revision: Generated<string>
  version: Generated<string>
  heartbeat_at: Generated<Date>
  created_at: Date
}

export interface ApiKeysTable {
  id: string
  anchor_id: string
  name: string
  prefix: string
  key_hash: Buffer
  scopes: ApiKeyScope[]
  created_by: string
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
  revoked_at: Date | null
}

/** What keys did at their anchors, once each: the audit log has the rest. */
interface KeyActsTable {
  anchor_id: string
  id: string
}

export interface RemoteActsTable {
  id: string
  actor: string
  subject: string
  action: string
  /** JSON. */
  details: string
  endpoint: string
  key: string | null
  request_hash: Buffer
  intent: string
  state: Generated<'asked' | 'unknown' | 'done'>
  asked_at: Date
}

interface LoweredLimitsTable {
  anchor_id: string
  limits: JSONColumnType<SigningLimits>
  lowered_at: Date
}

export interface WaitingActsTable {
  id: string
  anchor_id: string
  endpoint: string
  request_hash: Buffer
  params: JSONColumnType<object>
  query: JSONColumnType<object>
  /** As an earlier release wrote it; later ones in `sealed_body`. */
  body: JSONColumnType<object | null, string | null, null>
  sealed_body: Buffer | null
  action: string
  /** JSON. */
  details: string
  requested_by: string
  requested_at: Date
}

interface TimeZonesTable {
  /** In lower case. */
  address: string
  time_zone: string
}

interface WalletCheckReportsTable {
  anchor_id: string
  checked_at: Date
  passed: number
  total: number
  results: ColumnType<CheckResult[], string, string>
}

export interface NotificationsTable {
  id: string
  /** Null: of the platform, for administrators. */
  anchor_id: string | null
  kind: NotificationKind
  /** With anchor and kind it names a condition that is open once at most, and an event that is recorded once. */
  subject: string
  detail: string
  spanish: string | null
  event: boolean
  started_at: Date
  ended_at: Date | null
  /** The changes of one report share it. */
  recorded_at: Date
}

interface NotificationPreferencesTable {
  anchor_id: string
  user_id: string
  kinds: AnchorNotificationKind[]
}

export interface NotificationWebhooksTable {
  id: string
  anchor_id: string
  url: string
  kinds: AnchorNotificationKind[]
  format: NotificationFormat
  /** The address, where the format is `slack`. */
  sealed_secret: Buffer
  created_at: Date
  last_sent_at: Date | null
  last_error: string | null
}
