import { Keypair } from '@stellar/stellar-sdk/base'
import { PROXY_SECRET_HEADER } from '@windlass/service/http/client-address.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createMemoryRate } from '@windlass/service/http/rates.ts'
import { muxedAccount } from '@windlass/stellar/addresses.ts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deleteExpiredFiles } from './sep12/files.ts'
import { deleteUnusedQuotes } from './sep38/quotes.ts'
import { startSepApp, type SepApp } from './testing/sep-app.ts'

let app: SepApp
let putBy: (string | undefined)[]
beforeAll(async () => {
  putBy = []
  app = await startSepApp(
    {
      business: {
        getCustomer: async () => ({ status: 'NEEDS_INFO', fields: {} }),
        putFile: async () => ({ mediaType: 'application/pdf', size: 6 }),
        deleteFile: async () => undefined,
        putCustomer: async (_fields, clientAddress) => {
          putBy.push(clientAddress)
          return { id: 'c1' }
        },
        deleteCustomer: async () => ({ id: 'x', kept: [], until: null }),
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
async function tokenOf(account: string, memo: string | null = null, clientDomain: string | null = null) {
  const session = { account, memo, clientDomain, homeDomain: 'x', tokenId: 'a' }
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
  it('of wallets that prove a domain are bounded too, of one network and of one site', async () => {
    const full = async (key: string, points: number) =>
      app.deps.database.pool.query('insert into rate_limits (key, points, expire) values ($1, $2, $3)', [
        ...[key, points - 1, Date.now() + 3_600_000],
      ])
    const begin = async (domain: string, client: string) =>
      (await deposit({ ...(await tokenOf(freeKey(), null, domain)), ...from(client) })).statusCode
    await full('domain-network-transactions:203.0.113.60', 4_000)
    expect(await begin('a.example', '203.0.113.60')).toBe(200)
    expect(await begin('b.example', '203.0.113.60')).toBe(429)
    await full('domain-transactions:many.example', 20_000)
    expect(await begin('one.many.example', '203.0.113.61')).toBe(200)
    expect(await begin('two.many.example', '203.0.113.62')).toBe(429)
    expect(await begin('a.example', '203.0.113.63')).toBe(200)
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

it('firm quotes of one free key are bounded, whatever memos it makes up, and ask the business server nothing more', async () => {
  const base = freeKey()
  let asked = 0
  const { rate } = app.deps.business
  app.deps.business.rate = async () => {
    asked++
    throw new Problem('validation-failed', 'no rate')
  }
  onTestFinished(() => void (app.deps.business.rate = rate))
  await app.deps.database.pool.query('insert into rate_limits (key, points, expire) values ($1, 599, $2)', [
    `account-quotes:${base}`,
    Date.now() + 3_600_000,
  ])
  const asset = `stellar:MUMBAI:${app.deps.config.anchor.accounts.issuer}`
  const quote = async (memo: string) => {
    const headers = { ...(await tokenOf(base, memo)), ...from(`198.51.100.24${memo}`) }
    const payload = { sell_asset: 'iso4217:INR', buy_asset: asset, buy_amount: '10', context: 'sep6' }
    return (await app.server.app.inject({ method: 'POST', url: '/sep38/quote', headers, payload })).statusCode
  }
  expect([await quote('1'), await quote('2')]).toEqual([400, 429])
  expect(asked).toBe(1)
})

it('quotes that nobody used are deleted 30 days after they expired', async () => {
  const { pool, db } = app.deps.database
  const ids = ['0', '1', '2'].map(n => `00000000-0000-4000-8000-00000000000${n}`)
  for (const [index, days] of [31, 29, -1].entries())
    await pool.query(
      `insert into quotes (id, account, sell_asset, buy_asset, sell_amount, buy_amount, price, total_price, fee, expires_at)
       values ($1, 'G', 'a', 'b', 1, 1, '1', '1', '{}', now() - $2 * interval '1 day')`,
      [ids[index], days],
    )
  await deleteUnusedQuotes(db)
  const { rows } = await pool.query<{ id: string }>(`select id from quotes where account = 'G' order by id`)
  expect(rows.map(({ id }) => id)).toEqual(ids.slice(1))
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

describe('an upload whose answer is lost', () => {
  const upload = async () =>
    app.server.app.inject({
      ...{ method: 'POST', url: '/sep12/customer/files' },
      headers: {
        ...{ ...(await tokenOf(freeKey())), ...from('203.0.113.200') },
        'content-type': 'multipart/form-data; boundary=edge',
      },
      payload:
        '--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n%PDF-1\r\n--edge--\r\n',
    })
  const kept = new Set<string>()
  let isAway = false
  const rows = async () =>
    (await app.deps.database.pool.query('select id from customer_files where size = 0')).rows

  it('leaves no file at the business server, also where that is away for a while', async () => {
    const { business } = app.deps
    const before = { ...business }
    onTestFinished(() => void Object.assign(business, before))
    business.putFile = async ({ id }, bytes) => {
      for await (const _ of bytes) kept.add(id)
      throw new Problem('dependency-unavailable', 'The answer was lost.')
    }
    business.deleteFile = async id => {
      if (isAway) throw new Error('away')
      kept.delete(id)
    }
    expect((await upload()).statusCode).toBe(503)
    expect([kept.size, await rows()]).toEqual([0, []])
    isAway = true
    expect((await upload()).statusCode).toBe(503)
    expect([kept.size, (await rows()).length]).toEqual([1, 1])
    const expire = () =>
      app.deps.database.pool.query(
        "update customer_files set expires_at = now() - interval '1 second' where size = 0",
      )
    await expire()
    await deleteExpiredFiles(app.deps)
    expect([kept.size, (await rows()).length]).toEqual([1, 1])
    isAway = false
    await expire()
    await deleteExpiredFiles(app.deps)
    expect([kept.size, await rows()]).toEqual([0, []])
  })
})

describe('changes of customers', () => {
  const put = async (headers: Record<string, string>, fields: Record<string, string>) =>
    app.server.app.inject({
      method: 'PUT',
      url: '/sep12/customer',
      headers: { ...headers, 'content-type': 'application/json' },
      payload: fields,
    })
  const picture = (names: string[]) =>
    names
      .map(name => `--edge\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n%PDF-1\r\n`)
      .join('')
  const putFiles = async (headers: Record<string, string>, memo: string, names: string[]) =>
    app.server.app.inject({
      method: 'PUT',
      url: '/sep12/customer',
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=edge' },
      payload: `--edge\r\nContent-Disposition: form-data; name="memo"\r\n\r\n${memo}\r\n${picture(names)}--edge--\r\n`,
    })
  const used = (key: string, points: number) =>
    app.deps.database.pool.query('insert into rate_limits (key, points, expire) values ($1, $2, $3)', [
      key,
      points,
      Date.now() + 3_600_000,
    ])

  it('with one free key are bounded, whatever memos it makes up and wherever it is', async () => {
    const base = freeKey()
    await used(`account-customer-changes:${base}`, 598)
    const answers = []
    for (const [index, memo] of ['1', '2', '3', '4'].entries())
      answers.push(
        await put(
          { ...(await tokenOf(base)), ...from(`198.51.100.${200 + index}`) },
          { memo, first_name: 'A' },
        ),
      )
    expect(statusesOf(answers)).toEqual({ accepted: 2, refused: 2 })
    const before = putBy.length
    const muxed = await tokenOf(muxedAccount(base, '5'))
    expect((await put({ ...muxed, ...from('198.51.100.210') }, { first_name: 'A' })).statusCode).toBe(429)
    expect(putBy).toHaveLength(before)
  })

  it('of one client are bounded, whatever keys it makes up', async () => {
    await used('network-customer-changes:203.0.113.90', 599)
    const change = async () =>
      (await put({ ...(await tokenOf(freeKey())), ...from('203.0.113.90') }, { first_name: 'A' })).statusCode
    expect([await change(), await change()]).toEqual([202, 429])
  })

  it('keep at most forty files an hour of one free key, whatever memos it makes up', async () => {
    const base = freeKey()
    const names = Array.from({ length: 15 }, (_, index) => `extra_${index}`)
    const answers = []
    for (const memo of ['1', '2', '3'])
      answers.push(await putFiles({ ...(await tokenOf(base)), ...from(`198.51.100.22${memo}`) }, memo, names))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202, 429])
    // Details alone are still accepted.
    const details = { ...(await tokenOf(base)), ...from('198.51.100.229') }
    expect((await put(details, { memo: '3', first_name: 'A' })).statusCode).toBe(202)
    const named = Object.fromEntries(names.map(name => [`${name}_file_id`, 'file_1']))
    expect((await put(details, { memo: '3', ...named })).statusCode).toBe(429)
  })

  it('of a wallet that proves its domain count for all its accounts together', async () => {
    await used('domain-customer-changes:wallet.example', 19_999)
    const change = async () => {
      const headers = { ...(await tokenOf(freeKey(), null, 'wallet.example')), ...from('203.0.113.91') }
      return (await put(headers, { first_name: 'A' })).statusCode
    }
    expect([await change(), await change()]).toEqual([202, 429])
  })

  it('keep at most a thousand files an hour of one site, whatever subdomains and ports it proves', async () => {
    await used('domain-customer-files:evil.example', 998)
    const statuses = []
    for (const [index, domain] of ['a.evil.example', 'evil.example:8443', 'b.c.Evil.example:1'].entries()) {
      const headers = { ...(await tokenOf(freeKey(), null, domain)), ...from(`203.0.113.${100 + index}`) }
      statuses.push((await putFiles(headers, '1', ['extra'])).statusCode)
    }
    expect(statuses).toEqual([202, 202, 429])
  })

  it('keep at most four hundred files an hour of one network, whatever domains it proves', async () => {
    const put = async (domain: string, address: string) => {
      const headers = { ...(await tokenOf(freeKey(), null, domain)), ...from(address) }
      return (await putFiles(headers, '1', ['extra'])).statusCode
    }
    await used('domain-network-customer-files:203.0.113.110', 399)
    expect(await put('one.example', '203.0.113.110')).toBe(202)
    expect(await put('two.example', '203.0.113.110')).toBe(429)
    expect(await put('two.example', '203.0.113.111')).toBe(202)
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
  expect(putBy.slice(-2)).toEqual(['203.0.113.9', '127.0.0.1'])
})
