import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countEffects, oneAnchor } from '../testing/effects.ts'
import { jobIdOf, somePlan, startFixture, type Fixture } from '../testing/fixture.ts'

/** The other tests of provisioning kill it at another. */
const sample = ['servers:sep-started']
const stageKeys = ['keys', 'funding', 'configuration', 'databases', 'servers', 'health', 'activation']
const matrix = [
  ...stageKeys.flatMap(key => [`${key}:begun`, `${key}:done`]),
  ...[
    'funding:funded',
    'funding:issue-stored',
    'funding:issue-applied',
    'configuration:secrets-kept',
    'servers:business-started',
    'activation:acknowledged',
  ],
  ...sample,
]

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
}, 120_000)
afterAll(() => fixture?.stop())

describe('a control plane that is killed', () => {
  it.each(process.env.MODE === 'faults' ? matrix : sample)(
    'at %s leaves an anchor that the next one completes, with every effect once',
    async point => {
      const doomed = await fixture.startControlPlane({ FAULT_POINT: point })
      const plan = somePlan(fixture)
      await doomed.accept(plan)
      expect(await doomed.ended).toBe('SIGKILL')

      const plane = await fixture.startControlPlane()
      await plane.until(jobIdOf(plan), job => job.status === 'completed', 90)
      await expect.poll(() => countEffects(fixture, plan), { timeout: 15_000 }).toEqual(oneAnchor)
      await plane.stop()
      await fixture.endAnchors()
    },
    150_000,
  )
})
