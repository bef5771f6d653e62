import {
  getApplication,
  listApplications,
  rejectApplication,
  submitApplication,
} from '@windlass/contracts/platform/applications.ts'
import { startLocalNetwork } from '@windlass/local-network/local-network.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { openIssuer } from '@windlass/stellar/testing/issuer.ts'
import { AuthClawbackEnabledFlag, AuthRequiredFlag, AuthRevocableFlag } from '@stellar/stellar-sdk/base'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type TestApp, productionEnv, signInAdmin, testApp } from '../testing/app.ts'
import { companyProfile, refusal } from '../testing/story.ts'
import { sweepCredentials } from './credentials.ts'

let app: TestApp
let admin: Awaited<ReturnType<typeof signInAdmin>>

beforeAll(async () => {
  app = await testApp()
  admin = await signInAdmin(app)
})
afterAll(() => app.close())
beforeEach(() => {
  app.secrets.down = false
})

const SOME_ISSUER = generateKey().publicKey
const post = (url: string, payload: unknown, headers: Record<string, string> = {}) =>
  app.server.app.inject({
    method: 'POST',
    url: `/api/v1${url}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })

describe('submitting an application', () => {
  it('takes the smallest body and answers with the id and the initial status', async () => {
    const answer = await post('/applications', {
      companyProfile,
      stellarConfig: {},
      paymentRails: {},
      compliance: {},
    })
    expect(answer.statusCode).toBe(201)
    expect(answer.json()).toEqual({
      id: expect.stringMatching(/^app_[\w-]{22}$/),
      status: 'applied',
      companyProfile,
      stellarConfig: {},
      compliance: {},
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })

  it('tells anyone who has its id how far it is, and nothing else of it', async () => {
    const { id } = (await post('/applications', { companyProfile })).json<{ id: string }>()
    const statusOf = (of: string) => app.server.app.inject(`/api/v1/applications/${of}/status`)
    expect((await statusOf(id)).json()).toEqual({ status: 'applied' })
    await admin.call(rejectApplication, { params: { id }, body: { reason: 'No licence' } })
    expect((await statusOf(id)).json()).toEqual({ status: 'rejected' })
    expect((await statusOf('app_other')).statusCode).toBe(404)
  })

  it('emails one address about five a day, however many applications name it', async () => {
    const strict = await testApp({ env: productionEnv })
    onTestFinished(() => strict.close())
    for (let n = 0; n < 12; n++) {
      const address = n % 2 ? 'Unasked@elsewhere.example' : 'unasked@elsewhere.example'
      const body = { companyProfile: { ...companyProfile, businessEmail: address } }
      const answer = await strict.server.app.inject({
        ...{ method: 'POST', url: '/api/v1/applications', payload: body },
      })
      expect(answer.statusCode).toBe(201)
    }
    await strict.drain()
    expect(strict.mails.filter(({ to }) => to.toLowerCase() === 'unasked@elsewhere.example')).toHaveLength(5)
  })

  it('needs the company profile alone', async () => {
    expect((await post('/applications', { companyProfile })).statusCode).toBe(201)
  })

  it('keeps known and further fields as given and shows them to the administrator', async () => {
    const given = {
      companyProfile: {
        ...companyProfile,
        website: 'https://mumbai.example',
        teamSize: 12,
        offices: ['Pune'],
      },
      stellarConfig: { assetCode: 'INRX', assetName: 'Rupee', anchoredTo: 'INR', network: 'testnet' },
      compliance: { jurisdiction: 'IN', regions: ['in', 'AE'], pep: { screened: true } },
    }
    const { id } = await app.client().call(submitApplication, { body: given })
    const shown = await admin.call(getApplication, { params: { id } })
    expect(shown).toMatchObject({
      companyProfile: given.companyProfile,
      stellarConfig: given.stellarConfig,
      compliance: { ...given.compliance, regions: ['IN', 'AE'] },
      reviewedAt: null,
      reviewedBy: null,
      reason: null,
      invitation: null,
    })
  })

  it('takes names of one line only: they go into the lines of emails and files', async () => {
    for (const [field, text] of [
      ['name', 'Acme\r\nBcc: other@example.org'],
      ['name', 'Acme\u2028B'],
      ['contactName', 'Ada\nB'],
    ] as const) {
      const answer = await post('/applications', { companyProfile: { ...companyProfile, [field]: text } })
      expect([field, answer.statusCode]).toEqual([field, 400])
      expect(answer.json()).toMatchObject({ code: 'validation-failed' })
    }
  })

  it('reads rails, fee and limits leniently and keeps them exactly', async () => {
    const paymentRails = {
      rails: ['upi', 'SEPA', 'UPI'],
      fee: { fixed: 0.25, percentage: '0.0125' },
      limits: { min: 5, max: '250000.50' },
      settlement: 'under_60_minutes' as const,
    }
    const { id } = await app.client().call(submitApplication, { body: { companyProfile, paymentRails } })
    const shown = await admin.call(getApplication, { params: { id } })
    expect(shown.paymentRails).toEqual({
      rails: ['UPI', 'SEPA'],
      fee: { fixed: '0.25', percentage: '0.0125' },
      limits: { min: '5', max: '250000.5' },
      settlement: 'under_60_minutes',
    })
    expect(shown.hasCredentials).toBe(false)
  })

  const part = (name: string, value: unknown) => ({ companyProfile, [name]: value })
  const many = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, value]))
  it.each([
    ['no company profile', {}, 'companyProfile'],
    ['no email address', { companyProfile: { name: 'x' } }, 'companyProfile.businessEmail'],
    [
      'a wrong email address',
      { companyProfile: { name: 'x', businessEmail: 'nobody' } },
      'companyProfile.businessEmail',
    ],
    [
      'an email address with a line break',
      { companyProfile: { name: 'x', businessEmail: 'a@b.example\r\nBcc: c@d.example' } },
      'companyProfile.businessEmail',
    ],
    ['a blank name', { companyProfile: { name: '  ', businessEmail: 'a@b.example' } }, 'companyProfile.name'],
    [
      'a name that is no text',
      { companyProfile: { name: 1, businessEmail: 'a@b.example' } },
      'companyProfile.name',
    ],
    ['a part that is no object', part('compliance', 'none'), 'compliance'],
    ['an impossible asset code', part('stellarConfig', { assetCode: 'IN-R' }), 'stellarConfig.assetCode'],
    [
      'an existing asset whose issuer is no account',
      part('stellarConfig', { assets: [{ code: 'USDC', issuer: 'GNOBODY' }] }),
      'stellarConfig.assets.0.issuer',
    ],
    [
      'an impossible code in the list of assets',
      part('stellarConfig', { assets: [{ code: 'US-D' }] }),
      'stellarConfig.assets.0.code',
    ],
    [
      'XLM without a rate for it',
      part('stellarConfig', { assets: [{ code: 'XLM' }] }),
      'stellarConfig.assets.0.code',
    ],
    [
      'an asset of its own called XLM',
      part('stellarConfig', { assetCode: 'Xlm' }),
      'stellarConfig.assetCode',
    ],
    [
      'XLM with an issuer',
      part('stellarConfig', { assets: [{ code: 'XLM', issuer: SOME_ISSUER }] }),
      'stellarConfig.assets.0.issuer',
    ],
    [
      'XLM that is pegged',
      part('stellarConfig', { assets: [{ code: 'XLM', anchoredTo: 'USD' }] }),
      'stellarConfig.assets.0.anchoredTo',
    ],
    [
      'XLM after another asset',
      part('stellarConfig', { assets: [{ code: 'INRX' }, { code: 'XLM' }] }),
      'stellarConfig.assets.1.code',
    ],
    [
      'one asset said in two ways',
      part('stellarConfig', { assetCode: 'INRX', assets: [{ code: 'INRX' }] }),
      'stellarConfig.assetCode',
    ],
    [
      'an asset of its own beside the first',
      part('stellarConfig', { assets: [{ code: 'INRX' }, { code: 'EURX' }] }),
      'stellarConfig.assets.1.issuer',
    ],
    [
      'the same existing asset twice',
      part('stellarConfig', {
        assets: [
          { code: 'INRX' },
          { code: 'USDC', issuer: SOME_ISSUER },
          { code: 'USDC', issuer: SOME_ISSUER },
        ],
      }),
      'stellarConfig.assets.2',
    ],
    [
      'codes that differ in case alone',
      part('stellarConfig', { assets: [{ code: 'Usdc' }, { code: 'USDC', issuer: SOME_ISSUER }] }),
      'stellarConfig.assets.0.code',
    ],
    [
      'a further asset that no rail of the anchor has a rate for',
      part('stellarConfig', {
        assets: [{ code: 'INRX' }, { code: 'EURC', issuer: SOME_ISSUER, anchoredTo: 'EUR' }],
      }),
      'stellarConfig.assets.1.anchoredTo',
    ],
    [
      'a currency that no rail moves',
      part('stellarConfig', { anchoredTo: 'BRL' }),
      'stellarConfig.anchoredTo',
    ],
    [
      'a first asset in a currency that no rail moves',
      part('stellarConfig', { assets: [{ code: 'BRLX', anchoredTo: 'BRL' }] }),
      'stellarConfig.assets.0.anchoredTo',
    ],
    [
      'six assets',
      part('stellarConfig', {
        assets: Array.from({ length: 6 }, (_, index) => ({
          code: `A${index}`,
          issuer: generateKey().publicKey,
        })),
      }),
      'stellarConfig.assets',
    ],
    ['no asset', part('stellarConfig', { assets: [] }), 'stellarConfig.assets'],
    ['an unknown rail', part('paymentRails', { rails: ['UPI', 'PIGEON'] }), 'paymentRails.rails.1'],
    ['a negative fee', part('paymentRails', { fee: { fixed: '-1' } }), 'paymentRails.fee.fixed'],
    [
      'a fee with eight digits',
      part('paymentRails', { fee: { fixed: '0.00000001' } }),
      'paymentRails.fee.fixed',
    ],
    [
      'a percentage above one',
      part('paymentRails', { fee: { percentage: 5 } }),
      'paymentRails.fee.percentage',
    ],
    ['a limit of zero', part('paymentRails', { limits: { max: 0 } }), 'paymentRails.limits.max'],
    [
      'limits the wrong way round',
      part('paymentRails', { limits: { min: 9, max: 8 } }),
      'paymentRails.limits.min',
    ],
    [
      'a minimum above all there is',
      part('paymentRails', { limits: { min: 2e6 } }),
      'paymentRails.limits.min',
    ],
    [
      'a limit that is no number',
      part('paymentRails', { limits: { min: 'NaN' } }),
      'paymentRails.limits.min',
    ],
    ['a region that is none', part('compliance', { regions: ['1N'] }), 'compliance.regions.0'],
    ['33 further fields', part('compliance', many(33, 1)), 'compliance'],
    ['further fields over 4 KB', part('stellarConfig', { note: 'x'.repeat(5000) }), 'stellarConfig'],
    ['credentials over 4 KB', part('paymentRails', { credentials: 'x'.repeat(5000) }), 'paymentRails'],
  ])('refuses %s and names the field', async (_what, body, path) => {
    const before = (await admin.call(listApplications)).length
    const answer = await post('/applications', body)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ code: 'validation-failed' })
    expect(answer.json().errors.map((error: { path: string }) => error.path)).toContain(path)
    expect(await admin.call(listApplications)).toHaveLength(before)
  })

  it('takes 32 further fields', async () => {
    expect((await post('/applications', part('compliance', many(32, 1)))).statusCode).toBe(201)
  })

  it('answers the same to the same Idempotency-Key, and once', async () => {
    const before = (await admin.call(listApplications)).length
    const headers = { 'idempotency-key': 'k-1' }
    const first = await post('/applications', { companyProfile }, headers)
    const second = await post('/applications', { companyProfile }, headers)
    expect(second.json()).toEqual(first.json())
    expect(await admin.call(listApplications)).toHaveLength(before + 1)
    const other = await post(
      '/applications',
      { companyProfile: { ...companyProfile, name: 'Other' } },
      headers,
    )
    expect([other.statusCode, other.json().code]).toEqual([422, 'idempotency-key-reused'])
  })

  it('takes sixty in a quarter of an hour from one client outside local development', async () => {
    const strict = await testApp({ env: productionEnv })
    const ask = (address: string) =>
      strict.server.app.inject({
        method: 'POST',
        url: '/api/v1/applications',
        headers: { 'x-windlass-proxy': strict.config.web.proxySecret ?? '', 'x-forwarded-for': address },
        payload: { companyProfile },
      })
    for (let count = 0; count < 60; count++) expect((await ask('203.0.113.1')).statusCode).toBe(201)
    const refused = await ask('203.0.113.1')
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'too-many-requests'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await ask('203.0.113.2')).statusCode).toBe(201)
    await strict.close()
  })
})

describe('rail credentials', () => {
  const paymentRails = {
    credentials: { apiKey: 'rail-s3cret' },
    upi: { merchant: 'rail-s3cret-2' },
    rails: ['UPI'],
  }

  it('are in the secrets store alone', async () => {
    const answer = await post('/applications', { companyProfile, paymentRails })
    expect(answer.body).not.toContain('rail-s3cret')
    const { id } = answer.json()
    const name = `windlass/applications/${id}/rails`
    const { rails: _, ...secret } = paymentRails
    expect(JSON.parse(app.secrets.get(name) ?? '')).toEqual(secret)
    const shown = await admin.call(getApplication, { params: { id } })
    expect(shown).toMatchObject({ hasCredentials: true, paymentRails: { rails: ['UPI'] } })
    for (const table of ['applications', 'stored_credentials', 'outbox', 'audit_log', 'idempotency_keys']) {
      const { rows } = await app.database.pool.query(`select t::text from ${table} t`)
      expect(JSON.stringify(rows)).not.toContain('rail-s3cret')
    }
  })

  it('are refused where a value is not what the provider of the rail needs, by the path of the field', async () => {
    const refusedPath = async (credentials: object) => {
      const answer = await post('/applications', { companyProfile, paymentRails: { credentials } })
      return [answer.statusCode, answer.json().errors?.[0]?.path]
    }
    expect(await refusedPath({ UPI: { vpa: 'no-at-sign' } })).toEqual([
      400,
      'paymentRails.credentials.UPI.vpa',
    ])
    expect(await refusedPath({ SEPA: { iban: 'DE89370400440532013001' } })).toEqual([
      400,
      'paymentRails.credentials.SEPA.iban',
    ])
    expect(await refusedPath({ SEPA: { webhookSecret: 'short' } })).toEqual([
      400,
      'paymentRails.credentials.SEPA.webhookSecret',
    ])
    expect(await refusedPath({ ACH: { provider: 'acme' } })).toEqual([
      400,
      'paymentRails.credentials.ACH.provider',
    ])
    expect(await refusedPath({ UPI: { vpa: 'mumbai@okbank', merchantId: 'm-1' } })).toEqual([201, undefined])
  })

  it('are needed nowhere: an empty object is none', async () => {
    const before = app.secrets.size
    await post('/applications', { companyProfile, paymentRails: { credentials: {} } })
    expect(app.secrets.size).toBe(before)
  })

  it('refuse the application while the store is down, and leave nothing behind', async () => {
    const before = (await admin.call(listApplications)).length
    app.secrets.down = true
    const answer = await post('/applications', { companyProfile, paymentRails })
    expect([answer.statusCode, answer.json().code]).toEqual([503, 'dependency-unavailable'])
    expect(answer.headers['retry-after']).toBeDefined()
    expect(answer.body).not.toContain('ECONNREFUSED')
    expect(await admin.call(listApplications)).toHaveLength(before)
    app.secrets.down = false
    await app.drain()
    const { rows } = await app.database.pool.query(`select * from stored_credentials where state <> 'kept'`)
    expect(rows).toEqual([])
    expect((await post('/applications', { companyProfile })).statusCode).toBe(201)
  })

  it('are deleted on rejection, also when the store is down at that moment', async () => {
    const { id } = (await post('/applications', { companyProfile, paymentRails })).json()
    const name = `windlass/applications/${id}/rails`
    app.secrets.down = true
    await admin.call(rejectApplication, { params: { id }, body: {} })
    await app.drain()
    expect(app.secrets.has(name)).toBe(true)
    app.secrets.down = false
    await app.database.pool.query('update outbox set next_at = now() where delivered_at is null')
    await app.drain()
    expect(app.secrets.has(name)).toBe(false)
    expect(await admin.call(getApplication, { params: { id } })).toMatchObject({ hasCredentials: false })
  })

  it('that a crash left between store and application are found and removed, and no others', async () => {
    const { id } = (await post('/applications', { companyProfile, paymentRails })).json()
    app.secrets.set('windlass/applications/app_crashed/rails', '{}')
    await app.database.pool.query(
      `insert into stored_credentials (name, state, created_at) values
       ('windlass/applications/app_crashed/rails', 'writing', now() - interval '6 minutes'),
       ('windlass/applications/app_under_way/rails', 'writing', now())`,
    )
    expect(await sweepCredentials(app.deps)).toBe(1)
    await app.drain()
    expect(app.secrets.has('windlass/applications/app_crashed/rails')).toBe(false)
    expect(app.secrets.has(`windlass/applications/${id}/rails`)).toBe(true)
    const { rows } = await app.database.pool.query(
      `select name from stored_credentials where name like '%app_crashed%' or name like '%app_under_way%'`,
    )
    expect(rows).toEqual([{ name: 'windlass/applications/app_under_way/rails' }])
  })
})

it('takes an application for XLM where there is a rate for it: a fixed one, or one of the source', async () => {
  const body = { companyProfile, stellarConfig: { assets: [{ code: 'XLM' }] } }
  const fixed = await testApp({ env: { FX_RATE_XLM_USDC: '8' } })
  expect(await fixed.client().call(submitApplication, { body })).toMatchObject({ status: 'applied' })
  await fixed.close()
  const folder = mkdtempSync(join(tmpdir(), 'rates-'))
  const path = join(folder, 'rates.json')
  const state = (rates: object) => writeFileSync(path, JSON.stringify({ at: new Date(), rates }))
  state({ INR: 88.5 })
  const dated = await testApp({ env: { FX_RATES_PATH: path, FX_RATE_XLM_USDC: '8' } })
  const refused = await refusal(dated.client().call(submitApplication, { body }))
  expect(refused.problem.errors).toMatchObject([{ path: 'stellarConfig.assets.0.code' }])
  await dated.close()
  state({ INR: 88.5, XLM: 8 })
  const listed = await testApp({ env: { FX_RATES_PATH: path } })
  expect(await listed.client().call(submitApplication, { body })).toMatchObject({ status: 'applied' })
  await listed.close()
  rmSync(folder, { recursive: true })
})

it('an issuer is looked up on the network: what it may do is said, one that is missing is refused, and any is accepted while the ledger is silent', async () => {
  const network = await startLocalNetwork({ closeEvery: 'at-once' })
  const own = await testApp({ env: { HORIZON_URL: network.url } })
  const [known, unknown] = [generateKey().publicKey, generateKey().publicKey]
  await (await fetch(`${network.friendbotUrl}?addr=${known}`)).text()
  const submit = (issuer: string) =>
    own.client().call(submitApplication, {
      body: { companyProfile, stellarConfig: { assets: [{ code: 'USDC', issuer }] } },
    })
  const accepted = await submit(known)
  expect(accepted.stellarConfig).toEqual({ assets: [{ code: 'USDC', issuer: known }] })
  expect(accepted).not.toHaveProperty('warnings')
  await expect(submit(unknown)).rejects.toMatchObject({
    status: 400,
    problem: {
      errors: [{ path: 'stellarConfig.assets.0.issuer', message: 'must be an account on this network' }],
    },
  })
  const strict = await openIssuer(network, AuthRequiredFlag | AuthRevocableFlag | AuthClawbackEnabledFlag)
  expect((await submit(strict.publicKey)).warnings).toEqual(
    ['authorization-required', 'revocable', 'clawback'].map(kind => ({ asset: 'USDC', kind })),
  )
  await network.stop()
  expect(await submit(unknown)).toMatchObject({ status: 'applied' })
  await own.close()
})
