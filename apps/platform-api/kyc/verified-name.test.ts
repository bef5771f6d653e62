import { linkWallet } from '@windlass/contracts/platform/customers.ts'
import {
  passKycReport,
  propagateKyc,
  queryCustomerKyc,
  queryKyc,
} from '@windlass/contracts/internal/internal.ts'
import { getKycStatus } from '@windlass/contracts/platform/kyc.ts'
import { signWebhook } from '@windlass/service/outbound/webhooks.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { activeAnchor } from '../testing/anchors.ts'
import { type TestApp, testApp, testEnv } from '../testing/app.ts'
import { signInCustomer, signInOperator } from '../testing/sign-in.ts'
import { recordVisit } from '../visits/visits.ts'
import { deleteIdentityOf } from './status.ts'
import { lookUpNames } from './verified-name.ts'

/** Plays Didit: decisions by session, and whether it answers. */
const decisions = new Map<string, object>()
let isDown = false
let asked = 0
let didit: Server
let app: TestApp
beforeAll(async () => {
  didit = createServer((request, response) => {
    asked += 1
    const [, session = ''] = /^\/v3\/session\/([^/]+)\/decision\/$/.exec(request.url ?? '') ?? []
    const decision = decisions.get(session)
    const status = isDown ? 500 : decision ? 200 : 404
    response.writeHead(status).end(JSON.stringify(status === 200 ? decision : {}))
  })
  await new Promise<void>(resolve => didit.listen(0, '127.0.0.1', resolve))
  const { port } = didit.address() as AddressInfo
  const provider = { KYC_PROVIDER: 'didit', PROVIDER_API_KEY: 'key', PROVIDER_WORKFLOW_ID: 'flow' }
  app = await testApp({ env: { ...provider, PROVIDER_API_URL: `http://127.0.0.1:${port}` } })
})
afterAll(async () => {
  await app.close()
  didit.close()
})
beforeEach(() => {
  isDown = false
})

const document = (name: object, status = 'Approved') => ({ id_verifications: [{ status, ...name }] })

/** Didit's webhook, as it comes with a decision or without one. */
function webhookOf(customerId: string, sessionId: string, decision?: object, status = 'Approved') {
  const timestamp = Math.floor(app.clock.now().getTime() / 1000)
  return JSON.stringify({ session_id: sessionId, vendor_data: customerId, status, timestamp, decision })
}
const signed = (body: string) =>
  signWebhook(testEnv.PROVIDER_WEBHOOK_SECRET, randomUUID(), body, app.clock.now())
const send = async (body: string) => {
  const headers = { 'content-type': 'application/json', ...signed(body) }
  const url = '/api/v1/customer/kyc/webhook'
  return (await app.server.app.inject({ method: 'POST', url, payload: body, headers })).statusCode
}

async function anchorOf(name: string) {
  const operator = await signInOperator(app, `${name}@names.example`)
  return activeAnchor(app, operator.user.id, name)
}
async function someone() {
  const customer = await signInCustomer(app, `${randomUUID()}@names.example`)
  return { ...customer, id: customer.user.id, sessionId: `session-${customer.user.id}` }
}
const nameFor = async (anchor: Awaited<ReturnType<typeof anchorOf>>, id: string) =>
  (await anchor.client.call(queryCustomerKyc, { params: { id } })).verifiedName

