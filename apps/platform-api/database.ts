import { fileURLToPath } from 'node:url'
import type { Db } from '@windlass/service/database.ts'
import type { ApiKeysTable } from './api-keys/table.ts'
import type { AnchorEventsTable, AnchorsTable, RemovalsTable } from './anchors/table.ts'
import type { ApplicationsTable } from './applications/table.ts'
import type { AuditHeadTable, AuditLogTable } from './audit/table.ts'
import type { WalletCheckReportsTable } from './wallet-checks/table.ts'
import type { CustomersTable } from './customers/table.ts'
import type { InvitationsTable } from './invitations/table.ts'
import type { KycDeliveriesTable, KycRecordsTable, KycSessionsTable } from './kyc/table.ts'
import type { MembershipsTable, OrganizationsTable, UsersTable } from './operators/table.ts'
import type { LoginCodesTable } from './otp/table.ts'
import type { JobsTable } from './provisioning/table.ts'
import type { StoredCredentialsTable } from './secrets/table.ts'
import type { RefreshTokensTable, SessionsTable } from './sessions/table.ts'
import type { LoginProofsTable, WalletChallengesTable, WalletsTable } from './wallets/table.ts'

export interface Tables {
  anchor_events: AnchorEventsTable
  anchors: AnchorsTable
  api_keys: ApiKeysTable
  applications: ApplicationsTable
  audit_head: AuditHeadTable
  audit_log: AuditLogTable
  wallet_check_reports: WalletCheckReportsTable
  customers: CustomersTable
  invitations: InvitationsTable
  jobs: JobsTable
  kyc_deliveries: KycDeliveriesTable
  kyc_records: KycRecordsTable
  kyc_sessions: KycSessionsTable
  login_codes: LoginCodesTable
  login_proofs: LoginProofsTable
  memberships: MembershipsTable
  organizations: OrganizationsTable
  refresh_tokens: RefreshTokensTable
  removals: RemovalsTable
  sessions: SessionsTable
  stored_credentials: StoredCredentialsTable
  users: UsersTable
  wallet_challenges: WalletChallengesTable
  wallets: WalletsTable
}

/** The platform's database, or a transaction in it. */
export type PlatformDb = Db<Tables>

export const migrations = fileURLToPath(new URL('./migrations/', import.meta.url))
