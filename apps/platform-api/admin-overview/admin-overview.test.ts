import { getAdminHome, listAudit, searchEverything } from '@windlass/contracts/platform/administrators.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { record } from '../audit/record.ts'
import { recordReport } from '../notifications/record.ts'
import { notifiedAnchor, findAnchor } from '../anchors/anchors.ts'
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
