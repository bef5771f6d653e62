import { everyPage } from '@windlass/client/next-page.ts'
import {
  deleteCustomerAccount,
  getCustomer,
  linkWallet,
  listCustomerAnchors,
  listWallets,
  requestCustomerCode,
  withdrawAnchorAccess,
} from '@windlass/contracts/platform/customers.ts'
import {
  passKycReport,
  propagateKyc,
  queryCustomerKyc,
  queryKyc,
  reportWalletLogin,
  requestCodeAtAnchor,
  resolveWallets,
  startKycSession,
} from '@windlass/contracts/internal/internal.ts'
import { getKycStatus } from '@windlass/contracts/platform/kyc.ts'
import { signWebhook } from '@windlass/service/outbound/webhooks.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  anchorOf as anchorAt,
  comesTo as signsInAt,
  problemOf,
  startOutside,
  type TestAnchor,
} from '../testing/anchor-sign-ins.ts'
import { type TestApp, testApp, testEnv } from '../testing/app.ts'
import { mailedCode, signInCustomer } from '../testing/sign-in.ts'
import { forwardReport } from './report.ts'

const secret = testEnv.PROVIDER_WEBHOOK_SECRET
let app: TestApp
let outside: Awaited<ReturnType<typeof startOutside>>
let forwarded: Awaited<ReturnType<typeof startOutside>>['received']
beforeAll(async () => {
  outside = await startOutside()
  forwarded = outside.received
  app = await testApp({ env: { HORIZON_URL: outside.url } })
})
afterAll(async () => {
  await app.close()
  outside.stop()
})

type Anchor = TestAnchor
const anchorOf = (name: string) => anchorAt(app, name, outside.url)
const comesTo = (anchor: Anchor, ...rest: [string, Parameters<typeof signsInAt>[3]?]) =>
  signsInAt(app, anchor, ...rest)
const reportOf = (data: { sessionId: string; customerId: string; status?: string; completedAt?: string }) =>
  JSON.stringify({
    event: 'session.completed',
    data: { status: 'APPROVED', completedAt: app.clock.now().toISOString(), ...data },
  })
const signed = (body: string, key: string = secret) => signWebhook(key, randomUUID(), body, app.clock.now())
const pass = (anchor: Anchor, body: string, key?: string) =>
  anchor.client.call(passKycReport, {
    body: { body: Buffer.from(body).toString('base64'), headers: signed(body, key) },
  })
const statusOf = async (customer: Awaited<ReturnType<typeof signInCustomer>>) =>
  (await customer.call(getKycStatus)).status

