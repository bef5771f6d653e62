import { everyPage } from '@windlass/client/next-page.ts'
import { Keypair, Networks, TransactionBuilder } from '@stellar/stellar-sdk'
import { ProblemError } from '@windlass/client/client.ts'
import {
  challengeWallet,
  getCustomer,
  linkWallet,
  listWallets,
  logoutCustomer,
  proveWallet,
  unlinkWallet,
} from '@windlass/contracts/platform/customers.ts'
import { startKyc } from '@windlass/contracts/platform/kyc.ts'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { answerRoot, productionEnv, type TestApp, testApp } from '../testing/app.ts'
import { signInCustomer } from '../testing/sign-in.ts'

let app: TestApp
let horizon: Server
let horizonAnswer: { status: number; body: unknown } = { status: 404, body: {} }
beforeAll(async () => {
  horizon = createServer((request, response) => {
    if (answerRoot(request, response)) return
    response.writeHead(horizonAnswer.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(horizonAnswer.body))
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => horizon.once('listening', resolve))
  app = await testApp({ env: { HORIZON_URL: `http://127.0.0.1:${(horizon.address() as AddressInfo).port}` } })
})
afterAll(async () => {
  await app.close()
  horizon.close()
})

const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) =>
      error instanceof ProblemError ? `${error.status} ${error.problem.code}` : String(error),
  )
const sign = (transaction: string, ...keys: Keypair[]) => {
  const built = TransactionBuilder.fromXDR(transaction, Networks.TESTNET)
  built.sign(...keys)
  return built.toXDR()
}

