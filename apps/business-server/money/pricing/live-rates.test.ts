import type { PlatformTransaction, RateRequest } from '@windlass/contracts/anchor/anchor-platform.ts'
import { getExchangeRates } from '@windlass/contracts/internal/internal.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import { SignJWT } from 'jose'
import { createSecretKey, randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { receiveRailPayment } from '../../payments/receive-rail-payment.ts'
import { answerRate } from '../../transfers/quotes/answer-rate.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'
import { developmentConfig } from '../../testing/development-config.ts'
import { acceptTransaction } from '../../transfers/accept.ts'
import { confirm } from '../../transfers/confirm.ts'
import { findTransfer } from '../../transfers/find.ts'

const clock = fakeClock(new Date())
/** The platform: its rate for rupees, made just now; null: it has none. */
let rupees: string | null = '88.50'
let platform: Server
let app: BusinessApp
beforeAll(async () => {
  platform = createServer((request, response) => {
    const isAsked = request.url === getExchangeRates.path && request.headers['x-service-secret']
    response.writeHead(isAsked && rupees ? 200 : 503, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ at: clock.now().toISOString(), rates: { INR: rupees } }))
  })
  await new Promise<void>(resolve => platform.listen(0, '127.0.0.1', resolve))
  const ledger: UnreliableNetwork = new UnreliableNetwork({ asset: () => ours() })
  const key = generateKey()
  const { anchor } = developmentConfig('', { issuer: key, distribution: generateKey(), signing: key })
  const platformUrl = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`
  const settings = { anchor: { ...anchor, platformUrl, fxRatesWithin: 600 } }
  app = await startBusinessApp({ horizon: ledger, clock }, settings)
  const owner = { customerId: 'cus_1', status: 'ACCEPTED' as const, walletVerified: true }
  app.deps.customerRegistry.byWallet = async () => owner
})
afterAll(async () => {
  await app.close()
  platform.close()
})
beforeEach(() => at('88.50'))

const ours = () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`

/** The platform's rate from now on, and as long since the last look that it is asked for again. */
function at(rate: string | null): void {
  rupees = rate
  clock.advance(31_000)
}

async function deposit(amount?: string): Promise<string> {
  const account = generateKey().publicKey
  const reported: PlatformTransaction = {
    ...{ id: randomUUID(), sep: '24', kind: 'deposit', status: 'incomplete' },
    ...{ started_at: '', updated_at: '', destination_account: account, creator: { account } },
    ...{ customers: { sender: { account } }, claimable_balance_supported: false, type: 'upi' },
    ...(amount ? { amount_expected: { amount } } : {}),
  }
  return (await acceptTransaction(app.deps, reported)).id
}
const found = async (id: string) => (await findTransfer(app.deps.database.db, id))!

it('prices by the platform’s rate of the moment, and by none that is too old', async () => {
  const request = { type: 'indicative', sell_asset: 'iso4217:INR', buy_asset: `stellar:${ours()}` }
  const quote = async () => {
    await app.deps.refreshRates()
    return (await answerRate(app.deps, { ...request, buy_amount: '100' } as RateRequest)).rate.total_price
  }
  const first = Number(await quote())
  at('177')
  expect(Number(await quote())).toBeCloseTo(2 * first, 4)
  at(null)
  expect(Number(await quote())).toBeCloseTo(2 * first, 4)
  clock.advance(600_000)
  await expect(quote()).rejects.toMatchObject({ code: 'unsupported-pair' })
  at('88.50')
  expect(Number(await quote())).toBe(first)
})

it('shows the customer the new amounts where the rate moved before they confirmed', async () => {
  const id = await deposit()
  const session = await new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience('interactive-session')
    .setJti(id)
    .setExpirationTime('1h')
    .sign(createSecretKey(Buffer.from(app.deps.config.secrets.jwt)))
  const page = { url: `/interactive/t/${id}`, cookies: { [`anchor_full_${id}`]: session } }
  const submit = (act: string, payload: Record<string, string>) =>
    app.server.app.inject({ ...page, method: 'POST', url: `${page.url}/${act}`, payload })
  await submit('details', { amount: '20', rail: 'UPI' })
  const priceOn = (html: string) => /name="money" value="([\d.]+)"/.exec(html)?.[1] ?? ''
  const seen = priceOn((await app.server.app.inject(page)).body)
  at('89.50')
  const changed = await submit('confirm', { money: seen })
  expect(changed.statusCode).toBe(422)
  expect(changed.body).toContain('The exchange rate has changed.')
  expect((await found(id)).state).toBe('new')
  expect(Number(priceOn(changed.body))).toBeGreaterThan(Number(seen))
  expect((await submit('confirm', { money: priceOn(changed.body) })).statusCode).toBe(303)
  const agreed = await found(id)
  expect([agreed.state, Number(agreed.fiat_amount)]).toEqual([
    'awaiting_funds',
    Number(priceOn(changed.body)),
  ])
  // The agreed rate stays on the page.
  at('99')
  expect((await app.server.app.inject(page)).body).toContain('1 MUMBAI = 89.5 INR')
})

it('keeps money that has to be priced waiting for a rate, and takes what was agreed without one', async () => {
  const [agreed, open] = [await deposit('20'), await deposit()]
  for (const id of [agreed, open]) await confirm(app.deps, id)
  at(null)
  clock.advance(600_000)
  const pay = async (id: string, amount: string) => {
    const { reference, currency } = await found(id)
    const report = { paymentId: `paid for ${id}`, reference: reference ?? '', amount, currency }
    await receiveRailPayment(app.deps, 'UPI', { kind: 'received', ...report })
    return (await found(id)).state
  }
  expect(await pay(agreed, (await found(agreed)).fiat_amount ?? '')).toBe('funded')
  await expect(pay(open, '8850')).rejects.toMatchObject({ code: 'dependency-unavailable' })
  await expect(confirm(app.deps, await deposit('20'))).rejects.toMatchObject({
    code: 'dependency-unavailable',
  })
  expect((await found(open)).state).toBe('awaiting_funds')
  at('88.50')
  expect(await pay(open, '8850')).toBe('funded')
})
