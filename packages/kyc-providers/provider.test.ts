import { ReportError } from '@windlass/service/outbound/webhooks.ts'
import { describe, expect, it } from 'vitest'
import { createDidit } from './didit.ts'
import { parseDocument, readReport } from './read-report.ts'
import { loadKycSettings } from './settings.ts'

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
      verifiedName: null,
      identity: null,
    })
    expect(readReport(report({ status: 'DECLINED' })).status).toBe('REJECTED')
    expect(readReport(report({ status: 'IN_REVIEW' })).status).toBe('PROCESSING')
    expect(readReport(report({ status: 'Kyc Expired' })).status).toBe('NEEDS_INFO')
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
      verifiedName: null,
      identity: null,
    })
    const named = (decision: object) =>
      didit.read(Buffer.from(JSON.stringify({ ...theirs, decision }))).verifiedName
    const [first_name, last_name] = ['Elena', 'Martínez Sánchez']
    expect(named({ id_verifications: [{}, { first_name, last_name }] })).toBe('Elena Martínez Sánchez')
    expect(named({ id_verification: { first_name, full_name: 'Elena M. Sánchez' } })).toBe('Elena M. Sánchez')
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
