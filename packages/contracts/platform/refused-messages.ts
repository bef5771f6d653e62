import Type, { type Static } from 'typebox'
import { Id, Nullable, Ok, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'

/** A message of the platform that its recipient answers in the same way whenever it is sent. */
export const RefusedMessage = Type.Object({
  id: Id,
  /** What it is about, such as `sync-anchor`. */
  topic: Type.String(),
  /** Names the message in the platform's log and in that of its recipient. */
  key: Type.String(),
  /** The code of the recipient's problem. */
  code: Type.String(),
  /** What the recipient said. */
  detail: Nullable(Type.String()),
  attempts: Type.Integer(),
  writtenAt: Time,
  /** When the answer first counted as a refusal. */
  since: Time,
  /** When it is sent again by itself. */
  nextAt: Time,
})
export type RefusedMessage = Static<typeof RefusedMessage>

export const listRefusedMessages = endpoint('GET /api/v1/admin/refused-messages', {
  realm: 'admin',
  role: 'viewer',
  summary:
    'Messages of the platform that their recipient refuses whenever they are sent, the oldest first, at most 200',
  response: { 200: Type.Array(RefusedMessage, { maxItems: 200 }) },
})

export const retryRefusedMessage = endpoint('POST /api/v1/admin/refused-messages/:id/retry', {
  realm: 'admin',
  role: 'operator',
  summary: 'Sends a refused message again now',
  params: Type.Object({ id: Id }),
  response: { 200: Ok },
  problems: ['not-found'],
})