describe('a verification at an anchor', () => {
  it('is started there as often as anywhere, however many sessions another anchor starts', async () => {
    const [hostile, honest] = [await anchorOf('kyc-hostile'), await anchorOf('kyc-honest')]
    const { customerId } = await comesTo(hostile, 'starved@kyc.example')
    app.clock.advance(61_000)
    await comesTo(honest, 'starved@kyc.example')
    const start = (anchor: Anchor) => problemOf(anchor.client.call(startKycSession, { body: { customerId } }))
    expect(await start(hostile)).toBe('done')
    await app.database.pool.query(
      `update rate_limits set points = 1e6 where key like 'kyc-starts%' and key like $1`,
      [`%${customerId}`],
    )
    expect(await start(hostile)).toBe('429 too-many-requests')
    expect(await start(honest)).toBe('done')
  })

  it('is started and verified by the platform, and ends at the anchor', async () => {
    const anchor = await anchorOf('kyc-flow')
    const customer = await signInCustomer(app, 'flow@kyc.example')
    app.clock.advance(61_000)
    const { customerId } = await comesTo(anchor, 'flow@kyc.example')
    expect(customerId).toBe(customer.user.id)
    const session = await anchor.client.call(startKycSession, { body: { customerId } })
    expect(session.url).toBe(`http://localhost:4000/kyc/mock/${session.sessionId}`)
    const body = reportOf({ sessionId: session.sessionId, customerId })
    expect(await pass(anchor, body)).toMatchObject({ customerId, status: 'ACCEPTED', provider: 'mock' })
    expect(await statusOf(customer)).toBe('ACCEPTED')
    expect(await anchor.client.call(queryCustomerKyc, { params: { id: customerId } })).toMatchObject({
      verified: true,
    })
  })

  it('stays at the anchor too when a second session expires', async () => {
    const anchor = await anchorOf('kyc-second')
    const { customerId } = await comesTo(anchor, 'second@kyc.example')
    const [first, second] = [
      await anchor.client.call(startKycSession, { body: { customerId } }),
      await anchor.client.call(startKycSession, { body: { customerId } }),
    ]
    await pass(anchor, reportOf({ sessionId: first.sessionId, customerId }))
    const decided = await anchor.client.call(queryCustomerKyc, { params: { id: customerId } })
    app.clock.advance(60_000)
    const expired = reportOf({ sessionId: second.sessionId, customerId, status: 'EXPIRED' })
    expect(await pass(anchor, expired)).toMatchObject({
      sessionId: second.sessionId,
      status: 'ACCEPTED',
      completedAt: decided.completedAt,
    })
  })

  it('is known to the customer by the anchors that may see it, page by page', async () => {
    const customer = await signInCustomer(app, 'seen@kyc.example')
    expect(await customer.call(listCustomerAnchors)).toEqual([])
    const anchors = [await anchorOf('seen-first'), await anchorOf('seen-second')]
    for (const anchor of anchors) {
      app.clock.advance(61_000)
      await comesTo(anchor, 'seen@kyc.example')
    }
    const listed = await everyPage(page =>
      customer.send(listCustomerAnchors, { query: { limit: 1, ...page } }),
    )
    expect(listed.map(({ id }) => id).toSorted()).toEqual(anchors.map(({ id }) => id).toSorted())
    expect(listed[0]).toMatchObject({
      homeDomain: expect.stringMatching(/^seen-/),
      organizationName: expect.stringMatching(/^seen-/),
    })
    const other = await signInCustomer(app, 'unseen@kyc.example')
    expect(await other.call(listCustomerAnchors)).toEqual([])
  })

  it('is forwarded to the anchor when the provider reports it to the platform', async () => {
    const anchor = await anchorOf('kyc-forward')
    const { customerId } = await comesTo(anchor, 'forward@kyc.example')
    const { sessionId } = await anchor.client.call(startKycSession, { body: { customerId } })
    const body = reportOf({ sessionId, customerId })
    const headers = { 'content-type': 'application/json', ...signed(body) }
    const webhook = { method: 'POST', url: '/api/v1/customer/kyc/webhook', payload: body, headers } as const
    expect((await app.server.app.inject(webhook)).statusCode).toBe(200)
    await app.drain()
    expect(forwarded.at(-1)?.body).toBe(body)
    const back = forwarded.at(-1)?.headers
    const evidence = {
      body: Buffer.from(body).toString('base64'),
      headers: {
        'webhook-id': String(back?.['webhook-id']),
        'webhook-timestamp': String(back?.['webhook-timestamp']),
        'webhook-signature': String(back?.['webhook-signature']),
      },
    }
    expect(await anchor.client.call(passKycReport, { body: evidence })).toMatchObject({ status: 'ACCEPTED' })
  })

  it('cannot be forged, moved to another customer or session, or dated ahead', async () => {
    const [anchor, other] = [await anchorOf('kyc-forge'), await anchorOf('kyc-thief')]
    const customer = await signInCustomer(app, 'victim@kyc.example')
    app.clock.advance(61_000)
    const { customerId } = await comesTo(anchor, 'victim@kyc.example')
    const stranger = await signInCustomer(app, 'stranger@kyc.example')
    const { sessionId } = await anchor.client.call(startKycSession, { body: { customerId } })
    const report = reportOf({ sessionId, customerId, status: 'DECLINED' })
    const ahead = new Date(app.clock.now().getTime() + 3_600_000).toISOString()
    for (const completedAt of [ahead, '9999-12-31T00:00:00.000Z']) {
      const body = reportOf({ sessionId, customerId, status: 'DECLINED', completedAt })
      expect(await problemOf(pass(anchor, body))).toBe('400 validation-failed')
    }
    expect(await problemOf(pass(anchor, report, 'a secret that the anchor made up'))).toBe(
      '401 webhook-signature-invalid',
    )
    expect(await problemOf(pass(other, report))).toBe('400 validation-failed')
    const moved = reportOf({ sessionId, customerId: stranger.user.id })
    expect(await problemOf(pass(anchor, moved))).toBe('400 validation-failed')
    expect([await statusOf(customer), await statusOf(stranger)]).toEqual(['NEEDS_INFO', 'NEEDS_INFO'])
  })
})

