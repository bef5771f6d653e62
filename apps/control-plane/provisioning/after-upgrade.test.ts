import { afterAll, beforeAll, expect, it } from 'vitest'
import { anchorProcesses, jobIdOf, somePlan, startFixture, type Fixture } from '../testing/fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture?.stop())

it('raises an anchor from the release of today where its provisioning began with another, of which no program is left', async () => {
  const plan = somePlan(fixture)
  const jobId = jobIdOf(plan)
  const plane = await fixture.startControlPlane()
  fixture.platform.down = true
  await plane.accept(plan)
  // Its secrets and ports are kept, and with them the release.
  const failed = await plane.until(jobId, job => job.stages.some(({ status }) => status === 'failed'))
  expect(failed.status).toBe('running')
  await plane.stop()
  await fixture.database.query(`update anchors set release = '{"version":"0.0.1"}' where id = $1`, [
    plan.anchorId,
  ])
  fixture.platform.down = false
  const upgraded = await fixture.startControlPlane()
  const job = await upgraded.untilCompleted(plan, 300)
  expect(job.attempts).toBe(1)
  expect(await anchorProcesses(fixture.home)).toHaveLength(2)
  const { rows } = await fixture.database.query('select release from anchors where id = $1', [plan.anchorId])
  expect(rows[0].release.version).not.toBe('0.0.1')
})
