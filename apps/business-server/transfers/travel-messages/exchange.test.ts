import type { TravelInquiry, TravelProviders } from '@windlass/contracts/anchor/travel-messages.ts'
import type { TravelRuleHistory, TravelRuleRecord } from '@windlass/contracts/anchor/travel-rule.ts'
import { muxedAccount } from '@windlass/stellar/addresses.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { certificateOf } from '@windlass/testing/certificates.ts'
import { CLIENT_CERTIFICATE_HEADER, PROXY_SECRET_HEADER } from '@windlass/service/http/client-address.ts'
import { randomUUID, X509Certificate } from 'node:crypto'
import { createServer as createHttp } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../../people/customers/customers.ts'
import { travelAddressOf, urlOfTravelAddress } from '../../people/travel-providers/travel-address.ts'
import { payQueued } from '../../payments/pay.ts'
import { sendOrders } from '../../payments/rail-orders.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { acceptTransaction } from '../accept.ts'
import { confirm } from '../confirm.ts'
import { continueTransfer } from '../continue.ts'
import { sendTravelMessages } from './send.ts'
import { inquiryOf, post } from './testing/messages.ts'
import { receiveUnits } from '../../testing/receive-units.ts'

const IBAN = 'DE02120300000000202051'
const ADDRESS = { address: 'Street 7', city: 'Cologne', address_country_code: 'DEU' }
const NAME = { first_name: 'Asha', last_name: 'Verstappen' }
const OPERATOR = 'operator:asha'

/** Two anchors, each with a server of its own: one pays a deposit to the other, which pays it out. */
let here: BankAnchor
let there: BankAnchor
const ids = { here: randomUUID(), there: randomUUID() }

async function listen(anchor: BankAnchor): Promise<void> {
  await anchor.app.server.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = anchor.app.server.app.server.address() as AddressInfo
  anchor.deps.config.anchor.publicUrl = `http://127.0.0.1:${port}`
}

const addressOf = async (anchor: BankAnchor) =>
  (await anchor.get('/travel-providers')).json<TravelProviders>().travelAddress

/** Enters the other one in an anchor's directory. */
const enter = async (anchor: BankAnchor, id: string, other: BankAnchor, over: object = {}) =>
  anchor.asOperator('PUT', `/travel-providers/${id}`, {
    ...{
      name: 'Other Pay',
      lei: '529900T8BM49AURSDO55',
      country: 'DE',
      licence: 'BaFin 7',
      agreedOn: '2026-01-02',
    },
    ...{ travelAddress: await addressOf(other), domains: [], by: OPERATOR, ...over },
    accounts: [other.deps.config.anchor.accounts.distribution],
  })

async function setRule(anchor: BankAnchor, over: object = {}): Promise<void> {
  const { history } = (await anchor.get('/travel-rule')).json<TravelRuleHistory>()
  const settings = { threshold: '10', lei: null, waitsForAnswer: true, ...over }
  await anchor.asOperator('PUT', '/travel-rule', {
    settings,
    version: history[0]?.version ?? 0,
    by: OPERATOR,
  })
}

beforeAll(async () => {
  ;[here, there] = [await BankAnchor.start(), await BankAnchor.start()]
  for (const anchor of [here, there]) {
    await listen(anchor)
    anchor.deps.config.anchor.plan.regions.push('DE')
    anchor.deps.customerRegistry.byId = async () => ({ customerId: 'cus_1', status: 'ACCEPTED' })
  }
  // The same asset, as two anchors of one issuer's.
  there.deps.config.anchor.accounts.issuer = here.deps.config.anchor.accounts.issuer
})
afterAll(async () => {
  await here.close()
  await there.close()
})
beforeEach(async () => {
  for (const anchor of [here, there]) await setRule(anchor)
  expect((await enter(here, ids.there, there)).statusCode).toBe(200)
  expect((await enter(there, ids.here, here)).statusCode).toBe(200)
})

