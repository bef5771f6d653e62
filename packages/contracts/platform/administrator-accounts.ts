import Type, { type Static } from 'typebox'
import { AdministratorRole } from './administrators.ts'
import { Email, Id, Ok, Text, Time, OneLine } from '../common.ts'
import { endpoint } from '../endpoint.ts'

/**
 * Who administers the platform. The settings name the first owner, who signs in with ADMIN_USERNAME and ADMIN_PASSWORD
 * and can be neither removed nor given another role, so that there is always an owner. Everyone else is invited by
 * email and has a password of their own. Changing who administers is dangerous: a session that was neither opened nor
 * confirmed in the last 15 minutes is asked again who it is.
 */
export const Administrator = Type.Object({
  id: Type.String(),
  /** The email address they sign in with; ADMIN_USERNAME for the owner whom the settings name. */
  username: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  role: AdministratorRole,
  /** The settings name this owner. */
  fromSettings: Type.Boolean(),
  /** Whether they have a passkey or an authenticator app. */
  secondFactor: Type.Boolean(),
  /** Null where it is more than 30 days ago. */
  lastSignInAt: Type.Union([Time, Type.Null()]),
  /** Who invited them; null for the owner whom the settings name. */
  invitedBy: Type.Union([Type.String(), Type.Null()]),
  since: Type.Union([Time, Type.Null()]),
})
export type Administrator = Static<typeof Administrator>

export const AdministratorInvitation = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: AdministratorRole,
  invitedBy: Type.String(),
  createdAt: Time,
  expiresAt: Time,
})
export type AdministratorInvitation = Static<typeof AdministratorInvitation>

const OneAdministrator = Type.Object({ id: Id })
const Token = Type.String({ minLength: 1, maxLength: 200 })

export const listAdministrators = endpoint('GET /api/v1/admin/administrators', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Who administers the platform: owners first, then by address; at most 100',
  response: { 200: Type.Array(Administrator) },
})

/** A second invitation of the same address replaces the first. The link is only in the email. */
export const inviteAdministrator = endpoint('POST /api/v1/admin/administrators/invitations', {
  realm: 'admin',
  role: 'owner',
  summary: 'Invites a person by email; the link works once and for seven days',
  body: Type.Object({ email: Email, role: AdministratorRole }),
  response: { 201: AdministratorInvitation },
  problems: ['already-an-administrator', 'forbidden', 'confirmation-needed', 'too-many-requests'],
})

export const listAdministratorInvitations = endpoint('GET /api/v1/admin/administrators/invitations', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Invitations that are neither accepted nor expired, newest first; at most 100',
  response: { 200: Type.Array(AdministratorInvitation) },
})

export const revokeAdministratorInvitation = endpoint('DELETE /api/v1/admin/administrators/invitations/:id', {
  realm: 'admin',
  role: 'owner',
  summary: 'Revokes an invitation',
  params: OneAdministrator,
  response: { 200: Ok },
  problems: ['invitation-not-found'],
})

export const verifyAdministratorInvitation = endpoint(
  'POST /api/v1/admin/administrators/invitations/verify',
  {
    realm: 'public',
    limit: 'client',
    summary: 'Whom an invitation is for, without using it',
    body: Type.Object({ token: Token }),
    response: {
      200: Type.Object({
        email: Type.String(),
        role: AdministratorRole,
        invitedBy: Type.String(),
        expiresAt: Time,
      }),
    },
    problems: ['invitation-gone', 'too-many-requests'],
  },
)

/** The new administrator then signs in with the address and this password. */
export const acceptAdministratorInvitation = endpoint(
  'POST /api/v1/admin/administrators/invitations/accept',
  {
    realm: 'public',
    limit: 'client',
    summary: 'Uses an invitation: creates the administrator with a password of their own',
    body: Type.Object({
      token: Token,
      name: OneLine(200),
      password: Type.String({ minLength: 8, maxLength: 256 }),
    }),
    response: { 201: Type.Object({ username: Type.String(), role: AdministratorRole }) },
    problems: ['invitation-gone', 'too-many-requests'],
  },
)

export const changeAdministrator = endpoint('PATCH /api/v1/admin/administrators/:id', {
  realm: 'admin',
  role: 'owner',
  summary: "Changes an administrator's role, from their next request on",
  params: OneAdministrator,
  body: Type.Object({ role: AdministratorRole }),
  response: { 200: Administrator },
  problems: ['administrator-not-found', 'owner-from-settings', 'confirmation-needed'],
})

/** Also revokes the invitations that they sent. */
export const removeAdministrator = endpoint('DELETE /api/v1/admin/administrators/:id', {
  realm: 'admin',
  role: 'owner',
  summary: 'Removes an administrator and ends their sessions at once',
  params: OneAdministrator,
  response: { 200: Ok },
  problems: ['administrator-not-found', 'owner-from-settings', 'confirmation-needed'],
})

/** The owner whom the settings name uses `npm run admin:reset` on the server. Also ends the administrator's sessions. */
export const resetAdministratorSecondFactors = endpoint(
  'POST /api/v1/admin/administrators/:id/second-factor-reset',
  {
    realm: 'admin',
    role: 'owner',
    summary: 'Removes all second factors of an administrator who lost them',
    params: OneAdministrator,
    body: Type.Object({ reason: Text(500) }),
    response: { 200: Ok },
    problems: [
      'administrator-not-found',
      'owner-from-settings',
      'second-factor-not-found',
      'confirmation-needed',
    ],
  },
)

/** The password of the owner whom the settings name is ADMIN_PASSWORD. */
export const changeAdministratorPassword = endpoint('POST /api/v1/admin/password', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Changes the own password and ends the own other sessions',
  body: Type.Object({ password: Type.String({ minLength: 8, maxLength: 256 }) }),
  response: { 200: Ok },
  problems: ['owner-from-settings', 'confirmation-needed', 'too-many-requests'],
})
