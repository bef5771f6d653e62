import { ProblemError } from '@windlass/client/client.ts'
import type { KycStatus } from '@windlass/contracts/kyc.ts'
import { signWebhook } from '@windlass/service/webhooks.ts'
import { unavailable } from '@windlass/service/problem.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import fc from 'fast-check'
import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CustomerRegistry } from '../clients/customer-registry.ts'
import { changeCustomer, ensureCustomer, findCustomerById } from './customers.ts'
import { kycOf } from './kyc-status.ts'
import { startReportingDecisions } from './report-decisions.ts'
import { type BusinessApp, startBusinessApp } from '../testing/business-app.ts'

const NEW = 'the new secret of the webhook'
const OLD = 'the old secret of the webhook'
const clock = fakeClock()
const LATER_MS = 11 * 60_000

/** The centre: it orders by the provider's time, and hears nothing while it is down. */
class Centre implements CustomerRegistry {
  readonly standing = new Map<string, { status: KycStatus; completedAt: string | null }>()
  readonly owners = new Map<string, string>()
  readonly heard: unknown[] = []
  down = false
  refuses = false

  register(wallet: string): string {
    const id = `cus_${randomUUID()}`
    this.standing.set(id, { status: 'NEEDS_INFO', completedAt: null })
    this.owners.set(wallet, id)
    return id
  }
  async byWallet(address: string) {
    this.answer()
    const customerId = this.owners.get(address)
    const found = this.standing.get(customerId ?? '')
    return customerId && found ? { customerId, ...found } : null
  }
  async walletsOf(id: string) {
    this.answer()
    return this.standing.has(id) ? [] : null
  }
  async report(body: Parameters<CustomerRegistry['report']>[0]) {
    this.answer()
    if (this.refuses) throw refusal()
    this.heard.push(body)
    const { customerId = '', status, completedAt = '' } = body
    const before = this.standing.get(customerId)
    if (!before || (before.completedAt !== null && before.completedAt >= completedAt)) return
    this.standing.set(customerId, { status: status as KycStatus, completedAt })
  }
  async sendCode() {}
  async linkByCode() {
    return null
  }
  private answer(): void {
    if (this.down) throw unavailable('The customer registry')
  }
}

function refusal(): ProblemError {
  const code = 'kyc-evidence-needed'
  const document = { type: '', title: '', status: 403, detail: 'No proof.', code, requestId: '' }
  return new ProblemError(403, document, new Headers())
}

let app: BusinessApp
let registry: Centre
beforeAll(async () => {
  app = await startBusinessApp({ clock }, { kyc: { provider: 'mock', webhookSecrets: [NEW, OLD] } })
})
afterAll(() => app.close())
beforeEach(async () => {
  await app.deps.database.pool.query('delete from outbox')
  registry = new Centre()
  app.deps.customerRegistry = registry
})

/** A customer of ours whose wallet the registry knows. */
async function someone() {
  const wallet = generateKey().publicKey
  const centralId = registry.register(wallet)
  const { id } = await ensureCustomer(app.deps, wallet, null)
  await changeCustomer(app.deps, id, { centralId })
  return { id, centralId }
}

async function standing(id: string): Promise<KycStatus> {
  const customer = await findCustomerById(app.deps, id)
  if (!customer) throw new Error('gone')
  return (await kycOf(app.deps, customer)).status
}

const reportOf = (customerId: string, status: string, completedAt: Date | string) =>
  JSON.stringify({
    event: 'session.completed',
    data: { sessionId: 's', status, customerId, completedAt: new Date(completedAt).toISOString() },
  })
const post = async (body: string, headers: Record<string, string>) =>
  (
    await app.server.app.inject({
      method: 'POST',
      url: '/api/v1/customer/kyc/webhook',
      payload: body,
      headers: { 'content-type': 'application/json', ...headers },
    })
  ).statusCode
const send = (body: string, secret = NEW, id: string = randomUUID()) =>
  post(body, signWebhook(secret, id, body, clock.now()))

