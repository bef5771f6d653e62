import {
  challengeWallet,
  confirmAnchorAccount,
  linkWallet,
  listAnchorAccounts,
  listCustomerAnchors,
  listWallets,
  lookUpWalletRemoval,
  proveWallet,
  removeAnchorAccount,
  removeWalletByLink,
} from '@windlass/contracts/platform/customers.ts'
import {
  propagateKyc,
  queryCustomerKyc,
  queryKyc,
  reportWalletLogin,
  requestCodeAtAnchor,
  signInAtAnchor,
} from '@windlass/contracts/internal/internal.ts'
import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { type AccountKey, generateKey } from '@windlass/stellar/keys.ts'
import { signChallenge } from '@windlass/stellar/sep10-challenge.ts'
import { TransactionBuilder } from '@stellar/stellar-sdk/base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  anchorOf,
  comesTo,
  problemOf,
  startOutside,
  type TestAnchor,
  walletAt,
} from '../testing/anchor-sign-ins.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { mailedCode, signInCustomer } from '../testing/sign-in.ts'

let app: TestApp
let outside: Awaited<ReturnType<typeof startOutside>>
let hostile: TestAnchor
let honest: TestAnchor
beforeAll(async () => {
  outside = await startOutside()
  app = await testApp({ env: { HORIZON_URL: outside.url } })
  hostile = await anchorOf(app, 'hostile', outside.url)
  honest = await anchorOf(app, 'honest', outside.url)
})
afterAll(async () => {
  await app.close()
  outside.stop()
})

const waits = '409 wallet-confirmation-needed'

/** A customer who is ACCEPTED, and signed in at the portal. */
async function verified(email: string) {
  const customer = await signInCustomer(app, email)
  app.clock.advance(61_000)
  await app.service.call(propagateKyc, { body: { customerId: customer.user.id, status: 'ACCEPTED' } })
  return customer
}

/** What an honest anchor learns of a wallet that logs in there. */
async function statusAt(anchor: TestAnchor, wallet: AccountKey): Promise<string> {
  await anchor.client.call(reportWalletLogin, { body: { transaction: anchor.loginOf(wallet) } })
  const query = { walletAddress: wallet.publicKey }
  return anchor.client.call(queryKyc, { query }).then(
    ({ status }) => status,
    (error: { problem: { code: string } }) => error.problem.code,
  )
}

const mailsTo = async (email: string) => {
  await app.drain()
  return app.mails.filter(({ to }) => to === email)
}
/** The token of the newest email that has a link. */
async function removalToken(email: string): Promise<string> {
  const mail = (await mailsTo(email)).findLast(({ text }) => text.includes('/remove-wallet#token='))
  return /remove-wallet#token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? ''
}

describe('a hostile anchor at which a verified customer types their code', () => {
  it("ties no stranger's login to them: it waits, they are emailed, and no honest anchor accepts it", async () => {
    const email = 'asha@wallets.example'
    await verified(email)
    const stranger = generateKey()
    expect(await problemOf(comesTo(app, hostile, email, walletAt(hostile, stranger)))).toBe(waits)
    expect(await statusAt(honest, stranger)).toBe('customer-not-found')
    const mail = (await mailsTo(email)).at(-1)
    expect(mail?.subject).toBe('Confirm a new wallet')
    for (const text of [stranger.publicKey, 'hostile.anchors.localhost', '/remove-wallet#token='])
      expect(mail?.text).toContain(text)
  })

  it('neither as an account that several people share, nor as a contract’s', async () => {
    const email = 'shared@wallets.example'
    await verified(email)
    const account = generateKey().publicKey
    expect(await problemOf(comesTo(app, honest, email, { account, memo: '7' }))).toBe(waits)
    const query = { walletAddress: account, memo: '7' }
    expect(await problemOf(honest.client.call(queryKyc, { query }))).toBe('404 customer-not-found')
  })

  it('relays no code of an honest anchor either: a stranger there stays unknown, and learns nobody’s id', async () => {
    const email = 'relayed@wallets.example'
    const customer = await verified(email)
    const stranger = generateKey()
    // The stranger asks at the honest anchor; the customer types the code on the hostile anchor's page.
    expect(await problemOf(comesTo(app, honest, email, walletAt(honest, stranger)))).toBe(waits)
    expect(await statusAt(honest, stranger)).toBe('customer-not-found')
    expect(await customer.call(listCustomerAnchors)).toEqual([])
    const params = { id: customer.user.id }
    expect(await problemOf(honest.client.call(queryCustomerKyc, { params }))).toBe('404 customer-not-found')
  })

  it('blocks nobody else’s wallet by one that waits', async () => {
    await verified('bystander@wallets.example')
    const [wallet, owner] = [generateKey(), await signInCustomer(app, 'owner@wallets.example')]
    const tied = comesTo(app, hostile, 'bystander@wallets.example', walletAt(hostile, wallet))
    expect(await problemOf(tied)).toBe(waits)
    const signedIn = await comesTo(app, honest, 'owner@wallets.example', walletAt(honest, wallet))
    expect(signedIn.customerId).toBe(owner.user.id)
    expect(await owner.call(listWallets)).toMatchObject([{ address: wallet.publicKey, verified: true }])
  })
})

