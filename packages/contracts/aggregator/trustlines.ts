import Type, { type Static } from 'typebox'
import { AmountInput, Nullable } from '../common.ts'
import { endpoint } from '../endpoint.ts'

export const TrustlineState = Type.Object({
  /** Why the account cannot receive it; null: it can. `not-known`: the ledger did not answer. */
  fault: Nullable(Type.Enum(['no-account', 'no-trustline', 'not-authorized', 'trustline-full', 'not-known'])),
  /** Asks a wallet to add the trustline (SEP-7); null where that does not help. */
  addTrustline: Nullable(Type.String()),
})
export type TrustlineState = Static<typeof TrustlineState>

/** What anyone can read on the ledger, so that a customer learns of it before they pay. It needs no login. */
export const getTrustlineState = endpoint('GET /trustlines', {
  realm: 'public',
  limit: 'client',
  summary: 'Whether an account can receive an asset',
  query: Type.Object({
    account: Type.String({ pattern: '^[GM][A-Z2-7]{55,68}$' }),
    asset: Type.String({ pattern: '^[A-Za-z0-9]{1,12}:G[A-Z2-7]{55}$', description: '`CODE:ISSUER`' }),
    amount: Type.Optional(AmountInput),
  }),
  response: { 200: TrustlineState },
  problems: ['too-many-requests'],
})