describe('the name on the document of a customer', () => {
  it('comes with the provider’s report, is sealed, and is read by the customer and anchors they use', async () => {
    const [anchor, other] = [await anchorOf('names-here'), await anchorOf('names-there')]
    const { id, sessionId, call } = await someone()
    await recordVisit(app.database.db, anchor.id, id)
    const before = asked
    const body = webhookOf(id, sessionId, document({ first_name: 'Plantedfirst', last_name: 'Plantedlast' }))
    expect(await send(body)).toBe(200)
    expect(asked).toBe(before)
    expect(await nameFor(anchor, id)).toBe('Plantedfirst Plantedlast')
    expect((await call(getKycStatus)).verifiedName).toBe('Plantedfirst Plantedlast')
    await expect(nameFor(other, id)).rejects.toMatchObject({ status: 404 })
    expect(await findTexts(app.database.url, ['Plantedfirst', 'Plantedlast'])).toEqual([])
  })

  it('is asked for where the report has none, later where the provider does not answer', async () => {
    const anchor = await anchorOf('names-later')
    const { id, sessionId } = await someone()
    await recordVisit(app.database.db, anchor.id, id)
    decisions.set(sessionId, {
      ...{ status: 'Approved', vendor_data: id },
      ...document({ full_name: ' Boris   Badov ' }),
    })
    isDown = true
    expect(await send(webhookOf(id, sessionId))).toBe(200)
    expect(await nameFor(anchor, id)).toBeNull()
    await expect(lookUpNames(app.deps)).rejects.toThrow('500')
    isDown = false
    await lookUpNames(app.deps)
    expect(await nameFor(anchor, id)).toBeNull()
    app.clock.advance(601_000)
    await lookUpNames(app.deps)
    expect(await nameFor(anchor, id)).toBe('Boris Badov')
    const before = asked
    app.clock.advance(601_000)
    await lookUpNames(app.deps)
    expect(asked).toBe(before)
  })

  it('is taken from no session of someone else, none that was declined, and no declined document', async () => {
    const anchor = await anchorOf('names-own')
    const names = [
      { status: 'Approved', vendor_data: 'cus_other', ...document({ full_name: 'Some Body' }) },
      { status: 'Declined', ...document({ full_name: 'Some Body' }) },
      { status: 'Approved', ...document({ full_name: 'Some Body' }, 'Declined') },
      { status: 'Approved', ...document({ full_name: 'half \ud800' }) },
      { status: 'Approved', id_verifications: 'none' },
    ]
    for (const decision of names) {
      const { id, sessionId } = await someone()
      await recordVisit(app.database.db, anchor.id, id)
      decisions.set(sessionId, { vendor_data: id, ...decision })
      expect(await send(webhookOf(id, sessionId))).toBe(200)
      await lookUpNames(app.deps)
      expect(await nameFor(anchor, id)).toBeNull()
    }
  })

  it('is not told of a customer who is no longer accepted', async () => {
    const anchor = await anchorOf('names-ended')
    const { id, sessionId } = await someone()
    await recordVisit(app.database.db, anchor.id, id)
    await send(webhookOf(id, sessionId, document({ full_name: 'Boris Badov' })))
    app.clock.advance(60_000)
    expect(await send(webhookOf(id, sessionId, document({ full_name: 'Boris Badov' }), 'Declined'))).toBe(200)
    expect(await nameFor(anchor, id)).toBeNull()
  })

  it('is answered to the anchor that passes a report on, if the customer came there', async () => {
    const anchor = await anchorOf('names-passed')
    const { id, sessionId } = await someone()
    const pass = async () => {
      app.clock.advance(1_000)
      const body = webhookOf(id, sessionId, document({ full_name: 'Boris Badov' }))
      const given = { body: Buffer.from(body).toString('base64'), headers: signed(body) }
      return (await anchor.client.call(passKycReport, { body: given })).verifiedName
    }
    expect(await pass()).toBeNull()
    await recordVisit(app.database.db, anchor.id, id)
    expect(await pass()).toBe('Boris Badov')
  })

  it('is not told for a wallet that was linked without proof', async () => {
    const { id, sessionId, call } = await someone()
    const address = generateKey().publicKey
    await call(linkWallet, { body: { address } })
    await send(webhookOf(id, sessionId, document({ full_name: 'Boris Badov' })))
    const found = await app.service.call(queryKyc, { query: { walletAddress: address } })
    expect(found).toMatchObject({ customerId: id, status: 'ACCEPTED', walletVerified: false })
    expect(found.verifiedName ?? null).toBeNull()
  })

  it('is kept when a later decision has no session to ask for it', async () => {
    const { id, sessionId, call } = await someone()
    await send(webhookOf(id, sessionId, document({ full_name: 'Boris Badov' })))
    app.clock.advance(60_000)
    await app.service.call(propagateKyc, { body: { customerId: id, status: 'ACCEPTED' } })
    expect((await call(getKycStatus)).verifiedName).toBe('Boris Badov')
  })
})