async function named(anchor: BankAnchor, account: string, memo: string | null, fields = NAME): Promise<void> {
  const { id } = await ensureCustomer(anchor.deps, account, memo)
  await changeCustomer(anchor.deps, id, { centralId: 'cus_1', fields: { ...fields, ...ADDRESS } })
}

/** A withdrawal over there of so much, that waits for its units. */
async function withdrawal(amount: string): Promise<{ id: string; memo: string }> {
  Object.assign(there, { wallet: generateKey().publicKey })
  await named(there, there.wallet, null)
  const { id } = await acceptTransaction(
    there.deps,
    there.transaction({
      ...{ kind: 'withdrawal', type: 'sepa', amount_expected: { amount } },
      fields: { dest: IBAN, dest_name: 'Asha Verstappen' },
    }),
  )
  const { ledger_memo } = await confirm(there.deps, id)
  return { id, memo: ledger_memo ?? '' }
}

/** A deposit here to an account and memo, whose money came. */
async function deposit(
  amount: string,
  memo: string,
  account = there.deps.config.anchor.accounts.distribution,
) {
  await named(here, account, memo)
  const transaction = here.transaction({
    ...{ sep: '6', type: 'sepa', amount_expected: { amount }, memo, memo_type: 'id' },
    ...{ source_account: account, destination_account: account },
    ...{ creator: { account, memo }, customers: { sender: { account, memo } } },
  })
  const { id } = await acceptTransaction(here.deps, transaction)
  await continueTransfer(here.deps, id)
  const [row] = await here.rows<{ reference: string; fiat_amount: string }>(
    'select reference, fiat_amount from transfers where id = $1',
    [id],
  )
  const line = { amount: Number(row?.fiat_amount).toFixed(2), text: row?.reference ?? '', account: IBAN }
  await here.read('SEPA', `${id}.xml`, camt053([{ ...line, name: 'Asha Verstappen', bankReference: id }]))
  await payAll()
  return id
}

async function payAll(): Promise<void> {
  await here.rows("update ledger_payments set next_try_at = now() where state = 'queued'")
  await payQueued(here.deps)
}
const waitOf = async (id: string) =>
  (
    await here.rows<{ state: string; wait_code: string | null }>(
      'select state, wait_code from ledger_payments where transfer_id = $1',
      [id],
    )
  )[0]

const inquiries = async (anchor: BankAnchor, transactionId?: string) =>
  (await anchor.get('/travel-inquiries'))
    .json<TravelInquiry[]>()
    .filter(each => transactionId === undefined || each.transactionId === transactionId)
const decide = (anchor: BankAnchor, id: string, decision: string) =>
  anchor.asOperator('POST', `/travel-inquiries/${id}/decision`, { decision, reason: 'Seen.', by: OPERATOR })

/** The units that a deposit paid reach the other anchor. */
async function arrives(amount: string, memo: string): Promise<void> {
  const sender = here.deps.config.anchor.accounts.distribution
  await receiveUnits(there.deps, { amount, ledger_memo: memo }, { sender })
  await sendOrders(there.deps)
}
const payoutsOf = (id: string) => there.rows('select id from bank_payouts where transfer_id = $1', [id])

