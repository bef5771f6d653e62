import { Keypair } from '@stellar/stellar-sdk/base'
import { PROXY_SECRET_HEADER } from '@windlass/service/client-address.ts'
import { createMemoryRate } from '@windlass/service/rates.ts'
import { muxedAccount } from '@windlass/stellar/addresses.ts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startSepApp, type SepApp } from './testing/sep-app.ts'

let app: SepApp
let putBy: (string | undefined)[]
beforeAll(async () => {
  putBy = []
  app = await startSepApp(
    {
      business: {
        getCustomer: async () => ({ status: 'NEEDS_INFO', fields: {} }),
        putCustomer: async (_fields, clientAddress) => {
          putBy.push(clientAddress)
          return { id: 'c1' }
        },
        deleteCustomer: async () => undefined,
        terms: () => Promise.reject(new Error('no settings')),
        rate: async () => {
          throw new Error('no rate was to be asked for')
        },
        startDirectPayment: async () => null,
        payDeposit: async () => {
          throw new Error('no deposit was to be paid')
        },
        event: async () => undefined,
      },
    },
    { local: false },
  )
})
afterAll(() => app.close())

const freeKey = () => Keypair.random().publicKey()
/** What the reverse proxy says of a client. */
const from = (address: string, proof = app.deps.config.proxySecret ?? '') => ({
  'x-forwarded-for': address,
  [PROXY_SECRET_HEADER]: proof,
})
async function tokenOf(account: string, memo: string | null = null) {
  const session = { account, memo, clientDomain: null, homeDomain: 'x', tokenId: 'a' }
  return { authorization: `Bearer ${await app.deps.tokens.issue(session, new Date())}` }
}
const statusesOf = (answers: { statusCode: number }[]) => ({
  accepted: answers.filter(({ statusCode }) => statusCode < 300).length,
  refused: answers.filter(({ statusCode }) => statusCode === 429).length,
})
const deposit = async (headers: Record<string, string>) =>
  app.server.app.inject({ url: '/sep6/deposit?asset_code=MUMBAI&amount=10&type=upi', headers })
const stored = async (table: string): Promise<number> =>
  Number((await app.deps.database.pool.query(`select count(*) from ${table}`)).rows[0].count)

describe('deposits', () => {
  it('of one free key are bounded, whatever memos and muxed accounts it makes up', async () => {
    const before = await stored('transactions')
    const base = freeKey()
    const answers = []
    for (let id = 1; id <= 120; id++) {
      const token = await (id % 2 ? tokenOf(base, String(id)) : tokenOf(muxedAccount(base, String(id))))
      answers.push(await deposit({ ...token, ...from(`198.51.100.${id}`) }))
    }
    expect(statusesOf(answers)).toEqual({ accepted: 100, refused: 20 })
    expect((await stored('transactions')) - before).toBe(100)
  })

  it('of one client are bounded, whatever keys it makes up and addresses it claims', async () => {
    const answers = []
    for (let n = 0; n < 120; n++) {
      const headers = { ...(await tokenOf(freeKey())), ...from('203.0.113.7') }
      answers.push(await deposit(headers))
    }
    expect(statusesOf(answers)).toEqual({ accepted: 100, refused: 20 })
    // Without the proxy's proof the address is the peer's, whatever the header claims.
    const forged = []
    for (let n = 0; n < 101; n++) {
      forged.push(await deposit({ ...(await tokenOf(freeKey())), ...from(`192.0.2.${n}`, 'a guess') }))
    }
    expect(statusesOf(forged)).toEqual({ accepted: 100, refused: 1 })
    expect((await deposit({ ...(await tokenOf(freeKey())), ...from('203.0.113.8') })).statusCode).toBe(200)
  })
})

describe('logins', () => {
  it('of one client are bounded, and others log in', async () => {
    const login = (address: string) =>
      app.server.app.inject({
        method: 'POST',
        url: '/auth',
        headers: { ...from(address), 'content-type': 'application/json' },
        payload: { transaction: 'AAAA' },
      })
    await app.deps.database.pool.query(
      `insert into rate_limits (key, points, expire) values ('logins:203.0.113.50', 999, $1)`,
      [Date.now() + 3_600_000],
    )
    expect((await login('203.0.113.50')).statusCode).toBe(400)
    const refused = await login('203.0.113.50')
    expect(refused.statusCode).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await login('203.0.113.51')).statusCode).toBe(400)
  })
})