describe('on the public network', () => {
  let live: TestApp
  beforeAll(async () => {
    const { port } = didit.address() as AddressInfo
    const provider = { KYC_PROVIDER: 'didit', PROVIDER_API_KEY: 'key', PROVIDER_WORKFLOW_ID: 'flow' }
    live = await testApp({ env: { ...provider, PROVIDER_API_URL: `http://127.0.0.1:${port}` } })
    live.deps.config.deployment = { ...live.deps.config.deployment, mainnet: true }
  })
  afterAll(() => live.close())

  it('an approval that the provider sends again after it declined changes nothing', async () => {
    const { user } = await signInCustomer(live, 'declined@names.example')
    const session = { session_id: `session-${user.id}`, customer_id: user.id, provider: 'didit' }
    await live.database.db
      .insertInto('kyc_sessions')
      .values({ ...session, created_at: live.clock.now() })
      .execute()
    const report = async (status: string) => {
      live.clock.advance(60_000)
      const timestamp = Math.floor(live.clock.now().getTime() / 1000)
      const body = JSON.stringify({ session_id: session.session_id, vendor_data: user.id, status, timestamp })
      const signature = signWebhook(testEnv.PROVIDER_WEBHOOK_SECRET, randomUUID(), body, live.clock.now())
      const headers = { 'content-type': 'application/json', ...signature }
      const url = '/api/v1/customer/kyc/webhook'
      return (await live.server.app.inject({ method: 'POST', url, payload: body, headers })).statusCode
    }
    const statusNow = async () =>
      (await live.database.db.selectFrom('kyc_records').select('status').execute()).map(row => row.status)
    decisions.set(session.session_id, { status: 'Declined', vendor_data: user.id })
    expect(await report('Declined')).toBe(200)
    expect(await report('Approved')).toBe(200)
    expect(await statusNow()).toEqual(['REJECTED'])
    isDown = true
    expect(await report('Approved')).toBe(503)
    isDown = false
    // Its own answer may be behind its report, which it repeats then.
    decisions.set(session.session_id, { status: 'In Review', vendor_data: user.id })
    expect(await report('Approved')).toBe(503)
    decisions.set(session.session_id, { status: 'Approved', vendor_data: user.id })
    expect(await report('Approved')).toBe(200)
    expect(await statusNow()).toEqual(['ACCEPTED'])
  })
})

