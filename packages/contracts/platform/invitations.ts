import Type, { type Static } from 'typebox'
import { Id, Time, OneLine } from '../common.ts'
import { endpoint } from '../endpoint.ts'

const Token = Type.String({ minLength: 1, maxLength: 200 })

/** The answer to an approval or a reissue, the only one that contains the token. */
export const Approval = Type.Object({
  /** The application's. */
  id: Type.String(),
  status: Type.Enum(['approved']),
  /** Single-use, valid until `invitation.expiresAt`. */
  rawToken: Type.String(),
  invitation: Type.Object({ id: Type.String(), expiresAt: Time }),
  redeemUrl: Type.String(),
})
export type Approval = Static<typeof Approval>

export const verifyInvitation = endpoint('POST /api/v1/anchor-invitations/verify', {
  realm: 'public',
  limit: 'client',
  summary: 'The recipient of an invitation, without using it',
  body: Type.Object({ token: Token }),
  response: { 200: Type.Object({ email: Type.String(), companyName: Type.String(), expiresAt: Time }) },
  problems: ['invitation-not-found', 'invitation-gone', 'too-many-requests'],
})

/** Whether a subdomain is available; `reason` says why not. */
export const checkSubdomain = endpoint('GET /api/v1/anchor-invitations/subdomain-available', {
  realm: 'public',
  limit: 'client',
  summary: 'Whether a subdomain is available',
  query: Type.Object({ subdomain: Type.String({ maxLength: 200 }) }),
  response: {
    200: Type.Object({
      subdomain: Type.String(),
      available: Type.Boolean(),
      /** The anchor's home domain; absent if the subdomain cannot be used. */
      homeDomain: Type.Optional(Type.String()),
      reason: Type.Optional(Type.String()),
    }),
  },
  problems: ['too-many-requests'],
})

export const redeemInvitation = endpoint('POST /api/v1/anchor-invitations/redeem', {
  realm: 'public',
  limit: 'client',
  summary: 'Uses an invitation: registers the owner, drafts the anchor and starts provisioning',
  body: Type.Object({
    token: Token,
    /** `^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$`; never changed silently. */
    subdomain: Type.String({ maxLength: 200 }),
    fullName: OneLine(200),
    password: Type.String({ minLength: 8, maxLength: 256 }),
  }),
  response: {
    201: Type.Object({
      jobId: Type.String(),
      anchorId: Type.String(),
      organizationId: Type.String(),
      subdomain: Type.String(),
      homeDomain: Type.String(),
    }),
  },
  problems: [
    'subdomain-not-allowed',
    'invitation-not-found',
    'invitation-gone',
    'subdomain-taken',
    'too-many-requests',
  ],
  idempotent: 'replay',
})

const InvitationParams = Type.Object({ id: Id })

export const revokeInvitation = endpoint('POST /api/v1/admin/invitations/:id/revoke', {
  realm: 'admin',
  role: 'operator',
  summary: 'Revokes an unused invitation',
  params: InvitationParams,
  response: { 200: Type.Object({ id: Type.String(), status: Type.Enum(['revoked']) }) },
  problems: ['invitation-not-found', 'invitation-not-revocable'],
})

export const reissueInvitation = endpoint('POST /api/v1/admin/invitations/:id/reissue', {
  realm: 'admin',
  role: 'operator',
  summary: 'Revokes an unused invitation and emails a new one in its place',
  params: InvitationParams,
  response: { 200: Approval },
  problems: ['invitation-not-found', 'invitation-not-revocable', 'confirmation-needed'],
  idempotent: 'secret',
})
