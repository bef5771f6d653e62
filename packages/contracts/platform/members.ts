import Type, { type Static } from 'typebox'
import { Email, Id, Ok, Time, OneLine } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { MemberRole } from './operators.ts'

/**
 * A member of an organization. Members read; admins also create and revoke keys and add members and admins; owners also
 * add owners. There is always an owner. Changing a team is dangerous: a session that was neither opened nor confirmed in
 * the last 15 minutes has to be confirmed first.
 */
export const Member = Type.Object({
  userId: Type.String(),
  email: Type.String(),
  fullName: Type.String(),
  role: MemberRole,
  since: Time,
})
export type Member = Static<typeof Member>

const Organization = Type.Object({ organizationId: Id })
const OneMember = Type.Object({ organizationId: Id, userId: Id })

export const listMembers = endpoint('GET /api/v1/organizations/:organizationId/members', {
  realm: 'operator',
  summary: 'Members of one of your organizations: owners first, then by address; at most 1,000',
  params: Organization,
  response: { 200: Type.Array(Member, { maxItems: 1_000 }) },
  problems: ['organization-not-found'],
})

export const addMember = endpoint('POST /api/v1/organizations/:organizationId/members', {
  realm: 'operator',
  summary: 'Adds a person by email address and notifies them; they sign in with a code',
  params: Organization,
  body: Type.Object({ email: Email, role: MemberRole, fullName: Type.Optional(OneLine(200)) }),
  response: { 201: Member },
  problems: ['organization-not-found', 'forbidden', 'already-a-member', 'confirmation-needed'],
  idempotent: 'replay',
})

export const changeMember = endpoint('PATCH /api/v1/organizations/:organizationId/members/:userId', {
  realm: 'operator',
  summary: "Changes a member's role",
  params: OneMember,
  body: Type.Object({ role: MemberRole }),
  response: { 200: Member },
  problems: ['organization-not-found', 'member-not-found', 'forbidden', 'last-owner', 'confirmation-needed'],
})

export const removeMember = endpoint('DELETE /api/v1/organizations/:organizationId/members/:userId', {
  realm: 'operator',
  summary: 'Removes a member; members may remove themselves',
  params: OneMember,
  response: { 200: Ok },
  problems: ['organization-not-found', 'member-not-found', 'forbidden', 'last-owner', 'confirmation-needed'],
})