describe("an anchor's secret", () => {
  it('reads and changes nobody who did not come to that anchor', async () => {
    const anchor = await anchorOf('kyc-nosy')
    const customer = await signInCustomer(app, 'elsewhere@kyc.example')
    const wallet = generateKey()
    await customer.call(linkWallet, { body: { address: wallet.publicKey } })
    const customerId = customer.user.id
    const query = { walletAddress: wallet.publicKey }
    const { call } = anchor.client
    expect(await problemOf(call(queryKyc, { query }))).toBe('403 wallet-login-needed')
    expect(await problemOf(call(queryCustomerKyc, { params: { id: customerId } }))).toBe(
      '404 customer-not-found',
    )
    expect(await problemOf(call(resolveWallets, { params: { id: customerId } }))).toBe(
      '404 customer-not-found',
    )
    expect(await problemOf(call(startKycSession, { body: { customerId } }))).toBe('404 customer-not-found')
    expect(await problemOf(call(propagateKyc, { body: { customerId, status: 'REJECTED' } }))).toBe(
      '403 kyc-evidence-needed',
    )
    expect(await statusOf(customer)).toBe('NEEDS_INFO')
  })

  it('reports only logins of wallets that signed in there', async () => {
    const [anchor, other] = [await anchorOf('kyc-login'), await anchorOf('kyc-login-b')]
    const wallet = generateKey()
    const report = (transaction: string) =>
      problemOf(anchor.client.call(reportWalletLogin, { body: { transaction } }))
    expect(await report('AAAA')).toBe('400 proof-not-accepted')
    expect(await report(other.loginOf(wallet))).toBe('400 proof-not-accepted')
    const query = { walletAddress: wallet.publicKey }
    expect(await problemOf(anchor.client.call(queryKyc, { query }))).toBe('403 wallet-login-needed')
    expect(await report(anchor.loginOf(wallet))).toBe('done')
    expect(await problemOf(anchor.client.call(queryKyc, { query }))).toBe('404 customer-not-found')
  })
})

describe('a wallet that was linked without proof', () => {
  it('leads an anchor to nobody but a customer who is ACCEPTED', async () => {
    const anchor = await anchorOf('kyc-unproven')
    const wallet = generateKey()
    const query = { walletAddress: wallet.publicKey }
    const attacker = await signInCustomer(app, 'attacker@kyc.example')
    await attacker.call(linkWallet, { body: { address: wallet.publicKey } })
    await anchor.client.call(reportWalletLogin, { body: { transaction: anchor.loginOf(wallet) } })
    expect(await problemOf(anchor.client.call(queryKyc, { query }))).toBe('404 customer-not-found')
    const body = { walletAddress: wallet.publicKey, status: 'ACCEPTED' }
    expect(await problemOf(app.service.call(propagateKyc, { body }))).toBe('404 customer-not-found')
    expect(await statusOf(attacker)).toBe('NEEDS_INFO')

    const accepted = await signInCustomer(app, 'accepted@kyc.example')
    app.clock.advance(1)
    await accepted.call(linkWallet, { body: { address: wallet.publicKey } })
    const decision = { customerId: accepted.user.id, status: 'ACCEPTED' }
    await app.service.call(propagateKyc, { body: decision })
    expect(await anchor.client.call(queryKyc, { query })).toMatchObject({
      customerId: accepted.user.id,
      verified: true,
      walletVerified: false,
    })
    const start = anchor.client.call(startKycSession, { body: { customerId: attacker.user.id } })
    expect(await problemOf(start)).toBe('404 customer-not-found')
  })

  it('goes to its owner, who proves it by signing in at the anchor', async () => {
    const anchor = await anchorOf('kyc-owner')
    const wallet = generateKey()
    const attacker = await signInCustomer(app, 'first@kyc.example')
    await attacker.call(linkWallet, { body: { address: wallet.publicKey } })
    const login = anchor.loginOf(wallet)
    const { customerId } = await comesTo(anchor, 'owner@kyc.example', { address: wallet.publicKey, login })
    const found = await anchor.client.call(queryKyc, { query: { walletAddress: wallet.publicKey } })
    expect(found).toMatchObject({ customerId, walletVerified: true })
    const { sessionId } = await anchor.client.call(startKycSession, { body: { customerId } })
    await pass(anchor, reportOf({ sessionId, customerId }))
    expect(await statusOf(attacker)).toBe('NEEDS_INFO')
    expect((await attacker.call(listWallets)).map(({ verified }) => verified)).toEqual([false])
  })
})

