import { ProblemError } from '@windlass/client/client.ts'
import {
  challengeWallet,
  linkWallet,
  listWallets,
  proveWallet,
  proveWalletByLogin,
} from '@windlass/contracts/platform/customers.ts'
import { queryKyc } from '@windlass/contracts/internal/internal.ts'
import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { type AccountKey, generateKey } from '@windlass/stellar/keys.ts'
import { buildChallenge, signChallenge } from '@windlass/stellar/sep10-challenge.ts'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { activeAnchor } from '../testing/anchors.ts'
import { answerRoot, type TestApp, testApp } from '../testing/app.ts'
import { signInCustomer, signInOperator } from '../testing/sign-in.ts'

let app: TestApp
let horizon: Server
let anchor: Awaited<ReturnType<typeof activeAnchor>>
/** Who signs for accounts, as Horizon says; it has no other account. */
const shown = new Map<string, string>()
const signing = generateKey()
const homeDomain = 'proving.anchors.localhost'
beforeAll(async () => {
  horizon = createServer((request, response) => {
    if (answerRoot(request, response)) return
    const id = /^\/accounts\/(\w+)$/.exec(request.url ?? '')?.[1] ?? ''
    const signer = shown.get(id)
    if (signer === undefined) return void response.writeHead(404).end('{}')
    const thresholds = { low_threshold: 0, med_threshold: 1, high_threshold: 1 }
    const signers = [{ key: signer, weight: 1 }]
    response.end(JSON.stringify({ id, sequence: '1', subentry_count: 1, thresholds, signers, balances: [] }))
  })
  await new Promise<void>(resolve => horizon.listen(0, '127.0.0.1', resolve))
  const { port } = horizon.address() as AddressInfo
  app = await testApp({ env: { HORIZON_URL: `http://127.0.0.1:${port}` } })
  const owner = await signInOperator(app, 'owner@proving.example')
  anchor = await activeAnchor(app, owner.user.id, 'proving')
  await app.database.db
    .updateTable('anchors')
    .set({ signing_key: signing.publicKey })
    .where('id', '=', anchor.id)
    .execute()
})
afterAll(async () => {
  await app.close()
  horizon.close()
})

const passphrase = () => app.config.network.passphrase
const sign = (transaction: string, key: AccountKey) =>
  signChallenge(transaction, passphrase(), signerFromSeed(key.secret))
/** What a wallet signed when it logged in at the anchor. */
function loginOf(
  wallet: AccountKey,
  {
    by = wallet,
    server = signing,
    domain = homeDomain,
    memo,
  }: { by?: AccountKey | null; server?: AccountKey; domain?: string; memo?: string } = {},
): string {
  const terms = {
    server: server.publicKey,
    networkPassphrase: passphrase(),
    homeDomain: domain,
    webAuthDomain: domain,
  }
  const request = { account: wallet.publicKey, memo }
  const challenge = buildChallenge(signerFromSeed(server.secret), terms, request, app.clock.now())
  return by ? sign(challenge, by) : challenge
}
const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) =>
      error instanceof ProblemError ? `${error.status} ${error.problem.code}` : String(error),
  )
let number = 0
const someone = () => signInCustomer(app, `login${++number}@proof.example`)
const prove = (customer: Awaited<ReturnType<typeof someone>>, transaction: string) =>
  customer.call(proveWalletByLogin, { body: { transaction } })
const ownerOf = (wallet: AccountKey) =>
  app.service.call(queryKyc, { query: { walletAddress: wallet.publicKey } })