it('asks the provider before money leaves, is approved at once where all is as agreed, and says which payment it was', async () => {
  const out = await withdrawal('20')
  const id = await deposit('20', out.memo)
  expect(await waitOf(id)).toEqual({ state: 'queued', wait_code: 'travel-answer' })
  await sendTravelMessages(here.deps)
  expect(await inquiries(here, id)).toMatchObject([{ direction: 'sent', state: 'sent', amount: '20' }])
  await sendTravelMessages(there.deps)
  expect(await inquiries(here, id)).toMatchObject([{ state: 'approved' }])
  const [came] = await inquiries(there, out.id)
  expect(came).toMatchObject({ direction: 'received', state: 'approved', amount: '20', by: null })
  expect(came?.document?.originatingVASP?.legalPerson?.name.nameIdentifier).toMatchObject([
    { legalPersonName: 'Mumbai Pay' },
  ])
  await payAll()
  expect(await waitOf(id)).toEqual({ state: 'paid', wait_code: null })
  await sendTravelMessages(here.deps)
  const [sent] = await inquiries(here, id)
  expect(sent).toMatchObject({
    state: 'confirmed',
    txid: expect.stringMatching(/^[0-9a-f]{64}$/),
    failure: null,
  })
  expect((await inquiries(there, out.id))[0]).toMatchObject({ state: 'confirmed', txid: sent?.txid })
  await arrives('20', out.memo)
  expect(await payoutsOf(out.id)).toHaveLength(1)
  const record = (await here.get(`/transactions/${id}/travel-rule`)).json<TravelRuleRecord>()
  expect(record.document.beneficiaryVASP?.legalPerson?.nationalIdentification?.nationalIdentifier).toBe(
    '529900T8BM49AURSDO55',
  )
  // Names are in no table as text.
  for (const anchor of [here, there])
    expect(await findTexts(anchor.deps.config.databaseUrl, ['Verstappen'])).toEqual([])
})

it('what is not as agreed waits for a person over there, whose answer is sent', async () => {
  const out = await withdrawal('30')
  const id = await deposit('31', out.memo)
  await sendTravelMessages(here.deps)
  const [came] = await inquiries(there, out.id)
  expect(came?.state).toBe('waiting')
  expect((await inquiries(here, id))[0]?.state).toBe('sent')
  await payAll()
  expect(await waitOf(id)).toEqual({ state: 'queued', wait_code: 'travel-answer' })
  expect((await decide(there, came?.id ?? '', 'reject')).json()).toMatchObject({
    state: 'rejected',
    by: OPERATOR,
  })
  expect((await decide(there, came?.id ?? '', 'approve')).json()).toMatchObject({
    code: 'travel-inquiry-answered',
  })
  await sendTravelMessages(there.deps)
  const [sent] = await inquiries(here, id)
  expect(sent).toMatchObject({ state: 'rejected', reason: 'Seen.' })
  await payAll()
  expect((await waitOf(id))?.state).toBe('queued')
  // A person here may still let it move.
  expect((await decide(here, sent?.id ?? '', 'release')).json()).toMatchObject({ state: 'released' })
  await payAll()
  expect((await waitOf(id))?.state).toBe('paid')
})

it('a payout waits for the inquiry of the provider that paid, unless a person or the setting lets it move', async () => {
  const out = await withdrawal('40')
  await arrives('40', out.memo)
  expect(await payoutsOf(out.id)).toHaveLength(0)
  const [expected] = await inquiries(there, out.id)
  expect(expected).toMatchObject({ state: 'expected', document: null })
  expect((await there.get(`/transactions/${out.id}`)).json().possibleActions).toContain('refund')
  await decide(there, expected?.id ?? '', 'release')
  await there.rows('update rail_orders set next_try_at = now() where transfer_id = $1', [out.id])
  await sendOrders(there.deps)
  expect(await payoutsOf(out.id)).toHaveLength(1)
  await setRule(there, { waitsForAnswer: false })
  const other = await withdrawal('41')
  await arrives('41', other.memo)
  expect(await payoutsOf(other.id)).toHaveLength(1)
})

it('a provider that is down is asked again under the same number, and its answer counts once', async () => {
  const out = await withdrawal('50')
  const away = travelAddressOf('http://127.0.0.1:9/api/v1/trp/inquiries')
  await enter(here, ids.there, there, { travelAddress: away })
  const id = await deposit('50', out.memo)
  await sendTravelMessages(here.deps)
  expect((await inquiries(here, id))[0]).toMatchObject({ state: 'queued', failure: 'unreachable' })
  await enter(here, ids.there, there)
  for (const _ of [1, 2]) {
    await here.rows(
      "update travel_inquiries set next_try_at = now(), tells = 'inquiry' where transfer_id = $1",
      [id],
    )
    await sendTravelMessages(here.deps)
  }
  expect(await inquiries(there, out.id)).toHaveLength(1)
  await sendTravelMessages(there.deps)
  expect((await inquiries(here, id))[0]?.state).toBe('approved')
})

