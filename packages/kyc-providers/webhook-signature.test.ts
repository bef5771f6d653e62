import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { createDidit } from './didit.ts'
import { ReportError } from './provider.ts'
import { parseDocument, readReport } from './read-report.ts'
import { loadKycSettings } from './settings.ts'
import { checkSignature, SignatureError, signStandard } from './webhook-signature.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const secret = 'a secret that is long enough'
const body = Buffer.from('{"event":"session.completed"}')
const hex = (key: string, bytes = body) => createHmac('sha256', key).update(bytes).digest('hex')
const signed = (key = secret, at = now) => signStandard(key, 'msg_1', body, at)

describe('a webhook signature', () => {
  it('is what the Standard Webhooks library makes, with either form of key', () => {
    const coded = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
    const theirs = new Webhook(coded).sign('msg_1', now, body.toString())
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(now.getTime() / 1000),
      'webhook-signature': theirs,
    }
    expect(checkSignature(body, headers, [coded], now)).toEqual({ deliveryKey: 'id:msg_1' })
    expect(checkSignature(body, signed(), [secret], now)).toEqual({ deliveryKey: 'id:msg_1' })
  })

  it('may be the hex HMAC of the body in x-signature, with or without sha256=', () => {
    const { deliveryKey } = checkSignature(body, { 'x-signature': hex(secret) }, [secret], now)
    expect(deliveryKey).toMatch(/^body:[0-9a-f]{64}$/)
    const prefixed = { 'x-signature': `sha256=${hex(secret)}` }
    expect(checkSignature(body, prefixed, [secret], now)).toEqual({ deliveryKey })
  })

  it('may come from either secret while one is rotated', () => {
    expect(checkSignature(body, signed('the older secret'), [secret, 'the older secret'], now)).toBeTruthy()
  })

  it.each([
    ['nothing', {}],
    ['another secret', signed('somebody else’s secret')],
    ['another body', signStandard(secret, 'msg_1', 'other', now)],
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
    ['a plain signature cut short', { 'x-signature': hex(secret).slice(0, 20) }],
    ['an empty plain signature', { 'x-signature': '' }],
  ])('is refused with %s', (_what, headers) => {
    expect(() => checkSignature(body, headers, [secret], now)).toThrow(SignatureError)
  })

  it('is refused for every other body', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), bytes => {
        fc.pre(!body.equals(Buffer.from(bytes)))
        expect(() => checkSignature(Buffer.from(bytes), signed(), [secret], now)).toThrow(SignatureError)
      }),
    )
  })
})

const data = { sessionId: 's1', status: 'APPROVED', customerId: 'c1', completedAt: '2026-03-01T11:59:00Z' }
const report = (over: object = {}, event: unknown = 'session.completed') => ({
  event,
  data: { ...data, ...over },
})

describe('a provider’s report', () => {
  it('is read as specified', () => {
    expect(readReport(report())).toEqual({
      sessionId: 's1',
      customerId: 'c1',
      status: 'ACCEPTED',
      completedAt: new Date('2026-03-01T11:59:00Z'),
    })
    expect(readReport(report({ status: 'DECLINED' })).status).toBe('REJECTED')
    expect(readReport(report({ status: 'IN_REVIEW' })).status).toBe('PROCESSING')
  })

  it.each([
    ['another event', report({}, 'session.started')],
    ['an unknown status', report({ status: 'FINE' })],
    ['no customer', report({ customerId: undefined })],
    ['a number for the session', report({ sessionId: 7 })],
    ['a NUL in the customer', report({ customerId: 'a\0b' })],
    ['half a character in the session', report({ sessionId: '\ud800' })],
    ['a time that is none', report({ completedAt: 'yesterday' })],
    ['no data', { event: 'session.completed' }],
    ['an array', []],
    ['null', null],
  ])('is refused with %s', (_what, document) => {
    expect(() => readReport(document)).toThrow(ReportError)
  })

  it('is refused when it is not JSON', () => {
    expect(() => parseDocument(Buffer.from('{'))).toThrow(ReportError)
  })

  it('may come in Didit’s own form', () => {
    const didit = createDidit({ apiUrl: 'http://localhost', apiKey: 'k', workflowId: 'w' })
    const theirs = { session_id: 's', vendor_data: 'c', status: 'In Review', timestamp: 1_772_366_400 }
    expect(didit.read(Buffer.from(JSON.stringify(theirs)))).toEqual({
      sessionId: 's',
      customerId: 'c',
      status: 'PROCESSING',
      completedAt: new Date(1_772_366_400_000),
    })
    expect(didit.read(Buffer.from(JSON.stringify(report()))).status).toBe('ACCEPTED')
  })
})

const mock = { KYC_PROVIDER: 'mock', ALLOW_MOCK_KYC: 'true', PROVIDER_WEBHOOK_SECRET: 's'.repeat(16) }

describe('the settings of the provider', () => {
  it('take the mock where it is allowed, and two secrets while one is rotated', () => {
    const settings = loadKycSettings({
      ...mock,
      PROVIDER_WEBHOOK_SECRET: `${'n'.repeat(16)},${'o'.repeat(16)}`,
    })
    expect(settings).toEqual({ provider: 'mock', webhookSecrets: ['n'.repeat(16), 'o'.repeat(16)] })
  })

  it.each([
    ['the mock on the public network', { ...mock, IS_MAINNET: 'true' }, /must not run with IS_MAINNET/],
    ['the mock without its permission', { ...mock, ALLOW_MOCK_KYC: undefined }, /ALLOW_MOCK_KYC/],
    ['no provider', { ...mock, KYC_PROVIDER: undefined }, /KYC_PROVIDER is not set/],
    ['an unknown provider', { ...mock, KYC_PROVIDER: 'acme' }, /must be mock or didit/],
    ['no webhook secret', { ...mock, PROVIDER_WEBHOOK_SECRET: '' }, /PROVIDER_WEBHOOK_SECRET/],
    ['a short webhook secret', { ...mock, PROVIDER_WEBHOOK_SECRET: 'x' }, /16 characters/],
    ['Didit without a key', { ...mock, KYC_PROVIDER: 'didit' }, /PROVIDER_API_KEY/],
  ])('refuse %s in one line', (_what, env, message) => {
    expect(() => loadKycSettings(env)).toThrow(message)
  })
})
