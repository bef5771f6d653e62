import { createClient, ProblemError } from '@windlass/client/client.ts'
import { getJobLog, retryControlPlaneJob } from '@windlass/contracts/control-plane.ts'
import { stageNames } from '@windlass/contracts/provisioning.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countEffects, oneAnchor } from '../testing/effects.ts'
import { jobIdOf, somePlan, startStand, type ControlPlaneProcess, type Stand } from '../testing/stand.ts'

let stand: Stand
let plane: ControlPlaneProcess
beforeAll(async () => {
  stand = await startStand()
  plane = await stand.startControlPlane()
})
afterAll(() => stand?.stop())

const client = (url: string) =>
  createClient({ baseUrl: url, headers: { 'x-service-secret': stand.env.SERVICE_SECRET ?? '' } })

describe('provisioning', { timeout: 90_000 }, () => {
  it('raises one anchor however often and at once its job is handed over, and tells each stage', async () => {
    const plan = somePlan(stand)
    const jobId = jobIdOf(plan)
    const accepted = await Promise.all(Array.from({ length: 5 }, () => plane.accept(plan)))
    for (const job of accepted) expect(job).toMatchObject({ jobId, result: { homeDomain: plan.homeDomain } })

    const job = await plane.until(jobId, job => job.status === 'completed')
    expect(job.stages.map(stage => [stage.name, stage.status, stage.attempts])).toEqual(
      stageNames.map(name => [name, 'completed', 1]),
    )
    expect(job.result).toMatchObject({
      stage: 'completed',
      assetCode: 'MUMBAI',
      issuer: expect.stringMatching(/^G/),
      urls: { discovery: `http://${plan.homeDomain}/.well-known/stellar.toml` },
    })
    await expect.poll(() => stand.platform.reports.at(-1)?.job.status).toBe('completed')
    expect(await countEffects(stand, plan)).toEqual(oneAnchor)
    expect(stand.platform.registry.get(jobId)).toMatchObject({
      issuer: job.result.issuer,
      apiUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/),
      serviceSecretHash: stand.platform.secrets.get(jobId),
      treasuryCapacity: '1000000',
    })
  })

  it('keeps the log, of which lines after a known one can be asked for', async () => {
    const plan = somePlan(stand)
    await plane.accept(plan)
    await plane.until(jobIdOf(plan), job => job.status === 'completed')
    const call = client(plane.url).call
    const lines = await call(getJobLog, { params: { jobId: jobIdOf(plan) } })
    expect(new Set(lines.map(line => line.stage))).toEqual(new Set(stageNames))
    const after = lines[2]?.id ?? 0
    const rest = await call(getJobLog, { params: { jobId: jobIdOf(plan) }, query: { after } })
    expect(rest).toEqual(lines.slice(3))
    expect(JSON.stringify(lines)).not.toMatch(/\bS[A-Z2-7]{55}\b/)
  })

  it('fails stage 2 while the faucet is down, and a retry goes on there with the same keys', async () => {
    stand.faucet.mood = 'limits rates'
    const plan = somePlan(stand)
    const jobId = jobIdOf(plan)
    await plane.accept(plan)
    const failed = await plane.until(jobId, job => job.status === 'failed')
    expect(failed).toMatchObject({
      stage: stageNames[1],
      error: { stage: stageNames[1], code: 'faucet-unavailable', retryable: true },
    })

    stand.faucet.mood = 'open'
    const retry = () => client(plane.url).call(retryControlPlaneJob, { params: { jobId } })
    const retries = await Promise.allSettled(Array.from({ length: 10 }, retry))
    expect(retries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const job = await plane.until(jobId, job => job.status === 'completed')
    expect(job.result.issuer).toBe(failed.result.issuer)
    expect(job.attempts).toBe(2)
    expect(await countEffects(stand, plan)).toEqual(oneAnchor)
  })

  it('waits at the last stage for the platform and the aggregator behind it', async () => {
    const plan = somePlan(stand)
    await plane.accept(plan)
    await plane.until(jobIdOf(plan), job => job.stages[4]?.status === 'completed')
    stand.platform.down = true
    const waiting = await plane.until(jobIdOf(plan), job => job.stages[6]?.status === 'failed')
    expect(waiting).toMatchObject({ status: 'running', stage: stageNames[5] })
    stand.platform.down = false
    await plane.until(jobIdOf(plan), job => job.status === 'completed')
    expect(await countEffects(stand, plan)).toEqual(oneAnchor)
  })

  it('refuses to retry what is completed or unknown, and callers without the service secret', async () => {
    const plan = somePlan(stand)
    await plane.accept(plan)
    await plane.until(jobIdOf(plan), job => job.status === 'completed')
    const retry = (jobId: string) => client(plane.url).call(retryControlPlaneJob, { params: { jobId } })
    await expect(retry(jobIdOf(plan))).rejects.toMatchObject({ problem: { code: 'job-not-retryable' } })
    await expect(retry('nothing')).rejects.toMatchObject({ problem: { code: 'job-not-found' } })
    const stranger = createClient({ baseUrl: plane.url })
    await expect(
      stranger.call(retryControlPlaneJob, { params: { jobId: jobIdOf(plan) } }),
    ).rejects.toBeInstanceOf(ProblemError)
    await expect(plane.accept(plan, 'another-job-for-the-same-anchor')).rejects.toMatchObject({ status: 409 })
  })
})
