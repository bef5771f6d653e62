import { plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { listAudit } from '@windlass/contracts/platform/administrators.ts'
import * as life from '@windlass/contracts/platform/anchor-life.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type TestApp, signInAdmin, testApp } from '../testing/app.ts'
import { type TestServices, stood, testServices } from '../testing/services.ts'
import { signInAdministrator, signInOperator } from '../testing/sign-in.ts'
import { redeemed, refusal } from '../testing/story.ts'

const DAY_MS = 86_400_000
let app: TestApp
let services: TestServices
let admin: Awaited<ReturnType<typeof signInAdmin>>
let second: Awaited<ReturnType<typeof signInAdministrator>>
let anchors = 0
beforeAll(async () => {
  services = await testServices()
  app = await testApp({ deps: services.clients })
  app.deps.config.deployment = { ...app.deps.config.deployment, mainnet: true }
  admin = await signInAdmin(app)
  second = await signInAdministrator(app, 'second@windlass.test', 'operator')
})
afterAll(async () => {
  await app.close()
  await services.close()
})
beforeEach(() => {
  const fees = { fixed: '0', percentage: '0' }
  const limits = { min: '1', max: '100' }
  services.anchorSettings = plannedSettings({ fees, limits, rails: ['UPI'] })
  services.owed = [{ unit: 'asset', amount: '5193' }]
  services.removals = []
})

async function activeAnchor() {
  const subdomain = `closing-${++anchors}`
  const email = `owner@${subdomain}.example`
  const { jobId, anchorId } = await redeemed(app, subdomain, { businessEmail: email })
  const body = { ...stood, serviceSecretHash: String(anchors).padStart(64, 'c') }
  await app.service.call(activateAnchor, { params: { jobId }, body })
  return { anchorId, email, params: { id: anchorId } }
}
const codeOf = async (answer: Promise<unknown>) => (await refusal(answer)).problem.code
const dayIn = (days: number) => new Date(app.clock.now().getTime() + days * DAY_MS).toISOString().slice(0, 10)
const successor = { name: 'Meera Shah, liquidator', contact: 'meera@shah.example' }
const wish = (days = 45) => ({ reason: 'The licence ends.', redeemUntil: dayIn(days), successor })

it('an anchor that owes its customers something is closed by two administrators, and removed after the day', async () => {
  const { anchorId, email, params } = await activeAnchor()
  const remove = (force = false) =>
    admin.call(life.removeAnchor, { params, body: { reason: 'closed', force, leaveUnits: force } })
  const refused = await refusal(remove())
  expect([refused.problem.code, refused.problem.detail]).toEqual([
    'anchor-owes-customers',
    'The anchor owes 5193 asset.',
  ])
  // Force does not help.
  expect(await codeOf(remove(true))).toBe('anchor-owes-customers')
  expect(await codeOf(admin.call(life.getWindDown, { params }))).toBe('not-found')

  expect(await codeOf(admin.call(life.requestWindDown, { params, body: wish(29) }))).toBe('validation-failed')
  const asked = await admin.call(life.requestWindDown, { params, body: wish() })
  expect(asked).toMatchObject({ state: 'waiting', successor, decidedBy: null })
  expect(await codeOf(second.call(life.requestWindDown, { params, body: wish() }))).toBe('anchor-wrong-state')
  const decide = (by: typeof admin, approve = true) =>
    by.call(life.decideWindDown, { params, body: { approve } })
  expect(await codeOf(decide(admin))).toBe('second-person-needed')
  expect(await codeOf(remove())).toBe('anchor-owes-customers')
  expect(await decide(second)).toMatchObject({ state: 'announced' })
  expect(await codeOf(decide(second))).toBe('not-found')

  await app.drain()
  expect(services.anchorSettings?.paused).toEqual({
    deposits: `This anchor closes. Redeem what you hold by ${asked.redeemUntil}. After that, write to Meera Shah, liquidator, meera@shah.example.`,
    withdrawals: null,
  })
  const owner = await signInOperator(app, email)
  const events = await owner.call(life.listAnchorEvents, { params: { anchorId }, query: {} })
  expect(events[0]).toMatchObject({ kind: 'closing', detail: services.anchorSettings?.paused.deposits })
  const actions = await admin.call(listAudit, { query: { subject: `anchor:${anchorId}` } })
  expect(actions.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['anchor.closing-requested', 'anchor.closing-approved', 'anchor.closing']),
  )

  expect((await refusal(remove(true))).problem.detail).toContain(`until ${asked.redeemUntil}`)
  app.clock.advance(47 * DAY_MS)
  admin = await signInAdmin(app)
  expect((await remove()).removal.state).toBe('requested')
  await app.drain()
  expect(services.removals[0]?.records).toMatchObject({ closing: { state: 'ended', successor } })
})

it('an anchor that owes nothing is removed at once, and a closing that was rejected is asked for again', async () => {
  const { params } = await activeAnchor()
  await admin.call(life.requestWindDown, { params, body: wish() })
  await admin.call(life.decideWindDown, { params, body: { approve: false } })
  expect(await admin.call(life.getWindDown, { params })).toMatchObject({ state: 'rejected' })
  await admin.call(life.requestWindDown, { params, body: wish() })
  await app.drain()
  expect(services.anchorSettings?.paused.deposits).toBeNull()
  services.owed = []
  const body = { reason: 'never used' }
  expect((await admin.call(life.removeAnchor, { params, body })).removal.state).toBe('requested')
})
