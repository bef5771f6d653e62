import { readContracts } from '@windlass/api-documents/contracts.ts'
import { ProblemError } from '@windlass/client/client.ts'
import {
  confirmAnchorAccount,
  linkWallet,
  listAnchorAccounts,
  requestCustomerCode,
} from '@windlass/contracts/platform/customers.ts'
import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import {
  passKycReport,
  queryCustomerKyc,
  requestCodeAtAnchor,
  startKycSession,
} from '@windlass/contracts/internal/internal.ts'
import { signWebhook } from '@windlass/service/outbound/webhooks.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../ids.ts'
import { anchorOf, comesTo, startOutside, type TestAnchor, walletAt } from '../testing/anchor-sign-ins.ts'
import { type TestApp, testApp, testEnv } from '../testing/app.ts'
import { mailedCode, signInCustomer } from '../testing/sign-in.ts'

/*
 * What an anchor's secret learns of, or changes about, a customer who gave that anchor nothing: nothing. A hostile anchor
 * sends everything it may know of a customer to every internal endpoint, and the same with the names of someone who does
 * not exist. The answers are the same, and what is stored of the customer stays as it is.
 */

let app: TestApp
let outside: Awaited<ReturnType<typeof startOutside>>
let hostile: TestAnchor
let endpoints: Endpoint[]
/** What the hostile anchor may have found out about the customer, by the field that it sends it in; and its stand-ins. */
let known: Record<string, readonly unknown[]>
let standIns: ReadonlyMap<string, string>
let customerId: string
const email = 'victim@nothing.example'

beforeAll(async () => {
  outside = await startOutside()
  app = await testApp({ env: { HORIZON_URL: outside.url } })
  hostile = await anchorOf(app, 'hostile', outside.url)
  endpoints = (await readContracts()).endpoints
    .map(({ endpoint }) => endpoint)
    .filter(({ realm }) => realm === 'internal')
  await plantCustomer()
})
afterAll(async () => {
  await app.close()
  outside.stop()
})

/** A verified customer with wallets, accounts, codes and reports at an honest anchor and in the portal. */
async function plantCustomer(): Promise<void> {
  const honest = await anchorOf(app, 'honest', outside.url)
  const [own, linked, waiting, shared, twin] = Array.from({ length: 5 }, () => generateKey())
  if (!own || !linked || !waiting || !shared || !twin) throw new Error('keys are missing')
  const signedIn = await comesTo(app, honest, email, walletAt(honest, own))
  customerId = signedIn.customerId
  const { sessionId } = await honest.client.call(startKycSession, { body: { customerId } })
  const report = JSON.stringify({
    event: 'session.completed',
    data: {
      sessionId,
      customerId,
      status: 'APPROVED',
      completedAt: app.clock.now().toISOString(),
      decision: { full_name: 'Victim Name' },
    },
  })
  const evidenceBy = (secret: string) => ({
    body: Buffer.from(report).toString('base64'),
    headers: signWebhook(secret, randomUUID(), report, app.clock.now()),
  })
  const genuine = evidenceBy(testEnv.PROVIDER_WEBHOOK_SECRET)
  await honest.client.call(passKycReport, { body: genuine })
  const customer = await signInCustomer(app, email)
  await customer.call(linkWallet, { body: { address: linked.publicKey } })
  for (const account of [{ account: shared.publicKey, memo: '77' }, walletAt(honest, waiting)])
    await comesTo(app, honest, email, account).catch(() => undefined)
  const accounts = await customer.call(listAnchorAccounts)
  const id = accounts.find(({ memo }) => memo === '77')?.id ?? ''
  await customer.call(confirmAnchorAccount, { params: { id } })
  await app.client().call(requestCustomerCode, { body: { email } })
  const portalCode = await mailedCode(app, email)
  await honest.client.call(requestCodeAtAnchor, { body: { email } })
  const honestCode = await mailedCode(app, email)
  // The victim of the test is worth attacking.
  const { status } = await honest.client.call(queryCustomerKyc, { params: { id: customerId } })
  expect(status).toBe('ACCEPTED')
  const [login, twinLogin] = [honest.loginOf(own), honest.loginOf(twin)]
  const strange = hostile.loginOf(generateKey())
  const wallets = [own, linked, waiting, shared].map(({ publicKey }) => publicKey)
  const forged = evidenceBy('a secret that the anchor made up')
  known = {
    id: [customerId],
    customerId: [customerId],
    customerIds: [[customerId], [customerId, 'cus_other']],
    email: [email],
    walletAddress: wallets,
    account: wallets,
    address: wallets,
    memo: ['77'],
    code: [portalCode, honestCode, '000000'],
    login: [login, strange, 'AAAA'],
    transaction: [login, strange, 'AAAA'],
    status: ['NEEDS_INFO', 'PROCESSING', 'ACCEPTED', 'APPROVED', 'REJECTED', 'DECLINED'],
    provider: ['mock'],
    sessionId: [sessionId],
    completedAt: [app.clock.now().toISOString()],
    evidence: [forged, genuine],
    body: [forged.body],
    headers: [forged.headers, genuine.headers],
    clientAddress: ['203.0.113.7'],
    returnUrl: ['http://hostile.anchors.localhost/'],
    key: [`wlk_${'a'.repeat(40)}`],
    acts: [
      [
        {
          ...{ id: 'act_1', keyId: 'key_1', action: 'statement-line.decided', outcome: 'done' },
          ...{ details: { customerId, email }, at: app.clock.now().toISOString() },
        },
      ],
      [],
    ],
    evaluated: [['ledger-incident'], []],
    conditions: [[]],
    reference: [randomUUID()],
    direction: ['deposit', 'withdrawal'],
    currency: ['EUR', 'XXX'],
    amount: ['20', '0.0000001'],
    at: [app.clock.now().toISOString()],
    since: [new Date(app.clock.now().getTime() - 86_400_000).toISOString()],
    unsure: [[]],
    events: [[]],
  }
  standIns = new Map([
    [customerId, newId('cus')],
    [email, 'nobody@nothing.example'],
    [sessionId, randomUUID()],
    [login, twinLogin],
    ...wallets.map((wallet): [string, string] => [wallet, generateKey().publicKey]),
  ])
}

