import type { Case } from '@windlass/contracts/anchor/cases.ts'
import type { ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import type { OutsideChecks, OutsideQuestion } from '@windlass/contracts/anchor/outside-checks.ts'
import { verifyWebhook } from '@windlass/service/outbound/webhooks.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { payQueued } from '../../payments/pay.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { changeCustomer, ensureCustomer } from '../customers/customers.ts'
import { pruneAnswers } from './ask.ts'

const OPERATOR = 'operator:asha'
const EVIDENCE = 'Member of a parliament since 2019, says the gazette.'

/** Takes the place of a vendor's program. */
type Given = { status?: number; body: string } | 'lost'
let answer: (question: OutsideQuestion) => Given | Promise<Given>
let questions: OutsideQuestion[] = []
let seen: { headers: IncomingHttpHeaders; body: string }[] = []
const program = createServer((request, response) => {
  let body = ''
  request.on('data', (part: Buffer) => (body += part.toString()))
  request.on('end', () => {
    const question = JSON.parse(body) as OutsideQuestion
    questions.push(question)
    seen.push({ headers: request.headers, body })
    void Promise.resolve(answer(question)).then(given => {
      if (given === 'lost') return request.socket.destroy()
      return response.writeHead(given.status ?? 200, { 'content-type': 'application/json' }).end(given.body)
    })
  })
})
const clear = { body: '{"answer":"clear"}' }

let bank: BankAnchor
let url = ''
let secret = ''
beforeAll(async () => {
  bank = await BankAnchor.start()
  await new Promise<void>(done => program.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(program.address() as AddressInfo).port}/check`
  for (const kind of ['person', 'wallet'])
    secret = (await set(kind, { url })).json<{ secret: string }>().secret
})
afterAll(async () => {
  program.close()
  await bank.close()
})
/** Each test has a customer of another name: the same question is asked once. */
let name = ''
const letters = () => randomUUID().replaceAll(/[^a-f]/g, '') + 'rao'

beforeEach(async () => {
  answer = () => clear
  questions = []
  seen = []
  await newCustomer()
})

async function newCustomer(): Promise<void> {
  Object.assign(bank, { wallet: generateKey().publicKey })
  const { id } = await ensureCustomer(bank.deps, bank.wallet, null)
  name = `Asha ${letters()}`
  const fields = { first_name: 'Asha', last_name: name.slice(5), birth_date: '1980-02-03' }
  await changeCustomer(bank.deps, id, { centralId: `cus_${randomUUID()}`, fields })
}

/** A program that was silent rests no more. */
let ahead = 0
function afterRest(): void {
  ahead += 31_000
  bank.deps.clock = { now: () => new Date(Date.now() + ahead) }
}
const afterAMonth = () =>
  bank.rows("update outside_check_answers set answered_at = answered_at - interval '31 days'")

const set = (kind: string, over: object, version = 0) =>
  bank.asOperator('PUT', `/outside-checks/${kind}`, { version, by: OPERATOR, ...over })
const payAll = async () => {
  await bank.rows("update ledger_payments set next_try_at = now() where state = 'queued'")
  await payQueued(bank.deps)
}
async function paid(): Promise<string> {
  const { id, reference, money } = await bank.deposit()
  const line = { amount: money, text: reference, name, account: 'DE02120300000000202051' }
  await bank.read('SEPA', `${id}.xml`, camt053([{ ...line, bankReference: randomUUID() }]))
  await payAll()
  return id
}
const hitsOf = async (id: string) =>
  (await bank.get('/screening-hits?status=waiting'))
    .json<ScreeningHit[]>()
    .filter(hit => hit.subject.id === id)
const decide = (id: string, decision: string) =>
  bank.asOperator('POST', `/screening-hits/${id}/decision`, {
    decision,
    reason: 'Another one.',
    by: OPERATOR,
  })

it('asks about the customer and the wallet before money leaves, signed, and once a month', async () => {
  expect(await bank.state(await paid())).toBe('completed')
  expect(questions).toHaveLength(2)
  expect(questions.find(({ kind }) => kind === 'person')).toMatchObject({ name, birthDate: '1980-02-03' })
  expect(questions.find(({ kind }) => kind === 'wallet')).toMatchObject({ account: bank.wallet })
  const sent = seen.find(({ body }) => body.includes(bank.wallet))
  if (!sent) throw new Error('nothing was asked about the wallet')
  expect(() => verifyWebhook(Buffer.from(sent.body), sent.headers, [secret], new Date())).not.toThrow()
  expect(await bank.state(await paid())).toBe('completed')
  expect(questions).toHaveLength(2)
  await afterAMonth()
  await paid()
  expect(questions).toHaveLength(4)
})

it('keeps an answer for 30 days, and longer where something was found', async () => {
  answer = ({ kind }) => ({ body: JSON.stringify({ answer: kind === 'person' ? 'found' : 'clear' }) })
  const id = await paid()
  const [hit] = await hitsOf(id)
  const kept = () => bank.rows('select kind, answer from outside_check_answers order by kind')
  await bank.rows(
    'delete from outside_check_answers where digest not in (select digest from outside_check_answers order by answered_at desc limit 2)',
  )
  const both = [
    { kind: 'person', answer: 'found' },
    { kind: 'wallet', answer: 'clear' },
  ]
  expect(await kept()).toEqual(both)
  await bank.rows("update outside_check_answers set answered_at = answered_at - interval '29 days'")
  await pruneAnswers(bank.deps)
  expect(await kept()).toEqual(both)
  await bank.rows("update outside_check_answers set answered_at = answered_at - interval '1 day'")
  await pruneAnswers(bank.deps)
  expect(await kept()).toEqual(both.slice(0, 1))
  expect((await hitsOf(id))[0]?.outside).toEqual({ ...hit?.outside, at: expect.any(String) })
})

it('holds what it finds something about, with its evidence in a case, until a person decides', async () => {
  answer = ({ kind }) =>
    kind === 'person'
      ? { body: JSON.stringify({ answer: 'found', evidence: EVIDENCE, reference: 'PEP-7' }) }
      : clear
  const id = await paid()
  expect(await bank.state(id)).toBe('funded')
  const [hit] = await hitsOf(id)
  expect(hit?.outside).toMatchObject({ kind: 'person', evidence: EVIDENCE, reference: 'PEP-7' })
  expect((await bank.get('/cases')).json<Case[]>().some(({ subject }) => subject.id === id)).toBe(true)
  await payAll()
  expect(await hitsOf(id)).toHaveLength(1)
  const plain = await findTexts(bank.deps.config.databaseUrl, [EVIDENCE])
  expect(plain).toEqual([])
  expect((await decide(hit?.id ?? '', 'clear')).statusCode).toBe(200)
  await payAll()
  expect(await bank.state(id)).toBe('completed')
  // The decision counts for what was found, not for this transaction alone.
  expect(await bank.state(await paid())).toBe('completed')
  await afterAMonth()
  expect(await bank.state(await paid())).toBe('completed')
  // Something else about the same customer is another finding.
  await afterAMonth()
  const worse = { answer: 'found', evidence: 'Convicted of fraud, says the gazette.', reference: 'PEP-7' }
  answer = ({ kind }) => (kind === 'person' ? { body: JSON.stringify(worse) } : clear)
  const next = await paid()
  expect(await bank.state(next)).toBe('funded')
  expect((await hitsOf(next))[0]?.outside).toMatchObject({ evidence: worse.evidence })
})

it('asks a silent program once, and lets the others wait until it has rested', async () => {
  let silent = true
  answer = () => (silent ? new Promise<Given>(() => {}) : clear)
  const ids: string[] = []
  for (let each = 0; each < 3; each += 1) {
    if (each > 0) await newCustomer()
    ids.push(await paid())
  }
  expect(questions.map(({ kind }) => kind).toSorted()).toEqual(['person', 'wallet'])
  const states = () => Promise.all(ids.map(id => bank.state(id)))
  expect(await states()).toEqual(['funded', 'funded', 'funded'])
  silent = false
  await payAll()
  expect(await states()).toEqual(['funded', 'funded', 'funded'])
  expect(questions).toHaveLength(2)
  afterRest()
  await payAll()
  expect(await states()).toEqual(['completed', 'completed', 'completed'])
})

it('asks about payouts together, once each, after what goes back', async () => {
  const given = { dest: 'DE89370400440532013000', dest_name: 'Asha Rao' }
  answer = () => ({ status: 503, body: '' })
  for (let each = 0; each < 3; each += 1) {
    if (each === 2) await newCustomer()
    await bank.withdrawal('sepa', given)
  }
  const refund = { kind: 'refund', reason: 'They asked for it.', by: OPERATOR }
  const refunded = await bank.asOperator('POST', `/transactions/${await paid()}/actions`, refund)
  expect(refunded.statusCode).toBe(201)
  const orders = () =>
    bank.rows<{ kind: string; state: string }>(
      "select kind, state from rail_orders where created_at > now() - interval '1 minute' order by kind, state",
    )
  await bank.rows("update rail_orders set next_try_at = now() where state = 'queued'")
  questions = []
  const waiting: ((given: Given) => void)[] = []
  let returned: object[] = []
  answer = async () => {
    if (waiting.length === 0) returned = await orders()
    return new Promise<Given>(done => {
      waiting.push(done)
      // Each of them is answered once all are asked.
      if (waiting.length === 4) for (const each of waiting) each(clear)
    })
  }
  await bank.sendOrders()
  expect(returned[0]).toEqual({ kind: 'payout', state: 'queued' })
  expect(returned).toContainEqual({ kind: 'return', state: 'sent' })
  expect(questions).toHaveLength(4)
  expect((await orders()).map(({ state }) => state)).toEqual(['sent', 'sent', 'sent', 'sent'])
})

it('lets nothing leave without an answer, says nothing about it, and asks again', async () => {
  const ways: (typeof answer)[] = [
    () => 'lost',
    () => ({ status: 500, body: '{"answer":"clear"}' }),
    () => ({ body: 'clear' }),
    () => ({ body: '{"answer":"perhaps"}' }),
    () => ({ body: `{"answer":"clear","evidence":"${'x'.repeat(20_000)}"}` }),
  ]
  for (const way of ways) {
    answer = way
    const id = await paid()
    expect(await bank.state(id)).toBe('funded')
    expect(await hitsOf(id)).toEqual([])
    const shown = (await bank.get(`/transactions/${id}`)).body
    expect(shown).not.toMatch(/screening|outside|check by/i)
    answer = () => clear
    afterRest()
    await payAll()
    expect(await bank.state(id)).toBe('completed')
    await bank.rows('delete from outside_check_answers where not exists (select from screening_hits)')
    await bank.rows("update outside_check_answers set answered_at = answered_at - interval '31 days'")
  }
})

it('money that goes back leaves without being asked about', async () => {
  answer = () => ({ status: 500, body: '' })
  const id = await paid()
  expect(await bank.state(id)).toBe('funded')
  questions = []
  const action = { kind: 'refund', reason: 'Not ours to keep.', by: OPERATOR }
  expect((await bank.asOperator('POST', `/transactions/${id}/actions`, action)).json()).toMatchObject({
    status: 'done',
  })
  await bank.sendOrders()
  expect(await bank.rows('select kind, state from rail_orders where transfer_id = $1', [id])).toEqual([
    { kind: 'return', state: 'sent' },
  ])
  expect(questions).toEqual([])
})

it('is set by version, keeps its secret, and asks nobody once it is off', async () => {
  const checks = async () => (await bank.get('/outside-checks')).json<OutsideChecks>().checks
  expect(await checks()).toMatchObject([{ kind: 'person', url, version: 1 }, { kind: 'wallet' }])
  expect((await set('person', { url: null }, 0)).statusCode).toBe(409)
  expect((await set('person', { url: 'ftp://x' }, 1)).statusCode).toBe(400)
  expect((await set('person', { url: `${url}?2` }, 1)).json()).toMatchObject({ secret: null })
  await set('person', { url: null }, 2)
  await set('wallet', { url: null }, 1)
  expect((await checks()).map(each => each.url)).toEqual([null, null])
  answer = () => 'lost'
  expect(await bank.state(await paid())).toBe('completed')
  expect(questions).toEqual([])
})
