import Type, { type Static } from 'typebox'
import { Id, OneLine, Ok, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { Awaiting, verifyOperatorCode } from './operators.ts'

/**
 * Sign-in by an OpenID Connect provider. An organization's provider signs in members of that organization alone, and
 * their sessions reach nothing else: not another organization of the same person, not their second factors. That of
 * administrators is in the platform's settings.
 */
export const SingleSignOn = Type.Object({
  /** The issuer, such as `https://login.example.com`. */
  issuer: Type.String(),
  clientId: Type.String(),
  /** Whether a second factor that the provider reports (`amr`) counts as ours, and as a confirmation. */
  trustsSecondFactor: Type.Boolean(),
  setBy: Type.String(),
  setAt: Time,
  /** Until then it signs in the owner alone who set it: the other owners have a day to see it. */
  opensAt: Time,
})
export type SingleSignOn = Static<typeof SingleSignOn>

const Organization = Type.Object({ organizationId: Id })

export const getSingleSignOn = endpoint('GET /api/v1/organizations/:organizationId/single-sign-on', {
  realm: 'operator',
  summary: "The organization's provider, and what to enter at the provider",
  params: Organization,
  response: {
    200: Type.Object({
      provider: Type.Union([SingleSignOn, Type.Null()]),
      /**
       * Where the provider sends people back: this organization's own address. Register it at the provider exactly, without
       * wildcards.
       */
      redirectUrl: Type.String(),
      /** Where members begin. */
      signInUrl: Type.String(),
    }),
  },
  problems: ['organization-not-found'],
})

/** The provider's configuration is read first: a mistyped issuer is refused. Sessions by an earlier one end. */
export const setSingleSignOn = endpoint('PUT /api/v1/organizations/:organizationId/single-sign-on', {
  realm: 'operator',
  summary: "Sets the organization's provider; owners only",
  params: Organization,
  body: Type.Object({
    /** The one that the provider's configuration names. Not the address of the configuration (`/.well-known/…`). */
    issuer: OneLine(500),
    clientId: OneLine(500),
    /** Absent: the one that is stored, where issuer and client stay the same. */
    clientSecret: Type.Optional(OneLine(2_000)),
    trustsSecondFactor: Type.Optional(Type.Boolean()),
  }),
  response: { 200: SingleSignOn },
  problems: ['organization-not-found', 'forbidden', 'confirmation-needed', 'too-many-requests'],
})

export const removeSingleSignOn = endpoint('DELETE /api/v1/organizations/:organizationId/single-sign-on', {
  realm: 'operator',
  summary: 'Removes the provider and ends the sessions that it opened; owners only',
  params: Organization,
  response: { 200: Ok },
  problems: ['organization-not-found', 'forbidden', 'confirmation-needed'],
})

/** A sign-in that began: the page keeps `key`, and goes to `url`. */
const Begun = Type.Object({ url: Type.String(), key: Type.String() })

const back = {
  key: Type.String({ minLength: 1, maxLength: 200 }),
  /** The query with which the provider sent the person back. */
  query: Type.String({ maxLength: 8_000 }),
}

export const startOperatorSignOn = endpoint('POST /api/v1/auth/single-sign-on', {
  realm: 'public',
  limit: 'client',
  summary: "Begins a sign-in at an organization's provider",
  body: Type.Object({
    /** The organization's short name. */
    organization: OneLine(200),
  }),
  response: { 200: Begun },
  problems: ['single-sign-on-not-set', 'single-sign-on-refused', 'too-many-requests'],
})

/** Sets `ns_session` and `ns_refresh`. Each state and code works once, for the browser that began. */
export const finishOperatorSignOn = endpoint('POST /api/v1/auth/single-sign-on/finish', {
  realm: 'public',
  limit: 'client',
  summary: 'Signs a member in whom the provider sent back',
  body: Type.Object({
    /** As in the address to which the provider sent the person back: another one's provider may have sent them. */
    organizationId: Id,
    ...back,
  }),
  response: { 200: verifyOperatorCode.response[200] },
  cookies: ['ns_session', 'ns_refresh'],
  problems: ['single-sign-on-not-set', 'single-sign-on-refused', 'too-many-requests'],
})

export const startAdminSignOn = endpoint('POST /api/v1/admin/single-sign-on', {
  realm: 'public',
  limit: 'client',
  summary: "Begins an administrator's sign-in at the platform's provider",
  response: { 200: Begun },
  problems: ['single-sign-on-not-set', 'single-sign-on-refused', 'too-many-requests'],
})

/** For administrators who accepted an invitation. The owner whom the settings name has the password alone. */
export const finishAdminSignOn = endpoint('POST /api/v1/admin/single-sign-on/finish', {
  realm: 'public',
  limit: 'client',
  summary: 'Signs an administrator in whom the provider sent back',
  body: Type.Object(back),
  response: {
    200: Type.Object({ ok: Type.Boolean(), username: Type.String(), awaiting: Type.Optional(Awaiting) }),
  },
  cookies: ['ns_admin'],
  problems: ['single-sign-on-not-set', 'single-sign-on-refused', 'too-many-requests'],
})
