import { Keypair, Networks, TransactionBuilder } from '@stellar/stellar-sdk'
import { ProblemError } from '@windlass/client/client.ts'
import {
  challengeWallet,
  getCustomer,
  linkWallet,
  proveWallet,
} from '@windlass/contracts/platform/customers.ts'
import { propagateKyc, queryKyc, resolveWallets } from '@windlass/contracts/internal/internal.ts'
import { getKycStatus, startKyc } from '@windlass/contracts/platform/kyc.ts'
import { signWebhook } from '@windlass/service/outbound/webhooks.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import fc from 'fast-check'
import { createHmac, randomUUID } from 'node:crypto'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { activeAnchor } from '../testing/anchors.ts'
import { answerRoot, type TestApp, testApp, testEnv } from '../testing/app.ts'
import { signInCustomer, signInOperator } from '../testing/sign-in.ts'
import { recordVisit } from '../visits/visits.ts'

let app: TestApp
let horizon: Server
beforeAll(async () => {
  horizon = createServer((request, response) => {
    if (!answerRoot(request, response)) response.writeHead(404).end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => horizon.once('listening', resolve))
  app = await testApp({ env: { HORIZON_URL: `http://127.0.0.1:${(horizon.address() as AddressInfo).port}` } })
})
afterAll(async () => {
  await app.close()
  horizon.close()
})

const secret = testEnv.PROVIDER_WEBHOOK_SECRET
const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) =>
      error instanceof ProblemError ? `${error.status} ${error.problem.code}` : String(error),
  )
const reportOf = (customerId: string, status = 'APPROVED', minutesAgo = 1) =>
  JSON.stringify({
    event: 'session.completed',
    data: {
      sessionId: `s-${customerId}`,
      status,
      customerId,
      completedAt: new Date(app.clock.now().getTime() - minutesAgo * 60_000).toISOString(),
    },
  })
const post = (body: string, headers: Record<string, string>) =>
  app.server.app.inject({
    method: 'POST',
    url: '/api/v1/customer/kyc/webhook',
    payload: body,
    headers: { 'content-type': 'application/json', ...headers },
  })
const send = (body: string, key: string = secret, id = randomUUID()) =>
  post(body, signWebhook(key, id, body, app.clock.now()))

