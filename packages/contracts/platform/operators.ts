import Type, { type Static } from 'typebox'
import { Id, Ok, Page, Time, OneLine } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { EMAILED_CODES, ENDS_SESSION } from '../limits.ts'
import { memberRoles } from '../realm.ts'
import { TimeZone } from './time-zones.ts'

/** As a person types it: spaces are ignored, so "482 913" is correct. */
export const LoginCode = Type.String({ minLength: 1, maxLength: 40 })

/** Any string: where a customer signs in, one that is no address gets the same answer, but no email and no code. */
export const AnyAddress = Type.String()

/** What a sign-in still waits for; absent where it is complete. Other requests with its session are refused until then. */
export const Awaiting = Type.Enum(['second-factor', 'enrolment'])

export const requestOperatorCode = endpoint('POST /api/v1/auth/otp/request', {
  realm: 'public',
  limit: EMAILED_CODES,
  summary:
    'Emails a login code; the answer is the same whether the address is known or not, 400 for what is no address',
  body: Type.Object({
    email: AnyAddress,
    /** What the code is for, by default signing in; it is good for nothing else. */
    purpose: Type.Optional(Type.Enum(['sign-in', 'confirmation'])),
  }),
  response: { 200: Ok },
})

export const Operator = Type.Object({ id: Type.String(), email: Type.String(), fullName: Type.String() })
export type Operator = Static<typeof Operator>

/** Sets `ns_session` and `ns_refresh`. An address seen for the first time is registered. */
export const verifyOperatorCode = endpoint('POST /api/v1/auth/otp/verify', {
  realm: 'public',
  limit: 'client',
  summary: 'Signs an operator in',
  body: Type.Object({ email: AnyAddress, code: LoginCode, fullName: Type.Optional(OneLine(200)) }),
  response: {
    200: Type.Object({ ...Operator.properties, isNew: Type.Boolean(), awaiting: Type.Optional(Awaiting) }),
  },
  cookies: ['ns_session', 'ns_refresh'],
  problems: ['code-not-accepted', 'too-many-requests'],
})

/** Reuse of a rotated token after ten seconds ends every session of its family. */
export const refreshOperatorSession = endpoint('POST /api/v1/auth/refresh', {
  realm: 'public',
  limit: { unlimited: 'It looks up the hash of a token, and each token works once.' },
  summary: 'Rotates the session with the ns_refresh cookie',
  response: { 200: Ok },
  cookies: ['ns_session', 'ns_refresh'],
  problems: ['session-expired'],
})

export const logoutOperator = endpoint('POST /api/v1/auth/logout', {
  realm: 'public',
  limit: ENDS_SESSION,
  summary: 'Ends the session at once',
  cookies: ['ns_session', 'ns_refresh'],
  response: { 200: Ok },
})

/** Valid for 15 minutes, like a fresh sign-in. The code is requested for the purpose `confirmation`. */
export const confirmOperator = endpoint('POST /api/v1/auth/confirm', {
  realm: 'operator',
  summary: 'Confirms the signed-in operator by a fresh code or the password, before a dangerous action',
  /** One of the two. */
  body: Type.Object({
    code: Type.Optional(LoginCode),
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  }),
  needs: [['code', 'password']],
  response: { 200: Ok },
  problems: ['confirmation-refused', 'too-many-requests'],
})

export const MemberRole = Type.Enum([...memberRoles])

/** A project is an anchor workspace. */
export const Project = Type.Object({
  id: Type.String(),
  name: Type.String(),
  anchorId: Type.String(),
  subdomain: Type.String(),
  status: Type.String(),
  homeDomain: Type.String(),
})
export type Project = Static<typeof Project>

export const OperatorProfile = Type.Object({
  user: Operator,
  /** Absent: each device uses its own. */
  timeZone: Type.Optional(TimeZone),
  organizations: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      slug: Type.String(),
      role: MemberRole,
      anchors: Type.Array(
        Type.Object({
          id: Type.String(),
          subdomain: Type.String(),
          status: Type.String(),
          homeDomain: Type.String(),
        }),
      ),
    }),
  ),
  projects: Type.Array(Project),
})
export type OperatorProfile = Static<typeof OperatorProfile>

export const getOperatorProfile = endpoint('GET /api/v1/auth/me', {
  realm: 'operator',
  summary: 'Who is signed in, their organizations and active projects',
  response: { 200: OperatorProfile },
})

/** An open session of a browser, as its owner sees it. */
export const OpenSession = Type.Object({
  id: Type.String(),
  current: Type.Boolean(),
  createdAt: Time,
  lastSeenAt: Time,
  userAgent: Type.String(),
  address: Type.String(),
})
export type OpenSession = Static<typeof OpenSession>

export const listOperatorSessions = endpoint('GET /api/v1/auth/sessions', {
  realm: 'operator',
  summary: 'Your open sessions, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(OpenSession) },
})

export const endOperatorSession = endpoint('DELETE /api/v1/auth/sessions/:id', {
  realm: 'operator',
  summary: 'Ends one of your sessions',
  params: Type.Object({ id: Id }),
  response: { 200: Ok },
  problems: ['not-found'],
})
