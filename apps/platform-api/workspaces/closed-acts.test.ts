import { createClient } from '@windlass/client/client.ts'
import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { addMember } from '@windlass/contracts/platform/members.ts'
import {
  createNotificationWebhook,
  listNotifications,
  listNotificationWebhooks,
} from '@windlass/contracts/platform/notifications.ts'
import { getOperatorProfile } from '@windlass/contracts/platform/operators.ts'
import * as contracts from '@windlass/contracts/platform/workspace-compliance.ts'
import { getWorkspaceAudit, setWorkspaceSigningLimits } from '@windlass/contracts/platform/workspaces.ts'
import type { MemberRole } from '@windlass/contracts/realm.ts'
import type { OutboundRequest } from '@windlass/service/outbound/outbound.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestApp, testApp } from '../testing/app.ts'
import { type TestServices, stood, testServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { redeemed, refusal } from '../testing/story.ts'
import { closedActions } from './founder-acts.ts'

const high = {
  ...{ customer: 'c1', rating: 'high', reasons: [], atLeast: 'high', note: null, by: 'operator:x' },
  ...{ rulesVersion: 0, reviewOn: '2027-01-01', at: '2026-11-20T10:00:00.000Z' },
}
const anchorServer = createClient({
  baseUrl: '',
  fetch: async path => {
    if (path.endsWith('/ratings')) return Response.json({ ratings: [high] })
    if (path.endsWith('/evidence')) return Response.json({})
    return new Response('{"name":"Qadir Testov"}')
  },
})

let app: TestApp
let services: TestServices
const sent: string[] = []
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

it('what compliance does about a customer is heard of by those alone who may know', async () => {
  const { jobId, anchorId } = await redeemed(app, 'closed', { businessEmail: 'owner@closed.example' })
  const body = { ...stood, serviceSecretHash: 'cc'.repeat(32) }
  await app.service.call(activateAnchor, { params: { jobId }, body })
  const owner = await signInOperator(app, 'owner@closed.example')
  const organizationId = (await owner.call(getOperatorProfile)).organizations[0]?.id ?? ''
  const add = async (role: MemberRole) => {
    const email = `${role}@closed.example`
    await owner.call(addMember, { params: { organizationId }, body: { email, role } })
    return signInOperator(app, email)
  }
  const [member, finance, officer] = [await add('member'), await add('finance'), await add('compliance')]
  await app.deps.database.pool.query(
    "update memberships set manager_since = manager_since - interval '25 hours' where organization_id = $1",
    [organizationId],
  )
  const params = { anchorId }
  const webhook = { url: 'https://hooks.example/closed', kinds: ['second-person-waits' as const] }
  await owner.call(createNotificationWebhook, { params, body: webhook })
  app.mails.length = 0

  const lower = { atLeast: null, note: 'Seen.', reason: 'too-many-false-hits' as const }
  const one = { anchorId, id: 'c1' }
  const asked = owner.call(contracts.reviewWorkspaceCustomerRating, { params: one, body: lower })
  expect((await refusal(asked)).problem.code).toBe('second-person-waits')
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
  const told = app.mails.filter(({ text }) => text.includes('id c1')).map(({ to }) => to)
  expect(told.sort()).toEqual(['compliance@closed.example', 'owner@closed.example'])
  expect(await owner.call(listNotificationWebhooks, { params })).toMatchObject([
    { lastSentAt: expect.any(String) },
  ])
  expect(sent.join()).toContain('perHour 9000')
  expect(sent.join()).not.toContain('c1')

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
  for (const action of ['evidence.exported', 'risk-rules.changed', 'outside-check.changed', 'case.opened'])
    expect(closedActions).toContain(action)
  for (const action of ['customer.noted', 'payout-file.created', 'settings.changed'])
    expect(closedActions).not.toContain(action)
})