describe('the document of a customer', () => {
  const passport = {
    ...{ full_name: 'Maria José Plantedname', date_of_birth: '1990-02-03' },
    ...{ document_type: 'Passport', issuing_state: 'ESP', document_number: 'PLA 123-456' },
  }
  /** A customer with their own address, whom the provider approves with this document; what an anchor learns of them. */
  async function approved(given: object, anchor: Awaited<ReturnType<typeof anchorOf>>) {
    const { id, sessionId } = await someone()
    await recordVisit(app.database.db, anchor.id, id)
    expect(await send(webhookOf(id, sessionId, document(given)))).toBe(200)
    const told = async (at = anchor) => (await at.client.call(queryCustomerKyc, { params: { id } })).identity
    return { id, told, identity: await told() }
  }

  it('tells each anchor that two customers are one person, by digests of its own, and never itself', async () => {
    const [anchor, other] = [await anchorOf('documents-here'), await anchorOf('documents-there')]
    const [first, second, stranger, namesake] = [
      await approved(passport, anchor),
      await approved({ ...passport, document_number: 'pla123456' }, anchor),
      await approved({ ...passport, document_number: 'PLA123457', date_of_birth: '1991-02-03' }, anchor),
      await approved({ ...passport, full_name: 'Plantedname, Maria Jose', document_type: 'ID Card' }, anchor),
    ]
    expect(first.identity?.documents).toHaveLength(1)
    expect(second.identity).toEqual(first.identity)
    expect(stranger.identity?.documents).toHaveLength(1)
    expect(stranger.identity?.documents).not.toEqual(first.identity?.documents)
    expect(stranger.identity?.names).not.toEqual(first.identity?.names)
    expect(namesake.identity?.documents).not.toEqual(first.identity?.documents)
    expect(namesake.identity?.names).toEqual(first.identity?.names)
    await recordVisit(app.database.db, other.id, first.id)
    const elsewhere = await first.told(other)
    expect(elsewhere?.documents).toHaveLength(1)
    expect(elsewhere?.documents).not.toEqual(first.identity?.documents)
    const planted = ['PLA123456', 'PLA 123-456', '1990-02-03', 'Plantedname', 'PLANTEDNAME']
    expect(await findTexts(app.database.url, planted)).toEqual([])
  })

  it('ties two others together that were shown by one customer, whichever anchor that one uses', async () => {
    const anchor = await anchorOf('documents-tied')
    const card = { ...passport, document_type: 'ID Card', document_number: 'TIED55555' }
    const pass = { ...passport, document_number: 'TIED66666' }
    const [first, second] = [await approved(card, anchor), await approved(pass, anchor)]
    const both = await someone()
    await send(webhookOf(both.id, both.sessionId, document(card)))
    app.clock.advance(60_000)
    await send(webhookOf(both.id, `${both.sessionId}-2`, document(pass)))
    const [one, two] = [await first.told(), await second.told()]
    expect(one?.documents.toSorted()).toEqual(two?.documents.toSorted())
    expect(one?.documents).toHaveLength(2)
  })

  it.each([
    ['a number that means nothing', { document_number: '00000000' }],
    ['a short number', { document_number: '12-34' }],
    ['no number', { document_number: null }],
    ['no country', { issuing_state: '' }],
  ])('with %s ties nobody together', async (_, change) => {
    const anchor = await anchorOf(`documents-${randomUUID().slice(0, 8)}`)
    const { identity } = await approved({ ...passport, ...change }, anchor)
    expect(identity?.documents).toEqual([])
  })

  it('is no evidence in a report that declines', async () => {
    const anchor = await anchorOf('documents-declined')
    const { id, sessionId } = await someone()
    await recordVisit(app.database.db, anchor.id, id)
    await send(webhookOf(id, sessionId, document(passport), 'Declined'))
    const answer = await anchor.client.call(queryCustomerKyc, { params: { id } })
    expect(answer.identity).toEqual({ documents: [], names: [] })
  })

  it('of a session that is declined later ties nobody, and that of another session still does', async () => {
    const anchor = await anchorOf('documents-stolen')
    const own = { ...passport, document_type: 'ID Card', document_number: 'THIEF7777' }
    const victim = await approved({ ...passport, document_number: 'STOLEN555' }, anchor)
    const thief = await approved(own, anchor)
    app.clock.advance(60_000)
    const stolen = `${thief.id}-stolen`
    await send(webhookOf(thief.id, stolen, document({ ...passport, document_number: 'STOLEN555' })))
    expect((await thief.told())?.documents).toHaveLength(2)
    expect((await victim.told())?.documents).toHaveLength(2)
    app.clock.advance(60_000)
    await send(webhookOf(thief.id, stolen, undefined, 'Declined'))
    expect((await thief.told())?.documents).toEqual(thief.identity?.documents)
    expect(await victim.told()).toEqual(victim.identity)
    // An approval of that session that comes again late brings nothing back.
    app.clock.advance(-90_000)
    await send(webhookOf(thief.id, stolen, document({ ...passport, document_number: 'STOLEN555' })))
    app.clock.advance(90_000)
    expect(await victim.told()).toEqual(victim.identity)
  })

  it('of a declined session ties nobody where its approval comes again after another session decided', async () => {
    const anchor = await anchorOf('documents-stolen-again')
    const [stolen, card] = [
      { ...passport, document_number: 'STOLEN777' },
      { ...passport, document_type: 'ID Card', document_number: 'THIEF8888' },
    ]
    const victim = await approved(stolen, anchor)
    const thief = await approved(card, anchor)
    const session = { session_id: `${thief.id}-stolen`, customer_id: thief.id, provider: 'didit' }
    await app.database.db
      .insertInto('kyc_sessions')
      .values({ ...session, created_at: new Date() })
      .execute()
    app.clock.advance(60_000)
    const approval = webhookOf(thief.id, session.session_id, document(stolen))
    app.clock.advance(60_000)
    await send(webhookOf(thief.id, session.session_id, undefined, 'Declined'))
    app.clock.advance(60_000)
    await send(webhookOf(thief.id, `${thief.id}-third`, document(card)))
    expect(await send(approval)).toBe(200)
    expect(await victim.told()).toEqual(victim.identity)
  })

  it('is asked for of who was accepted before there were digests, though an earlier release asked for the name', async () => {
    const anchor = await anchorOf('documents-upgraded')
    const { id, told } = await approved({ ...passport, document_number: 'UPGRADE88' }, anchor)
    await app.database.pool.query('delete from identity_digests where customer_id = $1', [id])
    const migration = await readFile(
      new URL('../migrations/0231-identity-of-sessions.sql', import.meta.url),
      'utf8',
    )
    const [again = ''] = /update kyc_records[^;]+;/.exec(migration) ?? []
    await app.database.pool.query(again)
    await app.database.pool.query('update kyc_records set name_due_at = null')
    decisions.set(`session-${id}`, {
      ...{ status: 'Approved', vendor_data: id },
      ...document({ ...passport, document_number: 'UPGRADE88' }),
    })
    app.clock.advance(601_000)
    await lookUpNames(app.deps).catch(() => undefined)
    expect((await told())?.documents).toHaveLength(1)
  })

  it('is asked for where the report has none, and forgotten with the customer', async () => {
    const anchor = await anchorOf('documents-later')
    const { id, sessionId } = await someone()
    await recordVisit(app.database.db, anchor.id, id)
    isDown = true
    await send(webhookOf(id, sessionId))
    isDown = false
    decisions.set(sessionId, { status: 'Approved', vendor_data: id, ...document(passport) })
    await lookUpNames(app.deps)
    const answer = await anchor.client.call(queryCustomerKyc, { params: { id } })
    expect(answer.identity?.documents).toHaveLength(1)
    const kept = () => app.database.pool.query('select 1 from identity_digests where customer_id = $1', [id])
    expect((await kept()).rowCount).toBe(2)
    await app.database.db.transaction().execute(tx => deleteIdentityOf(tx, id))
    expect((await kept()).rowCount).toBe(0)
  })
})