describe('a wallet that waits', () => {
  it('counts at every anchor once the customer confirms it in the portal, and the anchor gets access', async () => {
    const email = 'confirms@wallets.example'
    const customer = await verified(email)
    const wallet = generateKey()
    expect(await problemOf(comesTo(app, honest, email, walletAt(honest, wallet)))).toBe(waits)
    const [account] = await customer.call(listAnchorAccounts)
    expect(account).toMatchObject({
      account: wallet.publicKey,
      memo: null,
      anchor: { homeDomain: 'honest.anchors.localhost', organizationName: 'honest' },
      status: 'waiting',
    })
    const params = { id: account?.id ?? '' }
    const other = await signInCustomer(app, 'other@wallets.example')
    expect(await problemOf(other.call(confirmAnchorAccount, { params }))).toBe('404 wallet-not-found')
    await customer.call(confirmAnchorAccount, { params })
    expect(await customer.call(listAnchorAccounts)).toEqual([])
    expect(await customer.call(listWallets)).toMatchObject([{ address: wallet.publicKey, verified: true }])
    expect(await statusAt(honest, wallet)).toBe('ACCEPTED')
    expect(await statusAt(hostile, wallet)).toBe('ACCEPTED')
    expect((await mailsTo(email)).at(-1)?.subject).toBe('A wallet was linked to your account')
    expect((await customer.call(listCustomerAnchors)).map(({ id }) => id)).toContain(honest.id)
    // The same wallet asks nobody again.
    app.clock.advance(61_000)
    const again = await comesTo(app, hostile, email, walletAt(hostile, wallet))
    expect(again.customerId).toBe(customer.user.id)
  })

  it('at two anchors is confirmed for both, and refusing what waits unlinks nothing that is linked', async () => {
    const email = 'both@wallets.example'
    const customer = await verified(email)
    const wallet = generateKey()
    for (const anchor of [honest, hostile]) {
      app.clock.advance(61_000)
      expect(await problemOf(comesTo(app, anchor, email, walletAt(anchor, wallet)))).toBe(waits)
    }
    const [account] = await customer.call(listAnchorAccounts)
    await customer.call(confirmAnchorAccount, { params: { id: account?.id ?? '' } })
    expect(await customer.call(listAnchorAccounts)).toEqual([])
    const second = generateKey()
    app.clock.advance(61_000)
    expect(await problemOf(comesTo(app, hostile, email, walletAt(hostile, second)))).toBe(waits)
    await customer.call(linkWallet, { body: { address: second.publicKey } })
    const [waiting] = await customer.call(listAnchorAccounts)
    await customer.call(removeAnchorAccount, { params: { id: waiting?.id ?? '' } })
    expect(await customer.call(listWallets)).toHaveLength(2)
  })

  it('is refused in the portal, and asks again with the next code', async () => {
    const email = 'refuses@wallets.example'
    const customer = await verified(email)
    const wallet = generateKey()
    expect(await problemOf(comesTo(app, hostile, email, walletAt(hostile, wallet)))).toBe(waits)
    const [account] = await customer.call(listAnchorAccounts)
    await customer.call(removeAnchorAccount, { params: { id: account?.id ?? '' } })
    expect(await customer.call(listAnchorAccounts)).toEqual([])
    app.clock.advance(61_000)
    expect(await problemOf(comesTo(app, hostile, email, walletAt(hostile, wallet)))).toBe(waits)
    expect(await customer.call(listAnchorAccounts)).toHaveLength(1)
  })

  it('of another customer who proved it meanwhile cannot be confirmed', async () => {
    const email = 'late@wallets.example'
    const customer = await verified(email)
    const wallet = generateKey()
    expect(await problemOf(comesTo(app, hostile, email, walletAt(hostile, wallet)))).toBe(waits)
    await comesTo(app, honest, 'first@wallets.example', walletAt(honest, wallet))
    const [account] = await customer.call(listAnchorAccounts)
    const confirmed = customer.call(confirmAnchorAccount, { params: { id: account?.id ?? '' } })
    expect(await problemOf(confirmed)).toBe('409 wallet-taken')
  })

  it('as a shared account counts at its anchor alone once it is confirmed, until it is removed', async () => {
    const email = 'custodial@wallets.example'
    const customer = await verified(email)
    const [account, memo] = [generateKey().publicKey, '99']
    expect(await problemOf(comesTo(app, honest, email, { account, memo }))).toBe(waits)
    const [waiting] = await customer.call(listAnchorAccounts)
    const params = { id: waiting?.id ?? '' }
    await customer.call(confirmAnchorAccount, { params })
    const query = { walletAddress: account, memo }
    expect((await honest.client.call(queryKyc, { query })).customerId).toBe(customer.user.id)
    expect(await problemOf(hostile.client.call(queryKyc, { query }))).toBe('404 customer-not-found')
    const asked = { params: { id: customer.user.id }, query: { account, memo } }
    expect(await problemOf(honest.client.call(queryCustomerKyc, asked))).toBe('done')
    await customer.call(removeAnchorAccount, { params })
    expect(await problemOf(honest.client.call(queryKyc, { query }))).toBe('404 customer-not-found')
    expect(await problemOf(honest.client.call(queryCustomerKyc, asked))).toBe('404 customer-not-found')
  })
})

