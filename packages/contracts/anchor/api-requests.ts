import Type, { type Static } from 'typebox'
import { Id, Page, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'

/** A request that a key of the anchor sent to its API. Neither bodies nor what was asked for are kept. */
export const ApiRequest = Type.Object({
  id: Type.String(),
  at: Time,
  keyId: Type.String(),
  method: Type.String(),
  /** The endpoint's path, such as `/api/v1/transactions/:id`, without what stood in its place. */
  path: Type.String(),
  status: Type.Integer(),
  durationMs: Type.Integer(),
  /** As in `X-Request-Id` of the answer. */
  requestId: Type.String(),
})
export type ApiRequest = Static<typeof ApiRequest>

export const listApiRequests = endpoint('GET /api/v1/requests', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'What keys asked of this API, newest first: at most the last 10000 requests of the last 7 days',
  query: Type.Object({
    keyId: Type.Optional(Id),
    /** Whether it was refused or failed: status 400 and above. */
    failed: Type.Optional(Type.Boolean()),
    ...Page,
  }),
  response: { 200: Type.Array(ApiRequest) },
})
