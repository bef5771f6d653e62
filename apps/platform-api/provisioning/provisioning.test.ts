import { randomBytes } from 'node:crypto'
import { listJobs } from '@windlass/contracts/platform/admin-home.ts'
import { listAudit, listFleet } from '@windlass/contracts/platform/administrators.ts'
import {
  activateAnchor,
  announceAnchorSecret,
  reportProgress,
} from '@windlass/contracts/internal/control-plane.ts'
import {
  type Job,
  getJobStatus,
  readJobLog,
  retryJob,
  stageNames,
} from '@windlass/contracts/platform/provisioning.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, signInAdmin, testApp } from '../testing/app.ts'
import { type TestServices, jobAt, stood, testServices } from '../testing/services.ts'
import { redeemed, refusal } from '../testing/story.ts'

let app: TestApp
let services: TestServices
let admin: Awaited<ReturnType<typeof signInAdmin>>
let founder: ReturnType<TestApp['client']>
let names = 0

beforeAll(async () => {
  services = await testServices()
  app = await testApp({ deps: services.clients })
  admin = await signInAdmin(app)
  founder = app.client()
})
afterAll(async () => {
  await app.close()
  await services.close()
})
beforeEach(() => {
  services.down = false
  services.refusal = null
})

const started = () => redeemed(app, `anchor-${++names}`)
const statusOf = (jobId: string) => founder.call(getJobStatus, { params: { jobId } })
const tell = (jobId: string, revision: number, job: Job) =>
  app.service.call(reportProgress, { params: { jobId }, body: { revision, job } })
const anchorStatus = async (anchorId: string) =>
  (await admin.call(listFleet)).find(anchor => anchor.id === anchorId)?.status
const silent = (jobId: string, seconds: number) =>
  app.database.pool.query(`update jobs set heartbeat_at = now() - $2 * interval '1 second' where id = $1`, [
    jobId,
    seconds,
  ])
const codeOf = async (answer: Promise<unknown>) => {
  const { status, problem } = await refusal(answer)
  return [status, problem.code]
}

describe('the status of a job', () => {
  it('shows all stages from the first moment on', async () => {
    const { jobId, homeDomain } = await started()
    const job = await statusOf(jobId)
    expect(job).toMatchObject({
      jobId,
      status: 'pending',
      stage: stageNames[0],
      result: { stage: stageNames[0], homeDomain },
      attempts: 0,
    })
    expect(job.stages.map(({ name }) => name)).toEqual(stageNames)
  })

  it('is the newest report, whatever order reports come in, and works while the control plane is away', async () => {
    const { jobId } = await started()
    await tell(jobId, 5, jobAt(jobId, 3, 'running'))
    await tell(jobId, 4, jobAt(jobId, 2, 'running'))
    services.down = true
    expect(await statusOf(jobId)).toMatchObject({ status: 'running', stage: stageNames[3] })
  })

  it('says that a running job has stalled once it was silent for thirty seconds', async () => {
    const { jobId } = await started()
    await tell(jobId, 1, jobAt(jobId, 1, 'running'))
    await silent(jobId, 29)
    expect(await statusOf(jobId)).not.toHaveProperty('stalled')
    await silent(jobId, 31)
    expect(await statusOf(jobId)).toMatchObject({ status: 'running', stalled: true })
    expect((await admin.call(listJobs, { query: { stalled: true } })).map(job => job.jobId)).toContain(jobId)
    await tell(jobId, 2, jobAt(jobId, 1, 'running'))
    expect(await statusOf(jobId)).not.toHaveProperty('stalled')
    expect((await admin.call(listJobs, { query: { stalled: true } })).map(job => job.jobId)).not.toContain(
      jobId,
    )
  })

  it.each(['unknown', 'x'.repeat(199), "' or 1=1 --", '../../admin'])('is 404 for the id %s', async jobId => {
    const answer = await app.server.app.inject(
      `/api/v1/anchor-invitations/status/${encodeURIComponent(jobId)}`,
    )
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'job-not-found'])
  })

  it.each(['', 'x'.repeat(201), 'x'.repeat(9000)])(
    'is 404 for an id of a length that none has',
    async jobId => {
      const answer = await app.server.app.inject(`/api/v1/anchor-invitations/status/${jobId}`)
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'not-found'])
    },
  )

  it('drops what a report says beyond the contract', async () => {
    const { jobId } = await started()
    const job = { ...jobAt(jobId, 1, 'running'), secretSeed: 'SABC' }
    await tell(jobId, 1, job)
    expect(JSON.stringify(await statusOf(jobId))).not.toContain('SABC')
  })
})

