import { Account, Asset, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { generateKey } from '@windlass/stellar/keys.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testAggregator, type TestAggregator } from '../testing/aggregator.ts'
import { openLogin, pruneLogins } from './signed-logins.ts'
import { challengeFor, NETWORK, pageKey } from './testing/page.ts'

let aggregator: TestAggregator
const clock = fakeClock()
beforeAll(async () => {
  aggregator = await testAggregator({ clock, env: { AGGREGATOR_PUBLIC_URL: 'https://ramp.example' } })
})
afterAll(() => aggregator.drop())
beforeEach(async () => {
  await aggregator.deps.database.pool.query('delete from signed_logins')
})

async function openPage(challenge = challengeFor(generateKey())) {
  const key = pageKey()
  const announced = {
    challengeHash: challenge.hash,
    networkPassphrase: NETWORK,
    publicKey: key.publicKey,
  }
  const { status, body } = await aggregator.post('/signed-logins', announced)
  expect(status).toBe(201)
  const { id, secret, callback } = body as { id: string; secret: string; callback: string }
  const collect = (given = secret) => aggregator.post(`/signed-logins/${id}/collection`, { secret: given })
  return { challenge, id, secret, callback, collect, key }
}
/** As a wallet sends it. */
const deliver = (id: string, xdr: string) =>
  aggregator.server.app.inject({
    method: 'POST',
    url: `/signed-logins/${id}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ xdr }).toString(),
  })
const problemOf = async (id: string, xdr: string) => {
  const answer = await deliver(id, xdr)
  const { code, detail } = answer.json<{ code: string; detail: string }>()
  return `${answer.statusCode} ${code}: ${detail}`
}

describe('a login that is signed in a wallet elsewhere', () => {
  it('is given to the page that announced it, once, and is nothing that the database could read', async () => {
    const page = await openPage()
    expect(page.callback).toBe(`https://ramp.example/signed-logins/${page.id}`)
    expect((await page.collect()).body).toEqual({ sealed: null })
    const delivered = await deliver(page.id, page.challenge.signed)
    expect([delivered.statusCode, delivered.json()]).toEqual([200, { ok: true }])
    const { databaseUrl } = aggregator
    expect(await findTexts(databaseUrl, [page.challenge.signed, page.secret])).toEqual([])
    const { body } = await page.collect()
    expect(page.key.read(page.id, body.sealed)).toBe(page.challenge.signed)
    expect((await page.collect()).status).toBe(404)
    const { rows } = await aggregator.deps.database.pool.query('select id from signed_logins')
    expect(rows).toEqual([])
  })

  it('is refused where it is another transaction, is signed by nobody, or comes twice', async () => {
    const page = await openPage()
    const { signed, xdr } = page.challenge
    const key = Keypair.random()
    const payment = new TransactionBuilder(new Account(key.publicKey(), '7'), {
      fee: '100',
      networkPassphrase: NETWORK,
      timebounds: { minTime: 0, maxTime: 0 },
    })
      .addOperation(Operation.payment({ destination: key.publicKey(), asset: Asset.native(), amount: '5' }))
      .build()
    payment.sign(key)
    expect(await problemOf(page.id, challengeFor(generateKey()).signed)).toMatch(
      /^400 proof-not-accepted: .*another transaction/,
    )
    expect(await problemOf(page.id, payment.toXdr())).toMatch(/^400 proof-not-accepted: .*manageData/)
    expect(await problemOf(page.id, xdr)).toMatch(/^400 proof-not-accepted: .*nobody has signed/)
    expect(await problemOf(page.id, 'nonsense')).toMatch(/^400 proof-not-accepted/)
    expect(await problemOf(page.id, signed.slice(0, 200))).toMatch(/^400 proof-not-accepted/)
    expect((await page.collect()).body).toEqual({ sealed: null })
    expect((await deliver(page.id, signed)).statusCode).toBe(200)
    expect(await problemOf(page.id, signed)).toMatch(/^400 proof-not-accepted: .*delivered before/)
  })

  it('announces no transaction that could be submitted: a payment of that very hash is refused', async () => {
    const key = Keypair.random()
    const payment = new TransactionBuilder(new Account(key.publicKey(), '7'), {
      fee: '100',
      networkPassphrase: NETWORK,
      timebounds: { minTime: 0, maxTime: 0 },
    })
      .addOperation(Operation.manageData({ name: 'x auth', value: 'y', source: key.publicKey() }))
      .build()
    payment.sign(key)
    payment.sign(Keypair.random())
    const hash = Buffer.from(payment.hash()).toString('hex')
    const page = await openPage({ ...challengeFor(generateKey()), hash })
    expect(await problemOf(page.id, payment.toXdr())).toMatch(/sequence number must be 0/)
  })

  it('is collected by nobody who saw only its code, and waits for nobody after five minutes', async () => {
    const page = await openPage()
    const other = await openPage()
    expect((await page.collect(other.secret)).status).toBe(404)
    expect(await problemOf('A'.repeat(22), page.challenge.signed)).toMatch(/^404 not-found/)
    // The challenge of one tab is nothing at the place of another.
    expect(await problemOf(other.id, page.challenge.signed)).toMatch(/^400 proof-not-accepted/)
    await deliver(page.id, page.challenge.signed)
    expect((await page.collect(other.secret)).status).toBe(404)
    clock.advance(5 * 60_000)
    expect(await problemOf(other.id, other.challenge.signed)).toMatch(/^404 not-found/)
    expect((await page.collect()).status).toBe(404)
    await pruneLogins(aggregator.deps)
    const { rows } = await aggregator.deps.database.pool.query('select id from signed_logins')
    expect(rows).toEqual([])
  })

  it('takes no body larger than a challenge can be, and no key that is no point', async () => {
    const page = await openPage()
    expect((await deliver(page.id, 'A'.repeat(10_001))).statusCode).toBe(400)
    expect((await deliver(page.id, 'A'.repeat(40_000))).statusCode).toBe(413)
    const announced = { challengeHash: '0'.repeat(64), networkPassphrase: NETWORK }
    for (const publicKey of [`B${'A'.repeat(86)}`, 'short', 5]) {
      const { status, body } = await aggregator.post('/signed-logins', { ...announced, publicKey })
      expect([status, body.code]).toEqual([400, 'validation-failed'])
    }
  })

  it('has room for so many people at a time, and each client for so many', async () => {
    await openPage()
    const announced = {
      challengeHash: '0'.repeat(64),
      networkPassphrase: NETWORK,
      publicKey: pageKey().publicKey,
    }
    const open = () => openLogin(aggregator.deps, announced, '203.0.113.5', 2)
    await open()
    await expect(open()).rejects.toMatchObject({ code: 'too-many-requests' })
    clock.advance(5 * 60_000)
    await open()
    const { signedLoginRate } = aggregator.deps
    await signedLoginRate.demand('203.0.113.6', 3_000)
    await expect(openLogin(aggregator.deps, announced, '203.0.113.6')).rejects.toMatchObject({
      code: 'too-many-requests',
    })
  })
})
