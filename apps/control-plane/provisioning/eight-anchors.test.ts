import { stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { countEffects, oneAnchor } from '../testing/effects.ts'
import { somePlan, startFixture, type Fixture } from '../testing/fixture.ts'

/** Twice as long as the public network's: what a slow machine computes in between takes less of it. */
const CLOSE_MS = 10_000
/** Where each waited for the one before, the last would be as many ledgers later. */
const ONE_BY_ONE = 7

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture({ funding: { closeEvery: CLOSE_MS } })
})
afterAll(() => fixture?.stop())

it('eight anchors raised at once from one funding account are whole, and do not wait for each other’s ledgers', async () => {
  // As by default: the two seconds that other tests have pass on a busy machine before a lease is renewed.
  const plane = await fixture.startControlPlane({ PROVISIONING_CONCURRENCY: '8', LEASE_SECONDS: '15' })
  const plans = Array.from({ length: 8 }, () => somePlan(fixture))
  const jobs = await Promise.all(plans.map(plan => plane.provision(plan, 240)))
  // Nobody waited for another by a timeout.
  const funding = jobs.map(({ stages }) => stages.find(({ name }) => name === stageNames[1])?.attempts)
  expect(new Set(funding)).toEqual(new Set([1]))
  for (const plan of plans) expect(await countEffects(fixture, plan)).toEqual(oneAnchor)
  const horizon = createHorizon(fixture.network)
  const issued = await Promise.all(
    jobs.map(async ({ result }) => (await horizon.transactionsOf(result.issuer ?? ''))[0]?.ledger ?? 0),
  )
  expect(Math.max(...issued) - Math.min(...issued)).toBeLessThan(ONE_BY_ONE)
}, 300_000)
