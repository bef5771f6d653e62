import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobIdOf, somePlan, startStand, type ControlPlaneProcess, type Stand } from '../testing/stand.ts'

let stand: Stand
let plane: ControlPlaneProcess
beforeAll(async () => {
  stand = await startStand()
  plane = await stand.startControlPlane()
})
afterAll(() => stand?.stop())

describe('provisioning', () => {
  it('raises an anchor', async () => {
    const plan = somePlan(stand)
    await plane.accept(plan)
    const job = await plane.until(jobIdOf(plan), job => job.status === 'completed' || job.status === 'failed')
    expect(job.status).toBe('completed')
  }, 90_000)
})