describe("a fresh customer's first wallet", () => {
  it('counts at once, as before; they are emailed; a second one waits', async () => {
    const email = 'fresh@wallets.example'
    const [first, second] = [generateKey(), generateKey()]
    const { customerId } = await comesTo(app, honest, email, walletAt(honest, first))
    const mail = (await mailsTo(email)).at(-1)
    expect(mail?.subject).toBe('A wallet was linked to your account')
    expect(mail?.text).toContain(first.publicKey)
    await app.service.call(propagateKyc, { body: { customerId, status: 'ACCEPTED' } })
    expect(await statusAt(hostile, first)).toBe('ACCEPTED')
    app.clock.advance(61_000)
    expect(await problemOf(comesTo(app, honest, email, walletAt(honest, second)))).toBe(waits)
  })

  it('is one, where two sign in at once', async () => {
    for (let n = 0; n < 5; n++) {
      const email = `racing-${n}@wallets.example`
      const ready = []
      for (const anchor of [honest, hostile]) {
        await anchor.client.call(requestCodeAtAnchor, { body: { email } })
        const body = { email, code: await mailedCode(app, email), ...walletAt(anchor, generateKey()) }
        ready.push(() => anchor.client.call(signInAtAnchor, { body }))
      }
      const outcomes = await Promise.all(ready.map(signIn => problemOf(signIn())))
      expect(outcomes.toSorted()).toEqual([waits, 'done'])
    }
  })
})

