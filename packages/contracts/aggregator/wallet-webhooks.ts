import Type, { type Static } from 'typebox'
import { Id, Page, Time, OneLine } from '../common.ts'
import { endpoint, NoContent } from '../endpoint.ts'

/** What wallets' developers can be notified of. */
export const walletEvents = [
  'transaction.updated',
  'customer.updated',
  'anchor.available',
  'anchor.unavailable',
] as const
export type WalletEvent = (typeof walletEvents)[number]

const Events = Type.Array(Type.Enum(['*', ...walletEvents]), { minItems: 1, maxItems: 5 })

const key = {
  id: Type.String(),
  name: Type.String(),
  /**
   * The beginning of the address for an anchor's callbacks: add the anchor's id. It is a secret between you and the
   * anchors.
   */
  callbackUrl: Type.String(),
  createdAt: Time,
}

/** Needs no account. A key that nobody uses for half a year is deleted. */
export const createWalletKey = endpoint('POST /wallet-keys', {
  realm: 'public',
  limit: 'client',
  summary: 'Creates a key for a wallet’s developer; the answer alone has it',
  body: Type.Object({ name: OneLine(100) }),
  response: { 201: Type.Object({ ...key, key: Type.String() }) },
  problems: ['too-many-requests'],
})

export const getWalletKey = endpoint('GET /wallet-keys/current', {
  realm: 'wallet-developer',
  summary: 'The key of the request',
  response: { 200: Type.Object(key) },
})

export const deleteWalletKey = endpoint('DELETE /wallet-keys/current', {
  realm: 'wallet-developer',
  summary: 'Deletes the key with its webhook endpoints',
  response: { 204: NoContent },
})

const hook = { id: Type.String(), url: Type.String(), events: Type.Array(Type.String()), createdAt: Time }
export const WalletWebhook = Type.Object(hook)
export type WalletWebhook = Static<typeof WalletWebhook>

/** Signed by Standard Webhooks with the secret, which the answer alone has. At most five for a key. */
export const createWalletWebhook = endpoint('POST /webhook-endpoints', {
  realm: 'wallet-developer',
  summary: 'Adds an address that is notified of transactions, customers and anchors',
  body: Type.Object({ url: Type.String({ format: 'uri', maxLength: 500 }), events: Type.Optional(Events) }),
  response: { 201: Type.Object({ ...hook, secret: Type.String() }) },
})

export const listWalletWebhooks = endpoint('GET /webhook-endpoints', {
  realm: 'wallet-developer',
  summary: 'The webhook endpoints of the key',
  response: { 200: Type.Array(WalletWebhook, { maxItems: 5 }) },
})

export const deleteWalletWebhook = endpoint('DELETE /webhook-endpoints/:id', {
  realm: 'wallet-developer',
  summary: 'Removes a webhook endpoint with its deliveries',
  params: Type.Object({ id: Id }),
  response: { 204: NoContent },
  problems: ['webhook-endpoint-not-found'],
})

export const WalletDelivery = Type.Object({
  id: Type.String(),
  endpointId: Type.String(),
  messageId: Type.String(),
  event: Type.String(),
  status: Type.Enum(['waiting', 'delivered', 'dead']),
  attempts: Type.Integer(),
  lastStatus: Type.Union([Type.Integer(), Type.Null()]),
  lastError: Type.Union([Type.String(), Type.Null()]),
  createdAt: Time,
  deliveredAt: Type.Union([Time, Type.Null()]),
})

/** `dead` are those that no attempt delivered within a day. Kept for 30 days. */
export const listWalletDeliveries = endpoint('GET /webhook-deliveries', {
  realm: 'wallet-developer',
  summary: 'Deliveries to the webhook endpoints of the key, newest first',
  query: Type.Object({ status: Type.Optional(Type.Enum(['waiting', 'delivered', 'dead'])), ...Page }),
  response: { 200: Type.Array(WalletDelivery) },
})

export const replayWalletDelivery = endpoint('POST /webhook-deliveries/:id/replay', {
  realm: 'wallet-developer',
  summary: 'Sends a delivery again, with the same message id',
  params: Type.Object({ id: Id }),
  response: { 202: WalletDelivery },
  problems: ['webhook-delivery-not-found', 'too-many-requests'],
})

/**
 * For anchors. A wallet gives this address to an anchor as `on_change_callback` (SEP-6, SEP-24) or by SEP-12 and SEP-31's
 * `PUT …/callback`. The anchor's signature is verified with the SIGNING_KEY in the registry. While 10,000 deliveries wait
 * for a key's endpoints, callbacks are refused with 429.
 */
export const receiveAnchorCallback = endpoint('POST /callbacks/:relay/:anchorId', {
  realm: 'public',
  limit: { by: 'key and anchor, once the signature is verified' },
  summary: 'Receives a callback of an anchor and forwards it to the webhooks of the key',
  params: Type.Object({ relay: Type.String({ pattern: '^[A-Za-z0-9_-]{20,60}$' }), anchorId: Id }),
  raw: true,
  accepts: ['application/json'],
  body: Type.Object({}, { additionalProperties: true }),
  bodyLimit: 16 * 1024,
  response: { 204: NoContent },
  problems: ['webhook-signature-invalid', 'anchor-not-found', 'not-found', 'too-many-requests'],
})
