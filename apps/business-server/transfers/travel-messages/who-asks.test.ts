import type { TravelInquiry } from '@windlass/contracts/anchor/travel-messages.ts'
import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { PROXY_SECRET_HEADER } from '@windlass/service/http/client-address.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../../people/customers/customers.ts'
import { travelAddressOf } from '../../people/travel-providers/travel-address.ts'
import { sendOrders } from '../../payments/rail-orders.ts'
import { BankAnchor } from '../../testing/bank-anchor.ts'
import { acceptTransaction } from '../accept.ts'
import { confirm } from '../confirm.ts'
import { sendTravelMessages } from './send.ts'
import { inquiryOf, person, post } from './testing/messages.ts'
import { receiveUnits } from '../../testing/receive-units.ts'

const OPERATOR = 'operator:asha'
const DAY = 86_400_000

/** A provider's server: what it hears, and the status by which it answers. */
class Provider {
  readonly id = randomUUID()
  readonly account = generateKey().publicKey
  readonly told: { path: string; number: string; body: string }[] = []
  status = 204
  readonly server: Server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const number = String(request.headers['request-identifier'])
      this.told.push({ path: request.url ?? '', number, body: Buffer.concat(pieces).toString() })
      response.writeHead(this.status).end()
    })
  })

  get url() {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async enter(): Promise<void> {
    if (!this.server.listening) await new Promise<void>(done => this.server.listen(0, '127.0.0.1', done))
    const entered = await anchor.asOperator('PUT', `/travel-providers/${this.id}`, {
      ...{ name: 'Other Pay', lei: null, country: 'DE', licence: null, agreedOn: null, domains: [] },
      ...{ travelAddress: travelAddressOf(`${this.url}/inquiries`), accounts: [this.account], by: OPERATOR },
    })
    expect(entered.statusCode).toBe(200)
  }
}

let anchor: BankAnchor
const [payer, stranger] = [new Provider(), new Provider()]

beforeAll(async () => {
  anchor = await BankAnchor.start()
  anchor.deps.config.anchor.publicUrl = 'http://127.0.0.1:9'
  anchor.deps.config.anchor.plan.regions.push('DE')
  anchor.deps.customerRegistry.byId = async () => ({ customerId: 'cus_1', status: 'ACCEPTED' })
  const settings = { threshold: '10', lei: null, waitsForAnswer: true }
  await anchor.asOperator('PUT', '/travel-rule', { settings, version: 0, by: OPERATOR })
})
afterAll(async () => {
  for (const { server } of [payer, stranger]) server.close()
  await anchor.close()
})
beforeEach(async () => {
  await anchor.rows('delete from travel_inquiries')
  for (const each of [payer, stranger]) {
    Object.assign(each, { status: 204 })
    each.told.length = 0
    await each.enter()
  }
})

/** A withdrawal of so much, that waits for its units. */
async function withdrawal(amount: string): Promise<{ id: string; memo: string }> {
  Object.assign(anchor, { wallet: generateKey().publicKey })
  const customer = await ensureCustomer(anchor.deps, anchor.wallet, null)
  await changeCustomer(anchor.deps, customer.id, {
    centralId: 'cus_1',
    fields: {
      ...{ first_name: 'Asha', last_name: 'Verstappen', address: 'Street 7', city: 'Cologne' },
      address_country_code: 'DEU',
    },
  })
  const { id } = await acceptTransaction(
    anchor.deps,
    anchor.transaction({
      ...{ kind: 'withdrawal', type: 'sepa', amount_expected: { amount } },
      fields: { dest: 'DE02120300000000202051', dest_name: 'Asha Verstappen' },
    }),
  )
  const { ledger_memo } = await confirm(anchor.deps, id)
  return { id, memo: ledger_memo ?? '' }
}

/** Its units come from an account of the provider. */
async function arrives(amount: string, memo: string): Promise<void> {
  await receiveUnits(anchor.deps, { amount, ledger_memo: memo }, { sender: payer.account })
  await sendOrders(anchor.deps)
}

async function payouts(id: string): Promise<number> {
  await anchor.rows('update rail_orders set next_try_at = now() where transfer_id = $1', [id])
  await sendOrders(anchor.deps)
  return (await anchor.rows('select id from bank_payouts where transfer_id = $1', [id])).length
}

