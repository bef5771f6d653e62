import Type, { type Static } from 'typebox'
import { Id, Ok, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { ENDS_SESSION } from '../limits.ts'
import { adminRoles } from '../realm.ts'
import { Awaiting, OpenSession } from './operators.ts'
import { TimeZone } from './time-zones.ts'

export const AdministratorRole = Type.Enum([...adminRoles])
export type AdministratorRole = Static<typeof AdministratorRole>

const login = {
  realm: 'public',
  limit: 'client',
  summary: 'Signs an administrator in and sets the cookie ns_admin',
  body: Type.Object({
    /** ADMIN_USERNAME, or the email address of an administrator who accepted an invitation. */
    username: Type.Optional(Text(254)),
    email: Type.Optional(Text(254)),
    password: Text(1024),
  }),
  needs: [['username', 'email']],
  response: {
    200: Type.Object({ ok: Type.Boolean(), username: Type.String(), awaiting: Type.Optional(Awaiting) }),
  },
  cookies: ['ns_admin'],
  problems: ['login-failed', 'too-many-requests'],
} as const

export const adminLogin = endpoint('POST /api/v1/admin/login', login)
/** The same under the path that the onboarding flow names; operators have no password login. */
export const adminLoginAlias = endpoint('POST /api/v1/auth/login', {
  ...login,
  deprecated: { since: '2026-11-22', use: 'POST /api/v1/admin/login' },
})

/** Public, so that it also clears a session that has already ended. */
export const adminLogout = endpoint('POST /api/v1/admin/logout', {
  realm: 'public',
  limit: ENDS_SESSION,
  summary: 'Ends the session at once',
  cookies: ['ns_admin'],
  response: { 200: Ok },
})

/** The sign-in page asks for it: it stands here, so that the page loads no other contracts. */
export const getAdminSignOn = endpoint('GET /api/v1/admin/single-sign-on', {
  realm: 'public',
  limit: { unlimited: 'It is answered from the settings.' },
  summary: 'Whether administrators can sign in by a provider',
  response: {
    200: Type.Object({
      available: Type.Boolean(),
      /** Whether a second factor that the provider asks for counts here. */
      confirms: Type.Optional(Type.Boolean()),
    }),
  },
})

export const adminMe = endpoint('GET /api/v1/admin/me', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Who is signed in, with which role, and until when at most',
  response: {
    200: Type.Object({
      username: Type.String(),
      role: AdministratorRole,
      /** Whether the settings name this owner: the password is ADMIN_PASSWORD and cannot be changed here. */
      fromSettings: Type.Boolean(),
      /** Absent: each device uses its own. */
      timeZone: Type.Optional(TimeZone),
      expiresAt: Time,
    }),
  },
})

export const confirmAdministrator = endpoint('POST /api/v1/admin/confirm', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Confirms the signed-in administrator by password, if they have no second factor',
  body: Type.Object({ password: Text(1024) }),
  response: { 200: Ok },
  problems: ['confirmation-refused', 'too-many-requests'],
})

export const listAdminSessions = endpoint('GET /api/v1/admin/sessions', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Your open sessions, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(OpenSession) },
})

export const endAdminSession = endpoint('DELETE /api/v1/admin/sessions/:id', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Ends one of your sessions',
  params: Type.Object({ id: Id }),
  response: { 200: Ok },
  problems: ['not-found'],
})

/** Also ends the operator's sessions. */
export const resetOperatorSecondFactors = endpoint('POST /api/v1/admin/operators/second-factor-reset', {
  realm: 'admin',
  role: 'operator',
  summary: 'Removes all second factors of an operator who lost them',
  body: Type.Object({ email: Text(254), reason: Text(500) }),
  response: { 200: Ok },
  problems: ['confirmation-needed', 'second-factor-not-found'],
})

export const AnchorStatus = Type.Enum(['draft', 'provisioning', 'active', 'suspended', 'removed', 'error'])
export type AnchorStatus = Static<typeof AnchorStatus>

