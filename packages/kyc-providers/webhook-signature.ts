import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** The signature is missing, not right or too old. */
export class SignatureError extends Error {}

type Headers = Readonly<Record<string, string | string[] | undefined>>

const TOLERANCE_SECONDS = 300

/**
 * Checks a webhook's signature over the raw bytes. `webhook-signature` alone decides where it is present (Standard
 * Webhooks: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, the timestamp within 300 s); else
 * `x-signature` (hex HMAC-SHA256 of the body, `sha256=` optional). Any of `secrets` may have signed, so that one
 * can be rotated. Returns what a repeat is known by. Throws {@link SignatureError}.
 */
export function checkSignature(
  body: Buffer,
  headers: Headers,
  secrets: readonly string[],
  now: Date,
): { deliveryKey: string } {
  const standard = one(headers['webhook-signature'])
  if (standard !== undefined) return checkStandard(body, headers, standard, secrets, now)
  const plain = one(headers['x-signature'])
  if (plain === undefined) throw new SignatureError('the webhook is not signed')
  const given = Buffer.from(plain.trim().replace(/^sha256=/i, ''), 'hex')
  const good = secrets.some(secret => same(given, createHmac('sha256', secret).update(body).digest()))
  if (!good) throw new SignatureError('the signature is not right')
  return { deliveryKey: `body:${createHash('sha256').update(body).digest('hex')}` }
}

function checkStandard(
  body: Buffer,
  headers: Headers,
  signatures: string,
  secrets: readonly string[],
  now: Date,
): { deliveryKey: string } {
  const id = one(headers['webhook-id'])
  const timestamp = one(headers['webhook-timestamp'])
  if (!id || id.length > 200 || !timestamp || !/^\d{1,12}$/.test(timestamp)) {
    throw new SignatureError('webhook-id and webhook-timestamp are needed')
  }
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw new SignatureError('the timestamp is too old or too new')
  }
  const given = signatures
    .split(' ')
    .filter(part => part.startsWith('v1,'))
    .map(part => Buffer.from(part.slice(3), 'base64'))
  const expected = secrets.map(secret => standardSignature(secret, id, timestamp, body))
  if (!given.some(each => expected.some(good => same(each, good)))) {
    throw new SignatureError('the signature is not right')
  }
  return { deliveryKey: `id:${id}` }
}

/** Headers that sign a body as Standard Webhooks. */
export function signStandard(
  secret: string,
  id: string,
  body: Buffer | string,
  now: Date,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signature = standardSignature(secret, id, timestamp, Buffer.from(body)).toString('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

function standardSignature(secret: string, id: string, timestamp: string, body: Buffer): Buffer {
  return createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest()
}

const keyOf = (secret: string) =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret, 'utf8')

const same = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

const one = (value: string | string[] | undefined) => (Array.isArray(value) ? undefined : value)

/** The headers that a signature stands on: what goes along as evidence. */
export function signatureHeaders(headers: Headers): Record<string, string> {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-signature', 'x-timestamp']
  return Object.fromEntries(
    names.flatMap(name => (one(headers[name]) ? [[name, one(headers[name]) ?? '']] : [])),
  )
}