/** An inquiry as agreed, in a provider's name. */
const agreed = (amount: number, memo: string, from = payer, headers: Record<string, string> = {}) => {
  const { accounts } = anchor.deps.config.anchor
  const { IVMS101, ...body } = inquiryOf(`${from.url}/answers`)
  const beneficiary = {
    ...{ beneficiaryPersons: [person('Asha Verstappen')] },
    accountNumber: [`${accounts.distribution}:${memo}`],
  }
  const { code, issuer } = servedAsset(anchor.deps.config.anchor, null)
  const extensions = { stellarAsset: `${code}:${issuer}` }
  const inquiry = { ...body, amount, extensions, IVMS101: { ...IVMS101, beneficiary } }
  return post(anchor, 'inquiries?t=i', inquiry, headers)
}
const through = (address: string) => ({
  'x-forwarded-for': address,
  [PROXY_SECRET_HEADER]: anchor.deps.config.proxySecret ?? '',
})
const tell = async () => {
  await anchor.rows(
    "update travel_inquiries set next_try_at = now() - interval '1 minute' where tells is not null",
  )
  await sendTravelMessages(anchor.deps)
}
const inquiries = async (id: string | null) =>
  (await anchor.get('/travel-inquiries?limit=100'))
    .json<TravelInquiry[]>()
    .filter(each => each.transactionId === id)

it('an inquiry counts once the provider that it names took the answer, and who sent it learns nothing', async () => {
  const out = await withdrawal('20')
  payer.status = 404
  const answer = await agreed(20, out.memo)
  expect(answer.json()).toEqual({ version: '3.2.1' })
  await tell()
  expect(payer.told).toMatchObject([{ path: '/answers', body: expect.stringContaining('"approved"') }])
  await arrives('20', out.memo)
  expect(await payouts(out.id)).toBe(0)
  const number = randomUUID()
  payer.status = 204
  await anchor.rows('update travel_inquiries set tells = null, next_try_at = null')
  for (const _ of [1, 2])
    expect((await agreed(20, out.memo, payer, { 'request-identifier': number })).json()).toEqual({
      version: '3.2.1',
    })
  expect(await payouts(out.id)).toBe(0)
  await tell()
  expect(payer.told.at(-1)).toMatchObject({ number })
  expect(await payouts(out.id)).toBe(1)
  expect((await inquiries(out.id)).map(({ state, failure }) => [state, failure])).toEqual([
    ['approved', null],
    ['approved', 'refused'],
  ])
})

it('a person approves what then also has to reach the provider, or lets money move without it', async () => {
  const out = await withdrawal('21')
  payer.status = 404
  await agreed(22, out.memo)
  await arrives('21', out.memo)
  const [expected, came] = await inquiries(out.id)
  expect([expected?.state, came?.state]).toEqual(['expected', 'waiting'])
  const decide = (id: string | undefined, decision: string) =>
    anchor.asOperator('POST', `/travel-inquiries/${id}/decision`, { decision, reason: 'Seen.', by: OPERATOR })
  await decide(came?.id, 'approve')
  await tell()
  expect(await payouts(out.id)).toBe(0)
  expect((await decide(expected?.id, 'release')).json()).toMatchObject({ state: 'released' })
  expect(await payouts(out.id)).toBe(1)
})

it('an inquiry of another provider lets nothing move', async () => {
  const out = await withdrawal('23')
  await agreed(23, out.memo, stranger)
  await tell()
  expect((await inquiries(out.id))[0]?.state).toBe('approved')
  await arrives('23', out.memo)
  expect(await payouts(out.id)).toBe(0)
  await agreed(23, out.memo)
  await tell()
  expect(await payouts(out.id)).toBe(1)
})

it('what is paid out already is approved for nobody', async () => {
  const out = await withdrawal('24')
  await agreed(24, out.memo)
  await tell()
  await arrives('24', out.memo)
  expect(await payouts(out.id)).toBe(1)
  await agreed(24, out.memo)
  expect(await inquiries(null)).toMatchObject([{ state: 'waiting' }])
})