describe('the link in the email', () => {
  it('removes a wallet once, without a session, and only when it is pressed', async () => {
    const email = 'removes@wallets.example'
    const customer = await verified(email)
    const wallet = generateKey()
    await customer.call(linkWallet, { body: { address: wallet.publicKey } })
    const token = await removalToken(email)
    const anyone = app.client()
    const shown = { account: wallet.publicKey, memo: null }
    // A mail scanner opens the page, as often as it likes.
    for (let n = 0; n < 3; n++)
      expect(await anyone.call(lookUpWalletRemoval, { body: { token } })).toEqual(shown)
    expect(await statusAt(honest, wallet)).toBe('ACCEPTED')
    expect(await anyone.call(removeWalletByLink, { body: { token } })).toEqual(shown)
    expect(await customer.call(listWallets)).toEqual([])
    expect(await statusAt(honest, wallet)).toBe('customer-not-found')
    expect(await problemOf(anyone.call(removeWalletByLink, { body: { token } }))).toBe(
      '410 removal-link-gone',
    )
    expect(await problemOf(anyone.call(lookUpWalletRemoval, { body: { token } }))).toBe(
      '410 removal-link-gone',
    )
  })

  it('refuses a wallet that waits', async () => {
    const email = 'refuses-by-link@wallets.example'
    const customer = await verified(email)
    const wallet = generateKey()
    expect(await problemOf(comesTo(app, hostile, email, walletAt(hostile, wallet)))).toBe(waits)
    await app.client().call(removeWalletByLink, { body: { token: await removalToken(email) } })
    expect(await customer.call(listAnchorAccounts)).toEqual([])
  })

  it('expires, and is of one wallet alone', async () => {
    const email = 'expires@wallets.example'
    const customer = await verified(email)
    await customer.call(linkWallet, { body: { address: generateKey().publicKey } })
    const older = await removalToken(email)
    await app.database.pool.query("update wallet_removals set expires_at = now() - interval '1 second'")
    await customer.call(linkWallet, { body: { address: generateKey().publicKey } })
    const remove = (token: string) => problemOf(app.client().call(removeWalletByLink, { body: { token } }))
    expect(await remove(older)).toBe('410 removal-link-gone')
    expect(await remove(await removalToken(email))).toBe('done')
    expect(await customer.call(listWallets)).toHaveLength(1)
  })

  it('ends what an anchor reads by an account that was removed', async () => {
    const email = 'ends@wallets.example'
    const wallet = generateKey()
    const { customerId } = await comesTo(app, honest, email, walletAt(honest, wallet))
    const asked = { params: { id: customerId }, query: { account: wallet.publicKey } }
    expect(await problemOf(honest.client.call(queryCustomerKyc, asked))).toBe('done')
    await app.client().call(removeWalletByLink, { body: { token: await removalToken(email) } })
    expect(await problemOf(honest.client.call(queryCustomerKyc, asked))).toBe('404 customer-not-found')
  })
})

describe("the platform's own challenge", () => {
  it('names the customer and the place, so that its signer sees for whom they sign', async () => {
    const email = 'challenged@wallets.example'
    const wallet = generateKey()
    await comesTo(app, honest, email, walletAt(honest, wallet))
    const customer = await signInCustomer(app, email)
    const [linked] = await customer.call(listWallets)
    const params = { id: linked?.id ?? '' }
    const { transaction, networkPassphrase } = await customer.call(challengeWallet, { params })
    const data = TransactionBuilder.fromXdr(transaction, networkPassphrase).operations.map(operation =>
      operation.type === 'manageData' && operation.value
        ? [operation.name, Buffer.from(operation.value).toString()]
        : [],
    )
    expect(data).toContainEqual(['customer', email])
    expect(data).toContainEqual(['anchor', 'honest.anchors.localhost'])
    const signed = signChallenge(transaction, networkPassphrase, signerFromSeed(wallet.secret))
    expect(await customer.call(proveWallet, { params, body: { transaction: signed } })).toMatchObject({
      verified: true,
    })
  })
})