describe('a login at an anchor', () => {
  it('links and proves the wallet, up to an hour after its challenge ended', async () => {
    const customer = await someone()
    const wallet = generateKey()
    const login = loginOf(wallet)
    app.clock.advance((900 + 3_599) * 1_000)
    expect(await prove(customer, login)).toMatchObject({ address: wallet.publicKey, verified: true })
    expect(await customer.call(listWallets)).toMatchObject([{ address: wallet.publicKey, verified: true }])
    expect(await ownerOf(wallet)).toMatchObject({ customerId: customer.user.id, walletVerified: true })
    const late = loginOf(generateKey())
    app.clock.advance((900 + 3_601) * 1_000)
    expect(await problemOf(prove(customer, late))).toBe('400 proof-not-accepted')
  })

  it('proves one wallet once, and takes none from who proved it', async () => {
    const [first, second] = [await someone(), await someone()]
    const wallet = generateKey()
    const login = loginOf(wallet)
    expect(await problemOf(prove(first, login))).toBe('done')
    expect(await problemOf(prove(first, login))).toBe('400 proof-not-accepted')
    expect(await problemOf(prove(second, login))).toBe('409 wallet-taken')
    expect(await problemOf(prove(second, loginOf(wallet)))).toBe('409 wallet-taken')
    expect(await second.call(listWallets)).toEqual([])
  })

  it.each<[string, () => string]>([
    ['signed by nobody', () => loginOf(generateKey(), { by: null })],
    ['cut short', () => loginOf(generateKey()).slice(0, -120)],
    ['signed by someone else', () => loginOf(generateKey(), { by: generateKey() })],
    ['of an anchor that is none of ours', () => loginOf(generateKey(), { domain: 'evil.example' })],
    ['signed by another anchor’s key', () => loginOf(generateKey(), { server: generateKey() })],
    ['of one of many who share an account', () => loginOf(generateKey(), { memo: '7' })],
    ['that is no transaction', () => 'nonsense'],
  ])('%s proves nothing and links nothing', async (_what, make) => {
    const customer = await someone()
    expect(await problemOf(prove(customer, make()))).toBe('400 proof-not-accepted')
    expect(await customer.call(listWallets)).toEqual([])
  })

  it('by a signer whom Horizon alone names proves nothing beside a second source, at the platform neither', async () => {
    const [victim, attacker] = [generateKey(), generateKey()]
    shown.set(victim.publicKey, attacker.publicKey)
    const proveHere = async () => {
      const customer = await someone()
      const { id } = await customer.call(linkWallet, { body: { address: victim.publicKey } })
      const { transaction } = await customer.call(challengeWallet, { params: { id } })
      const body = { transaction: sign(transaction, attacker) }
      return problemOf(customer.call(proveWallet, { params: { id }, body }))
    }
    const proveThere = async () => problemOf(prove(await someone(), loginOf(victim, { by: attacker })))
    // The ledger has no such account: it is its master key's.
    let asked = 0
    app.deps.second = { signersOf: async () => (asked++, null) }
    onTestFinished(() => void (app.deps.second = null))
    expect([await proveThere(), await proveHere()]).toEqual([
      '400 proof-not-accepted',
      '400 proof-not-accepted',
    ])
    expect(asked).toBe(2)
    // It is not asked about what is no proof by the first source alone.
    expect(await problemOf(prove(await someone(), loginOf(victim)))).toBe('400 proof-not-accepted')
    expect(asked).toBe(2)
    app.deps.second = { signersOf: () => Promise.reject(new Error('away')) }
    expect(await proveThere()).toBe('503 dependency-unavailable')
    app.deps.second = null
    expect(await proveThere()).toBe('done')
  })

  it('at a suspended anchor proves nothing', async () => {
    const set = (status: 'active' | 'suspended') =>
      app.database.db.updateTable('anchors').set({ status }).where('id', '=', anchor.id).execute()
    await set('suspended')
    expect(await problemOf(prove(await someone(), loginOf(generateKey())))).toBe('400 proof-not-accepted')
    await set('active')
  })

  it('loses to a customer who signs for the platform itself, who loses to nobody', async () => {
    const [relayed, holder] = [await someone(), await someone()]
    const wallet = generateKey()
    await prove(relayed, loginOf(wallet))
    const { id } = await holder.call(linkWallet, { body: { address: wallet.publicKey } })
    const { transaction } = await holder.call(challengeWallet, { params: { id } })
    const body = { transaction: sign(transaction, wallet) }
    expect(await holder.call(proveWallet, { params: { id }, body })).toMatchObject({ verified: true })
    expect(await ownerOf(wallet)).toMatchObject({ customerId: holder.user.id, walletVerified: true })
    expect(await relayed.call(listWallets)).toMatchObject([{ verified: false }])
    expect(await problemOf(prove(relayed, loginOf(wallet)))).toBe('409 wallet-taken')
    // Their own login later takes nothing back from what they proved to the platform.
    expect(await problemOf(prove(holder, loginOf(wallet)))).toBe('done')
    expect(
      await problemOf(relayed.call(linkWallet, { body: { address: wallet.publicKey, network: 'public' } })),
    ).toBe('409 wallet-taken')
  })
})
