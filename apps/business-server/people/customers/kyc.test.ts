import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'
import { parseDocument, readReport } from '@windlass/kyc-providers/read-report.ts'
import { Problem, unavailable } from '@windlass/service/http/problem.ts'
import { SignatureError, signWebhook, verifyWebhook } from '@windlass/service/outbound/webhooks.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import fc from 'fast-check'
import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CustomerRegistry, RegisteredCustomer } from '../../outgoing/clients/customer-registry.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'
import { changeCustomer, customerForm, ensureCustomer, findCustomerById, listCustomers } from './customers.ts'
import { customerOverview } from './overview.ts'
import { kycOf } from './kyc-status.ts'
import { REPORTS, startReportingDecisions } from './report-decisions.ts'
import { sealedVerifiedNames, verifiedNameOf } from './verified-name.ts'
import { rotate, withNewerKey } from '../../testing/newer-key.ts'

/** The provider's secret, which the platform alone has. */
const SECRET = 'the secret of the webhook'
const clock = fakeClock()
const LATER_MS = 11 * 60_000

/** The platform: it verifies reports, orders decisions by the provider's time, and answers nothing while it is down. */
class Platform implements CustomerRegistry {
  isAnchors = async () => false
  reportMovement = async () => undefined
  movementsElsewhere = async () => []
  readonly customers = new Map<
    string,
    Omit<RegisteredCustomer, 'customerId'> & { completedAt: string | null }
  >()
  readonly owners = new Map<string, { customerId: string; walletVerified: boolean }>()
  readonly reported: unknown[] = []
  down = false

  register(wallet: string, walletVerified = true): string {
    const id = `cus_${randomUUID()}`
    this.customers.set(id, { status: 'NEEDS_INFO', completedAt: null })
    this.owners.set(wallet, { customerId: id, walletVerified })
    return id
  }
  async byWallet(address: string) {
    this.answer()
    const owner = this.owners.get(address)
    const found = this.customers.get(owner?.customerId ?? '')
    if (!owner || !found || (!owner.walletVerified && found.status !== 'ACCEPTED')) return null
    return { ...owner, ...found }
  }
  async byShared() {
    this.answer()
    return null
  }
  async byId(customerId: string) {
    this.answer()
    const found = this.customers.get(customerId)
    return found ? { customerId, ...found } : null
  }
  async report(body: Parameters<CustomerRegistry['report']>[0]) {
    this.answer()
    this.reported.push(body)
  }
  async sendCode() {}
  async linkByCode() {
    return null
  }
  async emailsTo() {
    return []
  }
  async startSession(customerId: string) {
    this.answer()
    return { sessionId: `session of ${customerId}`, url: 'https://provider.example/' }
  }
  async passReport(raw: Buffer, headers: Record<string, string | string[] | undefined>) {
    this.answer()
    try {
      verifyWebhook(raw, headers, [SECRET], clock.now())
    } catch (error) {
      if (error instanceof SignatureError) throw new Problem('webhook-signature-invalid', error.message)
      throw error
    }
    const report = readReport(parseDocument(raw))
    const completedAt = report.completedAt.toISOString()
    this.decide(report.customerId, report.status, completedAt)
    const { identity = { documents: [], names: [] }, verifiedName = null } =
      this.customers.get(report.customerId) ?? {}
    return { ...report, provider: 'mock', completedAt, verifiedName, identity }
  }
  decide(customerId: string, status: KycStatus, completedAt: string): void {
    const before = this.customers.get(customerId)
    if (!before) throw new Problem('customer-not-found', 'There is no customer with this id.')
    if (before.completedAt !== null && before.completedAt >= completedAt) return
    this.customers.set(customerId, { ...before, status, completedAt })
  }
  private answer(): void {
    if (this.down) throw unavailable('The customer registry')
  }
}

let app: BusinessApp
let platform: Platform
beforeAll(async () => {
  app = await startBusinessApp({ clock })
})
afterAll(() => app.close())
beforeEach(() => {
  platform = new Platform()
  app.deps.customerRegistry = platform
})

/** A customer of ours whose wallet the platform knows. */
async function someone(memo: string | null = null) {
  const wallet = generateKey().publicKey
  const centralId = platform.register(wallet)
  const { id } = await ensureCustomer(app.deps, wallet, memo)
  await changeCustomer(app.deps, id, { centralId })
  return { id, centralId }
}

