import Type from 'typebox'
import { Ok } from '../common.ts'
import { endpoint } from '../endpoint.ts'

/** Who a name stands for. A memo tells customers of a shared account apart. */
export const FederationRecord = Type.Object({
  stellar_address: Type.String(),
  account_id: Type.String(),
  memo_type: Type.Optional(Type.String()),
  memo: Type.Optional(Type.String()),
})

export const getFederationRecord = endpoint('GET /federation', {
  realm: 'public',
  limit: 'shared',
  summary: 'The account of a name, or the name of an account, while its customer is ACCEPTED (SEP-2)',
  query: Type.Object({
    q: Type.String({
      minLength: 1,
      maxLength: 300,
      description: '`name*domain` with `type=name`, an account (`G…` or `M…`) with `type=id`',
    }),
    type: Type.String({ minLength: 1, maxLength: 20, description: '`name` or `id`' }),
  }),
  response: { 200: FederationRecord },
  problems: ['not-found', 'validation-failed', 'dependency-unavailable'],
})

export const getFederationName = endpoint('GET /federation/name', {
  realm: 'wallet',
  summary: "The session's own name",
  response: { 200: FederationRecord },
  problems: ['not-found'],
})

export const setFederationName = endpoint('PUT /federation/name', {
  realm: 'wallet',
  summary: 'Takes a name at this anchor, or changes it; for customers with an accepted identity check',
  body: Type.Object({
    name: Type.String({
      minLength: 1,
      maxLength: 64,
      description: '3 to 32 letters, digits, `.`, `_` or `-`, in any case; `ada` for `ada*<home domain>`',
    }),
  }),
  response: { 200: FederationRecord },
  problems: ['name-taken', 'forbidden', 'too-many-requests', 'dependency-unavailable'],
})

export const deleteFederationName = endpoint('DELETE /federation/name', {
  realm: 'wallet',
  summary: 'Gives up the name. Nobody else can take it: payments to it must not reach another person',
  response: { 200: Ok },
})
