import { fileURLToPath } from 'node:url'
import type { Db } from '@windlass/service/database.ts'
import type { AnchorsTable } from './anchors/table.ts'
import type { ApplicationsTable } from './applications/table.ts'
import type { AuditHeadTable, AuditLogTable } from './audit/table.ts'
import type { InvitationsTable } from './invitations/table.ts'
import type { MembershipsTable, OrganizationsTable, UsersTable } from './operators/table.ts'
import type { JobsTable } from './provisioning/table.ts'
import type { StoredCredentialsTable } from './secrets/table.ts'
import type { SessionsTable } from './sessions/table.ts'

export interface Tables {
  anchors: AnchorsTable
  applications: ApplicationsTable
  audit_head: AuditHeadTable
  audit_log: AuditLogTable
  invitations: InvitationsTable
  jobs: JobsTable
  memberships: MembershipsTable
  organizations: OrganizationsTable
  sessions: SessionsTable
  stored_credentials: StoredCredentialsTable
  users: UsersTable
}

/** The platform's database, or a transaction in it. */
export type PlatformDb = Db<Tables>

export const migrations = fileURLToPath(new URL('./migrations/', import.meta.url))
