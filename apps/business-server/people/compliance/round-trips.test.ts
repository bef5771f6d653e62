import type { CaseFile } from '@windlass/contracts/anchor/cases.ts'
import type { ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import type { reportMovement } from '@windlass/contracts/internal/internal.ts'
import type { VelocityReplay } from '@windlass/contracts/anchor/velocity.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { findMovement } from '../../payments/hold-payments.ts'
import { payQueued } from '../../payments/pay.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { changeCustomer, ensureCustomer } from '../customers/customers.ts'
import { withSamePersons } from '../customers/same-person.ts'
import { startReportingDecisions } from '../customers/report-decisions.ts'
import { lookElsewhere } from './look-elsewhere.ts'

const OPERATOR = 'operator:asha'
const HOUR_MS = 3_600_000

type Reported = BodyOf<typeof reportMovement>
type Elsewhere = Awaited<ReturnType<BankAnchor['deps']['customerRegistry']['movementsElsewhere']>>

let bank: BankAnchor
/** What the platform heard, what it says, and about whom it was asked. */
const reported: Reported[] = []
let elsewhere: Elsewhere = []
let isDown = false
const asked: string[][] = []

beforeAll(async () => {
  bank = await BankAnchor.start()
  bank.deps.customerRegistry = {
    ...bank.deps.customerRegistry,
    reportMovement: async body => void reported.push(body),
    movementsElsewhere: async (ids, since) => {
      if (isDown) throw new Error('the platform is down')
      asked.push([...ids])
      return elsewhere.filter(each => ids.includes(each.customerId) && new Date(each.at) > since)
    },
  }
})
afterAll(() => bank.close())

let person: string
beforeEach(async () => {
  elsewhere = []
  isDown = false
  person = `cus_${randomUUID()}`
  Object.assign(bank, { wallet: generateKey().publicKey })
  const { id } = await ensureCustomer(bank.deps, bank.wallet, null)
  await changeCustomer(bank.deps, id, { centralId: person })
})

const moved = (direction: 'deposit' | 'withdrawal', amount: string, hoursAgo = 3, currency = 'USD') => ({
  ...{ id: randomUUID(), customerId: person, direction, amount, currency },
  at: new Date(bank.deps.clock.now().getTime() - hoursAgo * HOUR_MS).toISOString(),
})

let version = 0
async function setRule(hours: number, amount: string): Promise<void> {
  const rules = [{ kind: 'round-trip', hours, count: null, amount }]
  const set = await bank.asOperator('PUT', '/velocity-rules', { rules, version, by: OPERATOR })
  expect(set.statusCode).toBe(200)
  version += 1
}

async function deposit(amount = '20'): Promise<string> {
  const { id, reference, money } = await bank.deposit('sepa', amount)
  const line = { amount: money, text: reference, name: 'Asha Rao', account: 'DE02120300000000202051' }
  await bank.read('SEPA', `${id}.xml`, camt053([{ ...line, bankReference: randomUUID() }]))
  await payQueued(bank.deps)
  return id
}
const hitOf = async (id: string) =>
  (await bank.get('/screening-hits?status=waiting'))
    .json<ScreeningHit[]>()
    .find(({ subject }) => subject.id === id)
const look = () => {
  const { db } = bank.deps.database
  return lookElsewhere(
    bank.deps,
    id => findMovement(bank.deps, db, id),
    ids => withSamePersons(db, ids),
  )
}

it('tells the platform what its customers move, and asks it nothing without a rule', async () => {
  const id = await deposit()
  const outbox = startReportingDecisions(bank.deps)
  await outbox.drain()
  await outbox.stop()
  expect(reported).toEqual([
    {
      ...{ customerId: person, reference: id, direction: 'deposit', currency: 'USD', amount: '20' },
      at: expect.any(String),
    },
  ])
  expect(asked).toEqual([])
})

it('holds the money that comes back, with what went out at other anchors and not where', async () => {
  await setRule(72, '30')
  // What went the same way, went before the hours, or is no more than the rule, is no round trip.
  elsewhere = [moved('deposit', '500'), moved('withdrawal', '500', 80), moved('withdrawal', '30', 4)]
  expect(await bank.state(await deposit('40'))).toBe('completed')
  elsewhere = [...elsewhere, moved('withdrawal', '15')]
  const held = await deposit('25')
  expect(await bank.state(held)).not.toBe('completed')
  const hit = await hitOf(held)
  // 40 and 25 came in here, 30 and 15 went out elsewhere.
  expect(hit?.velocity).toMatchObject({ rule: { kind: 'round-trip' }, count: 2, amount: '45' })
  expect(hit?.velocity?.elsewhere?.map(({ amount, currency }) => `${amount} ${currency}`)).toEqual([
    ...['15 USD', '30 USD'],
  ])
  expect(Object.keys(hit?.velocity?.elsewhere?.[0] ?? {}).toSorted()).toEqual([
    ...['amount', 'at', 'currency', 'direction'],
  ])
  const [open] = (await bank.get('/cases?status=open')).json<{ id: string }[]>()
  const file = (await bank.get(`/cases/${open?.id}`)).json<CaseFile>()
  expect(file).toMatchObject({
    case: { subject: { kind: 'transaction', id: held } },
    hits: [{ id: hit?.id }],
  })
})

it('what has no rate opens a case within the hour and holds nothing, nor does a platform that is down', async () => {
  await setRule(72, '10')
  elsewhere = [moved('withdrawal', '1', 3, 'XYZ')]
  const unrated = await deposit('11')
  expect(await bank.state(unrated)).toBe('completed')
  await look()
  expect((await hitOf(unrated))?.velocity).toMatchObject({ amount: '11' })
  isDown = true
  Object.assign(bank, { wallet: generateKey().publicKey })
  const { id } = await ensureCustomer(bank.deps, bank.wallet, null)
  await changeCustomer(bank.deps, id, { centralId: `cus_${randomUUID()}` })
  expect(await bank.state(await deposit('50'))).toBe('completed')
})

it('counts whatever number of movements, and those of another account of the same person', async () => {
  await setRule(72, '10')
  const same = `cus_${randomUUID()}`
  await bank.rows(
    `insert into identity_digests (central_id, kind, digest) values ($1, 'document', $3), ($2, 'document', $3)`,
    [person, same, randomUUID()],
  )
  elsewhere = [
    { ...moved('withdrawal', '13', 4), customerId: same },
    ...Array.from({ length: 300 }, () => moved('withdrawal', '0.0000001')),
  ]
  const held = await deposit('12.9')
  expect(await bank.state(held)).not.toBe('completed')
  const found = (await hitOf(held))?.velocity
  expect(found).toMatchObject({ amount: '12.9' })
  expect(found?.elsewhere).toHaveLength(200)
  // What the other account moves later is asked about within the hour.
  const again = `cus_${randomUUID()}`
  await bank.rows(
    `insert into identity_digests select $2, kind, digest from identity_digests where central_id = $1`,
    [person, again],
  )
  asked.length = 0
  await look()
  expect(asked.flat()).toContain(again)
})

it('what another anchor makes up holds the transfer for a person, and hides nobody else’s round trip', async () => {
  await setRule(72, '10')
  const madeUp = Array.from({ length: 3 }, () => moved('withdrawal', '922337203685'))
  elsewhere = madeUp
  const held = await deposit('20')
  expect((await hitOf(held))?.velocity).toMatchObject({ amount: '20' })

  person = `cus_${randomUUID()}`
  Object.assign(bank, { wallet: generateKey().publicKey })
  const { id } = await ensureCustomer(bank.deps, bank.wallet, null)
  await changeCustomer(bank.deps, id, { centralId: person })
  const other = await deposit('50')
  elsewhere = [...madeUp, moved('withdrawal', '45', 0)]
  await look()
  expect((await hitOf(other))?.velocity).toMatchObject({ amount: '45' })
})

it('what comes in elsewhere after it went out here opens a case within the hour, once', async () => {
  await setRule(72, '10')
  const id = await deposit('50')
  expect(await bank.state(id)).toBe('completed')
  elsewhere = [moved('withdrawal', '45', 0)]
  await look()
  await look()
  const all = (await bank.get('/screening-hits?status=waiting')).json<ScreeningHit[]>()
  expect(all.filter(({ subject }) => subject.id === id)).toHaveLength(1)
  expect((await hitOf(id))?.velocity).toMatchObject({ amount: '45', transfers: [{ id }] })
  expect(await bank.state(id)).toBe('completed')
})

it('is tried on the last transfers before it is set, and writes nothing', async () => {
  const id = await deposit('33')
  elsewhere = [moved('withdrawal', '32', 0)]
  const before = await bank.rows('select from screening_hits')
  // The platform knows the hour alone, which may be after a transfer of the same one.
  await bank.rows("update velocity_movements set at = at + interval '1 second' where transfer_id = $1", [id])
  const replay = (query: string) => bank.get(`/velocity-rules/replay?kind=round-trip&${query}`)
  const found = (await replay('hours=72&amount=31')).json<VelocityReplay>()
  expect(found.examples).toContainEqual(expect.objectContaining({ id, amount: '32' }))
  const beyond = (await replay('hours=72&amount=32')).json<VelocityReplay>().examples
  expect(beyond.map(each => each.id)).not.toContain(id)
  expect(await bank.rows('select from screening_hits')).toEqual(before)
})
