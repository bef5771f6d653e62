import Type, { type Static } from 'typebox'
import { Id, Ok, Time, OneLine } from '../common.ts'
import { endpoint } from '../endpoint.ts'

export const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: Time,
  lastUsedAt: Type.Union([Time, Type.Null()]),
})
export type Passkey = Static<typeof Passkey>

export const SecondFactors = Type.Object({
  /** Whether the last one has to stay. */
  required: Type.Boolean(),
  passkeys: Type.Array(Passkey),
  authenticatorApp: Type.Union([
    Type.Object({ createdAt: Time, lastUsedAt: Type.Union([Time, Type.Null()]) }),
    Type.Null(),
  ]),
  recoveryCodesLeft: Type.Integer(),
})
export type SecondFactors = Static<typeof SecondFactors>

export const SecondFactorMethod = Type.Enum(['passkey', 'authenticator-app', 'recovery-code'])
export type SecondFactorMethod = Static<typeof SecondFactorMethod>

/** Shown once, with the first second factor and when they are replaced. Each works once. */
const RecoveryCodes = Type.Array(Type.String())

/** Bytes in base64url. */
const Bytes = Type.String({ maxLength: 16_000 })
/** A `PublicKeyCredential` of the Web Authentication API, in its JSON form (`toJSON()`). */
export const PasskeyCredential = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 1_400 }),
  rawId: Type.String({ minLength: 1, maxLength: 1_400 }),
  type: Type.Enum(['public-key']),
  response: Type.Object({
    clientDataJSON: Bytes,
    attestationObject: Type.Optional(Bytes),
    authenticatorData: Type.Optional(Bytes),
    signature: Type.Optional(Bytes),
    userHandle: Type.Optional(Bytes),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 10 })),
  }),
  authenticatorAttachment: Type.Optional(Type.String({ maxLength: 40 })),
})
export type PasskeyCredential = Static<typeof PasskeyCredential>
/** What `navigator.credentials` is given. */
const CredentialOptions = Type.Record(Type.String(), Type.Unknown())

const Added = Type.Object({ recoveryCodes: Type.Optional(RecoveryCodes) })
const enrolling = ['enrolment'] as const
const inAnyStep = ['second-factor', 'enrolment'] as const

// Both realms have the same endpoints: their shapes are declared once.

const list = {
  awaiting: enrolling,
  summary: 'Your passkeys, authenticator app and unused recovery codes',
  response: { 200: SecondFactors },
} as const

const challenge = {
  awaiting: inAnyStep,
  summary: 'Which second factors may be used now, with the options for a passkey',
  response: {
    200: Type.Object({
      methods: Type.Array(SecondFactorMethod),
      passkey: Type.Union([CredentialOptions, Type.Null()]),
    }),
  },
} as const

const verify = {
  awaiting: inAnyStep,
  summary: 'Finishes a sign-in, or confirms who is signed in, by a second factor',
  /** One of the three. */
  body: Type.Object({
    passkey: Type.Optional(PasskeyCredential),
    code: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
    recoveryCode: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
  }),
  response: { 200: Type.Object({ ok: Type.Boolean(), recoveryCodesLeft: Type.Integer() }) },
  problems: ['second-factor-refused', 'too-many-requests'],
} as const

const passkeyOptions = {
  awaiting: enrolling,
  summary: 'Options for creating a passkey in the browser',
  response: { 200: CredentialOptions },
  problems: ['confirmation-needed', 'second-factor-limit'],
} as const

const addPasskey = {
  awaiting: enrolling,
  summary: 'Adds a passkey; the first second factor also returns recovery codes, once',
  body: Type.Object({ name: OneLine(60), passkey: PasskeyCredential }),
  response: { 201: Added },
  problems: ['confirmation-needed', 'second-factor-refused', 'second-factor-limit'],
} as const

const removePasskey = {
  summary: 'Removes a passkey',
  params: Type.Object({ id: Id }),
  response: { 200: Ok },
  problems: ['confirmation-needed', 'second-factor-not-found', 'second-factor-required'],
} as const

const startApp = {
  awaiting: enrolling,
  summary:
    'A new secret for an authenticator app (TOTP, RFC 6238); takes effect after one of its codes is confirmed',
  response: {
    201: Type.Object({
      secret: Type.String(),
      uri: Type.String(),
      /** The address as a QR code: an SVG path on a square of `size` units. */
      qr: Type.Object({ size: Type.Integer(), path: Type.String() }),
    }),
  },
  problems: ['confirmation-needed', 'second-factor-limit'],
} as const

const confirmApp = {
  awaiting: enrolling,
  summary: 'Adds the authenticator app by one of its codes',
  body: Type.Object({ code: Type.String({ minLength: 1, maxLength: 40 }) }),
  response: { 200: Added },
  problems: ['confirmation-needed', 'second-factor-refused', 'second-factor-not-found', 'too-many-requests'],
} as const

const removeApp = {
  summary: 'Removes the authenticator app',
  response: { 200: Ok },
  problems: ['confirmation-needed', 'second-factor-not-found', 'second-factor-required'],
} as const

