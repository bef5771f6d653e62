import Type, { type Static } from 'typebox'
import { Nullable, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { relayed } from '../relayed.ts'

/** A message of the anchor's that its recipient answers in the same way whenever it is sent. */
export const RefusedAnchorMessage = Type.Object({
  id: Type.String(),
  /**
   * `key-acts`: what a key did, for the platform's log. `sep-calls`: a transaction's status, for wallets. `movements`: what a customer
   * moved, for the platform.
   */
  topic: Type.Enum(['key-acts', 'sep-calls', 'movements']),
  /** The act or the call, such as `statement-line.decided`. */
  what: Type.String(),
  transactionId: Nullable(Type.String()),
  keyId: Nullable(Type.String()),
  /** The code of the recipient's answer. */
  code: Type.String(),
  /** What the recipient said. */
  detail: Nullable(Type.String()),
  writtenAt: Time,
  /** When it is sent again by itself. Null: never, since those after it were sent, and it would be out of turn. */
  nextAt: Nullable(Time),
})
export type RefusedAnchorMessage = Static<typeof RefusedAnchorMessage>

export const listRefusedAnchorMessages = endpoint('GET /api/v1/refused-messages', {
  realm: 'developer',
  scopes: ['read'],
  summary:
    'Messages of the anchor that the platform or its SEP server refused, newest first, at most 200 of each topic; those that are not sent again for 30 days',
  response: { 200: Type.Array(RefusedAnchorMessage) },
})

export const listWorkspaceRefusedMessages = relayed(
  'GET /api/v1/anchors/:anchorId/refused-messages',
  listRefusedAnchorMessages,
  {},
)