describe('codes that an anchor has emailed', () => {
  it('are bounded for all its clients together, whose addresses it could make up', async () => {
    const [anchor, neighbor] = [await anchorOf('mailer'), await anchorOf('neighbor')]
    const ask = async (of: Anchor, email: string) => {
      const clientAddress = `2001:db8:${email.length}::1`
      expect(await of.client.call(requestCodeAtAnchor, { body: { email, clientAddress } })).toEqual({
        ok: true,
      })
      await app.drain()
      return app.mails.filter(({ to }) => to === email).length
    }
    expect(await ask(anchor, 'one@codes.example')).toBe(1)
    await app.database.pool.query("update rate_limits set points = 50000 where key like 'anchor-codes:%'")
    expect(await ask(anchor, 'another@codes.example')).toBe(0)
    expect(await ask(neighbor, 'another@codes.example')).toBe(1)
  })
})

describe('an access that the customer withdraws', () => {
  it('ends every way of reading at that anchor alone, until they sign in there again', async () => {
    const wallet = generateKey()
    const [anchor, other] = [await anchorOf('withdrawn'), await anchorOf('kept')]
    const customer = await signInCustomer(app, 'consent@kyc.example')
    const customerId = customer.user.id
    for (const each of [anchor, other]) {
      app.clock.advance(61_000)
      await comesTo(each, 'consent@kyc.example', { address: wallet.publicKey, login: each.loginOf(wallet) })
    }
    const reads = (at: Anchor) =>
      Promise.all([
        problemOf(at.client.call(queryCustomerKyc, { params: { id: customerId } })),
        problemOf(at.client.call(queryKyc, { query: { walletAddress: wallet.publicKey } })),
        problemOf(at.client.call(resolveWallets, { params: { id: customerId } })),
        problemOf(at.client.call(startKycSession, { body: { customerId } })),
      ])
    expect(new Set(await reads(anchor))).toEqual(new Set(['done']))
    const { sessionId } = await anchor.client.call(startKycSession, { body: { customerId } })
    await customer.call(withdrawAnchorAccess, { params: { id: anchor.id } })
    const refused = new Set(['404 customer-not-found'])
    expect(new Set(await reads(anchor))).toEqual(refused)
    expect((await customer.call(listCustomerAnchors)).map(({ id }) => id)).toEqual([other.id])
    expect(await problemOf(customer.call(withdrawAnchorAccess, { params: { id: anchor.id } }))).toBe(
      '404 anchor-not-found',
    )
    // The wallet's next login is no consent.
    app.clock.advance(1_000)
    await anchor.client.call(reportWalletLogin, { body: { transaction: anchor.loginOf(wallet) } })
    expect(new Set(await reads(anchor))).toEqual(refused)
    // Nor is the end of a check that began there.
    const { length } = forwarded
    const body = reportOf({ sessionId, customerId })
    const sent = await app.server.app.inject({
      method: 'POST',
      url: '/api/v1/customer/kyc/webhook',
      headers: { ...signed(body), 'content-type': 'application/json' },
      payload: body,
    })
    expect(sent.statusCode).toBe(200)
    await app.drain()
    expect(forwarded).toHaveLength(length)
    expect(await statusOf(customer)).toBe('ACCEPTED')
    expect(new Set((await reads(other)).slice(0, 3))).toEqual(new Set(['done']))
    app.clock.advance(61_000)
    await comesTo(anchor, 'consent@kyc.example')
    expect((await reads(anchor)).slice(0, 3)).toEqual(['done', 'done', 'done'])
  })

  it('ends also for reports of the provider that the anchor has, or was about to get', async () => {
    const anchor = await anchorOf('old-reports')
    const customer = await signInCustomer(app, 'reports@kyc.example')
    app.clock.advance(61_000)
    const { customerId } = await comesTo(anchor, 'reports@kyc.example')
    const { sessionId } = await anchor.client.call(startKycSession, { body: { customerId } })
    const report = reportOf({ sessionId, customerId })
    const evidence = { body: Buffer.from(report).toString('base64'), headers: signed(report) }
    const sendAgain = () =>
      problemOf(anchor.client.call(propagateKyc, { body: { customerId, status: 'ACCEPTED', evidence } }))
    const forward = () =>
      forwardReport(app.deps)({
        ...{ id: 'm', key: 'k', attempt: 1 },
        payload: { anchorId: anchor.id, customerId, ...evidence },
      })
    expect(await sendAgain()).toBe('done')
    const { length } = forwarded
    await forward()
    expect(forwarded).toHaveLength(length + 1)
    await customer.call(withdrawAnchorAccess, { params: { id: anchor.id } })
    expect(await sendAgain()).toBe('404 customer-not-found')
    await forward()
    expect(forwarded).toHaveLength(length + 1)
  })

  it('cannot be withdrawn by another customer', async () => {
    const anchor = await anchorOf('not-yours')
    await signInCustomer(app, 'mine@kyc.example')
    app.clock.advance(61_000)
    const { customerId } = await comesTo(anchor, 'mine@kyc.example')
    const other = await signInCustomer(app, 'foreign@kyc.example')
    expect(await problemOf(other.call(withdrawAnchorAccess, { params: { id: anchor.id } }))).toBe(
      '404 anchor-not-found',
    )
    expect(await problemOf(anchor.client.call(queryCustomerKyc, { params: { id: customerId } }))).toBe('done')
  })
})