/** What ends TLS in front of an anchor and asks clients for their certificate, as an operator's proxy does. */
async function front(anchor: BankAnchor, inner: string) {
  const own = await certificateOf('localhost', new Date(Date.now() + 86_400_000))
  const server = createServer(
    { ...own, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const pieces: Buffer[] = []
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', async () => {
        const { fingerprint256 = '' } = (request.socket as TLSSocket).getPeerCertificate()
        const { host: _, ...headers } = request.headers as Record<string, string>
        const answer = await fetch(`${inner}${request.url}`, {
          ...{ method: 'POST', body: Buffer.concat(pieces) },
          headers: {
            ...headers,
            [PROXY_SECRET_HEADER]: anchor.deps.config.proxySecret ?? '',
            [CLIENT_CERTIFICATE_HEADER]: fingerprint256.replaceAll(':', '').toLowerCase(),
          },
        })
        response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()))
      })
    },
  )
  await new Promise<void>(done => server.listen(0, done))
  anchor.deps.config.anchor.publicUrl = `https://localhost:${(server.address() as AddressInfo).port}`
  return { server, ...own }
}
const digestOf = (pem: string) => new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase()

it('two that want certificates of clients take no message without the other’s, nor from its host alone', async () => {
  const inner = [here, there].map(({ deps }) => deps.config.anchor.publicUrl)
  const [ours, theirs] = [await front(here, inner[0] ?? ''), await front(there, inner[1] ?? '')]
  const [ourClient, theirClient] = [
    await certificateOf('here', new Date(Date.now() + 86_400_000)),
    await certificateOf('there', new Date(Date.now() + 86_400_000)),
  ]
  const towards = (other: { cert: string }, own: typeof ourClient | null, expected: string) => ({
    ...{ authority: other.cert, clientCertificates: [digestOf(expected)] },
    ownCertificate: own && { certificate: own.cert, key: own.key },
  })
  const stateOf = async (id: string) => (await inquiries(here, id))[0]
  await enter(there, ids.here, here, towards(ours, theirClient, ourClient.cert))
  // Without a certificate of ours they reject what we ask.
  await enter(here, ids.there, there, towards(theirs, null, theirClient.cert))
  const refused = await withdrawal('70')
  const asked = await deposit('70', refused.memo)
  await sendTravelMessages(here.deps)
  expect(await stateOf(asked)).toMatchObject({
    ...{ state: 'rejected', reason: expect.stringContaining('certificate of the client') },
  })
  expect(await inquiries(there, refused.id)).toEqual([])

  const wrong = { certificate: ourClient.cert, key: theirClient.key }
  expect((await enter(here, ids.there, there, { ownCertificate: wrong })).statusCode).toBe(400)
  expect((await enter(here, ids.there, there, { authority: 'none' })).statusCode).toBe(400)
  const entered = await enter(here, ids.there, there, towards(theirs, ourClient, theirClient.cert))
  expect(entered.json()).toMatchObject({ presents: { sha256: digestOf(ourClient.cert) } })
  expect(entered.body).not.toContain('PRIVATE KEY')
  expect(await findTexts(here.deps.config.databaseUrl, [ourClient.key.slice(30, 80)])).toEqual([])
  // What is not said of certificates stays.
  expect((await enter(here, ids.there, there)).json()).toMatchObject({
    ...{ authority: theirs.cert, clientCertificates: [digestOf(theirClient.cert)] },
    presents: { sha256: digestOf(ourClient.cert) },
  })
  const out = await withdrawal('71')
  const id = await deposit('71', out.memo)
  await sendTravelMessages(here.deps)
  expect(await stateOf(id)).toMatchObject({ state: 'sent', failure: null })
  const [sent] = await inquiries(here, id)
  // An answer without their certificate changes nothing, by anyone who knows its address.
  const approved = { address: `${there.deps.config.anchor.accounts.distribution}:${out.memo}`, callback: 'x' }
  expect((await post(here, `answers/${sent?.id}`, { approved })).statusCode).toBe(400)
  expect((await stateOf(id))?.state).toBe('sent')
  await sendTravelMessages(there.deps)
  expect((await stateOf(id))?.state).toBe('approved')
  await payAll()
  expect(await waitOf(id)).toEqual({ state: 'paid', wait_code: null })
  await sendTravelMessages(here.deps)
  expect((await inquiries(there, out.id))[0]).toMatchObject({ state: 'confirmed' })
  // A server whose certificate another one signed hears nothing.
  await enter(here, ids.there, there, towards(ours, ourClient, theirClient.cert))
  const last = await withdrawal('72')
  const unheard = await deposit('72', last.memo)
  await sendTravelMessages(here.deps)
  expect(await stateOf(unheard)).toMatchObject({ state: 'queued', failure: 'unreachable' })
  for (const { server } of [ours, theirs]) server.close().closeAllConnections()
  ;[here, there].forEach(({ deps }, index) => (deps.config.anchor.publicUrl = inner[index] ?? ''))
  const none = { authority: null, clientCertificates: [], ownCertificate: null }
  expect((await enter(here, ids.there, there, none)).json()).toMatchObject({ presents: null })
  await enter(there, ids.here, here, none)
})