async function kyc(id: string) {
  const customer = await findCustomerById(app.deps, id)
  if (!customer) throw new Error('gone')
  return kycOf(app.deps, customer)
}
const statusOf = async (id: string): Promise<KycStatus> => (await kyc(id)).status

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
const send = (body: string, secret = SECRET, id: string = randomUUID()) =>
  post(body, signWebhook(secret, id, body, clock.now()))

describe('the name on a document', () => {
  const verifiedName = 'Plantedname Docu'
  const screened = (id: string) =>
    app.deps.database.pool
      .query<{ role: string }>('select role from screened_names where subject_id = $1', [id])
      .then(({ rows }) => rows.map(({ role }) => role))
  const kept = (centralId: string) => verifiedNameOf(app.deps.database.db, app.deps.sealer, centralId)

  it('comes with the status, is sealed, and is compared for every account of the person', async () => {
    const { id, centralId } = await someone()
    const other = await ensureCustomer(app.deps, generateKey().publicKey, null)
    await changeCustomer(app.deps, other.id, { centralId })
    platform.customers.set(centralId, {
      status: 'ACCEPTED',
      completedAt: clock.now().toISOString(),
      verifiedName,
    })
    expect(await statusOf(id)).toBe('ACCEPTED')
    expect(await kept(centralId)).toBe(verifiedName)
    // One that is linked afterwards, while nobody asks the platform.
    const third = await ensureCustomer(app.deps, generateKey().publicKey, null)
    await changeCustomer(app.deps, third.id, { centralId })
    for (const account of [id, other.id, third.id]) expect(await screened(account)).toEqual(['verified'])
    // Older releases of the platform answer without it.
    platform.customers.set(centralId, { status: 'ACCEPTED', completedAt: clock.now().toISOString() })
    clock.advance(LATER_MS)
    expect(await statusOf(id)).toBe('ACCEPTED')
    expect(await kept(centralId)).toBe(verifiedName)
    expect(await findTexts(app.deps.database.url, [verifiedName])).toEqual([])
  })

  it('comes with a report too, and is sealed again under a newer key', async () => {
    const { id, centralId } = await someone()
    platform.customers.set(centralId, { status: 'NEEDS_INFO', completedAt: null, verifiedName })
    expect(await send(reportOf(centralId, 'APPROVED', clock.now()))).toBe(200)
    expect(await screened(id)).toEqual(['verified'])
    const { deps } = app
    const older = deps.sealer.seal(verifiedName, `verified-name:${centralId}`)
    const { rotating, newOnly } = withNewerKey(deps)
    expect(await rotate(rotating, sealedVerifiedNames)).toBeGreaterThan(0)
    expect(await verifiedNameOf(deps.database.db, newOnly.sealer, centralId)).toBe(verifiedName)
    await deps.database.pool.query('update kyc_statuses set sealed_name = null where central_id <> $1', [
      centralId,
    ])
    await deps.database.pool.query('update kyc_statuses set sealed_name = $1 where central_id = $2', [
      older,
      centralId,
    ])
  })
})

describe('a report of the provider', () => {
  it('is verified by the platform and has one effect, however often it comes at once', async () => {
    const { id, centralId } = await someone()
    const body = reportOf(centralId, 'APPROVED', clock.now())
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(body, SECRET, 'msg_same')))
    expect(answers).toEqual(answers.map(() => 200))
    expect(await statusOf(id)).toBe('ACCEPTED')
    const { rows } = await app.deps.database.pool.query(
      "select 1 from platform_calls where params->>'customer_id' = $1",
      [id],
    )
    expect(rows).toHaveLength(1)
  })

  it('may be signed in either form', async () => {
    const { id, centralId } = await someone()
    const body = reportOf(centralId, 'APPROVED', clock.now())
    const plain = createHmac('sha256', SECRET).update(body).digest('hex')
    expect(await post(body, { 'x-signature': plain })).toBe(200)
    expect(await statusOf(id)).toBe('ACCEPTED')
  })

  it('that is old, from the future, forged or changed on its way, approves nobody', async () => {
    const { id, centralId } = await someone()
    const body = reportOf(centralId, 'APPROVED', clock.now())
    const at = (seconds: number) =>
      signWebhook(SECRET, randomUUID(), body, new Date(clock.now().getTime() + seconds * 1000))
    expect(await post(body, at(-301))).toBe(401)
    expect(await post(body, at(301))).toBe(401)
    expect(await post(body.replace('APPROVED', 'ACCEPTED'), at(0))).toBe(401)
    expect(await send(body, 'a secret that the anchor made up')).toBe(401)
    expect(await post(body, {})).toBe(401)
    expect(await statusOf(id)).toBe('NEEDS_INFO')
  })

  it('is to be sent again while the platform is down, and changes nothing meanwhile', async () => {
    const { id, centralId } = await someone()
    const body = reportOf(centralId, 'APPROVED', clock.now())
    platform.down = true
    expect(await send(body)).toBe(503)
    expect(await statusOf(id)).toBe('NEEDS_INFO')
    platform.down = false
    expect(await send(body)).toBe(200)
    expect(await statusOf(id)).toBe('ACCEPTED')
  })
})