describe("the provider's webhook at the platform", () => {
  it('makes the customer ACCEPTED everywhere', async () => {
    const customer = await signInCustomer(app, 'ok@kyc.example')
    expect(await customer.call(getKycStatus)).toEqual({
      status: 'NEEDS_INFO',
      verifiedAt: null,
      provider: null,
      updatedAt: null,
      verifiedName: null,
    })
    expect((await send(reportOf(customer.user.id))).json()).toEqual({ ok: true })
    expect(await customer.call(getKycStatus)).toMatchObject({
      status: 'ACCEPTED',
      verifiedAt: expect.any(String),
      provider: 'mock',
    })
    expect((await customer.call(getCustomer)).kycStatus).toBe('ACCEPTED')
    expect(await problemOf(customer.call(startKyc, { body: {} }))).toBe('409 kyc-already-accepted')
  })

  it('is refused as tampered with a bad or missing signature, before anything is parsed', async () => {
    const customer = await signInCustomer(app, 'tampered@kyc.example')
    const body = reportOf(customer.user.id)
    const answers = [
      await post(body, {}),
      await send(body, 'another secret of some length'),
      await post('{not json', { 'x-signature': 'ff' }),
      await post(`${body} `, signWebhook(secret, 'm', body, app.clock.now())),
    ]
    for (const answer of answers)
      expect([answer.statusCode, answer.json().code]).toEqual([401, 'webhook-signature-invalid'])
    expect((await customer.call(getKycStatus)).status).toBe('NEEDS_INFO')
  })

  it('leaves nothing readable of what else the provider sends of the person', async () => {
    const customer = await signInCustomer(app, 'planted@kyc.example')
    const { user } = customer
    const owner = await signInOperator(app, 'owner@planted.example')
    const anchor = await activeAnchor(app, owner.user.id, 'planted')
    const sessionId = `planted-${user.id}`
    await app.database.db
      .insertInto('kyc_sessions')
      .values({
        session_id: sessionId,
        anchor_id: anchor.id,
        customer_id: user.id,
        provider: 'mock',
        created_at: new Date(),
      })
      .execute()
    const report = JSON.parse(reportOf(user.id)) as { data: object }
    const person = { full_name: 'Plantedname', document_number: 'PLANTEDPASSPORT77' }
    const body = JSON.stringify({ ...report, data: { ...report.data, sessionId, decision: person } })
    // Forwarded to the anchor that started the session: it waits in the outbox.
    expect((await send(body)).json()).toEqual({ ok: true })
    expect(await findTexts(app.database.url, Object.values(person))).toEqual([])
  })

  it('takes x-signature too', async () => {
    const customer = await signInCustomer(app, 'hex@kyc.example')
    const body = reportOf(customer.user.id)
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    expect((await post(body, { 'x-signature': `sha256=${signature}` })).statusCode).toBe(200)
    expect((await customer.call(getKycStatus)).status).toBe('ACCEPTED')
  })

  it('has one effect, however often and in whatever order it comes', async () => {
    const customer = await signInCustomer(app, 'order@kyc.example')
    const newer = reportOf(customer.user.id, 'DECLINED', 1)
    expect((await send(newer)).statusCode).toBe(200)
    expect((await send(reportOf(customer.user.id, 'APPROVED', 5))).statusCode).toBe(200)
    expect((await customer.call(getKycStatus)).status).toBe('REJECTED')
    const id = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send(reportOf(customer.user.id, 'APPROVED', 0), secret, id)),
    )
    expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true)
    expect((await customer.call(getKycStatus)).status).toBe('ACCEPTED')
    const audited = await app.database.db
      .selectFrom('audit_log')
      .select('sequence')
      .where('subject', '=', `customer:${customer.user.id}`)
      .execute()
    expect(audited).toHaveLength(2)
  })

  /** A report of one of the customer's sessions, each later than the one before. */
  function sessionsOf(customerId: string) {
    let minute = 0
    return (session: string, status: string) => {
      const completedAt = new Date(app.clock.now().getTime() - 3_600_000 + ++minute * 60_000).toISOString()
      const data = { sessionId: `${session}-${customerId}`, status, customerId, completedAt }
      return send(JSON.stringify({ event: 'session.completed', data }))
    }
  }

  it.each([
    ['APPROVED', 'ACCEPTED'],
    ['DECLINED', 'REJECTED'],
  ])('that decided (%s) is not undone by a second session that only expires', async (word, status) => {
    const customer = await signInCustomer(app, `second-${word}@kyc.example`.toLowerCase())
    const say = sessionsOf(customer.user.id)
    const now = async () => (await customer.call(getKycStatus)).status
    await say('first', word)
    for (const undecided of [
      'NOT STARTED',
      'IN PROGRESS',
      'IN_REVIEW',
      'ABANDONED',
      'EXPIRED',
      'Kyc Expired',
    ]) {
      expect((await say('second', undecided)).statusCode).toBe(200)
      expect(await now(), undecided).toBe(status)
    }
    // The session that decided takes its own word back, and another one decides.
    await say('first', 'Kyc Expired')
    expect(await now()).toBe('NEEDS_INFO')
    await say('second', 'APPROVED')
    expect(await now()).toBe('ACCEPTED')
    await say('third', 'DECLINED')
    expect(await now()).toBe('REJECTED')
  })

  it('of a session that never decides changes no decision, in whatever history', async () => {
    let customers = 0
    const status = fc.constantFrom('NOT STARTED', 'IN PROGRESS', 'IN_REVIEW', 'ABANDONED', 'EXPIRED')
    const decision = fc.constantFrom('APPROVED', 'DECLINED')
    const report = fc.oneof(
      fc.record({ session: fc.constantFrom('a', 'b'), status: fc.oneof(status, decision) }),
      fc.record({ session: fc.constant('idle'), status }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(report, { minLength: 1, maxLength: 8 }), async history => {
        const [all, deciding] = await Promise.all(
          ['all', 'deciding'].map(name => signInCustomer(app, `history-${name}-${++customers}@kyc.example`)),
        )
        if (!all || !deciding) return
        const [sayAll, sayDeciding] = [sessionsOf(all.user.id), sessionsOf(deciding.user.id)]
        for (const { session, status } of history) {
          await sayAll(session, status)
          if (session !== 'idle') await sayDeciding(session, status)
          const [withIdle, without] = await Promise.all(
            [all, deciding].map(async each => (await each.call(getKycStatus)).status),
          )
          const isDecided = without === 'ACCEPTED' || without === 'REJECTED'
          if (isDecided) expect(withIdle).toBe(without)
        }
      }),
      { numRuns: 25 },
    )
  })

  it('is 404 where nobody has the id, and 400 where the signed body makes no sense', async () => {
    expect((await send(reportOf('cus_nobody'))).statusCode).toBe(404)
    expect((await send('{"event":"session.started"}')).statusCode).toBe(400)
    expect((await send('[]')).statusCode).toBe(400)
    expect((await send(`{"pad":"${'x'.repeat(70_000)}"}`)).statusCode).toBe(413)
  })
})

