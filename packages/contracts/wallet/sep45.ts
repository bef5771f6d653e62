import Type from 'typebox'
import { endpoint } from '../endpoint.ts'

/** SEP-45: authorization entries for a contract account to sign. 404 where the anchor has no Stellar RPC. */
export const getContractChallenge = endpoint('GET /sep45/auth', {
  realm: 'public',
  limit: 'client',
  summary: 'Authorization entries for a contract account to sign (SEP-45)',
  query: Type.Object({
    /** `C…` */
    account: Type.String({ minLength: 1, maxLength: 80 }),
    home_domain: Type.Optional(Type.String({ maxLength: 300 })),
    /** The wallet's own domain, whose SIGNING_KEY signs an entry too. */
    client_domain: Type.Optional(Type.String({ maxLength: 300 })),
  }),
  response: {
    200: Type.Object({
      /** A list of SorobanAuthorizationEntry, base64 XDR. */
      authorization_entries: Type.String(),
      network_passphrase: Type.String(),
    }),
  },
  problems: ['not-found', 'too-many-requests'],
})

/** SEP-45: the signed entries for a token. */
export const getContractToken = endpoint('POST /sep45/auth', {
  realm: 'public',
  limit: 'client',
  summary: 'Exchanges signed authorization entries for a token (SEP-45)',
  body: Type.Object({ authorization_entries: Type.String({ minLength: 1, maxLength: 20_000 }) }),
  form: true,
  response: { 200: Type.Object({ token: Type.String() }) },
  problems: ['not-found', 'too-many-requests'],
})