export const FleetAnchor = Type.Object({
  id: Type.String(),
  organizationId: Type.String(),
  organizationName: Type.String(),
  subdomain: Type.String(),
  homeDomain: Type.String(),
  status: AnchorStatus,
  assetCode: Type.String(),
  rails: Type.Array(Type.String()),
  regions: Type.Array(Type.String()),
  issuer: Type.Union([Type.String(), Type.Null()]),
  jobId: Type.Union([Type.String(), Type.Null()]),
  /** Why it was suspended or removed. */
  reason: Type.Union([Type.String(), Type.Null()]),
  /** When its accounts were last found gone from the ledger and restored. */
  ledgerResetAt: Type.Optional(Time),
  createdAt: Time,
  activatedAt: Type.Union([Time, Type.Null()]),
  /** Nobody uses it, so its servers are stopped until the next request; absent: they run, or the anchor is not active. */
  asleepSince: Type.Optional(Time),
})
export type FleetAnchor = Static<typeof FleetAnchor>

export const listFleet = endpoint('GET /api/v1/admin/anchors', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Every anchor, newest first',
  query: Type.Object({ status: Type.Optional(AnchorStatus), ...Page }),
  response: { 200: Type.Array(FleetAnchor) },
})

export const FleetParams = Type.Object({ id: Id })

export const suspendAnchor = endpoint('POST /api/v1/admin/anchors/:id/suspend', {
  realm: 'admin',
  role: 'operator',
  summary: 'Stops an active anchor and removes it from routing; its keys and data stay',
  params: FleetParams,
  body: Type.Object({ reason: Type.Optional(Type.String({ maxLength: 2000 })) }),
  response: { 200: Type.Object({ id: Type.String(), status: AnchorStatus }) },
  problems: ['anchor-not-found', 'anchor-wrong-state', 'confirmation-needed'],
})

export const resumeAnchor = endpoint('POST /api/v1/admin/anchors/:id/resume', {
  realm: 'admin',
  role: 'operator',
  summary: 'Starts a suspended anchor again and puts it back into routing',
  params: FleetParams,
  response: { 200: Type.Object({ id: Type.String(), status: AnchorStatus }) },
  problems: ['anchor-not-found', 'anchor-wrong-state'],
})

export const AuditEntry = Type.Object({
  id: Type.String(),
  at: Time,
  /**
   * `admin:<username>`, `operator:<id>`, `founder:<application id>`, `anchor:<id>`, `public` (anyone who had the
   * capability) or `system`.
   */
  actor: Type.String(),
  action: Type.String(),
  /** The object of the action, such as `application:app_…`. */
  subject: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
  hash: Type.String(),
})
export type AuditEntry = Static<typeof AuditEntry>

/** An entry with the names of today; absent where nobody knows. */
export const NamedAuditEntry = Type.Object({
  ...AuditEntry.properties,
  actorName: Type.Optional(Type.String()),
  subjectName: Type.Optional(Type.String()),
})
export type NamedAuditEntry = Static<typeof NamedAuditEntry>

export const listAudit = endpoint('GET /api/v1/admin/audit', {
  realm: 'admin',
  role: 'viewer',
  summary: 'What was done and by whom, newest first',
  query: Type.Object({
    subject: Type.Optional(Text(250)),
    actor: Type.Optional(Text(250)),
    /** An action, or the beginning of several: `anchor.suspended`, `api-key.`. */
    action: Type.Optional(Text(100)),
    from: Type.Optional(Time),
    until: Type.Optional(Time),
    ...Page,
  }),
  response: { 200: Type.Array(NamedAuditEntry) },
})

/** Applications, anchors and operators by part of a name or address; customers by their whole email or wallet address. */
export const searchEverything = endpoint('GET /api/v1/admin/search', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Finds applications, anchors, jobs, operators and customers',
  query: Type.Object({ text: Text(200, 2) }),
  response: {
    200: Type.Array(
      Type.Object({
        kind: Type.Enum(['application', 'anchor', 'job', 'operator', 'customer']),
        id: Type.String(),
        label: Type.String(),
      }),
      { maxItems: 50 },
    ),
  },
})

export const verifyAudit = endpoint('GET /api/v1/admin/audit/verify', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Verifies the audit log: its chain, its signature and its copy on the ledger',
  response: {
    200: Type.Object({
      ok: Type.Boolean(),
      entries: Type.Integer(),
      /** The first entry that fails. */
      brokenAt: Type.Optional(Type.String()),
      /** What is wrong, for people. */
      problem: Type.Optional(Type.String()),
      /** The last entry that the signature covers. */
      signedUpTo: Type.Optional(Type.String()),
      /** The last entry that the ledger names. */
      anchoredUpTo: Type.Optional(Type.String()),
      /** What could not be checked, and why. */
      unchecked: Type.Array(Type.String()),
    }),
  },
})
