import { type AnchorSettings, plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { startSepApp, testAnchor, type SepApp } from '../testing/sep-app.ts'
import { createTerms, type CurrentTerms } from './terms.ts'

let app: SepApp
const planned = plannedSettings(testAnchor.plan)
let settings: CurrentTerms = planned
beforeAll(async () => {
  const stellarToml = join(await mkdtemp(join(tmpdir(), 'terms-')), 'stellar.toml')
  await writeFile(stellarToml, 'VERSION = "2.7.0"\n\n[DOCUMENTATION]\nORG_NAME = "Mumbai Pay"\n')
  app = await startSepApp({ terms: { current: async () => settings } }, { stellarToml })
})
afterAll(() => app.close())

const get = async (url: string) => (await app.server.app.inject(url)).json()

it('fees, limits and rails of the settings are in the SEP files', async () => {
  settings = {
    ...planned,
    fees: {
      deposit: { fixed: '2', percentage: '0.01' },
      withdrawal: { fixed: '3', percentage: '0' },
      rails: [],
    },
    limits: { ...planned.limits, min: '5', max: '50' },
    rails: [{ name: 'IMPS', deposits: false, withdrawals: true }],
    paused: { deposits: null, withdrawals: 'Back on Monday.' },
  }
  const sep24 = await get('/sep24/info')
  const limits = { min_amount: 5, max_amount: 50 }
  expect(sep24.deposit.MUMBAI).toEqual({ enabled: true, ...limits, fee_fixed: 2, fee_percent: 1 })
  expect(sep24.withdraw.MUMBAI).toEqual({ enabled: false, ...limits, fee_fixed: 3, fee_percent: 0 })
  const sep6 = await get('/sep6/info')
  expect(sep6.deposit.MUMBAI).toMatchObject({ enabled: true, ...limits, funding_methods: ['upi'] })
  expect(sep6.withdraw.MUMBAI).toMatchObject({ enabled: false, funding_methods: ['upi', 'imps'] })
  const [, rupee] = (await get('/sep38/info')).assets
  expect(rupee.sell_delivery_methods.map(({ name }: { name: string }) => name)).toEqual(['upi'])
  expect(rupee.buy_delivery_methods).toHaveLength(2)
  const page = (await app.server.app.inject('/')).body
  for (const text of ['2 MUMBAI + 1 %', '3 MUMBAI + 0 %', '5 to 50 MUMBAI', 'Back on Monday.'])
    expect(page).toContain(text)
})

it('a fee that depends on the rail is left to quotes', async () => {
  const rails = [{ rail: 'IMPS', direction: 'deposit' as const, fixed: '9', percentage: '0' }]
  settings = { ...planned, fees: { ...planned.fees, rails } }
  const { deposit, withdraw } = await get('/sep24/info')
  expect(deposit.MUMBAI).not.toHaveProperty('fee_fixed')
  expect(withdraw.MUMBAI).toMatchObject({ fee_fixed: 0.5 })
})

it('an asset without a rate for any rail is not enabled', async () => {
  const asset = `${testAnchor.plan.asset.code}:${testAnchor.accounts.issuer}`
  settings = { ...planned, unpriced: [{ asset: `OTHER:${testAnchor.accounts.issuer}`, currency: 'INR' }] }
  expect((await get('/sep24/info')).deposit.MUMBAI.enabled).toBe(true)
  settings = { ...planned, unpriced: [{ asset, currency: 'INR' }] }
  const { deposit, withdraw } = await get('/sep6/info')
  expect([deposit.MUMBAI, withdraw.MUMBAI]).toMatchObject([
    { enabled: false, funding_methods: [] },
    { enabled: false, types: {} },
  ])
  expect((await get('/sep24/info')).deposit.MUMBAI.enabled).toBe(false)
  expect((await get('/sep31/info')).receive.MUMBAI.enabled).toBe(false)
})

it('a paused direction starts nothing, and says why', async () => {
  settings = { ...planned, paused: { deposits: 'Back on Monday.', withdrawals: null } }
  const account = generateKey().publicKey
  const session = { account, memo: null, clientDomain: null, homeDomain: 'x', tokenId: 'a' }
  const headers = { authorization: `Bearer ${await app.deps.tokens.issue(session, new Date())}` }
  const start = (side: string) =>
    app.server.app.inject({
      method: 'POST',
      url: `/sep24/transactions/${side}/interactive`,
      headers,
      payload: { asset_code: 'MUMBAI' },
    })
  const refused = await start('deposit')
  expect([refused.statusCode, refused.json()]).toEqual([400, { error: 'Back on Monday.' }])
  expect((await start('withdraw')).statusCode).toBe(200)
})

it('logo and support address are in the discovery file, whatever they contain', async () => {
  const logo = 'a'.repeat(64)
  settings = { ...planned, branding: { color: null, logo, supportEmail: `"x\\$&"@mumbai.example` } }
  const toml = (await app.server.app.inject('/.well-known/stellar.toml')).body
  expect(toml).toContain(`ORG_LOGO = "http://mumbai.anchors.localhost/interactive/logos/${logo}"\n`)
  expect(toml).toContain('ORG_SUPPORT_EMAIL = "\\"x\\\\$&\\"@mumbai.example"\n')
  expect(toml).toContain('ORG_NAME = "Mumbai Pay"')
})

it('settings are read again after a second, once for all who ask; without an answer the last ones count', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(10_000)
  const answers: (() => Promise<{ version: number; settings: AnchorSettings }>)[] = []
  let asked = 0
  const read = () => {
    asked += 1
    return (answers.shift() ?? (() => Promise.reject(new Error('away'))))()
  }
  const terms = createTerms({ terms: read }, testAnchor, createLogger('terms', 'silent'))
  const paused = { ...planned, paused: { deposits: 'No.', withdrawals: null } }
  expect(await terms.current()).toEqual(planned)
  answers.push(async () => ({ version: 1, settings: paused }))
  expect(await terms.current()).toEqual(planned)
  now.mockReturnValue(11_001)
  expect(await Promise.all([terms.current(), terms.current()])).toEqual([paused, paused])
  expect(asked).toBe(2)
  now.mockReturnValue(13_000)
  expect(await terms.current()).toEqual(paused)
  now.mockRestore()
})
