import { stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { getJobLog } from '@windlass/contracts/internal/control-plane.ts'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { countEffects, oneAnchor } from '../testing/effects.ts'
import {
  jobIdOf,
  somePlan,
  startFixture,
  type ControlPlaneProcess,
  type Fixture,
} from '../testing/fixture.ts'
import type { Mood } from '../testing/gate.ts'

let fixture: Fixture
let plane: ControlPlaneProcess
beforeAll(async () => {
  fixture = await startFixture()
})
afterEach(async () => {
  for (const gate of [fixture.horizon, fixture.faucet]) Object.assign(gate, { next: undefined, mood: 'open' })
  await plane?.stop()
  await fixture.endAnchors()
})
afterAll(() => fixture?.stop())

/** The stage that the job is at. */
async function currentStage(jobId: string): Promise<string> {
  const { rows } = await fixture.database.query<{ name: string }>(
    "select name from job_stages where job_id = $1 and status <> 'completed' order by position limit 1",
    [jobId],
  )
  return rows[0]?.name ?? 'none'
}

/** The first requests of each stage meet the mood; later ones are let through. Returns the stages that met it. */
function meetInEachStage(jobId: string, mood: Mood, requests: number): Map<string, number> {
  const met = new Map<string, number>()
  for (const gate of [fixture.horizon, fixture.faucet])
    gate.next = async () => {
      const stage = await currentStage(jobId)
      const before = met.get(stage) ?? 0
      if (before >= requests) return 'open'
      met.set(stage, before + 1)
      return mood
    }
  return met
}

it.each([
  ['limits rates', 3, 'it limits our rate'],
  ['limits rates for a second', 3, 'it limits our rate'],
  ['fails', 3, 'it answered 500'],
  ['answers with a page', 3, 'it answered 502'],
  ['hangs', 1, 'it does not answer'],
] as const)(
  'provisions once where Horizon %s at the first requests of each stage, and the log says what is waited for',
  { timeout: 150_000 },
  async (mood, requests, why) => {
    const plan = somePlan(fixture)
    const met = meetInEachStage(jobIdOf(plan), mood, requests)
    plane = await fixture.startControlPlane({ HORIZON_URL: fixture.horizon.url })
    const job = await plane.provision(plan, 120)
    expect(job.attempts).toBe(1)
    expect([...met.keys()]).toContain(stageNames[1])
    const log = await plane.client.call(getJobLog, { params: { jobId: jobIdOf(plan) } })
    const waits = log.filter(({ text }) => text.includes('Trying again in'))
    expect(waits.map(({ text }) => text).join('\n')).toContain(why)
    await expect.poll(() => countEffects(fixture, plan)).toEqual(oneAnchor)
  },
)