const replaceRecoveryCodes = {
  summary: 'Creates new recovery codes and revokes the earlier ones',
  response: { 201: Type.Object({ recoveryCodes: RecoveryCodes }) },
  problems: ['confirmation-needed', 'second-factor-not-found'],
} as const

// One type for both realms, so that the same code serves and calls either.
type FactorRealm = 'operator' | 'admin'
const operator = 'operator' as FactorRealm
const admin = 'admin' as FactorRealm
/** Every administrator manages their own. */
const everyone = { realm: admin, role: 'viewer' } as const

export const listOperatorSecondFactors = endpoint('GET /api/v1/auth/second-factor', {
  realm: operator,
  ...list,
})
export const challengeOperatorSecondFactor = endpoint('POST /api/v1/auth/second-factor/challenge', {
  realm: operator,
  ...challenge,
})
/** Also the confirmation before a dangerous action. */
export const verifyOperatorSecondFactor = endpoint('POST /api/v1/auth/second-factor/verify', {
  realm: operator,
  ...verify,
})
export const getOperatorPasskeyOptions = endpoint('POST /api/v1/auth/second-factor/passkeys/options', {
  realm: operator,
  ...passkeyOptions,
})
export const addOperatorPasskey = endpoint('POST /api/v1/auth/second-factor/passkeys', {
  realm: operator,
  ...addPasskey,
})
export const removeOperatorPasskey = endpoint('DELETE /api/v1/auth/second-factor/passkeys/:id', {
  realm: operator,
  ...removePasskey,
})
export const startOperatorAuthenticatorApp = endpoint('POST /api/v1/auth/second-factor/authenticator-app', {
  realm: operator,
  ...startApp,
})
export const confirmOperatorAuthenticatorApp = endpoint(
  'POST /api/v1/auth/second-factor/authenticator-app/confirm',
  { realm: operator, ...confirmApp },
)
export const removeOperatorAuthenticatorApp = endpoint(
  'DELETE /api/v1/auth/second-factor/authenticator-app',
  { realm: operator, ...removeApp },
)
export const replaceOperatorRecoveryCodes = endpoint('POST /api/v1/auth/second-factor/recovery-codes', {
  realm: operator,
  ...replaceRecoveryCodes,
})

export const listAdminSecondFactors = endpoint('GET /api/v1/admin/second-factor', { ...everyone, ...list })
export const challengeAdminSecondFactor = endpoint('POST /api/v1/admin/second-factor/challenge', {
  ...everyone,
  ...challenge,
})
/** Also the confirmation before a dangerous action. */
export const verifyAdminSecondFactor = endpoint('POST /api/v1/admin/second-factor/verify', {
  ...everyone,
  ...verify,
})
export const getAdminPasskeyOptions = endpoint('POST /api/v1/admin/second-factor/passkeys/options', {
  ...everyone,
  ...passkeyOptions,
})
export const addAdminPasskey = endpoint('POST /api/v1/admin/second-factor/passkeys', {
  ...everyone,
  ...addPasskey,
})
export const removeAdminPasskey = endpoint('DELETE /api/v1/admin/second-factor/passkeys/:id', {
  ...everyone,
  ...removePasskey,
})
export const startAdminAuthenticatorApp = endpoint('POST /api/v1/admin/second-factor/authenticator-app', {
  ...everyone,
  ...startApp,
})
export const confirmAdminAuthenticatorApp = endpoint(
  'POST /api/v1/admin/second-factor/authenticator-app/confirm',
  { ...everyone, ...confirmApp },
)
export const removeAdminAuthenticatorApp = endpoint('DELETE /api/v1/admin/second-factor/authenticator-app', {
  ...everyone,
  ...removeApp,
})
export const replaceAdminRecoveryCodes = endpoint('POST /api/v1/admin/second-factor/recovery-codes', {
  ...everyone,
  ...replaceRecoveryCodes,
})

export const operatorSecondFactors = {
  list: listOperatorSecondFactors,
  challenge: challengeOperatorSecondFactor,
  verify: verifyOperatorSecondFactor,
  passkeyOptions: getOperatorPasskeyOptions,
  addPasskey: addOperatorPasskey,
  removePasskey: removeOperatorPasskey,
  startApp: startOperatorAuthenticatorApp,
  confirmApp: confirmOperatorAuthenticatorApp,
  removeApp: removeOperatorAuthenticatorApp,
  replaceRecoveryCodes: replaceOperatorRecoveryCodes,
}
export const adminSecondFactors = {
  list: listAdminSecondFactors,
  challenge: challengeAdminSecondFactor,
  verify: verifyAdminSecondFactor,
  passkeyOptions: getAdminPasskeyOptions,
  addPasskey: addAdminPasskey,
  removePasskey: removeAdminPasskey,
  startApp: startAdminAuthenticatorApp,
  confirmApp: confirmAdminAuthenticatorApp,
  removeApp: removeAdminAuthenticatorApp,
  replaceRecoveryCodes: replaceAdminRecoveryCodes,
}
export type SecondFactorEndpoints = typeof operatorSecondFactors