describe('a customer who is ACCEPTED at the platform', () => {
  it('loses it here when it is revoked there, whether they have a wallet or share one', async () => {
    for (const memo of [null, '17']) {
      const { id, centralId } = await someone(memo)
      platform.decide(centralId, 'ACCEPTED', clock.now().toISOString())
      expect(await statusOf(id)).toBe('ACCEPTED')
      clock.advance(LATER_MS)
      platform.decide(centralId, 'REJECTED', clock.now().toISOString())
      expect(await statusOf(id)).toBe('REJECTED')
    }
  })

  it('passes with a wallet that they linked without proof, and nothing is written to them', async () => {
    const wallet = generateKey().publicKey
    const centralId = platform.register(wallet, false)
    const { id } = await ensureCustomer(app.deps, wallet, null)
    expect(await kyc(id)).toEqual({ status: 'NEEDS_INFO', centralId: null })
    platform.decide(centralId, 'ACCEPTED', clock.now().toISOString())
    expect(await kyc(id)).toEqual({ status: 'ACCEPTED', centralId: null })
    expect((await findCustomerById(app.deps, id))?.central_id).toBeNull()
    // The list tells its readers why it was served.
    const shown = { status: 'NEEDS_INFO', linked: true }
    expect(await customerOverview(app.deps, id)).toMatchObject(shown)
    const [listed] = await listCustomers(app.deps, { account: wallet }, false)
    expect(listed && customerForm(listed)).toMatchObject(shown)
  })
})

it('a customer whom the platform does not know here signs in again', async () => {
  const { id, centralId } = await someone('18')
  platform.customers.delete(centralId)
  expect(await kyc(id)).toEqual({ status: 'NEEDS_INFO', centralId: null })
})

it('sends what an older release accepted itself to the platform', async () => {
  const body = { customerId: 'cus_old', status: 'ACCEPTED' }
  await app.deps.database.pool.query('insert into outbox (topic, key, payload) values ($1, $2, $3)', [
    REPORTS,
    'cus_old msg_1',
    JSON.stringify(body),
  ])
  const outbox = startReportingDecisions(app.deps)
  await outbox.drain()
  await outbox.stop()
  expect(platform.reported).toEqual([body])
})

type Happening =
  | { what: 'report'; customer: number; status: string; minute: number }
  | { what: 'elsewhere'; customer: number; status: KycStatus; minute: number }
  | { what: 'look'; customer: number }
  | { what: 'down' | 'up' | 'later' }

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
    }),
  },
  fc.record({
    what: fc.constant('elsewhere' as const),
    customer,
    status: fc.constantFrom<KycStatus>('ACCEPTED', 'REJECTED'),
    minute,
  }),
  { weight: 2, arbitrary: fc.record({ what: fc.constant('look' as const), customer }) },
  fc.record({ what: fc.constantFrom('down' as const, 'up' as const, 'later' as const) }),
)

it('SEP-12 and the platform agree in the end, whatever is lost, late or sent twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 3, maxLength: 16 }), async happenings => {
      platform = new Platform()
      app.deps.customerRegistry = platform
      const start = clock.now().getTime()
      const people = [await someone(), await someone()] as const
      for (const each of happenings) {
        clock.advance(1_000)
        const person = people['customer' in each ? each.customer : 0] ?? people[0]
        const at = new Date(start - 3_600_000 + ('minute' in each ? each.minute : 0) * 60_000)
        switch (each.what) {
          case 'down':
          case 'up':
            platform.down = each.what === 'down'
            break
          case 'later':
            clock.advance(LATER_MS)
            break
          case 'look':
            await statusOf(person.id)
            break
          case 'elsewhere':
            platform.decide(person.centralId, each.status, at.toISOString())
            break
          case 'report':
            expect(await send(reportOf(person.centralId, each.status, at))).toBe(platform.down ? 503 : 200)
        }
      }
      platform.down = false
      clock.advance(LATER_MS)
      for (const { id, centralId } of people) {
        expect(await statusOf(id)).toBe(platform.customers.get(centralId)?.status)
      }
    }),
    { numRuns: 40 },
  )
})