describe('reports of the control plane', () => {
  it('need the service secret', async () => {
    const { jobId } = await started()
    const body = { revision: 1, job: jobAt(jobId, 1, 'running') }
    expect(await codeOf(founder.call(reportProgress, { params: { jobId }, body }))).toEqual([
      401,
      'unauthenticated',
    ])
    const wrong = app.client({ 'x-service-secret': 'x'.repeat(40) })
    expect(await codeOf(wrong.call(activateAnchor, { params: { jobId }, body: stood }))).toEqual([
      401,
      'unauthenticated',
    ])
  })

  it('with values that no column holds are 400, and so is the secret of another anchor', async () => {
    const [{ jobId }, other] = [await started(), await started()]
    const params = { jobId }
    const job = jobAt(jobId, 1, 'running')
    const refuse = async (answer: Promise<unknown>) =>
      expect(await codeOf(answer)).toEqual([400, 'validation-failed'])
    const { call } = app.service
    await refuse(call(reportProgress, { params, body: { revision: 9_223_372_036_854_776_000, job } }))
    await refuse(call(activateAnchor, { params, body: { ...stood, treasuryCapacity: '' } }))
    const serviceSecretHash = randomBytes(32).toString('hex')
    await call(announceAnchorSecret, { params: { jobId: other.jobId }, body: { serviceSecretHash } })
    await refuse(call(announceAnchorSecret, { params, body: { serviceSecretHash } }))
    await refuse(call(activateAnchor, { params, body: { ...stood, serviceSecretHash } }))
    const log = `/api/v1/anchor-invitations/status/${jobId}/log?after=9223372036854775808`
    expect((await app.server.app.inject(log)).statusCode).toBe(400)
  })

  it('of an unknown job are 404', async () => {
    expect(await codeOf(tell('unknown', 1, jobAt('unknown', 1, 'running')))).toEqual([404, 'job-not-found'])
    const params = { jobId: 'unknown' }
    expect(await codeOf(app.service.call(activateAnchor, { params, body: stood }))).toEqual([
      404,
      'job-not-found',
    ])
    const secret = { serviceSecretHash: stood.serviceSecretHash }
    expect(await codeOf(app.service.call(announceAnchorSecret, { params, body: secret }))).toEqual([
      404,
      'job-not-found',
    ])
  })

  it('move the anchor: provisioning, error, provisioning again, active; late ones no more', async () => {
    const { jobId, anchorId } = await started()
    expect(await anchorStatus(anchorId)).toBe('draft')
    await tell(jobId, 1, jobAt(jobId, 0, 'running'))
    expect(await anchorStatus(anchorId)).toBe('provisioning')
    const error = {
      stage: stageNames[3],
      code: 'database-down',
      detail: 'Down.',
      retryable: true,
    }
    await tell(jobId, 2, { ...jobAt(jobId, 3, 'failed'), error })
    expect(await anchorStatus(anchorId)).toBe('error')
    expect(await statusOf(jobId)).toMatchObject({ status: 'failed', error })
    await tell(jobId, 3, jobAt(jobId, 3, 'running'))
    expect(await anchorStatus(anchorId)).toBe('provisioning')
    const body = { ...stood, serviceSecretHash: 'c0'.repeat(32) }
    await app.service.call(activateAnchor, { params: { jobId }, body })
    await tell(jobId, 4, jobAt(jobId, stageNames.length - 1, 'running'))
    expect(await anchorStatus(anchorId)).toBe('active')
    const acts = await admin.call(listAudit, { query: { subject: `anchor:${anchorId}` } })
    expect(acts.map(({ action }) => action)).toEqual([
      'anchor.active',
      'anchor.provisioning',
      'anchor.error',
      'anchor.provisioning',
      'invitation.redeemed',
    ])
  })
})

