import type { WalletEvent } from '@windlass/contracts/wallet-webhooks.ts'
import { Problem, invalid } from '@windlass/service/problem.ts'
import { verifierFromAddress } from '@windlass/stellar/ed25519.ts'
import type { FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { findEntry } from '../registry/find.ts'
import type { WebhookDeps } from './deps.ts'
import { publishEvent } from './endpoints.ts'

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
  await deps.callbackRate.demand(key.id)
  const { id, domain, signingKey } = findEntry(deps.index, anchorId)
  const now = deps.clock.now()
  if (signingKey === null || !isSigned(headers, new URL(deps.config.publicUrl).host, body, signingKey, now))
    throw new Problem('webhook-signature-invalid', 'The callback is not signed by this anchor.')
  const { event, data } = readBody(body)
  const digest = createHash('sha256').update(`${relay} ${id} `).update(body).digest('base64url')
  await publishEvent(deps.database.db, event, {
    messageId: `msg_${digest}`,
    keyId: key.id,
    data: { anchor: { id, domain }, ...data },
    now,
  })
}

/** `Signature: t=<unix>, s=<base64>` over `t.host.body` (SEP-24, SEP-12, SEP-31). */
function isSigned(
  { signature, 'x-stellar-signature': older }: FastifyRequest['headers'],
  host: string,
  body: Buffer,
  signingKey: string,
  now: Date,
): boolean {
  const [, time = '', value = ''] =
    /^t=(\d{1,12}), ?s=([A-Za-z0-9+/=]{86,88})$/.exec(String(signature ?? older)) ?? []
  if (Math.abs(Number(time) - now.getTime() / 1000) > TOLERANCE_SECONDS) return false
  const signed = Buffer.concat([Buffer.from(`${time}.${host}.`), body])
  return verifierFromAddress(signingKey).verify(signed, Buffer.from(value, 'base64'))
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
