import Type, { type Static } from 'typebox'
import { tiers } from './anchor-settings.ts'
import { Day, Nullable, OneLine, Page, Time } from '../common.ts'
import { endpoint, NoContent } from '../endpoint.ts'

/** What identifies an anchor, and its agreement. By default what it was; null: not known. */
const identity = {
  /** ISO 17442 */
  lei: Type.Optional(Nullable(Type.String({ pattern: '^[A-Z0-9]{18}[0-9]{2}$' }))),
  /** Who licensed them and under which number. */
  licence: Type.Optional(Nullable(OneLine(200))),
  agreedOn: Type.Optional(Nullable(Day)),
  /** The last day on which it may send; null: until the agreement is ended. */
  endsOn: Type.Optional(Nullable(Day)),
}

/** Another anchor that may send direct payments (SEP-31) here. */
export const SendingAnchor = Type.Object({
  /** `G…`, which it logs in with (SEP-10). */
  account: Type.String(),
  name: Type.String(),
  /** The tier whose limits count for each of its senders. */
  tier: Type.Optional(Type.Enum([...tiers])),
  ...identity,
  createdAt: Time,
})
export type SendingAnchor = Static<typeof SendingAnchor>

export const Agreement = Type.Object({
  /** What the agreement is known by. */
  name: OneLine(100),
  /** By default what it was, and `standard` for a new agreement. */
  tier: Type.Optional(Type.Enum([...tiers])),
  ...identity,
})
export type Agreement = Static<typeof Agreement>

const Params = Type.Object({ account: Type.String({ minLength: 56, maxLength: 56 }) })

export const listSendingAnchors = endpoint('GET /api/v1/sending-anchors', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Anchors that may send direct payments (SEP-31), newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(SendingAnchor) },
})

/**
 * On the public network only these may use SEP-31: their operator has identified the customers. The scope is one of its
 * own, which no other includes: an agreement lets someone else's identity checks count.
 */
export const putSendingAnchor = endpoint('PUT /api/v1/sending-anchors/:account', {
  realm: 'developer',
  scopes: ['agreements'],
  summary: 'Lets an anchor send direct payments (SEP-31)',
  params: Params,
  body: Agreement,
  response: { 200: SendingAnchor },
  problems: ['forbidden'],
})

/** Payments under way continue. */
export const deleteSendingAnchor = endpoint('DELETE /api/v1/sending-anchors/:account', {
  realm: 'developer',
  scopes: ['agreements'],
  summary: 'Ends the agreement with an anchor that sends direct payments',
  params: Params,
  response: { 204: NoContent },
  problems: ['forbidden', 'not-found'],
})

/*
 * For the platform, which knows the operator and their role, and proves itself in `x-windlass-platform`.
 */

export const putSendingAnchorAs = endpoint('PUT /admin/sending-anchors/:account', {
  realm: 'anchor-admin',
  summary: 'Lets an anchor send direct payments (SEP-31)',
  params: Params,
  body: Agreement,
  response: { 200: SendingAnchor },
  idempotent: 'replay',
})

export const deleteSendingAnchorAs = endpoint('DELETE /admin/sending-anchors/:account', {
  realm: 'anchor-admin',
  summary: 'Ends the agreement with an anchor that sends direct payments',
  params: Params,
  response: { 204: NoContent },
  problems: ['not-found'],
  idempotent: 'replay',
})
