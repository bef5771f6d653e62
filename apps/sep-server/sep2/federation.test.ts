import { Federation, Keypair } from '@stellar/stellar-sdk'
import { muxedAccount } from '@windlass/stellar/addresses.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BusinessServer } from '../clients/business-server.ts'
import { startSepApp, testAnchor, type SepApp } from '../testing/sep-app.ts'

const DOMAIN = testAnchor.plan.homeDomain
let app: SepApp
let port: number
/** Accounts whose identity check is accepted. */
const accepted = new Set<string>()
/** Customers who are not people of their own: account and memo to the person. */
const people = new Map<string, string>()

beforeAll(async () => {
  const never = async () => {
    throw new Error('the business server was not to be asked')
  }
  const business: BusinessServer = {
    getCustomer: async ({ account = '', memo = '' }) =>
      accepted.has(account + memo)
        ? { id: 'c', status: 'ACCEPTED', person: people.get(account + memo) ?? account + memo }
        : { status: 'NEEDS_INFO', fields: {} },
    putFile: async () => ({ mediaType: 'image/png', size: 1 }),
    deleteFile: async () => undefined,
    putCustomer: never,
    deleteCustomer: async () => ({ id: 'x', kept: [], until: null }),
    terms: () => Promise.reject(new Error('no settings')),
    rate: never,
    startDirectPayment: async () => null,
    payDeposit: never,
    event: never,
  }
  app = await startSepApp({ business })
  port = await app.server.listen(0, '127.0.0.1')
})
afterAll(() => app.close())

async function as(account: string, memo: string | null = null) {
  const session = { account, memo, clientDomain: null, homeDomain: 'x', tokenId: 'a' }
  const headers = { authorization: `Bearer ${await app.deps.tokens.issue(session, new Date())}` }
  const send = async (method: 'GET' | 'PUT' | 'DELETE', payload?: object) => {
    const answer = await app.server.app.inject({ method, url: '/federation/name', headers, payload })
    return { status: answer.statusCode, body: answer.json() }
  }
  return {
    headers,
    take: (name: string) => send('PUT', { name }),
    read: () => send('GET'),
    drop: () => send('DELETE'),
  }
}
async function customer(memo: string | null = null) {
  const account = Keypair.random().publicKey()
  accepted.add(account + (memo ?? ''))
  return { account, ...(await as(account, memo)) }
}
const lookUp = async (q: string, type = 'name') => {
  const answer = await app.server.app.inject({ url: '/federation', query: { q, type } })
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
}

