import type { AdminRole, BrowserRealm, MemberRole, SignInStep } from '@windlass/contracts/realm.ts'
import type { ColumnType, Generated, Selectable } from 'kysely'

export interface UsersTable {
  id: string
  email: string
  full_name: string
  password_hash: string | null
  created_at: Date
  /** When someone first signed in with the address or followed a link sent to it; null: nobody yet. */
  confirmed_at: Date | null
  /** When they were last mailed that they were added to a team. */
  invited_at: Date | null
}

export interface OrganizationsTable {
  id: string
  name: string
  slug: string
  created_at: Date
  role_lost_at: Date | null
}

export interface MembershipsTable {
  organization_id: string
  user_id: string
  role: MemberRole
  created_at: Date
  /** Since when they are an owner or admin; null: since the team exists, or long ago. */
  manager_since: ColumnType<Date | null, Date | null | undefined, Date | null>
}

export interface AdministratorsTable {
  id: string
  email: string
  name: string
  role: AdminRole
  /** Argon2id */
  password_hash: string
  invited_by: string
  created_at: Generated<Date>
}
export type AdministratorRow = Selectable<AdministratorsTable>

export interface AdministratorInvitationsTable {
  id: string
  email: string
  role: AdminRole
  token_hash: Buffer
  invited_by: string
  created_at: Generated<Date>
  expires_at: Date
}
export type AdministratorInvitationRow = Selectable<AdministratorInvitationsTable>

export interface SessionsTable {
  id: string
  realm: BrowserRealm
  subject: string
  address: string
  user_agent: string
  created_at: Generated<Date>
  last_seen_at: Generated<Date>
  confirmed_at: Generated<Date>
  expires_at: Date
  idle_seconds: number | null
  ended_at: Date | null
  /** Until it is null, the session reaches only the endpoints of that step. */
  awaits: Generated<SignInStep | null>
  /** The one organization that it is for; null: all of its person's. */
  organization_id: string | null
}

export interface SingleSignOnProvidersTable {
  organization_id: string
  issuer: string
  client_id: string
  /** Sealed. */
  client_secret: Buffer
  trusts_second_factor: boolean
  set_by: string
  set_at: Date
}

export interface SingleSignOnPeopleTable {
  /** An organization's id, or `administrators`. */
  provider: string
  issuer: string
  subject: string
  /** The user's id, or the administrator's address. */
  person: string
  created_at: Date
}

export interface SingleSignOnAttemptsTable {
  state_hash: Buffer
  key_hash: Buffer
  provider: string
  issuer: string
  client_id: string
  nonce: string
  code_verifier: string
  expires_at: Date
}

/** The realms in which people have second factors. */
export type FactorRealm = 'operator' | 'admin'

export interface PasskeysTable {
  id: string
  realm: FactorRealm
  subject: string
  name: string
  credential_id: string
  rp_id: string
  public_key: Buffer
  counter: string
  transports: string[]
  created_at: Date
  last_used_at: Date | null
}

export interface PasskeyChallengesTable {
  session_id: string
  purpose: 'add' | 'use'
  challenge: string
  expires_at: Date
}

export interface AuthenticatorAppsTable {
  realm: FactorRealm
  subject: string
  secret: Buffer
  last_step: string
  failures: Generated<number>
  failures_since: Generated<Date>
  created_at: Date
  confirmed_at: Date | null
  last_used_at: Date | null
}

export interface RecoveryCodesTable {
  realm: FactorRealm
  subject: string
  code_hash: Buffer
  used_at: Date | null
}

/** Operators' refresh tokens; their session is their family. */
export interface RefreshTokensTable {
  token_hash: Buffer
  session_id: string
  created_at: Generated<Date>
  expires_at: Date
  rotated_at: Date | null
}

/** Realms whose users sign in with a code from an email. */
export type CodeRealm = 'operator' | 'customer'
export type CodePurpose = 'sign-in' | 'confirmation' | 'deletion'

export interface EmailedCodesTable {
  realm: CodeRealm
  email: string
  purpose: CodePurpose
  place: string
  code_hash: Buffer
  client: Generated<string>
  tries: Generated<number>
  tries_elsewhere: Generated<number>
  tries_misplaced: Generated<number>
  expires_at: Date
  used_at: Date | null
}

export interface CodeFailuresTable {
  realm: CodeRealm
  email: string
  failures: number
  since: Date
}
