import Type from 'typebox'
import { Nullable, Ok, OneLine, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'

const Place = Type.Object({ id: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' }) })

/**
 * For a page whose customer signs a challenge (SEP-10) in a wallet elsewhere, by SEP-7. Only the challenge that is announced
 * here can be delivered, and only this page can read it.
 */
export const openSignedLogin = endpoint('POST /signed-logins', {
  realm: 'public',
  limit: 'client',
  summary: 'Opens a place for one signed challenge, for five minutes',
  body: Type.Object({
    /** The hash of the challenge, in hexadecimal. */
    challengeHash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    networkPassphrase: OneLine(100),
    /** A point of P-256, uncompressed, in base64url: what is delivered is encrypted for it. */
    publicKey: Type.String({ pattern: '^B[A-Za-z0-9_-]{86}$' }),
  }),
  response: {
    201: Type.Object({
      id: Type.String(),
      /** With it the page collects the challenge; the wallet does not get it. */
      secret: Type.String(),
      /** Where the wallet sends the challenge: SEP-7's `callback`, after `url:`. */
      callback: Type.String(),
      expiresAt: Time,
    }),
  },
  problems: ['too-many-requests', 'dependency-unavailable'],
})

/** The callback of a wallet that signed by SEP-7. */
export const deliverSignedLogin = endpoint('POST /signed-logins/:id', {
  realm: 'public',
  limit: 'client',
  summary: 'Delivers the challenge that was announced, signed',
  params: Place,
  form: true,
  body: Type.Object({ xdr: Type.String({ minLength: 1, maxLength: 10_000 }) }),
  bodyLimit: 32 * 1024,
  response: { 200: Ok },
  problems: ['not-found', 'proof-not-accepted', 'too-many-requests', 'dependency-unavailable'],
})

/**
 * `sealed` is null until the wallet has delivered; then it is given once. In base64url: a point of P-256 (65 bytes), an
 * initialization vector (12), and the envelope in base64 by AES-256-GCM. The key is HKDF (SHA-256, no salt) of the secret
 * that both points share, with `windlass signed login ` and the id as its information.
 */
export const collectSignedLogin = endpoint('POST /signed-logins/:id/collection', {
  realm: 'public',
  limit: 'shared',
  summary: 'Collects the signed challenge, once',
  params: Place,
  body: Type.Object({ secret: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }) }),
  response: { 200: Type.Object({ sealed: Nullable(Type.String()) }) },
  problems: ['not-found', 'dependency-unavailable'],
})
