import { ProblemError } from '@windlass/client/client.ts'
import {
  checkConformance,
  getConformance,
  reportConformance,
  type ConformanceReport,
} from '@windlass/contracts/conformance.ts'
import { Problem } from '@windlass/service/problem.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { activeAnchor } from '../test-anchors.ts'
import { productionEnv, testApp, type TestApp } from '../test-app.ts'
import { testNeighbours, type Neighbours } from '../test-neighbours.ts'
import { signInOperator } from '../test-sign-in.ts'

let neighbours: Neighbours
let app: TestApp
let owner: Awaited<ReturnType<typeof signInOperator>>
let stranger: Awaited<ReturnType<typeof signInOperator>>
let anchor: Awaited<ReturnType<typeof activeAnchor>>
beforeAll(async () => {
  neighbours = await testNeighbours()
  app = await testApp({ deps: neighbours.clients, env: productionEnv })
  owner = await signInOperator(app, 'owner@conformance.example')
  stranger = await signInOperator(app, 'stranger@conformance.example')
  anchor = await activeAnchor(app, owner.user.id, 'conforming')
})
afterAll(async () => {
  await app.close()
  await neighbours.close()
})

const params = () => ({ anchorId: anchor.id })
const read = () => owner.call(getConformance, { params: params() })
const ask = (client = owner) => client.call(checkConformance, { params: params() })
const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) =>
      error instanceof ProblemError ? `${error.status} ${error.problem.code}` : String(error),
  )
const finding = { check: 'sep10-login', sep: 10, demand: 'A login.', meaning: 'Nobody can log in.', took: 3 }
const met = { ...finding, passed: true, detail: null }
const unmet = { ...finding, check: 'sep24-info', sep: 24, passed: false, detail: '/info answered 500.' }
const tell = (checkedAt: string, findings: ConformanceReport['findings'], client = app.service) =>
  client.call(reportConformance, { params: params(), body: { checkedAt, findings } })

describe('an anchor’s conformance', () => {
  it('is what the control plane found last, with how the checks before came out', async () => {
    expect(await read()).toEqual({ latest: null, history: [] })
    await tell('2026-03-01T10:00:00.000Z', [met, unmet])
    await tell('2026-03-02T10:00:00.000Z', [met, met])
    // Told again, and late.
    await tell('2026-03-01T10:00:00.000Z', [met, unmet])
    expect(await read()).toEqual({
      latest: { checkedAt: '2026-03-02T10:00:00.000Z', findings: [met, met] },
      history: [
        { checkedAt: '2026-03-02T10:00:00.000Z', passed: 2, demands: 2 },
        { checkedAt: '2026-03-01T10:00:00.000Z', passed: 1, demands: 2 },
      ],
    })
  })

  it('forgets reports of a season ago', async () => {
    await tell('2026-09-01T10:00:00.000Z', [met])
    expect((await read()).history).toHaveLength(1)
  })

  it('is told by the control plane alone, and only of anchors that are there', async () => {
    const at = '2026-09-02T10:00:00.000Z'
    expect(await problemOf(tell(at, [met], anchor.client))).toBe('401 unauthenticated')
    expect(await problemOf(tell(at, [met], owner))).toBe('401 unauthenticated')
    expect(await problemOf(tell(at, []))).toBe('400 validation-failed')
    const nobody = { params: { anchorId: 'nobody' }, body: { checkedAt: at, findings: [met] } }
    expect(await problemOf(app.service.call(reportConformance, nobody))).toBe('404 anchor-not-found')
    expect((await read()).history).toHaveLength(1)
  })

  it('is for members of the organization alone', async () => {
    const foreign = stranger.call(getConformance, { params: params() })
    expect(await problemOf(foreign)).toBe('404 anchor-not-found')
    expect(await problemOf(ask(stranger))).toBe('404 anchor-not-found')
    expect(neighbours.checked).toEqual([])
  })

  it('is checked anew when an operator asks, six times an hour at most', async () => {
    neighbours.refusal = new Problem('anchor-wrong-state', 'The anchor is not running.')
    expect(await problemOf(ask())).toBe('409 anchor-wrong-state')
    neighbours.refusal = null
    neighbours.down = true
    expect(await problemOf(ask())).toBe('503 dependency-unavailable')
    neighbours.down = false
    for (let n = 0; n < 4; n++) expect(await ask()).toEqual({ ok: true })
    expect(await problemOf(ask())).toBe('429 too-many-requests')
    expect(neighbours.checked).toEqual(Array(4).fill(anchor.id))
  })
})
