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

const OPERATOR = 'operator:asha'
const EVIDENCE = 'Member of a parliament since 2019, says the gazette.'

/** Takes the place of a vendor's program. */
let answer: (question: OutsideQuestion) => { status?: number; body: string } | 'lost'
let questions: OutsideQuestion[] = []
let seen: { headers: IncomingHttpHeaders; body: string }[] = []
const program = createServer((request, response) => {
  let body = ''
  request.on('data', (part: Buffer) => (body += part.toString()))
  request.on('end', () => {
    const question = JSON.parse(body) as OutsideQuestion
    questions.push(question)
    seen.push({ headers: request.headers, body })
    const given = answer(question)
    if (given === 'lost') return void request.socket.destroy()
    response.writeHead(given.status ?? 200, { 'content-type': 'application/json' }).end(given.body)
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
  Object.assign(bank, { wallet: generateKey().publicKey })
  const { id } = await ensureCustomer(bank.deps, bank.wallet, null)
  name = `Asha ${letters()}`
  const fields = { first_name: 'Asha', last_name: name.slice(5), birth_date: '1980-02-03' }
  await changeCustomer(bank.deps, id, { centralId: `cus_${randomUUID()}`, fields })
})

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
  expect(questions.map(({ kind }) => kind)).toEqual(['person', 'wallet'])
  expect(questions[0]).toMatchObject({ name, birthDate: '1980-02-03' })
  expect(questions[1]).toMatchObject({ account: bank.wallet })
  const sent = seen[1]
  if (!sent) throw new Error('nothing was asked about the wallet')
  expect(() => verifyWebhook(Buffer.from(sent.body), sent.headers, [secret], new Date())).not.toThrow()
  expect(await bank.state(await paid())).toBe('completed')
  expect(questions).toHaveLength(2)
  await bank.rows("update outside_check_answers set answered_at = answered_at - interval '31 days'")
  await paid()
  expect(questions).toHaveLength(4)
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
    await payAll()
    expect(await bank.state(id)).toBe('completed')
    await bank.rows('delete from outside_check_answers where not exists (select from screening_hits)')
    await bank.rows("update outside_check_answers set answered_at = answered_at - interval '31 days'")
  }
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