describe('an account that its customer deletes', () => {
  it('needs a fresh code, leaves nothing that names them, and cannot be read by anchors', async () => {
    const email = 'leaving@kyc.example'
    const anchor = await anchorOf('left')
    const customer = await signInCustomer(app, email)
    app.clock.advance(61_000)
    const { customerId } = await comesTo(anchor, email, { address: generateKey().publicKey })
    await anchor.client.call(startKycSession, { body: { customerId } })
    expect(await problemOf(customer.call(deleteCustomerAccount, { body: { code: '000000' } }))).toBe(
      '403 confirmation-refused',
    )
    expect(await problemOf(customer.call(getCustomer))).toBe('done')
    app.clock.advance(61_000)
    await customer.call(requestCustomerCode, { body: { email, purpose: 'deletion' } })
    await customer.call(deleteCustomerAccount, { body: { code: await mailedCode(app, email) } })
    expect(await problemOf(customer.call(getCustomer))).toBe('401 unauthenticated')
    expect(await problemOf(anchor.client.call(queryCustomerKyc, { params: { id: customerId } }))).toBe(
      '404 customer-not-found',
    )
    const tables = ['wallets', 'anchor_visits', 'anchor_accounts', 'wallet_removals', 'kyc_records'] as const
    for (const table of [...tables, 'kyc_sessions'] as const) {
      const rows = await app.database.db
        .selectFrom(table)
        .select('customer_id')
        .where('customer_id', '=', customerId)
        .execute()
      expect(rows, table).toEqual([])
    }
    const again = await signInCustomer(app, email)
    expect(again.user.id).not.toBe(customerId)
    expect(await again.call(listCustomerAnchors)).toEqual([])
  })
})