describe('starting a verification', () => {
  it("leads to the provider's hosted page", async () => {
    const customer = await signInCustomer(app, 'start@kyc.example')
    const { url, sessionId } = await customer.call(startKyc, {
      body: { returnUrl: 'http://localhost:4003/back' },
    })
    expect(url).toBe(`http://localhost:4000/kyc/mock/${sessionId}`)
    const page = await app.server.app.inject(new URL(url).pathname)
    expect(page.body).toContain('TEST')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.headers['cross-origin-opener-policy']).toBeUndefined()
  })

  it.each([
    'https://evil.example/',
    'javascript:alert(1)',
    'http://anchors.localhost.evil.example/',
    'not a url',
  ])('never leads back to %s', async returnUrl => {
    const customer = await signInCustomer(app, 'start@kyc.example')
    expect(await problemOf(customer.call(startKyc, { body: { returnUrl } }))).toBe('400 validation-failed')
  })
})

describe('the internal realm', () => {
  it('needs a service secret', async () => {
    for (const headers of [{}, { 'x-service-secret': 'wrong' }, { 'x-service-secret': '' }]) {
      const stranger = app.client(headers as Record<string, string>)
      expect(await problemOf(stranger.call(queryKyc, { query: { walletAddress: 'GX' } }))).toBe(
        '401 unauthenticated',
      )
      expect(
        await problemOf(stranger.call(propagateKyc, { body: { customerId: 'x', status: 'ACCEPTED' } })),
      ).toBe('401 unauthenticated')
      expect(await problemOf(stranger.call(resolveWallets, { params: { id: 'x' } }))).toBe(
        '401 unauthenticated',
      )
    }
  })

  it("believes the platform's own secret, and answers by wallet and by customer", async () => {
    const customer = await signInCustomer(app, 'internal@kyc.example')
    const address = Keypair.random().publicKey()
    await customer.call(linkWallet, { body: { address, label: 'Main' } })
    expect(await app.service.call(queryKyc, { query: { walletAddress: address } })).toEqual({
      customerId: customer.user.id,
      status: 'NEEDS_INFO',
      verified: false,
      completedAt: null,
      walletVerified: false,
    })
    const body = { customerId: customer.user.id, status: 'APPROVED', provider: 'manual' }
    expect(await app.service.call(propagateKyc, { body })).toEqual({
      ok: true,
      customerId: customer.user.id,
      status: 'ACCEPTED',
    })
    expect(await app.service.call(queryKyc, { query: { walletAddress: address } })).toMatchObject({
      status: 'ACCEPTED',
      verified: true,
    })
    expect(await app.service.call(resolveWallets, { params: { id: customer.user.id } })).toEqual({
      addresses: [address],
      wallets: [{ address, network: 'testnet', label: 'Main', verified: false }],
    })
  })

  it('is 404 for unknown wallets and customers, 400 without a parameter or with an unknown status', async () => {
    const { call } = app.service
    expect(await problemOf(call(queryKyc, { query: { walletAddress: Keypair.random().publicKey() } }))).toBe(
      '404 customer-not-found',
    )
    expect(await problemOf(call(resolveWallets, { params: { id: 'cus_nobody' } }))).toBe(
      '404 customer-not-found',
    )
    expect(
      await problemOf(call(propagateKyc, { body: { customerId: 'cus_nobody', status: 'ACCEPTED' } })),
    ).toBe('404 customer-not-found')
    expect(await problemOf(call(propagateKyc, { body: { status: 'ACCEPTED' } }))).toBe(
      '400 validation-failed',
    )
    const customer = await signInCustomer(app, 'statuses@kyc.example')
    expect(
      await problemOf(call(propagateKyc, { body: { customerId: customer.user.id, status: 'FINE' } })),
    ).toBe('400 validation-failed')
    const ahead = new Date(app.clock.now().getTime() + 3_600_000).toISOString()
    expect(
      await problemOf(
        call(propagateKyc, {
          body: { customerId: customer.user.id, status: 'ACCEPTED', completedAt: ahead },
        }),
      ),
    ).toBe('400 validation-failed')
    const bare = await app.server.app.inject({
      url: '/api/v1/internal/customers/kyc',
      headers: { 'x-service-secret': app.config.serviceSecret },
    })
    expect(bare.statusCode).toBe(400)
  })

  it('answers with the owner who proved the wallet before the one who linked it first', async () => {
    const first = await signInCustomer(app, 'first@owner.example')
    const owner = await signInCustomer(app, 'proven@owner.example')
    const key = Keypair.random()
    await first.call(linkWallet, { body: { address: key.publicKey() } })
    app.clock.advance(1)
    const { id } = await owner.call(linkWallet, { body: { address: key.publicKey() } })
    const ask = () => app.service.call(queryKyc, { query: { walletAddress: key.publicKey() } })
    expect(await ask()).toMatchObject({ customerId: first.user.id, walletVerified: false })
    const { transaction } = await owner.call(challengeWallet, { params: { id } })
    const built = TransactionBuilder.fromXDR(transaction, Networks.TESTNET)
    built.sign(key)
    await owner.call(proveWallet, { params: { id }, body: { transaction: built.toXDR() } })
    expect(await ask()).toMatchObject({ customerId: owner.user.id, walletVerified: true })
  })
})

