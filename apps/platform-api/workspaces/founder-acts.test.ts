import { exampleOf } from '@windlass/api-documents/examples.ts'
import type { JsonSchema } from '@windlass/api-documents/json-schema.ts'
import { createClient } from '@windlass/client/client.ts'
import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { READER_HEADER } from '@windlass/service/http/platform-proof.ts'
import { addMember } from '@windlass/contracts/platform/members.ts'
import { getOperatorProfile } from '@windlass/contracts/platform/operators.ts'
import { createWorkspacePayoutFile } from '@windlass/contracts/platform/workspace-bank-files.ts'
import { getWorkspaceAudit } from '@windlass/contracts/platform/workspaces.ts'
import { declaredEndpoints, endpointsOf } from '@windlass/testing/walk.ts'
import fc from 'fast-check'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { endLostActs } from '../audit/remote-act.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { type TestServices, stood, testServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { redeemed } from '../testing/story.ts'
import { founderActs } from './founder-acts.ts'

const everything = process.env.MODE === 'faults'
type Asked = { endpoint: Endpoint; key: string | undefined; reader: string | undefined }
type Answer = (asked: Asked) => Response | Promise<Response>

const at = founderActs.map(({ endpoint }) => endpoint.at)
const refuse: Answer = () =>
  Response.json({ code: 'anchor-wrong-state', detail: 'No.', status: 409 }, { status: 409 })

