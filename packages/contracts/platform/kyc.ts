import Type, { type Static } from 'typebox'
import { Nullable, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { SIGNED } from '../limits.ts'

/** SEP-12's statuses. */
export const KycStatus = Type.Enum(['NEEDS_INFO', 'PROCESSING', 'ACCEPTED', 'REJECTED'])
export type KycStatus = Static<typeof KycStatus>

export const getKycStatus = endpoint('GET /api/v1/customer/kyc/status', {
  realm: 'customer',
  summary: 'The central identity verification status',
  response: {
    200: Type.Object({
      status: KycStatus,
      verifiedAt: Nullable(Time),
      provider: Nullable(Type.String()),
      updatedAt: Nullable(Time),
      /** The name on the document; anchors that the customer uses get it with the status. */
      verifiedName: Type.Optional(Nullable(Type.String())),
    }),
  },
})

export const startKyc = endpoint('POST /api/v1/customer/kyc/start', {
  realm: 'customer',
  summary: "Opens a session at the provider's hosted page",
  body: Type.Object({ returnUrl: Type.Optional(Type.String({ format: 'uri', maxLength: 2000 })) }),
  response: { 200: Type.Object({ url: Type.String(), sessionId: Type.String() }) },
  problems: ['kyc-already-accepted', 'dependency-unavailable', 'too-many-requests'],
})

/** The provider's webhook for sessions that were started at the platform itself. */
export const receiveKycWebhook = endpoint('POST /api/v1/customer/kyc/webhook', {
  realm: 'public',
  limit: SIGNED,
  summary: "Receives the provider's signed report of a finished verification",
  raw: true,
  accepts: ['application/json'],
  body: Type.Object({}, { additionalProperties: true }),
  bodyLimit: 64 * 1024,
  response: { 200: Type.Object({ ok: Type.Boolean() }) },
  problems: ['webhook-signature-invalid', 'customer-not-found', 'validation-failed'],
})