describe("an anchor's own secret", () => {
  const evidenceOf = (body: string, key: string = secret, at = app.clock.now()) => ({
    body: Buffer.from(body).toString('base64'),
    headers: signWebhook(key, randomUUID(), body, at),
  })
  const anchorOf = async (name: string) => {
    const operator = await signInOperator(app, `${name}@operator.example`)
    return activeAnchor(app, operator.user.id, name)
  }

  it("makes nobody ACCEPTED without the provider's own report", async () => {
    const anchor = await anchorOf('kyc-one')
    const customer = await signInCustomer(app, 'evidence@kyc.example')
    const customerId = customer.user.id
    const say = (status: string, evidence?: ReturnType<typeof evidenceOf>) =>
      problemOf(
        anchor.client.call(propagateKyc, { body: { customerId, status, ...(evidence ? { evidence } : {}) } }),
      )
    expect(await say('ACCEPTED')).toBe('403 kyc-evidence-needed')
    expect(await say('ACCEPTED', evidenceOf(reportOf(customerId), 'a forged webhook secret'))).toBe(
      '401 webhook-signature-invalid',
    )
    expect(await say('ACCEPTED', evidenceOf(reportOf('cus_other')))).toBe('400 validation-failed')
    expect(await say('ACCEPTED', evidenceOf(reportOf(customerId, 'DECLINED')))).toBe('400 validation-failed')
    expect((await customer.call(getKycStatus)).status).toBe('NEEDS_INFO')
    await recordVisit(app.database.db, anchor.id, customerId)
    expect(await say('ACCEPTED', evidenceOf(reportOf(customerId, 'APPROVED', 0)))).toBe('done')
    expect((await customer.call(getKycStatus)).status).toBe('ACCEPTED')
  })

  it.each(['NEEDS_INFO', 'ACCEPTED', 'REJECTED'] as const)(
    'changes no customer who is %s by what it thinks of them, whatever it says',
    async before => {
      const anchor = await anchorOf(`kyc-opinion-${before.toLowerCase().replace('_', '-')}`)
      const customer = await signInCustomer(app, `opinion-${before}@kyc.example`.toLowerCase())
      const customerId = customer.user.id
      await recordVisit(app.database.db, anchor.id, customerId)
      await app.service.call(propagateKyc, { body: { customerId, status: before } })
      for (const status of ['NEEDS_INFO', 'PROCESSING', 'ACCEPTED', 'REJECTED', 'DECLINED']) {
        const body = { customerId, status, completedAt: app.clock.now().toISOString() }
        expect(await problemOf(anchor.client.call(propagateKyc, { body }))).toBe('403 kyc-evidence-needed')
      }
      expect((await customer.call(getKycStatus)).status).toBe(before)
    },
  )

  it('may deliver a report an hour late', async () => {
    const anchor = await anchorOf('kyc-late')
    const customer = await signInCustomer(app, 'late@kyc.example')
    const evidence = evidenceOf(
      reportOf(customer.user.id, 'APPROVED', 61),
      secret,
      new Date(app.clock.now().getTime() - 3_600_000),
    )
    expect(
      await problemOf(
        anchor.client.call(propagateKyc, {
          body: { customerId: customer.user.id, status: 'ACCEPTED', evidence },
        }),
      ),
    ).toBe('done')
  })

  it('is worth nothing once the anchor is suspended', async () => {
    const anchor = await anchorOf('kyc-cut')
    await app.database.db
      .updateTable('anchors')
      .set({ status: 'suspended' })
      .where('id', '=', anchor.id)
      .execute()
    expect(await problemOf(anchor.client.call(queryKyc, { query: { walletAddress: 'G' } }))).toBe(
      '401 unauthenticated',
    )
  })
})
