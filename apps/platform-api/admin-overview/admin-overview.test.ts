import { getVolume } from '@windlass/contracts/platform/volume.ts'
import { createClient } from '@windlass/client/client.ts'
import { getAdminHome } from '@windlass/contracts/platform/admin-home.ts'
import { listAudit, searchEverything } from '@windlass/contracts/platform/administrators.ts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { record } from '../audit/record.ts'
import { recordReport } from '../notifications/record.ts'
import { notifiedAnchor, findAnchor } from '../anchors/anchors.ts'
import { summarySecretContext } from '../anchors/registry.ts'
import { activeAnchor } from '../testing/anchors.ts'
import { signInAdmin, testApp, type TestApp } from '../testing/app.ts'
import { testServices, type TestServices } from '../testing/services.ts'
import { signInCustomer, signInOperator } from '../testing/sign-in.ts'
import { redeemed, refusal } from '../testing/story.ts'

let app: TestApp
let services: TestServices
let admin: Awaited<ReturnType<typeof signInAdmin>>
let anchorId: string
let jobId: string
beforeAll(async () => {
  services = await testServices()
  app = await testApp({ deps: services.clients })
  admin = await signInAdmin(app)
  const story = await redeemed(app, 'harbour-100', { businessEmail: 'owner@harbour.example' })
  anchorId = story.anchorId
  jobId = story.jobId
})
afterAll(async () => {
  await app.close()
  await services.close()
})

const sql = (text: string, ...values: unknown[]) => app.database.pool.query(text, values)

describe('the administrator’s home', () => {
  it('counts what needs someone, and lists open conditions with their anchors', async () => {
    const before = await admin.call(getAdminHome)
    expect(before.applications).toEqual({ waiting: 0, oldest: null })
    expect(before.alerts).toEqual([])
    expect(before.anchors.reduce((sum, { count }) => sum + count, 0)).toBe(1)
    await sql(`update applications set status = 'applied'`)
    await sql(`update jobs set status = 'failed' where id = $1`, jobId)
    const anchor = await findAnchor(app.database.db, anchorId)
    if (!anchor) throw new Error('the anchor is gone')
    const condition = { kind: 'treasury-low' as const, subject: 'treasury', detail: 'It holds 5.' }
    const report = { evaluated: [condition.kind], conditions: [condition], events: [] }
    await recordReport(app.deps, notifiedAnchor(anchor), report)
    const funding = { kind: 'funding-low' as const, subject: 'funding', detail: 'It has 3 XLM.' }
    await recordReport(app.deps, null, { evaluated: [funding.kind], conditions: [funding], events: [] })

    const home = await admin.call(getAdminHome)
    expect(home.applications).toEqual({ waiting: 1, oldest: expect.stringMatching(/Z$/) })
    expect(home.jobs).toEqual({ failed: 1, stalled: 0, running: 0 })
    expect(home.alerts.map(({ kind, anchor }) => [kind, anchor?.subdomain ?? null]).toSorted()).toEqual([
      ['funding-low', null],
      ['treasury-low', 'harbour-100'],
    ])
    await sql(
      `update jobs set status = 'running', heartbeat_at = now() - interval '1 minute' where id = $1`,
      jobId,
    )
    expect((await admin.call(getAdminHome)).jobs).toEqual({ failed: 0, stalled: 1, running: 0 })
  })
})