it('takes nothing for an inquiry whose provider is not known any more, with a certificate or without', async () => {
  const out = await withdrawal('73')
  const id = await deposit('73', out.memo)
  await sendTravelMessages(here.deps)
  const [sent] = await inquiries(here, id)
  await here.rows('delete from travel_providers where id = $1', [ids.there])
  const approved = { address: `${there.deps.config.anchor.accounts.distribution}:${out.memo}`, callback: 'x' }
  expect((await post(here, `answers/${sent?.id}`, { approved })).statusCode).toBe(400)
  expect((await inquiries(here, id))[0]?.state).toBe('sent')
})

it('sends what customers told to no server that someone writes into the directory', async () => {
  const heard: string[] = []
  const listener = createHttp((request, response) => {
    heard.push(request.url ?? '')
    response.end()
  })
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  const theirs = travelAddressOf(`http://127.0.0.1:${port}/inquiries`)
  const out = await withdrawal('74')
  const id = await deposit('74', out.memo)
  await here.rows('update travel_providers set travel_address = $2 where id = $1', [ids.there, theirs])
  await sendTravelMessages(here.deps)
  expect([heard, (await inquiries(here, id))[0]]).toMatchObject([[], { state: 'queued', failure: 'refused' }])
  // What people enter so is asked.
  expect((await enter(here, ids.there, there, { travelAddress: theirs })).statusCode).toBe(200)
  await here.rows('update travel_inquiries set next_try_at = now() where next_try_at is not null')
  await sendTravelMessages(here.deps)
  expect(heard).not.toEqual([])
  listener.close().closeAllConnections()
})

it("reads IVMS101 of 2020, answers with the message's number, and keeps nothing of a provider that is not known", async () => {
  const callback = `${here.deps.config.anchor.publicUrl}/anywhere`
  const number = randomUUID()
  const answer = await post(there, 'inquiries?t=i', inquiryOf(callback), { 'request-identifier': number })
  expect(answer.json()).toEqual({ version: '3.2.1' })
  expect(answer.headers).toMatchObject({ 'api-version': '3.2.1', 'request-identifier': number })
  const [came] = await inquiries(there)
  expect(came).toMatchObject({
    ...{ state: 'waiting', amount: '1.5', asset: null },
    document: { originator: { originatorPerson: [{ accountNumber: ['G1'] }] } },
  })
  const count = (await inquiries(there)).length
  const strange = await post(there, 'inquiries?t=i', inquiryOf('https://strangers.example/answers'))
  expect(strange.json()).toEqual({ rejected: expect.stringContaining('not known') })
  expect(await inquiries(there)).toHaveLength(count)
})

