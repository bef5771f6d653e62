import { isUtf8 } from 'node:buffer'
import { createHash, createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { sameSecret } from '../http/client-address.ts'

/** The signature is missing, wrong or too old. */
export class SignatureError extends Error {}

/** A webhook is signed, but its body is not a report. The message is for the sender. */
export class ReportError extends Error {}

type Headers = Readonly<Record<string, string | string[] | undefined>>

const TOLERANCE_SECONDS = 300

/**
 * Verifies a webhook's signature over the raw bytes. Where `webhook-signature` is present it alone counts
 * (https://www.standardwebhooks.com, timestamp within 300 s); otherwise `x-signature` (hex HMAC-SHA256 of the body,
 * `sha256=` optional). Any of `secrets` may have signed, so that one can be rotated. Returns a key that a repeated
 * delivery shares. Throws {@link SignatureError}.
 */
export function verifyWebhook(
  body: Buffer,
  headers: Headers,
  secrets: readonly string[],
  now: Date,
): { deliveryKey: string } {
  if (headers['webhook-signature'] !== undefined) return verifyStandard(body, headers, secrets, now)
  const plain = one(headers['x-signature'])
  if (plain === undefined) throw new SignatureError('the webhook is not signed')
  const given = plain
    .trim()
    .replace(/^sha256=/i, '')
    .toLowerCase()
  const expected = secrets.map(secret => createHmac('sha256', secret).update(body).digest('hex'))
  if (!expected.some(signature => sameSecret(given, signature))) {
    throw new SignatureError('the signature does not match')
  }
  return { deliveryKey: `body:${createHash('sha256').update(body).digest('hex')}` }
}

function verifyStandard(
  body: Buffer,
  headers: Headers,
  secrets: readonly string[],
  now: Date,
): { deliveryKey: string } {
  const [id, timestamp] = [one(headers['webhook-id']), one(headers['webhook-timestamp'])]
  if (!id || id.length > 200 || !timestamp || !/^\d{1,12}$/.test(timestamp)) {
    throw new SignatureError('webhook-id and webhook-timestamp are required')
  }
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw new SignatureError('the timestamp is too old or too new')
  }
  // The library signs text: bytes that are none would all read the same.
  if (!isUtf8(body)) throw new SignatureError('the body is not UTF-8')
  const signedAt = new Date(Number(timestamp) * 1000)
  const expected = secrets.map(secret => signerOf(secret).sign(id, signedAt, body.toString()))
  const given = (one(headers['webhook-signature']) ?? '').split(' ')
  if (!given.some(each => expected.some(signature => sameSecret(each, signature)))) {
    throw new SignatureError('the signature does not match')
  }
  return { deliveryKey: `id:${id}` }
}

/** The headers that sign a body as Standard Webhooks asks. */
export function signWebhook(
  secret: string,
  id: string,
  body: Buffer | string,
  now: Date,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signerOf(secret).sign(id, now, body.toString()),
  }
}

/** `whsec_…` is a key in base64; any other text is the key itself. */
function signerOf(secret: string): Webhook {
  const coded = secret.startsWith('whsec_')
  const key = coded ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret, 'utf8')
  return new Webhook(key, { format: 'raw' })
}

/** The headers that a signature needs to be verified again elsewhere. */
export function signatureHeaders(headers: Headers): Record<string, string> {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-signature', 'x-timestamp']
  return Object.fromEntries(
    names.flatMap(name => (one(headers[name]) ? [[name, one(headers[name]) ?? '']] : [])),
  )
}

const one = (value: string | string[] | undefined) => (Array.isArray(value) ? undefined : value)
