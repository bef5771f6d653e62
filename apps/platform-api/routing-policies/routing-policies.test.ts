import { listAudit } from '@windlass/contracts/platform/administrators.ts'
import {
  activateRoutingPolicy,
  listRoutingPolicies,
  replayRoutingWeights,
  saveRoutingPolicy,
} from '@windlass/contracts/platform/admin-routing.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, signInAdmin, testApp } from '../testing/app.ts'
import { type TestServices, testServices, weights } from '../testing/services.ts'
import { refusal, outcomesOf } from '../testing/story.ts'

let app: TestApp
let services: TestServices
let admin: Awaited<ReturnType<typeof signInAdmin>>

beforeAll(async () => {
  services = await testServices()
  app = await testApp({ deps: services.clients })
  admin = await signInAdmin(app)
})
afterAll(async () => {
  await app.close()
  await services.close()
})
beforeEach(() => {
  services.down = false
  services.refusal = null
})

const refused = async (answer: Promise<unknown>) => {
  const { status, problem } = await refusal(answer)
  return { status, code: problem.code, detail: problem.detail }
}

describe('the routing policy', () => {
  it('is saved, listed, activated and replayed in the aggregator, and the log says by whom', async () => {
    const saved = await admin.send(saveRoutingPolicy, { body: { weights } })
    expect([saved.status, saved.body]).toMatchObject([201, { id: 'policy-1', weights, active: true }])
    expect(await admin.call(listRoutingPolicies)).toMatchObject([{ id: 'policy-1' }])
    const params = { id: 'policy-1' }
    expect(await admin.call(activateRoutingPolicy, { params })).toMatchObject({
      id: 'policy-1',
      active: true,
    })
    expect(await admin.call(replayRoutingWeights, { body: { weights } })).toMatchObject({
      decisions: 3,
      changed: 1,
    })
    const acts = await admin.call(listAudit, { query: { subject: 'routing-policy:policy-1' } })
    expect(outcomesOf(acts).map(({ actor, action }) => [actor, action])).toEqual([
      [`admin:${app.config.admin.username}`, 'routing-policy.activated'],
      [`admin:${app.config.admin.username}`, 'routing-policy.saved'],
    ])
  })

  it('is refused in the aggregator’s own words', async () => {
    services.refusal = new Problem('validation-failed', 'weights must sum to 1.')
    expect(await refused(admin.call(saveRoutingPolicy, { body: { weights } }))).toEqual({
      status: 400,
      code: 'validation-failed',
      detail: 'weights must sum to 1.',
    })
    const unknown = { params: { id: 'policy-9' } }
    expect(await refused(admin.call(activateRoutingPolicy, unknown))).toMatchObject({
      status: 404,
      code: 'policy-not-found',
    })
  })

  it('is out of reach while the aggregator is down', async () => {
    services.down = true
    for (const answer of [
      () => admin.call(listRoutingPolicies),
      () => admin.call(saveRoutingPolicy, { body: { weights } }),
      () => admin.call(activateRoutingPolicy, { params: { id: 'policy-1' } }),
      () => admin.call(replayRoutingWeights, { body: { weights } }),
    ]) {
      expect(await refused(answer())).toMatchObject({ status: 503, code: 'dependency-unavailable' })
    }
  })

  it('is the administrator’s alone', async () => {
    const nobody = app.client()
    expect(await refused(nobody.call(listRoutingPolicies))).toMatchObject({ status: 401 })
    expect(await refused(nobody.call(saveRoutingPolicy, { body: { weights } }))).toMatchObject({
      status: 401,
    })
    expect(await refused(nobody.call(activateRoutingPolicy, { params: { id: 'x' } }))).toMatchObject({
      status: 401,
    })
    expect(await refused(nobody.call(replayRoutingWeights, { body: { weights } }))).toMatchObject({
      status: 401,
    })
  })
})