describe('requests without a token', () => {
  const few = async (rate: 'challenges' | 'clientRate', act: () => Promise<void>) => {
    const before = app.deps[rate]
    app.deps[rate] = createMemoryRate(rate, 2, 60)
    await act().finally(() => (app.deps[rate] = before))
  }
  const get = async (url: string, address: string) => {
    const { statusCode, headers } = await app.server.app.inject({ url, headers: from(address) })
    return { status: statusCode, retryAfter: Number(headers['retry-after']) }
  }

  it.each([`/auth?account=${freeKey()}`, `/sep45/auth?account=C${'A'.repeat(55)}`])(
    'for a challenge at %s are bounded for one client, whose requests then sign nothing',
    async url => {
      let signed = 0
      const { signingKey } = app.deps
      app.deps.signingKey = {
        ...signingKey,
        signChallenge: challenge => {
          signed++
          return signingKey.signChallenge(challenge)
        },
      }
      onTestFinished(() => void (app.deps.signingKey = signingKey))
      await few('challenges', async () => {
        const [first] = [await get(url, '203.0.113.60'), await get(url, '203.0.113.60')]
        expect(first.status).not.toBe(429)
        const before = signed
        const refused = await get(url, '203.0.113.60')
        expect(refused.status).toBe(429)
        expect(refused.retryAfter).toBeGreaterThan(0)
        expect(signed).toBe(before)
        expect((await get(url, '203.0.113.61')).status).toBe(first.status)
      })
    },
  )

  it('for prices and names are bounded for one client together, before anything is looked up', async () => {
    let asked = 0
    const { rate } = app.deps.business
    app.deps.business.rate = async () => {
      asked++
      throw new Error('no rate')
    }
    onTestFinished(() => void (app.deps.business.rate = rate))
    const price = '/sep38/price?sell_asset=iso4217:INR&buy_asset=x&sell_amount=1&context=sep6'
    await few('clientRate', async () => {
      await get(price, '203.0.113.70')
      await get('/federation?type=name&q=asha*mumbai.anchors.localhost', '203.0.113.70')
      const before = asked
      for (const url of [price, '/federation?type=name&q=a*b', '/sep38/prices?sell_asset=x&sell_amount=1'])
        expect((await get(url, '203.0.113.70')).status).toBe(429)
      expect(asked).toBe(before)
      expect((await get('/federation?type=name&q=a*b', '203.0.113.71')).status).not.toBe(429)
      expect((await get('/sep24/info', '203.0.113.70')).status).toBe(200)
    })
  })
})

describe('payments over the simulated rails', () => {
  it('of one client are bounded, whatever deposits and accounts they are for', async () => {
    let paid = 0
    app.deps.business.payDeposit = async () => {
      paid++
      return { rail: 'UPI', reference: 'W1', amount: '10', currency: 'INR' }
    }
    const deposits = []
    for (let n = 0; n < 2; n++) {
      const token = await tokenOf(freeKey())
      const { id } = (await deposit({ ...token, ...from(`203.0.113.${30 + n}`) })).json()
      deposits.push({ url: `/sandbox/transactions/${id}/payment`, token })
    }
    const answers = []
    for (let n = 0; n < 105; n++) {
      const { url, token } = deposits[n % 2] as (typeof deposits)[number]
      const headers = { ...token, ...from('203.0.113.20'), 'content-type': 'application/json' }
      answers.push(await app.server.app.inject({ method: 'POST', url, headers, payload: '{}' }))
    }
    expect(statusesOf(answers)).toEqual({ accepted: 100, refused: 5 })
    expect(paid).toBe(100)
  })
})

describe('uploads', () => {
  const upload = (headers: Record<string, string>) =>
    app.server.app.inject({
      method: 'POST',
      url: '/sep12/customer/files',
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=edge' },
      payload:
        '--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n%PDF-1\r\n--edge--\r\n',
    })

  it('of one account are bounded, also at once and by muxed accounts', async () => {
    const base = freeKey()
    const answers = await Promise.all(
      Array.from({ length: 15 }, async (_, index) =>
        upload({ ...(await tokenOf(muxedAccount(base, String(index)))), ...from(`198.51.100.${index}`) }),
      ),
    )
    expect(statusesOf(answers)).toEqual({ accepted: 10, refused: 5 })
  })

  it('of one client are bounded, and a full store is not closed to others', async () => {
    const answers = []
    for (let n = 0; n < 45; n++)
      answers.push(await upload({ ...(await tokenOf(freeKey())), ...from('2001:db8::1') }))
    expect(statusesOf(answers)).toEqual({ accepted: 40, refused: 5 })
    // Another address of the same network.
    const sibling = await upload({ ...(await tokenOf(freeKey())), ...from('2001:db8::ffff') })
    expect(sibling.statusCode).toBe(429)
    await app.deps.database.pool.query(
      'update customer_files set size = 512 * 1024 * 1024 where id = (select min(id) from customer_files)',
    )
    const other = { ...from('2001:db8:1::1') }
    expect((await upload({ ...(await tokenOf(freeKey())), ...other })).statusCode).toBe(200)
    // It has one waiting now.
    expect((await upload({ ...(await tokenOf(freeKey())), ...other })).statusCode).toBe(429)
  })
})

it('the business server learns whose request changes a customer, and not what a stranger claims', async () => {
  const put = (headers: Record<string, string>) =>
    app.server.app.inject({
      method: 'PUT',
      url: '/sep12/customer',
      headers: { ...headers, 'x-client-address': '6.6.6.6', 'content-type': 'application/json' },
      payload: '{"email_address":"asha@example.com"}',
    })
  const token = await tokenOf(freeKey())
  expect((await put({ ...token, ...from('203.0.113.9') })).statusCode).toBeLessThan(300)
  expect((await put({ ...token, ...from('203.0.113.9', 'a guess') })).statusCode).toBeLessThan(300)
  expect(putBy).toEqual(['203.0.113.9', '127.0.0.1'])
})
