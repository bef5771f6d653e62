import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { SignatureError, signWebhook, verifyWebhook } from './webhooks.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const secret = 'a secret that is long enough'
const body = Buffer.from('{"event":"session.completed"}')
const hex = (key: string, bytes = body) => createHmac('sha256', key).update(bytes).digest('hex')
const signed = (key = secret, at = now) => signWebhook(key, 'msg_1', body, at)

describe('a webhook signature', () => {
  it('is what the Standard Webhooks library makes, with either form of key', () => {
    const coded = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
    const theirs = new Webhook(coded).sign('msg_1', now, body.toString())
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(now.getTime() / 1000),
      'webhook-signature': theirs,
    }
    expect(verifyWebhook(body, headers, [coded], now)).toEqual({ deliveryKey: 'id:msg_1' })
    expect(verifyWebhook(body, signed(), [secret], now)).toEqual({ deliveryKey: 'id:msg_1' })
  })

  it('may be the hex HMAC of the body in x-signature, with or without sha256=', () => {
    const { deliveryKey } = verifyWebhook(body, { 'x-signature': hex(secret) }, [secret], now)
    expect(deliveryKey).toMatch(/^body:[0-9a-f]{64}$/)
    const prefixed = { 'x-signature': `sha256=${hex(secret)}` }
    expect(verifyWebhook(body, prefixed, [secret], now)).toEqual({ deliveryKey })
  })

  it('may come from either secret while one is rotated', () => {
    expect(verifyWebhook(body, signed('the older secret'), [secret, 'the older secret'], now)).toBeTruthy()
  })

  it.each([
    ['nothing', {}],
    ['another secret', signed('someone else’s secret')],
    ['another body', signWebhook(secret, 'msg_1', 'other', now)],
    ['a timestamp of 301 s ago', signed(secret, new Date(now.getTime() - 301_000))],
    ['a timestamp 301 s ahead', signed(secret, new Date(now.getTime() + 301_000))],
    ['a changed id', { ...signed(), 'webhook-id': 'msg_2' }],
    ['no id', { ...signed(), 'webhook-id': undefined }],
    ['a timestamp that is no number', { ...signed(), 'webhook-timestamp': 'soon' }],
    [
      'an empty standard signature beside a good plain one',
      { 'webhook-signature': '', 'x-signature': hex(secret) },
    ],
    ['a plain signature of another secret', { 'x-signature': hex('other') }],
    [
      'a signature of another version',
      { ...signed(), 'webhook-signature': signed()['webhook-signature'].replace('v1,', 'v2,') },
    ],
    ['two signature headers', { ...signed(), 'webhook-signature': [signed()['webhook-signature'], 'v1,x'] }],
    ['a plain signature cut short', { 'x-signature': hex(secret).slice(0, 20) }],
    ['an empty plain signature', { 'x-signature': '' }],
  ])('is refused with %s', (_what, headers) => {
    expect(() => verifyWebhook(body, headers, [secret], now)).toThrow(SignatureError)
  })

  it('is refused for every other body', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), bytes => {
        fc.pre(!body.equals(Buffer.from(bytes)))
        expect(() => verifyWebhook(Buffer.from(bytes), signed(), [secret], now)).toThrow(SignatureError)
      }),
    )
  })
})
