import Type from 'typebox'
import { Id, Time } from './common.ts'
import { endpoint } from './endpoint.ts'
import { KycStatus } from './kyc.ts'

/**
 * The provider's raw body and headers, which the platform verifies again: without it an anchor's secret cannot
 * make anyone ACCEPTED.
 */
export const KycEvidence = Type.Object({
  /** Base64 of the raw bytes. */
  body: Type.String({ maxLength: 90_000 }),
  headers: Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 2000 })),
})

/** `APPROVED` is understood as `ACCEPTED`. One of customerId and walletAddress is needed. */
export const propagateKyc = endpoint('POST /api/v1/internal/customers/kyc', {
  realm: 'internal',
  summary: 'Propagates an identity verification status to the centre',
  body: Type.Object({
    customerId: Type.Optional(Id),
    walletAddress: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    status: Type.String({ minLength: 1, maxLength: 40 }),
    provider: Type.Optional(Type.String({ maxLength: 40 })),
    sessionId: Type.Optional(Type.String({ maxLength: 200 })),
    completedAt: Type.Optional(Type.String({ format: 'date-time' })),
    evidence: Type.Optional(KycEvidence),
  }),
  response: { 200: Type.Object({ ok: Type.Boolean(), customerId: Type.String(), status: KycStatus }) },
  problems: ['customer-not-found', 'kyc-evidence-needed'],
  bodyLimit: 200 * 1024,
})

export const queryKyc = endpoint('GET /api/v1/internal/customers/kyc', {
  realm: 'internal',
  summary: "The central status of a wallet's owner",
  query: Type.Object({ walletAddress: Type.String({ minLength: 1, maxLength: 200 }) }),
  response: {
    200: Type.Object({
      customerId: Type.String(),
      status: KycStatus,
      verified: Type.Boolean(),
      /** Of the present decision, by the provider's clock; null where no decision had a time. */
      completedAt: Type.Optional(Type.Union([Time, Type.Null()])),
      walletVerified: Type.Boolean(),
    }),
  },
  problems: ['customer-not-found'],
})

export const resolveWallets = endpoint('GET /api/v1/internal/customers/:id/wallets', {
  realm: 'internal',
  summary: "A customer's linked ledger addresses",
  params: Type.Object({ id: Id }),
  response: {
    200: Type.Object({
      addresses: Type.Array(Type.String()),
      wallets: Type.Array(
        Type.Object({
          address: Type.String(),
          network: Type.String(),
          label: Type.String(),
          verified: Type.Boolean(),
        }),
      ),
    }),
  },
  problems: ['customer-not-found'],
})