describe('a customer', () => {
  it('has a profile with the central status', async () => {
    const customer = await signInCustomer(app, 'profile@customer.example')
    expect(await customer.call(getCustomer)).toEqual({
      id: customer.user.id,
      email: 'profile@customer.example',
      kycStatus: 'NEEDS_INFO',
      createdAt: expect.any(String),
    })
  })

  it('is out at once after logging out', async () => {
    const customer = await signInCustomer(app, 'out@customer.example')
    const cookie = customer.cookies.values.get('ns_customer') ?? ''
    await customer.call(logoutCustomer)
    customer.cookies.values.set('ns_customer', cookie)
    expect(await problemOf(customer.call(getCustomer))).toBe('401 unauthenticated')
  })

  it('links, lists and unlinks wallets', async () => {
    const customer = await signInCustomer(app, 'wallets@customer.example')
    expect(await customer.call(listWallets)).toEqual([])
    const address = Keypair.random().publicKey()
    const linked = await customer.send(linkWallet, {
      body: { address, label: 'Savings', network: 'TESTNET' },
    })
    expect(linked.status).toBe(201)
    expect(linked.body).toEqual({
      id: expect.any(String),
      address,
      label: 'Savings',
      network: 'testnet',
      verified: false,
      createdAt: expect.any(String),
    })
    const other = await customer.call(linkWallet, { body: { address: Keypair.random().publicKey() } })
    expect(other).toMatchObject({ label: '', network: 'testnet' })
    expect(await customer.call(listWallets)).toHaveLength(2)
    const paged = await everyPage(page => customer.send(listWallets, { query: { ...page, limit: 1 } }))
    // Both were linked in the same moment.
    expect(new Set(paged.map(({ id }) => id))).toEqual(new Set([other.id, linked.body.id]))
    expect(paged).toHaveLength(2)
    expect((await customer.send(unlinkWallet, { params: { id: linked.body.id } })).status).toBe(204)
    expect(await customer.call(listWallets)).toMatchObject([{ id: other.id }])
    expect(await problemOf(customer.call(unlinkWallet, { params: { id: linked.body.id } }))).toBe(
      '404 wallet-not-found',
    )
  })

  it('changes wallets sixty times an hour at most, and starts ten verifications', async () => {
    const strict = await testApp({ env: productionEnv })
    onTestFinished(() => strict.close())
    const customer = await signInCustomer(strict, 'eager@customer.example')
    const other = await signInCustomer(strict, 'calm@customer.example')
    const add = (who = customer) =>
      problemOf(who.call(linkWallet, { body: { address: Keypair.random().publicKey() } }))
    const added = await Promise.all(Array.from({ length: 63 }, () => add()))
    expect(added.filter(each => each === 'done')).toHaveLength(60)
    expect(new Set(added)).toEqual(new Set(['done', '429 too-many-requests']))
    expect(await add(other)).toBe('done')
    // No provider is configured here: a request counts before it is asked.
    const starts = await Promise.all(
      Array.from({ length: 12 }, () => problemOf(customer.call(startKyc, { body: {} }))),
    )
    expect(starts.filter(each => each === '429 too-many-requests')).toHaveLength(2)
    expect(await problemOf(other.call(startKyc, { body: {} }))).not.toBe('429 too-many-requests')
  })

  it('keeps a network of their own naming and understands the known ones in any case', async () => {
    const customer = await signInCustomer(app, 'networks@customer.example')
    const address = Keypair.random().publicKey()
    const networks = []
    for (const network of ['Mainnet', 'PUBLIC ', 'my own']) {
      networks.push(
        await customer
          .call(linkWallet, {
            body: { address: network === 'PUBLIC ' ? Keypair.random().publicKey() : address, network },
          })
          .then(wallet => wallet.network),
      )
    }
    expect(networks).toEqual(['public', 'public', 'my own'])
  })

  it.each([
    ['a wrong checksum', `G${'A'.repeat(55)}`],
    ['a secret seed', Keypair.random().secret()],
    ['a contract', `C${'A'.repeat(55)}`],
    ['nonsense', 'wallet'],
    ['SQL', "' or 1=1 --"],
  ])('cannot link %s', async (_what, address) => {
    const customer = await signInCustomer(app, 'bad@customer.example')
    expect(await problemOf(customer.call(linkWallet, { body: { address } }))).toBe('400 validation-failed')
    expect(
      await problemOf(
        customer.call(linkWallet, { body: { address: Keypair.random().publicKey(), label: 'x'.repeat(65) } }),
      ),
    ).toBe('400 validation-failed')
  })

  it('hears when the address is linked already, or belongs to someone who proved it', async () => {
    const key = Keypair.random()
    const owner = await signInCustomer(app, 'owner@customer.example')
    const early = await signInCustomer(app, 'early@customer.example')
    await early.call(linkWallet, { body: { address: key.publicKey() } })
    const wallet = await owner.call(linkWallet, { body: { address: key.publicKey() } })
    expect(await problemOf(owner.call(linkWallet, { body: { address: key.publicKey() } }))).toBe(
      '409 wallet-already-linked',
    )
    const { transaction } = await owner.call(challengeWallet, { params: { id: wallet.id } })
    const proven = await owner.call(proveWallet, {
      params: { id: wallet.id },
      body: { transaction: sign(transaction, key) },
    })
    expect(proven.verified).toBe(true)
    const late = await signInCustomer(app, 'late@customer.example')
    expect(await problemOf(late.call(linkWallet, { body: { address: key.publicKey() } }))).toBe(
      '409 wallet-taken',
    )
    const [mine] = await early.call(listWallets)
    const theirs = await early.call(challengeWallet, { params: { id: mine?.id ?? '' } })
    expect(
      await problemOf(
        early.call(proveWallet, {
          params: { id: mine?.id ?? '' },
          body: { transaction: sign(theirs.transaction, key) },
        }),
      ),
    ).toBe('409 wallet-taken')
  })

  it('proves a wallet that signed by SEP-7 and sent the proof itself, once, and no other', async () => {
    const key = Keypair.random()
    const customer = await signInCustomer(app, 'sep7@customer.example')
    const { id } = await customer.call(linkWallet, { body: { address: key.publicKey() } })
    const { transaction, link, qr } = await customer.call(challengeWallet, { params: { id } })
    const query = new URLSearchParams(link.replace('web+stellar:tx?', ''))
    expect(Object.fromEntries(query)).toMatchObject({ xdr: transaction, pubkey: key.publicKey() })
    expect(qr.path).toMatch(/^M0 0h1v1h-1z/)
    const { pathname } = new URL(query.get('callback')!.replace(/^url:/, ''))
    const send = async (xdr: string) => {
      const answer = await app.server.app.inject({
        method: 'POST',
        url: pathname,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ xdr }).toString(),
      })
      return `${answer.statusCode} ${answer.json<{ code?: string }>().code ?? 'done'}`
    }
    const isVerified = async () => (await customer.call(listWallets))[0]?.verified
    expect(await send(sign(transaction, Keypair.random()))).toBe('400 proof-not-accepted')
    expect(await send('AAAA')).toBe('400 proof-not-accepted')
    expect(await isVerified()).toBe(false)
    expect(await send(sign(transaction, key))).toBe('200 done')
    expect(await isVerified()).toBe(true)
    expect(await send(sign(transaction, key))).toBe('400 proof-not-accepted')
  })

  it('proves an address on each network they linked it for; of several who prove it at once, one gets it', async () => {
    const key = Keypair.random()
    const prove = async (customer: Awaited<ReturnType<typeof signInCustomer>>, network: string) => {
      const { id } = await customer.call(linkWallet, { body: { address: key.publicKey(), network } })
      const { transaction } = await customer.call(challengeWallet, { params: { id } })
      return () =>
        customer.call(proveWallet, { params: { id }, body: { transaction: sign(transaction, key) } })
    }
    const one = await signInCustomer(app, 'one@networks.example')
    const other = await signInCustomer(app, 'other@networks.example')
    const proofs = [
      [await prove(one, 'testnet'), await prove(one, 'public')],
      [await prove(other, 'testnet'), await prove(other, 'public')],
    ].map(own => Promise.all(own.map(proof => problemOf(proof()))))
    const outcomes = await Promise.all(proofs)
    expect(outcomes.map(own => own.join(', ')).sort()).toEqual([
      '409 wallet-taken, 409 wallet-taken',
      'done, done',
    ])
  })

  it('never reaches the wallets of another', async () => {
    const one = await signInCustomer(app, 'one@wallets.example')
    const two = await signInCustomer(app, 'two@wallets.example')
    const { id } = await one.call(linkWallet, { body: { address: Keypair.random().publicKey() } })
    for (const attempt of [
      () => two.call(unlinkWallet, { params: { id } }),
      () => two.call(challengeWallet, { params: { id } }),
      () => two.call(proveWallet, { params: { id }, body: { transaction: 'AAAA' } }),
    ]) {
      expect(await problemOf(attempt())).toBe('404 wallet-not-found')
    }
    expect(await one.call(listWallets)).toHaveLength(1)
  })
})

