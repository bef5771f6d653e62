import type { WalletEvent } from '@windlass/contracts/aggregator/wallet-webhooks.ts'
import { Problem, invalid } from '@windlass/service/http/problem.ts'
import { verifierFromAddress } from '@windlass/stellar/ed25519.ts'
import type { FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { findEntry } from '../registry/find.ts'
import type { WebhookDeps } from './deps.ts'
import { publishEvent, requireRoom } from './endpoints.ts'

const TOLERANCE_SECONDS = 300

/**
 * Takes a callback that an anchor of the registry signed for this address, and queues it for the webhooks of the key in
 * the address. Throws `not-found`, `anchor-not-found`, `webhook-signature-invalid`, `validation-failed`,
 * `too-many-requests`.
 */
export async function receiveCallback(
  deps: WebhookDeps,
  { headers }: Pick<FastifyRequest, 'headers'>,
  { relay, anchorId }: { relay: string; anchorId: string },
  body: Buffer,
): Promise<void> {
  const key = await deps.database.db
    .selectFrom('wallet_keys')
    .select('id')
    .where('relay', '=', relay)
    .executeTakeFirst()
  if (!key) throw new Problem('not-found', 'There is nothing at this address.')
  const { id, domain, signingKey } = findEntry(deps.index, anchorId)
  const now = deps.clock.now()
  const { host } = new URL(deps.config.publicUrl)
  const time = signingKey === null ? null : signedAt(headers, host, body, signingKey, now)
  if (time === null)
    throw new Problem('webhook-signature-invalid', 'The callback is not signed by this anchor.')
  // Counted once it is known who sent it: no anchor uses up what others may send.
  await deps.callbackRate.demand(`${key.id} ${id}`)
  await requireRoom(deps.database.db, key.id)
  const { event, data } = readBody(body)
  // A customer's status may become again what it was, in the same words: only the same signature is a repeat.
  const digest = createHash('sha256').update(`${relay} ${id} ${time} `).update(body).digest('base64url')
  await publishEvent(deps.database.db, event, {
    messageId: `msg_${digest}`,
    keyId: key.id,
    data: { anchor: { id, domain }, ...data },
    now,
  })
}

/** The time of `Signature: t=<unix>, s=<base64>` over `t.host.body` (SEP-24, SEP-12, SEP-31); null: it is not good. */
function signedAt(
  { signature, 'x-stellar-signature': older }: FastifyRequest['headers'],
  host: string,
  body: Buffer,
  signingKey: string,
  now: Date,
): string | null {
  const [, time = '', value = ''] =
    /^t=(\d{1,12}), ?s=([A-Za-z0-9+/=]{86,88})$/.exec(String(signature ?? older)) ?? []
  if (Math.abs(Number(time) - now.getTime() / 1000) > TOLERANCE_SECONDS) return null
  const signed = Buffer.concat([Buffer.from(`${time}.${host}.`), body])
  return verifierFromAddress(signingKey).verify(signed, Buffer.from(value, 'base64')) ? time : null
}

function readBody(body: Buffer): { event: WalletEvent; data: object } {
  const { transaction, ...customer } = parsed(body)
  if (typeof transaction === 'object' && transaction !== null)
    return { event: 'transaction.updated', data: { transaction } }
  if (typeof customer.status === 'string') return { event: 'customer.updated', data: { customer } }
  throw invalid('body', 'is neither a transaction nor a customer')
}

function parsed(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString())
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw invalid('body', 'must be a JSON object')
}
