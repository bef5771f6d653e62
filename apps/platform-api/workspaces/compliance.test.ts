import { createClient } from '@windlass/client/client.ts'
import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { getAccessReview } from '@windlass/contracts/platform/access-review.ts'
import { createApiKey } from '@windlass/contracts/platform/api-keys.ts'
import { addMember } from '@windlass/contracts/platform/members.ts'
import { getOperatorProfile } from '@windlass/contracts/platform/operators.ts'
import type { MemberRole } from '@windlass/contracts/realm.ts'
import { approveWaitingAct, listWaitingActs } from '@windlass/contracts/platform/waiting-acts.ts'
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
const settings = {
  ...{ threshold: '1000', lei: null, country: 'DE', corridors: [{ country: 'US', threshold: '0' }] },
  ...{ ownershipAbove: '1000', waitsForAnswer: true },
}
const travelRule = { history: [{ version: 1, settings, by: 'operator:x', at: AT }] }
const countryRules = {
  history: [
    {
      ...{ version: 0, by: null, at: null },
      rules: { prohibited: ['IR', 'KP'], highRisk: ['MM'], asksResidence: true },
    },
  ],
}
const whole = { limitPercent: 100, asksSourceOfFunds: true, reviewMonths: 12 }
const measures = { low: whole, normal: whole, high: whole }
const risky = { when: 'residence' as const, countries: ['AE', 'TR'], rating: 'high' as const }
const riskRules = { history: [{ version: 0, rules: { rules: [risky], measures }, by: null, at: null }] }
const strictRisk = {
  rules: [risky, { when: 'organization' as const, rating: 'high' as const }],
  measures: { ...measures, high: { ...whole, limitPercent: 50 } },
}
const laxRisk = { rules: [{ ...risky, countries: ['AE'] }], measures }
const rated = {
  ...{ customer: 'c1', rating: 'normal', reasons: [], atLeast: 'normal', note: null, by: 'operator:x' },
  ...{ rulesVersion: 0, reviewOn: '2027-01-01', at: AT },
}
const outsideChecks = {
  checks: [
    {
      ...{ kind: 'person', url: 'https://checks.example', version: 1, by: 'operator:x', at: AT },
      ...{ answers: 0, lastAnswerAt: null },
    },
    { kind: 'wallet', url: null, version: 0, by: null, at: null, answers: 0, lastAnswerAt: null },
  ],
  secret: null,
}
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
  facts: null,
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
  fetch: async (path, { method, body }) => {
    if (method !== 'GET')
      asked.push({ path, body: body instanceof Uint8Array ? Buffer.from(body).toString() : body })
    if (path.includes('/case'))
      return Response.json({ anchor: 'a', hit, list, threshold: 0.9, transactions: [], exportedAt: AT })
    if (path.endsWith('/t1/travel-rule')) return Response.json(record)
    if (path.includes('/travel-rule')) return Response.json(travelRule)
    if (path.includes('/country-rules')) return Response.json(countryRules)
    if (path.includes('/risk-rules')) return Response.json(riskRules)
    if (path.endsWith('/ratings')) return Response.json({ ratings: [rated] })
    if (path.endsWith('/rating')) return Response.json(rated)
    if (path.includes('/outside-checks')) return Response.json(outsideChecks)
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
  const add = async (email: string, role: MemberRole) => {
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

  const officer = await add('officer@screened.example', 'compliance')
  const auditor = await add('auditor@screened.example', 'auditor')
  const finance = await add('finance@screened.example', 'finance')
  for (const { call } of [officer, auditor]) {
    expect(await call(contracts.getWorkspaceScreening, { params })).toEqual(screening)
    expect(await call(contracts.listWorkspaceScreeningHits, { params, query: {} })).toEqual([hit])
    expect(await call(contracts.getWorkspaceVelocityRules, { params })).toEqual(velocity)
  }
  for (const { call } of [member, finance]) {
    expect(await codeOf(call(contracts.getWorkspaceScreening, { params }))).toBe('forbidden')
    expect(await codeOf(call(contracts.listWorkspaceScreeningHits, { params, query: {} }))).toBe('forbidden')
    expect(await codeOf(call(contracts.getWorkspaceVelocityRules, { params }))).toBe('forbidden')
    expect(await call(contracts.getWorkspaceTravelRule, { params })).toEqual(travelRule)
  }
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
  // Who is not of compliance does not even see that something was decided, or how rules changed that they may not read.
  const shown = async ({ call }: typeof owner) =>
    (await call(getWorkspaceAudit, { params, query: {} })).map(({ action }) => action)
  for (const person of [member, finance]) {
    const actions = (await shown(person)).join(' ')
    expect(actions).toContain('anchor.')
    expect(actions).not.toMatch(/screening-|rules|travel|sanctions|auditor/)
  }
  expect(await shown(auditor)).toEqual(expect.arrayContaining(['screening-hit.decided', 'auditor.read']))
  const reads = audit.filter(({ action }) => action === 'auditor.read')
  expect(reads.map(({ actor, details }) => [actor, details.what])).toEqual(
    ['/velocity-rules', '/screening-hits', '/screening'].map(what => [`operator:${auditor.user.id}`, what]),
  )

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

it('a change that finds less waits for a second person and says why, one that finds more is done at once', async () => {
  const { jobId, anchorId } = await redeemed(app, 'weaker', { businessEmail: 'owner@weaker.example' })
  const body = { ...stood, serviceSecretHash: 'cd'.repeat(32) }
  await app.service.call(activateAnchor, { params: { jobId }, body })
  const owner = await signInOperator(app, 'owner@weaker.example')
  const organizationId = (await owner.call(getOperatorProfile)).organizations[0]?.id ?? ''
  const add = async (email: string, role: MemberRole) => {
    await owner.call(addMember, { params: { organizationId }, body: { email, role } })
    return signInOperator(app, email)
  }
  const officer = await add('officer@weaker.example', 'compliance')
  const finance = await add('finance@weaker.example', 'finance')
  await app.deps.database.pool.query(
    "update memberships set manager_since = manager_since - interval '25 hours' where organization_id = $1",
    [organizationId],
  )
  const params = { anchorId }
  const codeOf = async (answer: Promise<unknown>) => (await refusal(answer)).problem.code
  const reason = 'too-many-false-hits' as const
  const strict = { prohibited: ['IR', 'KP', 'MM'], highRisk: [], asksResidence: true }
  const lax = { prohibited: ['IR'], highRisk: ['MM'], asksResidence: true }
  const ways = [
    {
      more: () => owner.call(contracts.setWorkspaceScreeningThreshold, { params, body: { threshold: 0.8 } }),
      less: (why: object) =>
        owner.call(contracts.setWorkspaceScreeningThreshold, { params, body: { threshold: 0.95, ...why } }),
    },
    {
      more: () =>
        owner.call(contracts.setWorkspaceVelocityRules, {
          params,
          body: { rules: [{ ...rules[0]!, count: 2 }], version: 1 },
        }),
      less: (why: object) =>
        owner.call(contracts.setWorkspaceVelocityRules, { params, body: { rules: [], version: 1, ...why } }),
    },
    {
      more: () =>
        owner.call(contracts.setWorkspaceTravelRule, {
          params,
          body: { settings: { threshold: '10', lei: null }, version: 1 },
        }),
      less: (why: object) =>
        owner.call(contracts.setWorkspaceTravelRule, {
          params,
          body: { settings: { threshold: null, lei: null }, version: 1, ...why },
        }),
    },
    {
      more: () =>
        owner.call(contracts.setWorkspaceCountryRules, { params, body: { rules: strict, version: 0 } }),
      less: (why: object) =>
        owner.call(contracts.setWorkspaceCountryRules, { params, body: { rules: lax, version: 0, ...why } }),
    },
    {
      more: () =>
        owner.call(contracts.setWorkspaceRiskRules, { params, body: { rules: strictRisk, version: 0 } }),
      less: (why: object) =>
        owner.call(contracts.setWorkspaceRiskRules, { params, body: { rules: laxRisk, version: 0, ...why } }),
    },
    {
      more: () =>
        owner.call(contracts.reviewWorkspaceCustomerRating, {
          params: { anchorId, id: 'c1' },
          body: { atLeast: 'high', note: 'Seen.' },
        }),
      less: (why: object) =>
        owner.call(contracts.reviewWorkspaceCustomerRating, {
          params: { anchorId, id: 'c1' },
          body: { atLeast: null, note: 'Seen.', ...why },
        }),
    },
    {
      more: () =>
        owner.call(contracts.setWorkspaceOutsideCheck, {
          params: { anchorId, kind: 'wallet' },
          body: { url: 'https://checks.example', version: 0 },
        }),
      less: (why: object) =>
        owner.call(contracts.setWorkspaceOutsideCheck, {
          params: { anchorId, kind: 'person' },
          body: { url: 'https://other.example', version: 1, ...why },
        }),
    },
  ]
  for (const { more, less } of ways) {
    asked.length = 0
    await more()
    expect(asked).toHaveLength(1)
    expect(await codeOf(less({}))).toBe('validation-failed')
    expect(await codeOf(less({ reason }))).toBe('second-person-waits')
    expect(asked).toHaveLength(1)
  }
  for (const weaker of [
    ...[{ ownershipAbove: null }, { ownershipAbove: '1001' }, { waitsForAnswer: false }, { country: 'US' }],
    ...[{ corridors: [] }, { corridors: [{ country: 'US', threshold: '1' }] }],
    { corridors: [...settings.corridors, { country: 'BR', threshold: '5' }] },
  ]) {
    const wanted = { params, body: { settings: { threshold: '10', lei: null, ...weaker }, version: 1 } }
    expect(await codeOf(owner.call(contracts.setWorkspaceTravelRule, wanted))).toBe('validation-failed')
  }
  expect(await finance.call(listWaitingActs, { params })).toEqual([])
  const acts = await officer.call(listWaitingActs, { params })
  expect(acts.map(({ action, details }) => [action, details.reason])).toEqual(
    [
      ...['screening-threshold', 'velocity-rules', 'travel-rule', 'country-rules', 'risk-rules'].map(
        of => `${of}.changed`,
      ),
      ...['customer-rating.reviewed', 'outside-check.changed'],
    ].map(action => [action, reason]),
  )
  asked.length = 0
  const [first] = acts
  const one = { params: { anchorId, id: first?.id ?? '' } }
  expect(await codeOf(finance.call(approveWaitingAct, one))).toBe('forbidden')
  expect(await codeOf(owner.call(approveWaitingAct, one))).toBe('second-person-needed')
  await officer.call(approveWaitingAct, one)
  expect(asked).toEqual([{ path: '/admin/screening', body: expect.stringContaining('0.95') }])
  const [entry] = outcomesOf(await owner.call(getWorkspaceAudit, { params, query: {} }))
  expect(entry).toMatchObject({
    ...{ action: 'screening-threshold.changed', actor: `operator:${officer.user.id}` },
    details: { threshold: 0.95, reason, requestedBy: `operator:${owner.user.id}` },
  })
})

it('who has access is reviewed by owners, admins and auditors, with keys and who made them', async () => {
  const { jobId, anchorId } = await redeemed(app, 'reviewed', { businessEmail: 'owner@reviewed.example' })
  const body = { ...stood, serviceSecretHash: 'cb'.repeat(32) }
  await app.service.call(activateAnchor, { params: { jobId }, body })
  const owner = await signInOperator(app, 'owner@reviewed.example')
  const organizationId = (await owner.call(getOperatorProfile)).organizations[0]?.id ?? ''
  const add = async (email: string, role: MemberRole) => {
    await owner.call(addMember, { params: { organizationId }, body: { email, role } })
    return signInOperator(app, email)
  }
  const auditor = await add('auditor@reviewed.example', 'auditor')
  const finance = await add('finance@reviewed.example', 'finance')
  const params = { anchorId }
  await owner.call(createApiKey, { params, body: { name: 'nightly' } })
  const review = await auditor.call(getAccessReview, { params })
  expect(
    review.people.map(({ email, role, actsIn, seesCompliance }) => [email, role, actsIn, seesCompliance]),
  ).toEqual([
    ['owner@reviewed.example', 'owner', ['compliance', 'finance', 'support'], true],
    ['finance@reviewed.example', 'finance', ['finance'], false],
    ['auditor@reviewed.example', 'auditor', [], true],
  ])
  expect(review.people[0]).toMatchObject({ hasSecondFactor: false, lastSignInAt: expect.any(String) })
  expect(review.keys).toMatchObject([
    {
      ...{ name: 'nightly', scopes: ['read', 'write', 'webhooks'], lastUsedAt: null },
      ...{ createdBy: `operator:${owner.user.id}`, creator: 'owner@reviewed.example' },
    },
  ])
  expect((await refusal(finance.call(getAccessReview, { params }))).problem.code).toBe('forbidden')
  const [entry] = await owner.call(getWorkspaceAudit, { params, query: {} })
  expect(entry).toMatchObject({ action: 'access.reviewed', actor: `operator:${auditor.user.id}` })
})
