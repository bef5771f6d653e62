import { createClient } from '@windlass/client/client.ts'
import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { addMember } from '@windlass/contracts/platform/members.ts'
import { getOperatorProfile } from '@windlass/contracts/platform/operators.ts'
import * as contracts from '@windlass/contracts/platform/workspace-compliance.ts'
import * as agreements from '@windlass/contracts/platform/workspace-sending-anchors.ts'
import { getWorkspaceAudit } from '@windlass/contracts/platform/workspaces.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestApp, testApp } from '../testing/app.ts'
import { type TestServices, stood, testServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { outcomesOf, redeemed, refusal } from '../testing/story.ts'

const AT = '2026-11-20T10:00:00.000Z'
const list = {
  ...{ version: 1, source: 'OFAC', format: 'ofac-xml', fileName: 'sdn.xml', sha256: 'ab', publishedOn: null },
  ...{ entries: 1, names: 1, current: true, by: 'operator:x', at: AT },
}
const hit = {
  ...{ id: 'h1', velocity: null, subject: { kind: 'transaction', id: 't1' } },
  match: {
    ...{ name: 'Qadir Testov', role: 'payer', source: 'OFAC', listVersion: 1, entryId: '7' },
    ...{ entryName: 'Qadir Testov', detail: '', score: 1 },
  },
  ...{ status: 'cleared', transactions: [], decisions: [], createdAt: AT },
}
const rules = [{ kind: 'customer-count' as const, hours: 24, count: 3, amount: null }]
const velocity = { history: [{ version: 1, rules, by: 'operator:x', at: AT }] }
const settings = { threshold: '1000', lei: null }
const travelRule = { history: [{ version: 1, settings, by: 'operator:x', at: AT }] }
const name = {
  nameIdentifier: [{ primaryIdentifier: 'Rao', naturalPersonNameIdentifierType: 'LEGL' as const }],
}
const record = {
  ...{ transactionId: 't1', recordedAt: AT },
  document: {
    originator: { originatorPerson: [{ naturalPerson: { name } }] },
    beneficiary: { beneficiaryPerson: [{ naturalPerson: { name } }] },
    payloadMetadata: { payloadVersion: '101.2023' as const },
  },
}
const screening = { threshold: 0.9, lists: [list], waiting: 0, outdated: 0 }

const agreement = {
  account: `G${'A'.repeat(55)}`,
  name: 'London Pay',
  tier: 'enhanced' as const,
  createdAt: AT,
}

let app: TestApp
let services: TestServices
const asked: { path: string; body: unknown }[] = []
/** An anchor's business server that notes what it is asked. */
const anchorServer = createClient({
  baseUrl: '',
  fetch: async (path, { body }) => {
    asked.push({ path, body: body instanceof Uint8Array ? Buffer.from(body).toString() : body })
    if (path.includes('/case'))
      return Response.json({ anchor: 'a', hit, list, threshold: 0.9, transactions: [], exportedAt: AT })
    if (path.endsWith('/t1/travel-rule')) return Response.json(record)
    if (path.includes('/travel-rule')) return Response.json(travelRule)
    if (path.includes('/velocity-rules')) return Response.json(velocity)
    if (path.includes('/sanctions-lists')) return Response.json(list, { status: 201 })
    if (path.includes('/sending-anchors/')) return Response.json(agreement)
    if (path.includes('/decision')) return Response.json(hit)
    return Response.json(path.includes('/screening-hits') ? [hit] : screening)
  },
})
beforeAll(async () => {
  services = await testServices()
  app = await testApp({ deps: { ...services.clients, anchorServer: () => anchorServer } })
})
afterAll(async () => {
  await app.close()
  await services.close()
})

it('lists and decisions are of owners and admins of a day who have just confirmed, and all is recorded without names', async () => {
  const { jobId, anchorId } = await redeemed(app, 'screened', { businessEmail: 'owner@screened.example' })
  const body = { ...stood, serviceSecretHash: 'ce'.repeat(32) }
  await app.service.call(activateAnchor, { params: { jobId }, body })
  const owner = await signInOperator(app, 'owner@screened.example')
  const organizationId = (await owner.call(getOperatorProfile)).organizations[0]?.id ?? ''
  const add = async (email: string, role: 'admin' | 'member') => {
    await owner.call(addMember, { params: { organizationId }, body: { email, role } })
    return signInOperator(app, email)
  }
  const fresh = await add('fresh@screened.example', 'admin')
  const member = await add('member@screened.example', 'member')
  const stranger = await signInOperator(app, 'stranger@screened.example')
  const params = { anchorId }
  const one = { anchorId, id: 'h1' }
  const changes = ({ call }: typeof owner) => [
    () => call(contracts.setWorkspaceScreeningThreshold, { params, body: { threshold: 0.9 } }),
    () =>
      call(contracts.loadWorkspaceSanctionsList, {
        params,
        query: { fileName: 'sdn.xml' },
        body: Buffer.from('<sdnList/>'),
      }),
    () =>
      call(contracts.decideWorkspaceScreeningHit, {
        params: one,
        body: { decision: 'clear', reason: 'Another person', evidence: 'Passport X1' },
      }),
    () => call(contracts.setWorkspaceVelocityRules, { params, body: { rules, version: 0 } }),
    () => call(contracts.setWorkspaceTravelRule, { params, body: { settings, version: 0 } }),
  ]
  const exported = ({ call }: typeof owner) => call(contracts.getWorkspaceScreeningCase, { params: one })
  const codeOf = async (answer: Promise<unknown>) => (await refusal(answer)).problem.code
  for (const [who, code] of [
    [fresh, 'second-person-needed'],
    [member, 'forbidden'],
    [stranger, 'anchor-not-found'],
  ] as const)
    for (const change of changes(who)) expect(await codeOf(change())).toBe(code)
  expect(await codeOf(exported(member))).toBe('forbidden')
  expect(asked).toEqual([])

  expect(await member.call(contracts.getWorkspaceScreening, { params })).toEqual(screening)
  expect(await member.call(contracts.listWorkspaceScreeningHits, { params, query: {} })).toEqual([hit])
  expect(await member.call(contracts.getWorkspaceVelocityRules, { params })).toEqual(velocity)
  expect(await member.call(contracts.getWorkspaceTravelRule, { params })).toEqual(travelRule)
  const sides = ({ call }: typeof owner) =>
    call(contracts.getWorkspaceTravelRuleRecord, { params: { anchorId, id: 't1' } })
  expect(await codeOf(sides(member))).toBe('forbidden')
  asked.length = 0
  for (const change of changes(owner)) await change()
  await exported(owner)
  expect(await sides(owner)).toEqual(record)
  const by = `operator:${owner.user.id}`
  expect(asked[0]?.body).toBe(JSON.stringify({ threshold: 0.9, by }))
  expect(asked[1]).toMatchObject({
    path: expect.stringContaining(encodeURIComponent(by)),
    body: '<sdnList/>',
  })
  expect(asked[2]?.body).toContain(by)
  expect(asked[3]?.body).toBe(JSON.stringify({ rules, version: 0, by }))
  const audit = await owner.call(getWorkspaceAudit, { params, query: {} })
  expect(outcomesOf(audit).slice(0, 7)).toMatchObject([
    { action: 'travel-rule.exported', actor: by, details: { id: 't1' } },
    { action: 'screening-case.exported', actor: by, details: { id: 'h1' } },
    { action: 'travel-rule.changed', actor: by, details: settings },
    { action: 'velocity-rules.changed', actor: by, details: { rules } },
    {
      action: 'screening-hit.decided',
      details: { decision: 'clear', reason: 'Another person', entryId: '7' },
    },
    { action: 'sanctions-list.loaded', details: { source: 'OFAC', sha256: 'ab' } },
    { action: 'screening-threshold.changed', details: { threshold: 0.9 } },
  ])
  expect(JSON.stringify(audit)).not.toContain('Testov')

  await app.deps.database.pool.query(
    `update sessions set confirmed_at = now() - interval '16 minutes' where subject = $1`,
    [owner.user.id],
  )
  for (const change of [...changes(owner), () => exported(owner), () => sides(owner)])
    expect(await codeOf(change())).toBe('confirmation-needed')
})

it('agreements with sending anchors are made by owners and admins of a day, ended by any, and recorded', async () => {
  const { jobId, anchorId } = await redeemed(app, 'agreeing', { businessEmail: 'owner@agreeing.example' })
  const body = { ...stood, serviceSecretHash: 'cf'.repeat(32) }
  await app.service.call(activateAnchor, { params: { jobId }, body })
  const owner = await signInOperator(app, 'owner@agreeing.example')
  const organizationId = (await owner.call(getOperatorProfile)).organizations[0]?.id ?? ''
  const add = async (email: string, role: 'admin' | 'member') => {
    await owner.call(addMember, { params: { organizationId }, body: { email, role } })
    return signInOperator(app, email)
  }
  const fresh = await add('fresh@agreeing.example', 'admin')
  const member = await add('member@agreeing.example', 'member')
  const params = { anchorId, account: agreement.account }
  const agree = ({ call }: typeof owner) =>
    call(agreements.putWorkspaceSendingAnchor, {
      params,
      body: { name: agreement.name, tier: agreement.tier },
    })
  const end = ({ call }: typeof owner) => call(agreements.deleteWorkspaceSendingAnchor, { params })
  const codeOf = async (answer: Promise<unknown>) => (await refusal(answer)).problem.code
  asked.length = 0
  expect(await codeOf(agree(fresh))).toBe('second-person-needed')
  for (const act of [agree, end]) expect(await codeOf(act(member))).toBe('forbidden')
  expect(asked).toEqual([])
  expect(await agree(owner)).toEqual(agreement)
  await end(fresh)
  expect(asked).toEqual([
    {
      path: `/admin/sending-anchors/${agreement.account}`,
      body: JSON.stringify({ name: 'London Pay', tier: 'enhanced' }),
    },
    { path: `/admin/sending-anchors/${agreement.account}`, body: undefined },
  ])
  const audit = await owner.call(getWorkspaceAudit, { params: { anchorId }, query: {} })
  expect(outcomesOf(audit).slice(0, 2)).toMatchObject([
    { action: 'sending-anchor.ended', details: { account: agreement.account } },
    {
      action: 'sending-anchor.agreed',
      details: { account: agreement.account, name: 'London Pay', tier: 'enhanced' },
    },
  ])
  await app.deps.database.pool.query(`update sessions set confirmed_at = now() - interval '16 minutes'`)
  for (const act of [agree, end]) expect(await codeOf(act(owner))).toBe('confirmation-needed')
})