let app: TestApp
let services: TestServices
let owner: Awaited<ReturnType<typeof signInOperator>>
let anchorId = ''
let organizationId = ''
let asked: Asked[] = []
let answer: Answer = refuse
/** An anchor's business server and the control plane. */
const elsewhere = createClient({
  baseUrl: '',
  fetch: async (url, { method, headers }) => {
    const [path = ''] = url.split('?')
    const matches = (each: Endpoint) =>
      each.method === method && new RegExp(`^${each.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path)
    const endpoint = at.find(matches)
    if (!endpoint) throw new Error(`${method} ${path} is not in the table`)
    const given = headers as Record<string, string>
    const one = { endpoint, key: given['idempotency-key'], reader: given[READER_HEADER] }
    asked.push(one)
    return answer(one)
  },
})
beforeAll(async () => {
  services = await testServices()
  app = await testApp({
    deps: { ...services.clients, controlPlane: elsewhere, anchorServer: () => elsewhere },
  })
  const story = await redeemed(app, 'founder-acts', { businessEmail: 'owner@acts.example' })
  anchorId = story.anchorId
  const body = { ...stood, serviceSecretHash: 'ae'.repeat(32) }
  await app.service.call(activateAnchor, { params: { jobId: story.jobId }, body })
  owner = await signInOperator(app, 'owner@acts.example')
  organizationId = (await owner.call(getOperatorProfile)).organizations[0]?.id ?? ''
})
afterAll(async () => {
  await app.close()
  await services.close()
})
beforeEach(() => {
  asked = []
  answer = refuse
})

/** A request that the endpoint takes. */
function requestOf({ path, query, body, raw }: Endpoint, approve = true) {
  const example = (schema: unknown) => exampleOf(schema as JsonSchema, {}) as Record<string, unknown>
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const known: Record<string, string> = {
    ...{ anchorId, account: 'G'.repeat(56), name: 'journal.csv' },
    ...{ register: 'incidents', kind: 'person' },
  }
  const { cursor: _, ...asks } = query ? example(query) : {}
  const given = body && !raw ? example(body) : undefined
  return {
    params: Object.fromEntries(names.map(name => [name, known[name] ?? 'x'])),
    query: { ...asks, ...('from' in asks && { from: '2026-10-01', to: '2026-10-31' }) },
    body: raw
      ? Buffer.from('x')
      : given && {
          ...given,
          ...('approve' in given && { approve }),
          ...('to' in given && { to: null }),
          ...('assignedTo' in given && { assignedTo: null }),
        },
  } as never
}

const codeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'done',
    (error: { problem?: { code: string } }) => error.problem?.code ?? String(error),
  )

it('a file of someone who may not upload it is refused before it is read', async () => {
  const stranger = await signInOperator(app, 'stranger@uploads.example')
  const large = (await endpointsOf(app.server.app)).filter(
    ({ realm, path, bodyLimit = 0 }) =>
      realm === 'operator' && path.includes(':anchorId') && bodyLimit > 200_000,
  )
  expect(large.map(({ path }) => path.split('/').at(-1))).toEqual(
    expect.arrayContaining(['sanctions-lists', 'statements', 'preview']),
  )
  for (const { method, path, bodyLimit = 0 } of large) {
    let sent = 0
    const file = new Readable({
      read() {
        sent += 100_000
        this.push(sent > bodyLimit ? null : Buffer.alloc(100_000))
      },
    })
    const url = path.replace(':anchorId', anchorId).replace(':rail', 'sepa')
    const cookie = stranger.cookies.header()
    const headers = { host: 'localhost:4000', cookie, 'content-length': String(bodyLimit) }
    const answer = await app.server.app.inject({ method, url, headers, payload: file })
    expect([path, answer.json<{ code: string }>().code]).toEqual([path, 'anchor-not-found'])
    expect(sent).toBeLessThan(500_000)
  }
})

it('nobody else than the contract says reaches the anchor, or does anything here', async () => {
  const acts = (await declaredEndpoints()).filter(
    ({ realm, who, path }) => realm === 'operator' && who && path.includes(':anchorId'),
  )
  expect(acts.length).toBeGreaterThan(60)
  for (const { endpoint } of founderActs) expect(acts).toContain(endpoint)
  const team = { organizationId }
  await owner.call(addMember, { params: team, body: { email: 'person@acts.example', role: 'admin' } })
  // They own another organization's anchor, which gives them nothing here.
  await redeemed(app, 'founder-other', { businessEmail: 'person@acts.example' })
  const person = await signInOperator(app, 'person@acts.example')
  const change = (text: string, ...values: unknown[]) =>
    app.database.pool.query(text, [person.user.id, ...values])
  const refusals = ['anchor-not-found', 'forbidden', 'confirmation-needed', 'second-person-needed']
  const roles = ['owner', 'admin', 'member', 'compliance', 'finance', 'support', 'auditor'] as const
  /** Written out here again: what a role may do is a promise of its own. */
  const mayDo = (
    role: (typeof roles)[number],
    { method, who = 'member', area, reads }: Endpoint,
  ): boolean => {
    if (role === 'owner') return true
    if (role === 'auditor') return method === 'GET' || reads === true
    if (who === 'owner') return false
    if (role === 'admin') return true
    if (area === role || (area === 'any' && role !== 'member')) return true
    return who === 'member' && area !== 'compliance'
  }
  const circumstances = fc.record({
    act: fc.constantFrom(...acts),
    role: fc.constantFrom(...roles, null),
    confirmedMinutesAgo: fc.constantFrom(0, 10, 16, 600),
    managerForHours: fc.constantFrom(null, 0, 23, 25),
    approve: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(circumstances, async ({ act, role, confirmedMinutesAgo, managerForHours, approve }) => {
      const { confirm, secondPerson } = act
      const ago = (minutes: number) => new Date(app.clock.now().getTime() - minutes * 60_000)
      const since = managerForHours === null ? null : ago(managerForHours * 60)
      await change('delete from memberships where user_id = $1 and organization_id = $2', organizationId)
      if (role)
        await change(
          'insert into memberships (organization_id, user_id, role, manager_since, created_at) values ($2, $1, $3, $4, now())',
          ...[organizationId, role, since],
        )
      await change('update sessions set confirmed_at = $2 where subject = $1', ago(confirmedMinutesAgo))
      const written = () =>
        app.database.pool
          .query<{ sequence: string }>('select sequence from audit_head')
          .then(({ rows }) => rows[0])
      const before = { asked: asked.length, log: await written() }
      const code = await codeOf(person.call(act, requestOf(act, approve)))
      const refuses = secondPerson === 'to-approve' && !approve
      const expected = !role
        ? 'anchor-not-found'
        : !mayDo(role, act)
          ? 'forbidden'
          : confirm === true && confirmedMinutesAgo > 15
            ? 'confirmation-needed'
            : secondPerson && !refuses && managerForHours !== null && managerForHours < 24
              ? 'second-person-needed'
              : null
      if (expected === null && confirm === 'by-case') return
      expect([act.path, refusals.includes(code) ? code : null]).toEqual([act.path, expected])
      if (expected !== null) expect({ asked: asked.length, log: await written() }).toEqual(before)
      // The anchor shows what this person may read, and no more. What the platform compares it reads for itself.
      for (const { reader } of asked.slice(before.asked))
        if (reader !== undefined)
          expect(reader.split(',').includes('payers')).toBe(role !== 'member' && role !== 'support')
    }),
    { numRuns: everything ? 400 : 150 },
  )
})

describe('an act whose answer is lost', () => {
  const lost: Record<string, Answer> = {
    'the anchor answers too late': () => Promise.reject(new DOMException('too late', 'TimeoutError')),
    'the connection is cut': () => Promise.reject(new TypeError('terminated')),
    'something on the way answers': () => new Response('Bad gateway', { status: 502 }),
    'the anchor is still at it': () =>
      Response.json({ code: 'idempotency-key-in-flight', detail: '', status: 409 }, { status: 409 }),
  }
  const doneBefore = new Set<string>()
  /** Does it, each key once. */
  const does: Answer = ({ endpoint, key = '' }) => {
    const headers = new Headers(
      endpoint.idempotent && doneBefore.has(key) ? { 'idempotency-replayed': 'true' } : undefined,
    )
    doneBefore.add(key)
    if (endpoint.file) return new Response('the file')
    const [status = 200] = Object.keys(endpoint.response).map(Number)
    if (status === 204) return new Response(null, { status, headers })
    const body = exampleOf(endpoint.response[status] as JsonSchema, {}) as object
    return Response.json(body, { status, headers })
  }
  /** A GET that prepares an act is answered. */
  const only =
    (act: Endpoint, how: Answer): Answer =>
    one =>
      one.endpoint === act ? how(one) : does(one)
  const newest = (limit: number) => owner.call(getWorkspaceAudit, { params: { anchorId }, query: { limit } })
  const acts = founderActs.filter(({ audit, alwaysWaits }) => audit && !alwaysWaits)
  const age = (by: string) =>
    app.database.pool.query('update remote_acts set asked_at = asked_at - $1::interval', [by])

  it('is there for everything that changes something at the anchor', () => {
    const unrecorded = founderActs.filter(({ endpoint, audit }) => endpoint.method !== 'GET' && !audit)
    expect(unrecorded.map(({ endpoint }) => endpoint.path)).toEqual([
      '/api/v1/anchors/:anchorId/rails/:rail/csv-columns/preview',
    ])
  })

  it.each(Object.entries(lost))(
    'is unknown in Activity, and settled by its repeat: %s',
    async (how, lose) => {
      const ways = Object.keys(lost)
      // Each act is lost in one of these ways, with `--mode=faults` in each.
      const lostSo = acts.filter((_, index) => everything || ways[index % ways.length] === how)
      expect(lostSo.length).toBeGreaterThan(10)
      for (const { endpoint } of lostSo) {
        await app.database.pool.query('update sessions set confirmed_at = now()')
        const headers = { 'idempotency-key': `${how} ${endpoint.path} ${endpoint.method}` }
        const act = () => owner.call(endpoint, { ...(requestOf(endpoint) as object), headers } as never)
        const keys = () => asked.filter(one => one.endpoint === endpoint.at).map(({ key }) => key)
        asked = []
        answer = only(endpoint.at, lose)
        expect([endpoint.path, await codeOf(act())]).toEqual([
          endpoint.path,
          how.includes('still at it') ? 'idempotency-key-in-flight' : 'dependency-unavailable',
        ])
        const [unknown, intent] = await newest(2)
        const about = intent?.action.split('.')[0]
        expect([unknown?.action, intent?.action]).toEqual([`${about}.unknown`, `${about}.asked`])
        expect(unknown?.details).toEqual(intent?.details)
        expect(intent).toMatchObject({
          actor: `operator:${owner.user.id}`,
          details: { act: expect.any(String) },
        })

        // While it is lost, a repeat adds nothing.
        await codeOf(act())
        expect((await newest(1))[0]?.id).toBe(unknown?.id)

        answer = only(endpoint.at, does)
        expect([endpoint.path, await codeOf(act())]).toEqual([endpoint.path, 'done'])
        const [settled, before] = await newest(2)
        expect(before?.id).toBe(unknown?.id)
        expect(settled?.details.settles).toBe(intent?.id)
        expect(settled?.action).not.toMatch(/\.(asked|unknown|failed)$/)
        expect(new Set(keys()).size).toBe(1)

        if (!endpoint.at.idempotent) continue
        expect(await codeOf(act())).toBe('done')
        expect((await newest(1))[0]?.id).toBe(settled?.id)
      }
    },
  )

  it('is recorded as refused where the anchor says that it did not do it', async () => {
    for (const { endpoint } of acts) {
      answer = only(endpoint.at, refuse)
      expect([endpoint.path, await codeOf(owner.call(endpoint, requestOf(endpoint)))]).toEqual([
        endpoint.path,
        'anchor-wrong-state',
      ])
      const [failed, intent] = await newest(2)
      const about = intent?.action.split('.')[0]
      expect([failed?.action, intent?.action]).toEqual([`${about}.failed`, `${about}.asked`])
      expect(failed?.details).toEqual({ ...intent?.details, problem: 'anchor-wrong-state' })
    }
  })

  it('is done where the anchor did it and gives its answer only once', async () => {
    const headers = { 'idempotency-key': 'once' }
    const act = () => owner.call(createWorkspacePayoutFile, { params: { anchorId, rail: 'SEPA' }, headers })
    answer = lost['the connection is cut']!
    await codeOf(act())
    answer = () =>
      Response.json({ code: 'idempotency-key-secret', detail: 'x', status: 409 }, { status: 409 })
    for (let turn = 0; turn < 2; turn++) {
      expect(await codeOf(act())).toBe('idempotency-key-secret')
      const [confirmed, unknown] = await newest(2)
      expect([confirmed?.action, unknown?.action]).toEqual(['payout-file.confirmed', 'payout-file.unknown'])
    }
  })

  it('is unknown also where the platform died, once it cannot be under way any more', async () => {
    const { faults } = app.deps
    const headers = { 'idempotency-key': 'crash' }
    const act = () => owner.call(createWorkspacePayoutFile, { params: { anchorId, rail: 'SEPA' }, headers })
    app.deps.faults = {
      at: point => {
        if (point === 'remote-act:asked') throw new Error('the process died')
      },
    }
    await codeOf(act())
    app.deps.faults = faults
    expect(asked).toEqual([])
    await endLostActs(app.deps)
    expect((await newest(1))[0]?.action).toBe('payout-file.asked')
    await age('16 minutes')
    await endLostActs(app.deps)
    await endLostActs(app.deps)
    expect((await newest(2)).map(({ action }) => action)).toEqual([
      'payout-file.unknown',
      'payout-file.asked',
    ])
    answer = does
    expect(await codeOf(act())).toBe('done')
    expect((await newest(1))[0]?.action).toBe('payout-file.created')
  })

  it('is another act with another body, and a new one after a day', async () => {
    const headers = { 'idempotency-key': 'twice' }
    const act = (rail: string) =>
      owner.call(createWorkspacePayoutFile, { params: { anchorId, rail }, headers })
    answer = does
    expect(await codeOf(act('SEPA'))).toBe('done')
    expect(await codeOf(act('ACH'))).toBe('idempotency-key-reused')
    const [first] = await newest(1)
    await age('25 hours')
    expect(await codeOf(act('SEPA'))).toBe('done')
    expect((await newest(3)).map(({ action }) => action)).toEqual([
      ...['payout-file.created', 'payout-file.asked', 'payout-file.created'],
    ])
    expect((await newest(3))[2]?.id).toBe(first?.id)
  })
})