it('lists inquiries whatever amounts strangers sent', async () => {
  const callback = `${here.deps.config.anchor.publicUrl}/x`
  for (const amount of [1e20, 1e300, 1e-9, 1.123_456_78, -1]) {
    const refused = await post(there, 'inquiries?t=i', inquiryOf(callback, { amount }))
    expect(refused.json()).toMatchObject({ code: 'validation-failed' })
  }
  const most = await post(there, 'inquiries?t=i', inquiryOf(callback, { amount: 922_337_203_684 }))
  expect(most.statusCode).toBe(200)
  expect((await inquiries(there))[0]?.amount).toBe('922337203684')
})

it.each([
  ['another version', inquiryOf('http://x'), { 'api-version': '2.0.0' }],
  ['no number', inquiryOf('http://x'), { 'request-identifier': '' }],
  ['no names', inquiryOf('http://x', { IVMS101: {} }), {}],
  ['no amount', inquiryOf('http://x', { amount: 0 }), {}],
])('refuses an inquiry with %s', async (_, body, headers) => {
  expect((await post(there, 'inquiries', body, headers)).json()).toMatchObject({ code: 'validation-failed' })
})

it('an approval of another address approves nothing, and an unknown number is not found', async () => {
  const out = await withdrawal('60')
  const id = await deposit('60', out.memo)
  const [asked] = await inquiries(here, id)
  const callback = `${there.deps.config.anchor.publicUrl}/x`
  const address = generateKey().publicKey
  const taken = await post(here, `answers/${asked?.id}`, { approved: { address, callback } })
  expect(taken.statusCode).toBe(204)
  expect((await inquiries(here, id))[0]).toMatchObject({
    state: 'rejected',
    reason: expect.stringContaining('another'),
  })
  expect((await post(here, `answers/${randomUUID()}`, { rejected: 'No.' })).statusCode).toBe(404)
  expect((await post(here, `answers/${asked?.id}`, {})).statusCode).toBe(400)
})

it.each([
  ['another memo', 'rejected', (account: string) => `${account}:71`],
  ['another number at the account', 'rejected', (account: string) => muxedAccount(account, '71')],
  ['the memo that is paid', 'approved', (account: string) => `${account}:70`],
  ['its number at the account', 'approved', (account: string) => muxedAccount(account, '70')],
  ['the account alone', 'approved', (account: string) => account],
])('an answer that approves %s leaves the inquiry %s', async (_, state, address) => {
  const account = there.deps.config.anchor.accounts.distribution
  const id = await deposit('60', '70')
  const [asked] = await inquiries(here, id)
  const approved = { address: address(account), callback: `${there.deps.config.anchor.publicUrl}/x` }
  expect((await post(here, `answers/${asked?.id}`, { approved })).statusCode).toBe(204)
  expect((await inquiries(here, id))[0]?.state).toBe(state)
})

it('refuses a directory entry with a wrong checksum or the host of another provider', async () => {
  const address = await addressOf(there)
  for (const travelAddress of [`${address}1`, address])
    expect((await enter(here, randomUUID(), there, { travelAddress })).json()).toMatchObject({
      code: 'validation-failed',
    })
})

it.each([
  // Those of another implementation's tests.
  ['https://beneficiary.com/x/12345', 'ta2W2HPKfHxgSgrzY178knqXHg1H3jfeQrwQ9JrKBs9wv'],
  ['https://192.22.123.12', 'ta42ZEr7rdvSpGnVvnttK1bWYQU4f4f'],
  ['https://beneficiary.com:8000/x/12345', 'takLQA9MSCjHr3kkHh4fnC5rWNbrySUJhTwQHZsML2anv95kkqe'],
])('%s has the travel address %s', (url, address) => {
  expect(travelAddressOf(url)).toBe(address)
  expect(urlOfTravelAddress(address)).toBe(`${url}${new URL(url).pathname === '/' ? '/' : ''}?t=i`)
  expect(urlOfTravelAddress(`${address.slice(0, -1)}1`)).toBeNull()
})