describe('federation', () => {
  it('finds a customer by name and a name by account, also with the Stellar SDK', async () => {
    const ada = await customer()
    const record = { stellar_address: `ada.park*${DOMAIN}`, account_id: ada.account }
    expect(await ada.take('Ada.Park')).toEqual({ status: 200, body: record })
    expect(await ada.read()).toEqual({ status: 200, body: record })
    const client = new Federation.Server(`http://127.0.0.1:${port}/federation`, DOMAIN, { allowHttp: true })
    expect(await client.resolveAddress(`ada.park*${DOMAIN}`)).toMatchObject(record)
    expect(await client.resolveAddress('ADA.PARK')).toMatchObject(record)
    expect(await client.resolveAccountId(ada.account)).toMatchObject(record)
    expect((await lookUp(`ada.park*${DOMAIN}`)).headers['access-control-allow-origin']).toBe('*')
  })

  it('names the memo of a customer of a shared account, by which a muxed account is known too', async () => {
    const bob = await customer('77')
    const record = { stellar_address: `bob*${DOMAIN}`, account_id: bob.account, memo_type: 'id', memo: '77' }
    expect((await bob.take('bob')).body).toEqual(record)
    expect((await lookUp(muxedAccount(bob.account, '77'), 'id')).body).toEqual(record)
    expect((await lookUp(bob.account, 'id')).status).toBe(404)
    const muxed = muxedAccount(bob.account, '78')
    accepted.add(muxed)
    expect((await (await as(muxed)).take('bobby')).body).toMatchObject({
      account_id: bob.account,
      memo: '78',
    })
  })

  it('gives nobody a name that another customer has or had', async () => {
    const [first, second] = [await customer(), await customer()]
    await first.take('carla')
    expect(await second.take('CARLA')).toMatchObject({ status: 409 })
    await first.take('carla-2')
    expect((await lookUp(`carla*${DOMAIN}`)).status).toBe(404)
    expect((await first.drop()).status).toBe(200)
    expect((await first.read()).status).toBe(404)
    for (const name of ['carla', 'carla-2']) expect((await second.take(name)).status).toBe(409)
    expect((await first.take('carla')).status).toBe(200)
    expect((await second.read()).status).toBe(404)
  })

  it('gives a name to one of many who ask at once, and five to a customer in all', async () => {
    const many = await Promise.all(Array.from({ length: 8 }, () => customer()))
    const statuses = await Promise.all(many.map(async each => (await each.take('dora')).status))
    expect(statuses.sort()).toEqual([200, ...Array<number>(7).fill(409)])
    const one = await customer()
    const taken = await Promise.all(['e-1', 'e-2', 'e-3', 'e-4', 'e-5', 'e-6', 'e-7'].map(one.take))
    expect(taken.filter(({ status }) => status === 200)).toHaveLength(5)
  })

  it('no longer names a customer who is deleted', async () => {
    const gone = await customer()
    await gone.take('gina')
    const headers = gone.headers
    const url = `/sep12/customer/${gone.account}`
    expect((await app.server.app.inject({ method: 'DELETE', url, headers })).statusCode).toBe(200)
    expect((await lookUp(`gina*${DOMAIN}`)).status).toBe(404)
    expect((await (await customer()).take('gina')).status).toBe(409)
  })

  it('gives five names to a person in all, whatever accounts and memos they use', async () => {
    const account = Keypair.random().publicKey()
    const other = Keypair.random().publicKey()
    const keys = [
      ...Array.from({ length: 6 }, (_, memo) => [account, String(memo)] as const),
      [other, ''] as const,
    ]
    for (const [of, memo] of keys) {
      accepted.add(of + memo)
      people.set(of + memo, 'one person')
    }
    const taken = await Promise.all(
      keys.map(async ([of, memo], index) => (await as(of, memo || null)).take(`many-${index}`)),
    )
    expect(taken.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 400, 400])
    const names = await Promise.all(keys.map((_, index) => lookUp(`many-${index}*${DOMAIN}`)))
    expect(names.filter(({ status }) => status === 200)).toHaveLength(5)
    const another = await customer('77')
    for (const name of ['own-1', 'own-2']) expect((await another.take(name)).status).toBe(200)
  })

  it('does not show wallets which customers are one person', async () => {
    const { headers } = await customer()
    const { body } = await app.server.app.inject({ url: '/sep12/customer', headers })
    expect(JSON.parse(body)).toEqual({ id: 'c', status: 'ACCEPTED' })
  })

  it('gives the name of a memo to no other person who uses the memo later', async () => {
    const first = await customer('9')
    expect((await first.take('hugo')).status).toBe(200)
    people.set(first.account + '9', 'another person')
    expect(await first.take('hugo')).toMatchObject({ status: 409 })
    expect((await lookUp(`hugo*${DOMAIN}`)).body).toMatchObject({ account_id: first.account, memo: '9' })
  })

  it('answers for a customer while the identity check is accepted, by name and by account', async () => {
    const muxed = muxedAccount(Keypair.random().publicKey(), '5')
    accepted.add(muxed)
    const [ines, jack] = [await customer(), await as(muxed)]
    await ines.take('ines')
    await jack.take('jack')
    const statuses = () =>
      Promise.all(
        [
          [`ines*${DOMAIN}`, 'name'],
          [ines.account, 'id'],
          [`jack*${DOMAIN}`, 'name'],
          [muxed, 'id'],
        ].map(async ([q = '', type]) => (await lookUp(q, type)).status),
      )
    expect(await statuses()).toEqual([200, 200, 200, 200])
    accepted.delete(ines.account)
    accepted.delete(muxed)
    expect(await statuses()).toEqual([404, 404, 404, 404])
    accepted.add(ines.account)
    expect(await statuses()).toEqual([200, 200, 404, 404])
  })

  it('is for customers with an accepted identity check', async () => {
    const { take } = await as(Keypair.random().publicKey())
    const refused = await take('freddy')
    expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('identity check')])
  })

  it.each([
    ...['', 'ab', 'a'.repeat(33), 'a b', 'a*b', '-abc', 'ädam', "x'; --"],
    ...[
      'support',
      'Admin',
      'support-team',
      'the.support',
      'sup-port',
      'supportteam',
      'supp0rt',
      'admin1',
      'refunds',
    ],
    ...['mumbai', 'mumbai-pay', 'MumbaiSupport'],
  ])('refuses the name %j', async name => {
    expect((await (await customer()).take(name)).status).toBe(400)
  })

  it.each(['adamin', 'bankole', 'mumbaikar', 'infosys.fan'])('allows the name %j', async name => {
    expect((await (await customer()).take(name)).status).toBe(200)
  })

  it.each([
    ['nobody*' + DOMAIN, 'name', 404],
    ['ada.park*elsewhere.example', 'name', 404],
    ['ada.park', 'name', 400],
    [`a*b*${DOMAIN}`, 'name', 400],
    ['GNONSENSE', 'id', 400],
    ['ab'.repeat(32), 'txid', 400],
    ['x', 'forward', 400],
  ])('answers %s of type %s with %i and a detail', async (q, type, status) => {
    const found = await lookUp(q, type)
    expect([found.status, typeof found.body.detail]).toEqual([status, 'string'])
  })
})