describe('proving a wallet', () => {
  const fresh = async (email: string) => {
    const customer = await signInCustomer(app, email)
    const key = Keypair.random()
    const { id } = await customer.call(linkWallet, { body: { address: key.publicKey() } })
    const challenge = () =>
      customer.call(challengeWallet, { params: { id } }).then(({ transaction }) => transaction)
    const prove = (transaction: string) =>
      problemOf(customer.call(proveWallet, { params: { id }, body: { transaction } }))
    return { customer, key, id, challenge, prove }
  }

  it('takes a challenge once, and only the newest', async () => {
    const { key, challenge, prove } = await fresh('once@proof.example')
    const older = await challenge()
    const newer = await challenge()
    expect(await prove(sign(older, key))).toBe('400 proof-not-accepted')
    expect(await prove(sign(newer, key))).toBe('done')
    expect(await prove(sign(newer, key))).toBe('400 proof-not-accepted')
  })

  it('refuses what is unsigned, signed by another, expired or no transaction', async () => {
    const { key, challenge, prove } = await fresh('bad@proof.example')
    const transaction = await challenge()
    expect(await prove(transaction)).toBe('400 proof-not-accepted')
    expect(await prove(sign(transaction, Keypair.random()))).toBe('400 proof-not-accepted')
    expect(await prove('not a transaction')).toBe('400 proof-not-accepted')
    app.clock.advance(901_000)
    expect(await prove(sign(transaction, key))).toBe('400 proof-not-accepted')
  })

  it('asks the ledger who may sign for the account: a master key that was taken away proves nothing', async () => {
    const { key, challenge, prove } = await fresh('signers@proof.example')
    const signer = Keypair.random()
    horizonAnswer = {
      status: 200,
      body: {
        id: key.publicKey(),
        sequence: '1',
        subentry_count: 1,
        thresholds: { low_threshold: 1, med_threshold: 1, high_threshold: 1 },
        signers: [
          { key: key.publicKey(), weight: 0 },
          { key: signer.publicKey(), weight: 1 },
        ],
        balances: [],
      },
    }
    expect(await prove(sign(await challenge(), key))).toBe('400 proof-not-accepted')
    expect(await prove(sign(await challenge(), signer))).toBe('done')
    horizonAnswer = { status: 500, body: {} }
    expect(await prove(sign(await challenge(), signer))).toBe('503 dependency-unavailable')
    horizonAnswer = { status: 404, body: {} }
  })
})
