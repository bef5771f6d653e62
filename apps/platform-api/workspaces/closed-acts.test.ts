import { createClient } from '@windlass/client/client.ts'
import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { addMember } from '@windlass/contracts/platform/members.ts'
import {
  createNotificationWebhook,
  listNotifications,
  listNotificationWebhooks,
} from '@windlass/contracts/platform/notifications.ts'
import { getOperatorProfile } from '@windlass/contracts/platform/operators.ts'
import { approveWaitingAct, listWaitingActs } from '@windlass/contracts/platform/waiting-acts.ts'
import * as contracts from '@windlass/contracts/platform/workspace-compliance.ts'
import { getWorkspaceAudit, setWorkspaceSigningLimits } from '@windlass/contracts/platform/workspaces.ts'
import type { MemberRole } from '@windlass/contracts/realm.ts'
import type { OutboundRequest } from '@windlass/service/outbound/outbound.ts'
import { sealAgain } from '@windlass/service/seals/seal-again.ts'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestApp, testApp } from '../testing/app.ts'
import { type TestServices, stood, testServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { redeemed, refusal } from '../testing/story.ts'
import { sealedWaitingBodies } from '../waiting-acts/waiting.ts'
import { closedActions } from './founder-acts.ts'

const high = {
  ...{
    customer: 'customer-of-case',
    rating: 'high',
    reasons: [],
    atLeast: 'high',
    note: null,
    by: 'operator:x',
  },
  ...{ rulesVersion: 0, reviewOn: '2027-01-01', at: '2026-11-20T10:00:00.000Z' },
}
const PROVIDER = '0190a5a0-0000-7000-8000-000000000001'
const provider = {
  ...{ name: 'Other Pay', lei: null, country: 'DE', licence: null, agreedOn: null },
  ...{ travelAddress: null, domains: ['other.example'], accounts: [] },
}
const anchorServer = createClient({
  baseUrl: '',
  fetch: async (path, { method, body }) => {
    if (path.includes('/travel-providers/')) {
      asked.push(`${method} ${path} ${method === 'PUT' ? Buffer.from(body as Uint8Array).toString() : ''}`)
      const kept = { id: PROVIDER, ...provider, by: 'operator:x', at: '2026-11-20T10:00:00.000Z' }
      return method === 'PUT' ? Response.json(kept) : new Response(null, { status: 204 })
    }
    if (path.endsWith('/rating')) {
      asked.push(Buffer.from(body as Uint8Array).toString())
      return Response.json({ ...high, atLeast: null })
    }
    if (path.endsWith('/ratings')) return Response.json({ ratings: [high] })
    if (path.endsWith('/evidence')) return Response.json({})
    return new Response('{"name":"Qadir Testov"}')
  },
})

let app: TestApp
let services: TestServices
const sent: string[] = []
const asked: string[] = []
beforeAll(async () => {
  services = await testServices()
  const outbound = {
    request: async (_: string, { body }: OutboundRequest = {}) => {
      sent.push(String(body))
      return { status: 204, headers: {}, text: '' }
    },
    close: async () => undefined,
  }
  app = await testApp({ deps: { ...services.clients, outbound, anchorServer: () => anchorServer } })
})
afterAll(async () => {
  await app.close()
  await services.close()
})

async function founded(name: string) {
  const { jobId, anchorId } = await redeemed(app, name, { businessEmail: `owner@${name}.example` })
  const body = { ...stood, serviceSecretHash: createHash('sha256').update(name).digest('hex') }
  await app.service.call(activateAnchor, { params: { jobId }, body })
  const owner = await signInOperator(app, `owner@${name}.example`)
  const organizationId = (await owner.call(getOperatorProfile)).organizations[0]?.id ?? ''
  const add = async (role: MemberRole) => {
    const email = `${role}@${name}.example`
    await owner.call(addMember, { params: { organizationId }, body: { email, role } })
    return signInOperator(app, email)
  }
  const [member, finance, officer] = [await add('member'), await add('finance'), await add('compliance')]
  await app.deps.database.pool.query(
    "update memberships set manager_since = manager_since - interval '25 hours' where organization_id = $1",
    [organizationId],
  )
  return { owner, member, finance, officer, params: { anchorId }, one: { anchorId, id: 'customer-of-case' } }
}

const lower = { atLeast: null, note: 'A neighbour of Quintrell.', reason: 'too-many-false-hits' as const }

it('what an officer notes is encrypted while it waits for a second person, who sends it as it was', async () => {
  const { owner, officer, params, one } = await founded('noted')
  const ask = () => refusal(owner.call(contracts.reviewWorkspaceCustomerRating, { params: one, body: lower }))
  const approve = async () => {
    const [act] = await officer.call(listWaitingActs, { params })
    return officer.call(approveWaitingAct, { params: { ...params, id: act?.id ?? '' } })
  }
  const { pool } = app.deps.database
  const plain = async () =>
    (await pool.query("select from waiting_acts w where w::text like '%Quintrell%'")).rowCount
  await ask()
  expect(await plain()).toBe(0)
  await approve()
  expect(asked.at(-1)).toContain(lower.note)

  // As an earlier release kept it.
  await ask()
  await pool.query('update waiting_acts set sealed_body = null, body = $1', [JSON.stringify(lower)])
  expect(await plain()).toBe(1)
  await sealAgain(pool, 'PLATFORM_KEY', app.deps.config.keyring, [sealedWaitingBodies])
  expect(await plain()).toBe(0)
  asked.length = 0
  await approve()
  expect(asked.at(-1)).toContain(lower.note)
})

it('a provider that names of customers are sent to is entered and removed by two people', async () => {
  const { owner, officer, params } = await founded('providing')
  const one = { ...params, id: PROVIDER }
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const tls = {
    ...{ clientCertificates: ['ab'.repeat(32)], authority: 'PEM of an authority' },
    ownCertificate: { certificate: 'PEM of a certificate', key: 'Planted key' },
  }
  const acts = [
    {
      ask: () =>
        owner.call(contracts.putWorkspaceTravelProvider, { params: one, body: { ...provider, ...tls } }),
      shows: {
        ...{ name: 'Other Pay', travelAddress: null, domains: ['other.example'], accounts: [] },
        clientCertificates: tls.clientCertificates,
        authoritySha256: sha256(tls.authority),
        ownCertificateSha256: sha256(tls.ownCertificate.certificate),
      },
      does: `PUT /admin/travel-providers/${PROVIDER} {"name":"Other Pay"`,
    },
    {
      ask: () => owner.call(contracts.deleteWorkspaceTravelProvider, { params: one }),
      shows: { id: PROVIDER },
      does: `DELETE /admin/travel-providers/${PROVIDER}`,
    },
  ]
  for (const { ask, shows, does } of acts) {
    asked.length = 0
    expect((await refusal(ask())).problem.code).toBe('second-person-waits')
    expect(asked).toEqual([])
    const [act] = await officer.call(listWaitingActs, { params })
    expect(act?.details).toMatchObject(shows)
    expect(JSON.stringify(act)).not.toContain('Planted')
    await officer.call(approveWaitingAct, { params: { ...params, id: act?.id ?? '' } })
    expect(asked).toEqual([expect.stringContaining(does)])
  }
})

it('what compliance does about a customer reaches those alone who may know', async () => {
  const { owner, member, finance, officer, params, one } = await founded('closed')
  const { anchorId } = params
  const webhook = { url: 'https://hooks.example/closed', kinds: ['second-person-waits' as const] }
  await owner.call(createNotificationWebhook, { params, body: webhook })
  app.mails.length = 0

  const wanted = owner.call(contracts.reviewWorkspaceCustomerRating, { params: one, body: lower })
  expect((await refusal(wanted)).problem.code).toBe('second-person-waits')
  const limits = { perHour: '9000', perPayment: null, xlmPerHour: '100', destinations: null }
  const more = owner.call(setWorkspaceSigningLimits, { params, body: limits })
  expect((await refusal(more)).problem.code).toBe('second-person-waits')
  await officer.open(contracts.getWorkspaceCustomerCopy, { params: one })
  await Promise.allSettled([
    officer.open(contracts.getWorkspaceEvidence, { params: { anchorId, id: 't1' }, query: {} }),
  ])
  await app.drain()

  const kinds = async (of: typeof owner) =>
    (await of.call(listNotifications, { params, query: {} }))
      .map(({ kind }) => kind)
      .filter(kind => kind.endsWith('waits'))
      .toSorted()
  for (const each of [member, finance]) expect(await kinds(each)).toEqual(['second-person-waits'])
  for (const each of [owner, officer])
    expect(await kinds(each)).toEqual(['compliance-second-person-waits', 'second-person-waits'])
  const told = app.mails.filter(({ text }) => text.includes('id customer-of-case')).map(({ to }) => to)
  expect(told.sort()).toEqual(['compliance@closed.example', 'owner@closed.example'])
  expect(await owner.call(listNotificationWebhooks, { params })).toMatchObject([
    { lastSentAt: expect.any(String) },
  ])
  expect(sent.join()).toContain('perHour 9000')
  expect(sent.join()).not.toContain('customer-of-case')

  const actionsOf = async (of: typeof owner) =>
    (await of.call(getWorkspaceAudit, { params, query: {} })).map(({ action }) => action)
  for (const each of [member, finance]) {
    const seen = await actionsOf(each)
    expect(seen).toContain('anchor.wanted')
    expect(seen.filter(action => /^(customer|customer-rating|evidence)\./.test(action))).toEqual([])
  }
  const all = await actionsOf(officer)
  for (const action of ['customer-rating.wanted', 'customer.copied', 'customer.asked', 'evidence.asked'])
    expect(all).toContain(action)
})

it('what is hidden in the log follows from who may do it', () => {
  for (const action of [
    'customer.erased',
    'customer-erasure.looked-at',
    'evidence.exported',
    'risk-rules.changed',
    'outside-check.changed',
    'case.opened',
  ])
    expect(closedActions).toContain(action)
  for (const action of ['customer.noted', 'payout-file.created', 'settings.changed'])
    expect(closedActions).not.toContain(action)
})
