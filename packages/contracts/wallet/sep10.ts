import Type from 'typebox'
import { endpoint } from '../endpoint.ts'

/** SEP-10: a challenge transaction for a wallet to sign. */
export const getChallenge = endpoint('GET /auth', {
  realm: 'public',
  limit: 'client',
  summary: 'A challenge transaction for the wallet to sign (SEP-10)',
  query: Type.Object({
    /** `G…`, or `M…` for a muxed account. */
    account: Type.String({ minLength: 1, maxLength: 80 }),
    /** An id memo that tells apart the customers of a shared account. */
    memo: Type.Optional(Type.String({ maxLength: 40 })),
    home_domain: Type.Optional(Type.String({ maxLength: 300 })),
    /** The wallet's own domain, whose SIGNING_KEY signs the challenge too. */
    client_domain: Type.Optional(Type.String({ maxLength: 300 })),
  }),
  response: {
    200: Type.Object({ transaction: Type.String(), network_passphrase: Type.String() }),
  },
  problems: ['too-many-requests'],
})

/** SEP-10: the signed challenge for a token. */
export const getToken = endpoint('POST /auth', {
  realm: 'public',
  limit: 'client',
  summary: 'Exchanges a signed challenge for a token (SEP-10)',
  body: Type.Object({ transaction: Type.String({ minLength: 1, maxLength: 20_000 }) }),
  form: true,
  problems: ['too-many-requests'],
  response: { 200: Type.Object({ token: Type.String() }) },
})
