import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countEffects, oneAnchor } from '../testing/effects.ts'
import { anchorProcesses, jobIdOf, somePlan, startFixture, type Fixture } from '../testing/fixture.ts'

/** How many anchors are provisioned at once. */
const atOnce = process.env.MODE === 'faults' ? 3 : 2

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture?.stop())

describe('provisioning under disturbances', () => {
  it('completes everything once with two control planes whose database connections are cut again and again', async () => {
    const planes = await Promise.all([fixture.startControlPlane(), fixture.startControlPlane()])
    const plans = Array.from({ length: atOnce }, () => somePlan(fixture))
    await Promise.all(plans.flatMap(plan => planes.map(plane => plane.accept(plan))))
    for (let cut = 0; cut < 6; cut++) {
      await sleep(300)
      await fixture.database.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
    }
    const [first, second] = planes
    await Promise.all(plans.map(plan => first?.untilCompleted(plan, 90)))
    for (const plan of plans) {
      await expect.poll(() => countEffects(fixture, plan)).toEqual(oneAnchor)
    }
    await Promise.all([first?.stop(), second?.stop()])
    await fixture.endAnchors()
  })

  it('completes everything once where one of two control planes is killed in the middle of its jobs', async () => {
    const doomed = await fixture.startControlPlane({ FAULT_POINT: 'funding:issue-applied' })
    const plans = Array.from({ length: atOnce }, () => somePlan(fixture))
    await Promise.all(plans.map(plan => doomed.accept(plan)))
    const other = await fixture.startControlPlane({ PROVISIONING_CONCURRENCY: '1' })
    expect(await doomed.ended).toBe('SIGKILL')
    for (const plan of plans) {
      await other.untilCompleted(plan, 90)
      await expect.poll(() => countEffects(fixture, plan)).toEqual(oneAnchor)
    }
    await other.stop()
    await fixture.endAnchors()
  })

  it('fails with a code and leaves nothing running where a server cannot live, and keeps its log', async () => {
    const plane = await fixture.startControlPlane({ ANCHOR_MEMORY_MB: '8' })
    const plan = somePlan(fixture)
    await plane.accept(plan)
    const job = await plane.until(jobIdOf(plan), job => job.status === 'failed', 90)
    expect(job.error).toMatchObject({
      stage: 'Waiting for stack to be healthy',
      code: 'server-exited',
      retryable: true,
    })
    const processes = await anchorProcesses(fixture.home)
    expect(processes.filter(({ mark }) => mark.includes(plan.anchorId))).toEqual([])
    const log = await readFile(join(fixture.home, 'logs', 'anchors', `${plan.anchorId}-sep.log`), 'utf8')
    expect(log).toMatch(/out of memory/)
    await plane.stop()
  })
})
