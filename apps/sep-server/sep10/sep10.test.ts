import {
  Account,
  Keypair,
  Memo,
  MuxedAccount,
  Operation,
  Transaction,
  TransactionBuilder,
} from '@stellar/stellar-sdk/base'
import { WebAuth } from '@stellar/stellar-sdk'
import type { HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import { plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import { HorizonError } from '@windlass/stellar/horizon-client.ts'
import { createSecondSourceAsks } from '@windlass/service/outbound/second-source-asks.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import fc from 'fast-check'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startSepApp, testAnchor, type SepApp } from '../testing/sep-app.ts'
import { lastLogin } from './used-challenges.ts'

const clock = fakeClock()
const accounts = new Map<string, HorizonAccount>()
let ledgerDown = false
let mixedMemos = true
let app: SepApp
beforeAll(async () => {
  app = await startSepApp({
    clock,
    terms: { current: async () => ({ ...plannedSettings(testAnchor.plan), wallets: { mixedMemos } }) },
    readAccount: async address => {
      if (ledgerDown) throw new HorizonError(0, 'down')
      return accounts.get(address) ?? null
    },
    outbound: {
      request: async url => {
        if (url !== 'http://wallet.example/.well-known/stellar.toml') throw new Error('unreachable')
        return { status: 200, headers: {}, text: `SIGNING_KEY = "${clientDomainKey.publicKey()}"` }
      },
      close: async () => undefined,
    },
  })
})
afterAll(() => app.close())
beforeEach(() => {
  accounts.clear()
  ledgerDown = false
  mixedMemos = true
})

const clientDomainKey = Keypair.random()
const passphrase = 'Test SDF Network ; September 2015'

const ask = (query: Record<string, string>) =>
  app.server.app.inject({ url: `/auth?${new URLSearchParams(query)}` })
const challengeFor = async (account: string, more: Record<string, string> = {}): Promise<string> =>
  (await ask({ account, ...more })).json().transaction
const answerWith = (transaction: unknown) =>
  app.server.app.inject({ method: 'POST', url: '/auth', payload: { transaction } })

function sign(envelope: string, ...keys: Keypair[]): string {
  const transaction = TransactionBuilder.fromXdr(envelope, passphrase)
  transaction.sign(...keys)
  return transaction.toXdr()
}

/** A challenge as the server would make it, with one change. */
function forged(change: {
  source?: Keypair
  signer?: Keypair
  sequence?: string
  name?: string
  value?: string | null
  webAuthDomain?: string
  minTime?: number
  maxTime?: number
  memo?: Memo
  account?: string
  extra?: 'payment' | 'foreign'
}): string {
  const server = app.signing
  const now = Math.floor(clock.now().getTime() / 1000)
  const account = change.account ?? key.publicKey()
  const source = change.source ?? server
  const builder = new TransactionBuilder(new Account(source.publicKey(), change.sequence ?? '-1'), {
    fee: '100',
    networkPassphrase: passphrase,
    timebounds: { minTime: change.minTime ?? now, maxTime: change.maxTime ?? now + 900 },
  })
    .addOperation(
      Operation.manageData({
        source: account,
        name: change.name ?? 'mumbai.anchors.localhost auth',
        value: change.value === undefined ? Buffer.alloc(48, 7).toString('base64') : change.value,
      }),
    )
    .addOperation(
      Operation.manageData({
        source: server.publicKey(),
        name: 'web_auth_domain',
        value: change.webAuthDomain ?? 'mumbai.anchors.localhost',
      }),
    )
  if (change.memo) builder.addMemo(change.memo)
  if (change.extra === 'payment')
    builder.addOperation(Operation.bumpSequence({ bumpTo: '1', source: server.publicKey() }))
  if (change.extra === 'foreign') {
    builder.addOperation(
      Operation.manageData({ source: Keypair.random().publicKey(), name: 'x', value: 'y' }),
    )
  }
  const transaction = builder.build()
  transaction.sign(change.signer ?? server, key)
  return transaction.toXdr()
}

const key = Keypair.random()

describe('a challenge', () => {
  it('is what the SDK demands: sequence 0, 15 minutes, 48 random bytes, both domains, nothing else in the answer', async () => {
    const answer = await ask({ account: key.publicKey() })
    expect(Object.keys(answer.json()).sort()).toEqual(['network_passphrase', 'transaction'])
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    const transaction = new Transaction(answer.json().transaction, passphrase)
    expect(transaction.sequence).toBe('0')
    expect(Number(transaction.timeBounds?.maxTime) - Number(transaction.timeBounds?.minTime)).toBe(900)
    const [first, second, ...rest] = transaction.operations
    expect(first).toMatchObject({ source: key.publicKey(), name: 'mumbai.anchors.localhost auth' })
    const value = first && 'value' in first ? Buffer.from(first.value as Uint8Array).toString() : ''
    expect(Buffer.from(value, 'base64')).toHaveLength(48)
    expect(second).toMatchObject({ source: app.signing.publicKey(), name: 'web_auth_domain' })
    expect(rest).toEqual([])
    expect(await challengeFor(key.publicKey())).not.toBe(answer.json().transaction)
  })

  it('carries the memo, and none beside a muxed account', async () => {
    const transaction = new Transaction(
      await challengeFor(key.publicKey(), { memo: '18446744073709551615' }),
      passphrase,
    )
    expect(transaction.memo.value).toBe('18446744073709551615')
    const muxed = new MuxedAccount(new Account(key.publicKey(), '0'), '7').accountId()
    expect(new Transaction(await challengeFor(muxed), passphrase).operations[0]?.source).toBe(muxed)
  })

  it('is given for the home domain and a client domain in any case', async () => {
    const query = { account: key.publicKey(), home_domain: 'Mumbai.Anchors.LOCALHOST' }
    expect((await ask(query)).statusCode).toBe(200)
    const named = await challengeFor(key.publicKey(), { client_domain: 'Wallet.Example' })
    const [domain] = new Transaction(named, passphrase).operations.filter(
      operation => operation.type === 'manageData' && operation.name === 'client_domain',
    )
    expect(String(domain && 'value' in domain && domain.value && Buffer.from(domain.value))).toBe(
      'wallet.example',
    )
  })

  it.each([
    ['no account', {}],
    ['an account that is none', { account: 'G123' }],
    [
      'an account with a wrong checksum',
      { account: `${key.publicKey().slice(0, -1)}${key.publicKey().endsWith('A') ? 'B' : 'A'}` },
    ],
    ['a contract', { account: 'CA3D5KRYM6CB7OWQ6TWYRR3Z4T7GNZLKERYNZGGA5SOAOPIFY6YQGAXE' }],
    ['a seed', { account: key.secret() }],
    ['a memo that is no number', { account: key.publicKey(), memo: 'shop' }],
    ['a memo of 65 bits', { account: key.publicKey(), memo: '18446744073709551616' }],
    ['a negative memo', { account: key.publicKey(), memo: '-1' }],
    [
      'a memo beside a muxed account',
      { account: new MuxedAccount(new Account(key.publicKey(), '0'), '7').accountId(), memo: '1' },
    ],
    ['another home domain', { account: key.publicKey(), home_domain: 'evil.example' }],
    ['a client domain that cannot be read', { account: key.publicKey(), client_domain: 'nowhere.example' }],
    [
      'a client domain that is an address with a path',
      { account: key.publicKey(), client_domain: 'a.example/x' },
    ],
    ['a NUL', { account: `${key.publicKey()}\0` }],
  ])('is refused with 400 and {error} for %s', async (_what, query) => {
    const answer = await ask(query as Record<string, string>)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({ error: expect.any(String) })
  })
})

describe('a token', () => {
  it('is given for the master key of an account that is not on the ledger', async () => {
    const answer = await answerWith(sign(await challengeFor(key.publicKey()), key))
    expect(answer.statusCode).toBe(200)
    expect(decodeJwt(answer.json().token)).toEqual({
      iss: 'http://mumbai.anchors.localhost/auth',
      sub: key.publicKey(),
      iat: expect.any(Number),
      exp: expect.any(Number),
      jti: expect.stringMatching(/^[0-9a-f]{64}$/),
      home_domain: 'mumbai.anchors.localhost',
    })
  })

  it('is accepted from a form too', async () => {
    const transaction = sign(await challengeFor(key.publicKey()), key)
    const answer = await app.server.app.inject({
      method: 'POST',
      url: '/auth',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ transaction }).toString(),
    })
    expect(answer.statusCode).toBe(200)
  })

  it('is accepted from a form without percent-encoding, and the login is stored unchanged', async () => {
    const wallet = Keypair.random()
    let transaction = ''
    while (!transaction.includes('+')) transaction = sign(await challengeFor(wallet.publicKey()), wallet)
    const answer = await app.server.app.inject({
      method: 'POST',
      url: '/auth',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `transaction=${transaction}`,
    })
    expect(answer.statusCode).toBe(200)
    expect(await lastLogin(app.deps.database.db, wallet.publicKey())).toBe(transaction)
  })

  it('names memo or muxed account, and the client domain that signed too', async () => {
    const memo = await answerWith(sign(await challengeFor(key.publicKey(), { memo: '5' }), key))
    expect(decodeJwt(memo.json().token).sub).toBe(`${key.publicKey()}:5`)
    const muxed = new MuxedAccount(new Account(key.publicKey(), '0'), '7').accountId()
    const shared = await answerWith(sign(await challengeFor(muxed), key))
    expect(decodeJwt(shared.json().token).sub).toBe(muxed)
    const domain = await challengeFor(key.publicKey(), { client_domain: 'wallet.example' })
    const both = await answerWith(sign(domain, key, clientDomainKey))
    expect(decodeJwt(both.json().token).client_domain).toBe('wallet.example')
    const alone = await challengeFor(key.publicKey(), { client_domain: 'wallet.example' })
    expect((await answerWith(sign(alone, key))).statusCode).toBe(400)
  })

  it('is given once for a challenge, even when it is asked for twenty times at once', async () => {
    const signed = sign(await challengeFor(key.publicKey()), key)
    const answers = await Promise.all(Array.from({ length: 20 }, () => answerWith(signed)))
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    expect(answers.find(({ statusCode }) => statusCode === 400)?.json()).toEqual({
      error: 'the challenge was used already',
    })
  })

  it('needs the medium threshold of an account on the ledger, from its signers alone', async () => {
    const [other, third] = [Keypair.random(), Keypair.random()]
    accounts.set(key.publicKey(), account({ [key.publicKey()]: 1, [other.publicKey()]: 2 }, 3))
    expect((await answerWith(sign(await challengeFor(key.publicKey()), key))).json()).toEqual({
      error: 'the signatures weigh 1, less than the threshold of 3',
    })
    expect((await answerWith(sign(await challengeFor(key.publicKey()), key, third))).statusCode).toBe(400)
    expect((await answerWith(sign(await challengeFor(key.publicKey()), key, other))).statusCode).toBe(200)
    expect((await answerWith(sign(await challengeFor(key.publicKey()), other, key, third))).statusCode).toBe(
      400,
    )
  })

  it('is refused to a master key that the account has removed, and without any signature even at threshold 0', async () => {
    const other = Keypair.random()
    accounts.set(key.publicKey(), account({ [key.publicKey()]: 0, [other.publicKey()]: 1 }, 1))
    expect((await answerWith(sign(await challengeFor(key.publicKey()), key))).statusCode).toBe(400)
    expect((await answerWith(sign(await challengeFor(key.publicKey()), other))).statusCode).toBe(200)
    accounts.set(key.publicKey(), account({ [key.publicKey()]: 1 }, 0))
    expect((await answerWith(await challengeFor(key.publicKey()))).statusCode).toBe(400)
  })

  it('is refused to a signer whom one source of the ledger alone names, and to who needs more by the other', async () => {
    const attacker = Keypair.random()
    const honest = account({ [key.publicKey()]: 1 }, 1)
    accounts.set(key.publicKey(), account({ [attacker.publicKey()]: 9, [key.publicKey()]: 1 }, 1))
    const logIn = async (by: Keypair) =>
      (await answerWith(sign(await challengeFor(key.publicKey()), by))).statusCode
    // As without a second source.
    expect(await logIn(attacker)).toBe(200)
    app.deps.second = { signersOf: async () => honest }
    onTestFinished(() => void (app.deps.second = null))
    expect([await logIn(attacker), await logIn(key)]).toEqual([400, 200])
    // The first one hides the account, from which its master key was removed.
    accounts.clear()
    const other = Keypair.random()
    app.deps.second = { signersOf: async () => account({ [key.publicKey()]: 0, [other.publicKey()]: 1 }, 1) }
    expect([await logIn(key), await logIn(other)]).toEqual([400, 400])
    accounts.set(key.publicKey(), account({ [key.publicKey()]: 1 }, 1))
    app.deps.second = { signersOf: async () => account({ [key.publicKey()]: 1 }, 2) }
    expect(await logIn(key)).toBe(400)
    app.deps.second = { signersOf: () => Promise.reject(new Error('away')) }
    expect(await logIn(key)).toBe(503)
  })

  it('has the second source asked about what the first accepts alone, and a few times a minute for an account', async () => {
    const [owner, stranger] = [Keypair.random(), Keypair.random()]
    let asked = 0
    app.deps.second = { signersOf: async () => (asked++, null) }
    app.deps.secondAsks = createSecondSourceAsks()
    onTestFinished(() => void (app.deps.second = null))
    const logIn = async (by: Keypair) => answerWith(sign(await challengeFor(owner.publicKey()), by))
    expect([(await logIn(stranger)).statusCode, asked]).toEqual([400, 0])
    const signed = sign(await challengeFor(owner.publicKey()), owner)
    const again = async () => (await answerWith(signed)).statusCode
    const answers = await Promise.all(Array.from({ length: 12 }, again))
    expect([answers.filter(code => code === 200).length, asked]).toEqual([1, 10])
    const refused = await logIn(owner)
    expect([refused.statusCode, refused.headers]).toMatchObject([503, { 'retry-after': expect.any(String) }])
  })

  it('is given without a memo to an account that had one, unless the operator refuses that', async () => {
    const muxed = new MuxedAccount(new Account(key.publicKey(), '0'), '7').accountId()
    const [service, wallet] = [Keypair.random(), Keypair.random()]
    const logIn = async (by: Keypair, account: string, more: Record<string, string> = {}) =>
      (await answerWith(sign(await challengeFor(account, more), by))).json()
    expect(await logIn(service, service.publicKey(), { memo: '1' })).toHaveProperty('token')
    expect(await logIn(key, muxed)).toHaveProperty('token')
    expect(await logIn(service, service.publicKey())).toHaveProperty('token')
    mixedMemos = false
    const error = 'the account signed in with a memo before; sign in with the memo of one customer'
    expect(await logIn(service, service.publicKey())).toEqual({ error })
    expect(await logIn(key, key.publicKey())).toEqual({ error })
    expect(await logIn(service, service.publicKey(), { memo: '2' })).toHaveProperty('token')
    // A customer of their own, and one who names a memo for the first time.
    expect(await logIn(wallet, wallet.publicKey())).toHaveProperty('token')
    expect(await logIn(wallet, wallet.publicKey(), { memo: '3' })).toHaveProperty('token')
    expect(await logIn(wallet, wallet.publicKey())).toEqual({ error })
  })

  it('waits for the ledger: 503 while it does not answer, and the challenge stays good', async () => {
    const signed = sign(await challengeFor(key.publicKey()), key)
    ledgerDown = true
    const down = await answerWith(signed)
    expect(down.statusCode).toBe(503)
    expect(down.json()).toEqual({ error: expect.any(String) })
    ledgerDown = false
    expect((await answerWith(signed)).statusCode).toBe(200)
  })

  it('is refused for a challenge that has expired', async () => {
    const signed = sign(await challengeFor(key.publicKey()), key)
    clock.advance(901_000)
    expect((await answerWith(signed)).json()).toEqual({ error: 'the challenge has expired' })
  })

  it('is accepted for a challenge that begins some seconds ahead, and refused with the reason for a later one', async () => {
    const ahead = (seconds: number) => {
      const minTime = Math.floor(clock.now().getTime() / 1_000) + seconds
      return forged({ minTime, maxTime: minTime + 900 })
    }
    expect((await answerWith(ahead(9))).statusCode).toBe(200)
    const late = await answerWith(ahead(60))
    expect(late.statusCode).toBe(400)
    expect(late.json()).toEqual({ error: expect.stringContaining('not valid yet') })
  })

  it('takes the forgery that changes nothing, so that the next table proves something', async () => {
    expect((await answerWith(forged({}))).statusCode).toBe(200)
  })

  it.each<[string, Parameters<typeof forged>[0]]>([
    ['another server’s account', { source: Keypair.random() }],
    ['another server’s signature', { signer: Keypair.random() }],
    ['another sequence number', { sequence: '0' }],
    ['another home domain', { name: 'evil.example auth' }],
    ['a value that is too short', { value: Buffer.alloc(47).toString('base64') }],
    ['a value that is not base64', { value: '!'.repeat(64) }],
    ['no value', { value: null }],
    ['another web_auth_domain', { webAuthDomain: 'evil.example' }],
    ['no end', { maxTime: 0 }],
    ['a beginning that lies ahead', { minTime: 4_000_000_000, maxTime: 4_000_000_900 }],
    ['a text memo', { memo: Memo.text('hello') }],
    [
      'a memo beside a muxed account',
      { memo: Memo.id('1'), account: new MuxedAccount(new Account(key.publicKey(), '0'), '7').accountId() },
    ],
    ['an operation that is not manageData', { extra: 'payment' }],
    ['an operation of someone else', { extra: 'foreign' }],
  ])('is refused for a challenge with %s', async (_what, change) => {
    const answer = await answerWith(forged(change))
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({ error: expect.any(String) })
  })

  it('is refused for a challenge whose signature was made by the account for another network', async () => {
    const challenge = await challengeFor(key.publicKey())
    const foreign = TransactionBuilder.fromXdr(challenge, 'Public Global Stellar Network ; September 2015')
    foreign.sign(key)
    expect((await answerWith(foreign.toXdr())).statusCode).toBe(400)
  })

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['a number', 7],
    ['no XDR', 'hello'],
    ['cut XDR', 'AAAAAgAAAAA='],
    ['60 KB', 'A'.repeat(60_000)],
  ])('is refused with {error} for %s', async (_what, transaction) => {
    const answer = await answerWith(transaction)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({ error: expect.any(String) })
  })

  it('is refused for every challenge with a byte changed', async () => {
    const signed = Buffer.from(sign(await challengeFor(key.publicKey()), key), 'base64')
    await fc.assert(
      fc.asyncProperty(fc.nat(signed.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = Buffer.from(signed)
        changed[at] = (changed[at] ?? 0) ^ flip
        expect((await answerWith(changed.toString('base64'))).statusCode).toBe(400)
      }),
      { numRuns: 60 },
    )
  })
})

it('the SDK’s own server functions accept our challenges, for any account', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), memo => {
      const wallet = Keypair.random()
      const challenge = app.build({ account: wallet.publicKey(), memo: memo.toString() }, new Date())
      const signed = sign(challenge, wallet)
      const signers = [{ key: wallet.publicKey(), weight: 1, type: 'ed25519_public_key' }]
      const found = WebAuth.verifyChallengeTxThreshold(
        signed,
        app.signing.publicKey(),
        passphrase,
        1,
        signers,
        'mumbai.anchors.localhost',
        'mumbai.anchors.localhost',
      )
      expect(found).toEqual([wallet.publicKey()])
    }),
    { numRuns: 10 },
  )
})

function account(weights: Record<string, number>, medium: number): HorizonAccount {
  return {
    id: key.publicKey(),
    sequence: '1',
    ledger: null,
    subentryCount: 0,
    sponsoring: 0,
    sponsored: 0,
    homeDomain: null,
    memoRequired: false,
    issuing: { authRequired: false, authRevocable: false, clawback: false },
    thresholds: { low: 0, medium, high: medium },
    signers: Object.entries(weights).map(([address, weight]) => ({ key: address, weight })),
    balances: [],
  }
}