/** One round of deliveries, whatever is due only later. */
async function tellCentre(): Promise<void> {
  await app.deps.database.pool.query('update outbox set next_at = now() where delivered_at is null')
  const outbox = startReportingDecisions(app.deps)
  await outbox.drain()
  await outbox.stop()
}
const untold = async () =>
  (await app.deps.database.pool.query('select 1 from outbox where delivered_at is null')).rowCount

describe('a report of the provider', () => {
  it('has one effect, however often it comes at once', async () => {
    const { id, centralId } = await someone()
    const body = reportOf(centralId, 'APPROVED', clock.now())
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(body, NEW, 'msg_same')))
    expect(answers).toEqual(answers.map(() => 200))
    await tellCentre()
    expect(registry.heard).toHaveLength(1)
    expect(await standing(id)).toBe('ACCEPTED')
  })

  it('is taken under both secrets while one is rotated, and under no third', async () => {
    for (const [secret, status] of [
      [NEW, 200],
      [OLD, 200],
      ['a secret of somebody else', 401],
    ] as const) {
      const { id, centralId } = await someone()
      expect(await send(reportOf(centralId, 'APPROVED', clock.now()), secret)).toBe(status)
      const body = reportOf(centralId, 'APPROVED', new Date(clock.now().getTime() + 1))
      const plain = createHmac('sha256', secret).update(body).digest('hex')
      expect(await post(body, { 'x-signature': plain })).toBe(status)
      expect(await standing(id)).toBe(status === 200 ? 'ACCEPTED' : 'NEEDS_INFO')
    }
  })

  it('that is old, from the future, or changed on its way, approves nobody', async () => {
    const { id, centralId } = await someone()
    const body = reportOf(centralId, 'APPROVED', clock.now())
    const at = (seconds: number) =>
      signWebhook(NEW, randomUUID(), body, new Date(clock.now().getTime() + seconds * 1000))
    expect(await post(body, at(-301))).toBe(401)
    expect(await post(body, at(301))).toBe(401)
    expect(await post(body.replace('APPROVED', 'ACCEPTED'), at(0))).toBe(401)
    expect(await post(body, {})).toBe(401)
    expect(await standing(id)).toBe('NEEDS_INFO')
    expect(await untold()).toBe(0)
  })

  it('lies sealed until the registry has it', async () => {
    const { centralId } = await someone()
    await send(reportOf(centralId, 'APPROVED', clock.now()))
    const { rows } = await app.deps.database.pool.query<{ payload: unknown; sealed: Buffer }>(
      'select payload, sealed from outbox where delivered_at is null',
    )
    expect(rows).toEqual([{ payload: null, sealed: expect.any(Buffer) }])
    await tellCentre()
    const after = await app.deps.database.pool.query('select 1 from outbox where sealed is not null')
    expect(after.rowCount).toBe(0)
  })
})

describe('while the platform is down for an hour', () => {
  it('no approval is lost and none is invented; afterwards both sides agree', async () => {
    const [approved, declined, forged] = [await someone(), await someone(), await someone()]
    registry.down = true
    expect(await send(reportOf(approved.centralId, 'APPROVED', clock.now()))).toBe(200)
    expect(await send(reportOf(declined.centralId, 'DECLINED', clock.now()))).toBe(200)
    expect(await send(reportOf(forged.centralId, 'APPROVED', clock.now()), 'no secret of ours at all')).toBe(
      401,
    )
    const stranger = registry.register(generateKey().publicKey)
    // Of a customer that only the registry knows nothing can be said: the provider sends it again later.
    expect(await send(reportOf(stranger, 'APPROVED', clock.now()))).toBe(503)
    for (let minute = 0; minute < 60; minute++) {
      clock.advance(60_000)
      await tellCentre()
    }
    expect(await standing(approved.id)).toBe('ACCEPTED')
    expect(await standing(declined.id)).toBe('REJECTED')
    expect(await standing(forged.id)).toBe('NEEDS_INFO')
    expect(await untold()).toBe(2)

    registry.down = false
    await tellCentre()
    expect(registry.heard).toHaveLength(2)
    expect(registry.heard).toContainEqual(expect.objectContaining({ evidence: expect.any(Object) }))
    clock.advance(LATER_MS)
    for (const { id, centralId } of [approved, declined, forged]) {
      expect(await standing(id)).toBe(registry.standing.get(centralId)?.status)
    }
    expect(await send(reportOf(stranger, 'APPROVED', clock.now()))).toBe(200)
  })
})

