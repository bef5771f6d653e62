import { ProblemError } from '@windlass/client/client.ts'
import {
  startWalletChecks,
  getWalletChecks,
  reportWalletChecks,
  type WalletCheckReport,
} from '@windlass/contracts/platform/wallet-checks.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { activeAnchor } from '../testing/anchors.ts'
import { productionEnv, testApp, type TestApp } from '../testing/app.ts'
import { testServices, type TestServices } from '../testing/services.ts'
import { signInOperator } from '../testing/sign-in.ts'

let services: TestServices
let app: TestApp
let owner: Awaited<ReturnType<typeof signInOperator>>
let stranger: Awaited<ReturnType<typeof signInOperator>>
let anchor: Awaited<ReturnType<typeof activeAnchor>>
beforeAll(async () => {
  services = await testServices()
  app = await testApp({ deps: services.clients, env: productionEnv })
  owner = await signInOperator(app, 'owner@checks.example')
  stranger = await signInOperator(app, 'stranger@checks.example')
  anchor = await activeAnchor(app, owner.user.id, 'conforming')
})
afterAll(async () => {
  await app.close()
  await services.close()
})

const params = () => ({ anchorId: anchor.id })
const read = () => owner.call(getWalletChecks, { params: params() })
const ask = (client = owner) => client.call(startWalletChecks, { params: params() })
const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) =>
      error instanceof ProblemError ? `${error.status} ${error.problem.code}` : String(error),
  )
const result = {
  name: 'sep10-login',
  sep: 10,
  requirement: 'A login.',
  impact: 'Nobody can log in.',
  durationMs: 3,
}
const passed = { ...result, passed: true, detail: null }
const failed = { ...result, name: 'sep24-info', sep: 24, passed: false, detail: '/info answered 500.' }
const report = (checkedAt: string, results: WalletCheckReport['results'], client = app.service) =>
  client.call(reportWalletChecks, { params: params(), body: { checkedAt, results } })

describe('an anchor’s wallet compatibility check', () => {
  it('is the last report of the control plane, with a history of the ones before', async () => {
    expect(await read()).toEqual({ latest: null, history: [] })
    await report('2026-03-01T10:00:00.000Z', [passed, failed])
    await report('2026-03-02T10:00:00.000Z', [passed, passed])
    // Sent again, and late.
    await report('2026-03-01T10:00:00.000Z', [passed, failed])
    expect(await read()).toEqual({
      latest: { checkedAt: '2026-03-02T10:00:00.000Z', results: [passed, passed] },
      history: [
        { checkedAt: '2026-03-02T10:00:00.000Z', passed: 2, total: 2 },
        { checkedAt: '2026-03-01T10:00:00.000Z', passed: 1, total: 2 },
      ],
    })
  })

  it('forgets reports of a season ago', async () => {
    await report('2026-09-01T10:00:00.000Z', [passed])
    expect((await read()).history).toHaveLength(1)
  })

  it('is accepted from the control plane only, and for known anchors only', async () => {
    const at = '2026-09-02T10:00:00.000Z'
    expect(await problemOf(report(at, [passed], anchor.client))).toBe('401 unauthenticated')
    expect(await problemOf(report(at, [passed], owner))).toBe('401 unauthenticated')
    expect(await problemOf(report(at, []))).toBe('400 validation-failed')
    const nobody = { params: { anchorId: 'nobody' }, body: { checkedAt: at, results: [passed] } }
    expect(await problemOf(app.service.call(reportWalletChecks, nobody))).toBe('404 anchor-not-found')
    expect((await read()).history).toHaveLength(1)
  })

  it('is shown to members of the organization only', async () => {
    const foreign = stranger.call(getWalletChecks, { params: params() })
    expect(await problemOf(foreign)).toBe('404 anchor-not-found')
    expect(await problemOf(ask(stranger))).toBe('404 anchor-not-found')
    expect(services.checked).toEqual([])
  })

  it('runs again when an operator asks, six times an hour at most', async () => {
    services.refusal = new Problem('anchor-wrong-state', 'The anchor is not running.')
    expect(await problemOf(ask())).toBe('409 anchor-wrong-state')
    services.refusal = null
    services.down = true
    expect(await problemOf(ask())).toBe('503 dependency-unavailable')
    services.down = false
    for (let n = 0; n < 4; n++) expect(await ask()).toEqual({ ok: true })
    expect(await problemOf(ask())).toBe('429 too-many-requests')
    expect(services.checked).toEqual(Array(4).fill(anchor.id))
  })
})