describe('the volume of anchors', () => {
  const figures = (days: number, deposits: number, changes: object = {}) => ({
    timeZone: 'UTC',
    days: Array.from({ length: days }, (_, at) => ({
      day: new Date(Date.now() - (days - 1 - at) * 86_400_000).toISOString().slice(0, 10),
      deposits: { count: at === days - 1 ? deposits : 0, amount: at === days - 1 ? '100.0000001' : '0' },
      withdrawals: { count: 1, amount: '2.5' },
      fees: '0',
    })),
    cash: [{ day: '2026-11-20', rail: 'UPI', currency: 'INR', in: '9000.25', out: '10' }],
    pending: [],
    funnel: { started: 0, agreed: 0, paid: 0, completed: 0 },
    completion: null,
    ...changes,
  })

  it('is added up by day, asset and rail; who sleeps, is silent or talks nonsense is named, and none is asked twice a minute', async () => {
    const asked: string[] = []
    const answers = new Map<string, unknown>()
    const plain = await testApp({
      deps: {
        anchorServer: apiUrl =>
          createClient({
            baseUrl: apiUrl,
            fetch: async url => {
              asked.push(url)
              const answer = answers.get(apiUrl)
              if (answer === undefined) throw new TypeError('connection refused')
              return Response.json(answer)
            },
          }),
      },
    })
    onTestFinished(() => plain.close())
    const owner = await signInOperator(plain, 'owner@acme.example')
    const live = async (name: string, answer: unknown, asleep: Date | null = null) => {
      const { id } = await activeAnchor(plain, owner.user.id, name)
      answers.set(`http://${name}.example`, answer)
      await plain.database.db
        .updateTable('anchors')
        .set({
          ...{ api_url: `http://${name}.example`, asleep_since: asleep },
          summary_secret: plain.deps.sealer.seal('s'.repeat(32), summarySecretContext(id)),
        })
        .where('id', '=', id)
        .execute()
    }
    await live('lotus', figures(3, 5))
    await live('harbour', figures(3, 2))
    await live('asleep', figures(3, 9), new Date())
    await live('silent', undefined)
    await live(
      'nonsense',
      figures(3, 1, { cash: [{ day: 'x', rail: 'UPI', currency: 'INR', in: '1e9', out: '0' }] }),
    )
    const viewer = await signInAdmin(plain)
    const volume = await viewer.call(getVolume, { query: { days: 3 } })
    expect(volume.days.map(({ deposits, withdrawals }) => [deposits, withdrawals])).toEqual([
      [0, 2],
      [0, 2],
      [7, 2],
    ])
    expect(volume.assets).toHaveLength(2)
    expect(volume.assets[0]).toMatchObject({
      code: 'TEST',
      deposits: { amount: '100.0000001' },
      withdrawals: { count: 3, amount: '7.5' },
    })
    expect(volume.rails).toEqual([{ rail: 'UPI', currency: 'INR', in: '18000.5', out: '20' }])
    expect(volume.missing.map(({ subdomain }) => subdomain).toSorted()).toEqual([
      'asleep',
      'nonsense',
      'silent',
    ])
    expect(asked.some(url => url.includes('asleep'))).toBe(false)

    const before = asked.length
    expect(await viewer.call(getVolume, { query: { days: 3 } })).toEqual(volume)
    expect(asked).toHaveLength(before)
    plain.clock.advance(61_000)
    await viewer.call(getVolume, { query: { days: 3 } })
    expect(asked.length).toBeGreaterThan(before)
    expect(await refusal(owner.call(getVolume, { query: {} }))).toMatchObject({ status: 401 })
  })
})

describe('the search', () => {
  const find = async (text: string) =>
    (await admin.call(searchEverything, { query: { text } })).map(({ kind }) => kind)

  it('finds applications, anchors, jobs and operators by part of a name or address', async () => {
    expect(await find('owner@harb')).toEqual(['application', 'operator'])
    expect(await find('HARBOUR-100')).toContain('anchor')
    expect(await find(anchorId)).toEqual(['anchor'])
    expect(await find(jobId)).toEqual(['job'])
    expect(await find('nobody at all')).toEqual([])
  })

  it('takes the text as it is, not as a pattern', async () => {
    for (const text of ['%%', '__', 'harbour_100', '\\%']) expect(await find(text)).toEqual([])
  })

  it('finds customers by their whole address only', async () => {
    await signInCustomer(app, 'ravi@people.example')
    expect(await find('ravi@people.example')).toEqual(['customer'])
    expect(await find('Ravi@People.example')).toEqual(['customer'])
    expect(await find('ravi@people')).toEqual([])
  })

  it('is closed to everyone else', async () => {
    const operator = await signInOperator(app, 'owner@harbour.example')
    for (const answer of [
      operator.call(searchEverything, { query: { text: 'harbour' } }),
      operator.call(getAdminHome),
      app.client().call(getAdminHome),
    ])
      expect(await refusal(answer)).toMatchObject({ status: 401 })
  })
})

describe('the audit log', () => {
  it('names who did what to whom', async () => {
    const entries = await admin.call(listAudit, { query: { subject: `anchor:${anchorId}` } })
    expect(entries.length).toBeGreaterThan(0)
    for (const { subjectName } of entries) expect(subjectName).toBe('harbour-100')
    const operator = await signInOperator(app, 'owner@harbour.example')
    const actor = `operator:${operator.user.id}`
    const act = { actor, action: 'api-key.made', subject: 'anchor:gone', details: {} }
    await app.database.db.transaction().execute(tx => record(tx, act, app.clock.now()))
    const [entry] = await admin.call(listAudit, { query: { actor } })
    expect(entry?.actorName).toMatch(/\w/)
    // An anchor that nobody knows has no name.
    expect(entry).not.toHaveProperty('subjectName')
  })

  it('is filtered by the beginning of an action and by time', async () => {
    const actions = async (query: { action?: string; from?: string; until?: string }) => [
      ...new Set((await admin.call(listAudit, { query })).map(({ action }) => action)),
    ]
    const all = await actions({})
    expect(all.some(action => !action.startsWith('application.'))).toBe(true)
    const some = await actions({ action: 'application.' })
    expect(some.length).toBeGreaterThan(0)
    for (const action of some) expect(action).toMatch(/^application\./)
    expect(await actions({ action: 'application_' })).toEqual([])
    expect(await actions({ until: '2020-01-01T00:00:00.000Z' })).toEqual([])
    expect(await actions({ from: '2020-01-01T00:00:00.000Z' })).toEqual(all)
  })
})