describe('activation', () => {
  it('waits for the aggregator: 503 while it is down, and the anchor stays as it was', async () => {
    const { jobId, anchorId } = await started()
    await tell(jobId, 1, jobAt(jobId, stageNames.length - 1, 'running'))
    const call = { params: { jobId }, body: { ...stood, serviceSecretHash: 'd0'.repeat(32) } }
    services.down = true
    const down = await refusal(app.service.call(activateAnchor, call))
    expect([down.status, down.problem.code]).toEqual([503, 'dependency-unavailable'])
    expect(down.headers.get('retry-after')).toBeTruthy()
    expect(await anchorStatus(anchorId)).toBe('provisioning')
    services.down = false
    await app.service.call(activateAnchor, call)
    expect(await anchorStatus(anchorId)).toBe('active')
  })

  it('may be repeated', async () => {
    const { jobId, anchorId } = await started()
    const call = { params: { jobId }, body: { ...stood, serviceSecretHash: 'e0'.repeat(32) } }
    await app.service.call(activateAnchor, call)
    await app.service.call(activateAnchor, call)
    expect(await anchorStatus(anchorId)).toBe('active')
    expect(services.registered.filter(({ id }) => id === anchorId)).toHaveLength(2)
    const acts = await admin.call(listAudit, { query: { subject: `anchor:${anchorId}` } })
    expect(acts.filter(({ action }) => action === 'anchor.active')).toHaveLength(1)
  })

  it('passes on what the aggregator refuses', async () => {
    const { jobId, anchorId } = await started()
    services.refusal = new Problem('validation-failed', 'domain has the wrong form.')
    const call = { params: { jobId }, body: { ...stood, serviceSecretHash: 'f0'.repeat(32) } }
    const { status, problem } = await refusal(app.service.call(activateAnchor, call))
    expect([status, problem.code, problem.detail]).toEqual([
      400,
      'validation-failed',
      'domain has the wrong form.',
    ])
    expect(await anchorStatus(anchorId)).toBe('draft')
  })

  it('keeps the summary secret sealed', async () => {
    const { rows } = await app.database.pool.query(
      'select summary_secret from anchors where summary_secret is not null',
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(row.summary_secret.toString('latin1')).not.toContain(stood.summarySecret)
  })
})

describe('a retry', () => {
  it('is answered 202 by the control plane, which decides', async () => {
    const { jobId } = await started()
    await app.drain()
    await tell(jobId, 1, jobAt(jobId, 1, 'failed'))
    const answer = await founder.send(retryJob, { params: { jobId } })
    expect([answer.status, answer.body]).toEqual([202, { jobId, status: 'pending', attempts: 2 }])
    services.refusal = new Problem('job-not-retryable', 'The job is making progress.')
    expect(await codeOf(founder.call(retryJob, { params: { jobId } }))).toEqual([409, 'job-not-retryable'])
  })

  it('hands the job over where the control plane never got it', async () => {
    const { jobId } = await started()
    expect(await founder.call(retryJob, { params: { jobId } })).toEqual({
      jobId,
      status: 'pending',
      attempts: 1,
    })
    expect(services.accepted.filter(job => job.jobId === jobId)).toHaveLength(1)
  })

  it('of a completed job is 409, of an unknown one 404, and 503 while the control plane is down', async () => {
    const { jobId } = await started()
    services.down = true
    const down = await refusal(founder.call(retryJob, { params: { jobId } }))
    expect([down.status, down.headers.get('retry-after')]).toEqual([503, '5'])
    await tell(jobId, 1, jobAt(jobId, stageNames.length, 'completed'))
    expect(await codeOf(founder.call(retryJob, { params: { jobId } }))).toEqual([409, 'job-not-retryable'])
    expect(await codeOf(founder.call(retryJob, { params: { jobId: 'unknown' } }))).toEqual([
      404,
      'job-not-found',
    ])
  })
})

describe('handing a job over', () => {
  it('waits in the outbox while the control plane is down', async () => {
    services.down = true
    const { jobId } = await started()
    await app.drain()
    expect(services.accepted.some(job => job.jobId === jobId)).toBe(false)
    services.down = false
    await app.database.pool.query('update outbox set next_at = now() where delivered_at is null')
    await app.drain()
    expect(services.accepted.filter(job => job.jobId === jobId)).toHaveLength(1)
  })
})

describe('the log of a run', () => {
  it('is the control plane’s; empty before it has the job, 503 while it is down, 404 of no job', async () => {
    const { jobId } = await started()
    const read = (id: string) => founder.call(readJobLog, { params: { jobId: id }, query: { after: 3 } })
    expect(await read(jobId)).toEqual([])
    await app.drain()
    const line = {
      id: 4,
      at: '2026-01-01T00:00:00.000Z',
      stage: 'completed',
      level: 'info' as const,
      text: 'Done.',
    }
    services.log = [line]
    expect(await read(jobId)).toEqual([line])
    services.down = true
    expect(await codeOf(read(jobId))).toEqual([503, 'dependency-unavailable'])
    expect(await codeOf(read('unknown'))).toEqual([404, 'job-not-found'])
  })
})

describe('the administrator’s list of jobs', () => {
  it('names anchor and organization, newest first, by status', async () => {
    app.clock.advance(1000)
    const { jobId, anchorId, subdomain } = await started()
    const [newest] = await admin.call(listJobs, { query: { status: 'pending', limit: 1 } })
    expect(newest).toMatchObject({
      jobId,
      anchorId,
      subdomain,
      organizationName: 'Mumbai Pay',
      status: 'pending',
    })
    expect(await codeOf(founder.call(listJobs))).toEqual([401, 'unauthenticated'])
  })
})