/** Everything that is stored of the customer, but for codes and tries of codes. */
async function stored(): Promise<string> {
  const { rows } = await app.database.pool.query<{ all: string }>(
    `select jsonb_build_array(
      (select jsonb_agg(to_jsonb(t) order by t.id) from customers t where id = $1),
      (select jsonb_agg(to_jsonb(t) order by t.id) from wallets t where customer_id = $1),
      (select jsonb_agg(to_jsonb(t)) from kyc_records t where customer_id = $1),
      (select jsonb_agg(to_jsonb(t) order by t.session_id) from kyc_sessions t where customer_id = $1),
      (select jsonb_agg(to_jsonb(t) order by t.anchor_id) from anchor_visits t where customer_id = $1),
      (select jsonb_agg(to_jsonb(t) order by t.id) from anchor_accounts t where customer_id = $1),
      (select jsonb_agg(to_jsonb(t) order by t.token_hash) from wallet_removals t where customer_id = $1),
      (select jsonb_agg(to_jsonb(t) order by t.id) from customer_movements t where customer_id = $1),
      (select jsonb_agg(to_jsonb(t) order by t.id) from sessions t where subject = $1)
    )::text as all`,
    [customerId],
  )
  return rows[0]?.all ?? ''
}

interface Part {
  properties?: Record<string, unknown>
  required?: string[]
}

/** One of the values that are known for each field; optional fields may be absent. */
function partOf(endpoint: Endpoint, schema: unknown): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [] } = (schema ?? {}) as Part
  const fields = Object.keys(properties).map(name => {
    const values = known[name]
    if (!values)
      throw new Error(`${endpoint.method} ${endpoint.path}: say what a hostile anchor would send as ${name}`)
    return [name, fc.constantFrom(...values)] as const
  })
  return fc.record(Object.fromEntries(fields), { requiredKeys: required })
}

const callTo = (endpoint: Endpoint) =>
  fc.record({
    endpoint: fc.constant(endpoint),
    params: partOf(endpoint, endpoint.params),
    query: partOf(endpoint, endpoint.query),
    body: partOf(endpoint, endpoint.body),
  })

/** The same text with the names of someone who does not exist. */
const renamed = <T>(value: T): T => {
  let text = JSON.stringify(value)
  for (const [name, standIn] of standIns) text = text.replaceAll(name, standIn)
  return JSON.parse(text) as T
}

async function answerTo({ endpoint, ...input }: { endpoint: Endpoint } & Record<string, unknown>) {
  const sent = Object.fromEntries(
    Object.entries(input).filter(([part]) => endpoint[part as 'params' | 'query' | 'body'] !== undefined),
  )
  const send = hostile.client.send as (
    to: Endpoint,
    given: unknown,
  ) => Promise<{ status: number; body: unknown }>
  return send(endpoint, sent).then(
    ({ status, body }) => ({ status, body }),
    (error: unknown) => {
      if (!(error instanceof ProblemError)) throw error
      const { requestId: _, ...problem } = error.problem
      return { status: error.status, body: problem }
    },
  )
}

it('is nothing, at every internal endpoint, whatever the anchor knows of the customer', async () => {
  expect(endpoints.length).toBeGreaterThanOrEqual(12)
  const before = await stored()
  for (const endpoint of endpoints) {
    const name = `${endpoint.method} ${endpoint.path}`
    await fc.assert(
      fc.asyncProperty(callTo(endpoint), async call => {
        const answer = await answerTo(call)
        expect(await stored(), name).toBe(before)
        const text = JSON.stringify(answer)
        for (const secret of ['Victim Name', customerId]) expect(text, name).not.toContain(secret)
        // The provider's own report names its customer: who has it knows them already.
        if (JSON.stringify(call).includes(JSON.stringify(known.evidence?.[1]))) return
        const { params, query, body } = call
        const ofNobody = await answerTo({ endpoint, ...renamed({ params, query, body }) })
        expect(renamed(answer), name).toEqual(ofNobody)
      }),
      { numRuns: 60 },
    )
  }
})