it('the centre’s word counts where it refuses what we reported', async () => {
  const { id, centralId } = await someone()
  registry.refuses = true
  await send(reportOf(centralId, 'APPROVED', clock.now()))
  expect(await standing(id)).toBe('ACCEPTED')
  await tellCentre()
  expect(await standing(id)).toBe('NEEDS_INFO')
  expect(await untold()).toBe(0)
})

type Happening =
  | { what: 'report'; customer: number; status: string; minute: number; delivery: number }
  | { what: 'elsewhere'; customer: number; status: KycStatus; minute: number }
  | { what: 'look'; customer: number }
  | { what: 'tell' | 'down' | 'up' | 'later' }

const customer = fc.integer({ min: 0, max: 1 })
const minute = fc.integer({ min: 0, max: 9 })
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('report' as const),
      customer,
      status: fc.constantFrom('APPROVED', 'DECLINED', 'IN_REVIEW'),
      minute,
      delivery: fc.integer({ min: 0, max: 3 }),
    }),
  },
  fc.record({
    what: fc.constant('elsewhere' as const),
    customer,
    status: fc.constantFrom<KycStatus>('ACCEPTED', 'REJECTED'),
    minute,
  }),
  { weight: 2, arbitrary: fc.record({ what: fc.constant('look' as const), customer }) },
  fc.record({ what: fc.constantFrom('tell' as const, 'down' as const, 'up' as const, 'later' as const) }),
)

it('SEP-12 and the registry agree in the end, on the newest decision, whatever is lost, late or said twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 3, maxLength: 16 }), async happenings => {
      registry = new Centre()
      app.deps.customerRegistry = registry
      const [run, start] = [randomUUID(), clock.now().getTime()]
      const people = [await someone(), await someone()] as const
      const newest = new Map<string, { at: number; statuses: Set<KycStatus> }>()
      const decided = (id: string, status: KycStatus, at: number) => {
        const before = newest.get(id)
        if (before && before.at > at) return
        const statuses = before?.at === at ? before.statuses : new Set<KycStatus>()
        newest.set(id, { at, statuses: statuses.add(status) })
      }
      const words: Record<string, KycStatus> = {
        APPROVED: 'ACCEPTED',
        DECLINED: 'REJECTED',
        IN_REVIEW: 'PROCESSING',
      }
      const deliveries = new Set<string>()
      for (const each of happenings) {
        clock.advance(1_000)
        const person = people['customer' in each ? each.customer : 0] ?? people[0]
        const at = start - 3_600_000 + ('minute' in each ? each.minute : 0) * 60_000
        switch (each.what) {
          case 'down':
          case 'up':
            registry.down = each.what === 'down'
            break
          case 'later':
            clock.advance(LATER_MS)
            break
          case 'tell':
            await tellCentre()
            break
          case 'look':
            await standing(person.id)
            break
          case 'elsewhere': {
            const before = registry.standing.get(person.centralId)?.completedAt
            const completedAt = new Date(at).toISOString()
            if (before && before >= completedAt) break
            registry.standing.set(person.centralId, { status: each.status, completedAt })
            decided(person.centralId, each.status, at)
            break
          }
          case 'report': {
            const delivery = `${run}:${each.delivery}`
            const body = reportOf(person.centralId, each.status, new Date(at))
            expect(await send(body, NEW, delivery)).toBe(200)
            if (!deliveries.has(delivery)) decided(person.centralId, words[each.status] ?? 'NEEDS_INFO', at)
            deliveries.add(delivery)
          }
        }
      }
      registry.down = false
      await tellCentre()
      clock.advance(LATER_MS)
      for (const { id, centralId } of people) {
        const there = registry.standing.get(centralId)?.status
        expect(await standing(id)).toBe(there)
        expect([...(newest.get(centralId)?.statuses ?? ['NEEDS_INFO'])]).toContain(there)
      }
    }),
    { numRuns: 40 },
  )
}, 60_000)
