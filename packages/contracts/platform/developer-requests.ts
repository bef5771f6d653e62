import Type, { type Static } from 'typebox'
import { Id } from '../common.ts'
import { endpoint } from '../endpoint.ts'

export const DeveloperAnswer = Type.Object({
  status: Type.Integer(),
  headers: Type.Record(Type.String(), Type.String()),
  /** Its first MiB; null for a file that is no text. */
  body: Type.Union([Type.String(), Type.Null()]),
  /** Whether the body was longer. */
  cut: Type.Boolean(),
  durationMs: Type.Integer(),
})
export type DeveloperAnswer = Static<typeof DeveloperAnswer>

/** The key is passed on. It is not stored and not logged. The request has only the rights of the key. */
export const sendDeveloperRequest = endpoint('POST /api/v1/anchors/:anchorId/developer-requests', {
  realm: 'operator',
  who: 'member',
  summary: "Sends a request with your own API key to the anchor's API, and returns the answer",
  params: Type.Object({ anchorId: Id }),
  body: Type.Object({
    method: Type.Enum(['GET', 'POST', 'PUT', 'DELETE']),
    /** Below `/api/v1/`, with its query. */
    path: Type.String({ pattern: '^/api/v1/', maxLength: 2000 }),
    /** Absent for what needs no key, such as the OpenAPI document. */
    key: Type.Optional(Type.String({ pattern: '^[!-~]+$', maxLength: 200 })),
    /** JSON. */
    body: Type.Optional(Type.String({ maxLength: 100_000 })),
  }),
  response: { 200: DeveloperAnswer },
  problems: ['dependency-unavailable', 'too-many-requests'],
})