it('forged inquiries are so many at most, and hide none of the provider', async () => {
  const out = await withdrawal('25')
  payer.status = 404
  const number = randomUUID()
  const ask = () => agreed(25, out.memo, payer, { 'request-identifier': number })
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 50; n++)
      expect((await agreed(25, out.memo, payer, through(`203.0.113.${n}`))).statusCode).toBe(200)
    const refused = await ask()
    expect(refused.statusCode).toBe(429)
    expect(refused.headers['retry-after']).toBeDefined()
    // The provider says five times that it did not ask.
    while ((await anchor.rows('select from travel_inquiries where tells is not null')).length > 0)
      await tell()
  }
  expect(payer.told).toHaveLength(3 * 50 * 5)
  await arrives('25', out.memo)
  payer.status = 204
  expect((await ask()).statusCode).toBe(200)
  await tell()
  expect(await payouts(out.id)).toBe(1)
})

it('forged inquiries of one network, or without what was agreed, do not keep the provider’s out', async () => {
  const out = await withdrawal('28')
  const forged = async (address: string, amount: number) =>
    (await agreed(amount, out.memo, payer, through(address))).statusCode
  const flood = await Promise.all(Array.from({ length: 30 }, () => forged('198.51.100.7', 28)))
  expect(flood.filter(status => status === 429).length).toBeGreaterThan(0)
  for (let n = 0; n < 50; n++) await forged(`203.0.113.${n}`, 1)
  expect(await forged('192.0.2.1', 1)).toBe(429)
  await anchor.rows("delete from travel_inquiries where state = 'approved'")
  expect((await agreed(28, out.memo)).statusCode).toBe(200)
  await tell()
  await arrives('28', out.memo)
  expect(await payouts(out.id)).toBe(1)
  // Who sent it is kept no longer than it is counted.
  expect(await anchor.rows("select 1 from travel_inquiries where client = '127.0.0.1'")).toEqual([])
})

it('inquiries about nothing that waits are bounded for each provider', async () => {
  await Promise.all(Array.from({ length: 50 }, (_, n) => agreed(1, '1', payer, through(`203.0.113.${n}`))))
  await anchor.rows(
    `insert into travel_inquiries (id, direction, protocol, request, provider_id, provider_name, state, sealed, created_at)
      select gen_random_uuid(), 'received', 'trp', gen_random_uuid(), provider_id, provider_name, 'waiting', sealed, now()
      from travel_inquiries, generate_series(1, 9)`,
  )
  expect((await agreed(1, '1')).statusCode).toBe(429)
  expect((await agreed(1, '1', stranger)).statusCode).toBe(200)
})

it.each([
  ['nobody takes it for a week', async () => undefined, 6, 9],
  [
    'its provider is gone',
    () => anchor.rows('delete from travel_providers where id = $1', [payer.id]),
    ...([0, 1] as const),
  ],
])('a message is repeated no more when %s', async (_, happens, fewest, most) => {
  const out = await withdrawal('26')
  payer.status = 500
  await agreed(26, out.memo)
  await happens()
  const { clock } = anchor.deps
  let now = Date.now()
  anchor.deps.clock = { ...clock, now: () => new Date(now) }
  const waits = async () =>
    (
      await anchor.rows<{ at: Date }>(
        'select next_try_at as at from travel_inquiries where tells is not null',
      )
    )[0]
  const began = now
  for (let due = await waits(), n = 0; due && n < 400; due = await waits(), n++) {
    now = Math.max(now, due.at.getTime())
    await sendTravelMessages(anchor.deps)
  }
  anchor.deps.clock = clock
  expect(await waits()).toBeUndefined()
  expect((now - began) / DAY).toBeGreaterThanOrEqual(fewest)
  expect((now - began) / DAY).toBeLessThan(most)
  expect((await inquiries(out.id))[0]?.failure).not.toBeNull()
})

it('counts the messages of each client by the address that the proxy forwards', async () => {
  const path = `answers/${randomUUID()}`
  const send = (address: string) => post(anchor, path, { rejected: 'No.' }, through(address))
  const answers = await Promise.all(Array.from({ length: 601 }, () => send('192.0.2.9')))
  expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(1)
  expect((await send('192.0.2.10')).statusCode).toBe(404)
})
