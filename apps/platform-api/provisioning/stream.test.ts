import { reportProgress } from '@windlass/contracts/internal/control-plane.ts'
import { type Job, stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../app.ts'
import { type Deps, closeDeps, createDeps } from '../deps.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { jobAt } from '../testing/services.ts'
import { redeemed } from '../testing/story.ts'

/*
 * The first process takes the control plane's reports, a second one on the same database serves the streams: what
 * it sends it has heard through Postgres.
 */
let app: TestApp
let other: Deps
let address: string
let closeOther: () => Promise<void>

beforeAll(async () => {
  app = await testApp()
  const { mailer, secrets } = app.deps
  other = createDeps(app.config, app.deps.logger, { mailer, secrets })
  const server = await buildApp(other)
  address = `http://localhost:${await server.listen(0)}/api/v1/anchor-invitations/status`
  closeOther = async () => {
    await server.close()
    await closeDeps(other)
  }
})
afterAll(async () => {
  await closeOther()
  await app.close()
})

interface Received {
  id: string
  job: Job
}

/** Reads a stream event by event, as a browser's EventSource does. */
async function openStream(jobId: string, lastEventId?: string) {
  const leaving = new AbortController()
  const answer = await fetch(`${address}/${jobId}/events`, {
    signal: leaving.signal,
    headers: lastEventId ? { 'last-event-id': lastEventId } : {},
  })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<Received | null> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end < 0) {
        const { value, done } = (await reader?.read()) ?? { done: true, value: undefined }
        if (done) return null
        text += value
        continue
      }
      const block = text.slice(0, end)
      text = text.slice(end + 2)
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data) return { id: /^id: (.*)$/m.exec(block)?.[1] ?? '', job: JSON.parse(data) as Job }
    }
  }
  return { answer, next, leave: () => leaving.abort() }
}

const tell = (jobId: string, revision: number, job: Job) =>
  app.service.call(reportProgress, { params: { jobId }, body: { revision, job } })

describe('the stream of a job', () => {
  it('sends the job now, after each change, and ends when it is completed', async () => {
    const { jobId } = await redeemed(app, 'streamed')
    const stream = await openStream(jobId)
    expect(stream.answer.headers.get('content-type')).toContain('text/event-stream')
    expect((await stream.next())?.job).toMatchObject({ jobId, status: 'pending' })
    for (let done = 0; done < stageNames.length; done++) {
      await tell(jobId, done, jobAt(jobId, done, 'running'))
      expect((await stream.next())?.job).toMatchObject({
        status: 'running',
        stage: jobAt(jobId, done, 'running').stage,
      })
    }
    await tell(jobId, stageNames.length, jobAt(jobId, stageNames.length, 'completed'))
    expect((await stream.next())?.job).toMatchObject({ status: 'completed', result: { stage: 'completed' } })
    expect(await stream.next()).toBeNull()
  })

  it('continues where it was cut: nothing is sent twice and nothing is lost', async () => {
    const { jobId } = await redeemed(app, 'cut')
    const first = await openStream(jobId)
    await first.next()
    await tell(jobId, 1, jobAt(jobId, 1, 'running'))
    const seen = await first.next()
    first.leave()

    const second = await openStream(jobId, seen?.id)
    await tell(jobId, 2, jobAt(jobId, 2, 'running'))
    expect((await second.next())?.job.stage).toBe(stageNames[2])
    second.leave()

    await tell(jobId, 3, jobAt(jobId, 3, 'running'))
    const third = await openStream(jobId, seen?.id)
    expect((await third.next())?.job.stage).toBe(stageNames[3])
    third.leave()
  })

  it('sends no event for a sign of life that changes nothing', async () => {
    const { jobId } = await redeemed(app, 'heartbeat')
    await tell(jobId, 1, jobAt(jobId, 1, 'running'))
    const stream = await openStream(jobId)
    const first = await stream.next()
    await tell(jobId, 2, { ...jobAt(jobId, 1, 'running'), updatedAt: '2026-02-02T00:00:00.000Z' })
    await tell(jobId, 3, jobAt(jobId, 2, 'running'))
    const second = await stream.next()
    expect([first?.job.stage, second?.job.stage]).toEqual([stageNames[1], stageNames[2]])
    stream.leave()
  })

  it('tells a browser that comes back after the end not to do so again', async () => {
    const { jobId } = await redeemed(app, 'ended')
    await tell(jobId, 1, jobAt(jobId, stageNames.length, 'completed'))
    const stream = await openStream(jobId)
    const last = await stream.next()
    expect(await stream.next()).toBeNull()
    const again = await openStream(jobId, last?.id)
    expect(again.answer.status).toBe(204)
  })

  it('is 404 of no job', async () => {
    const answer = await fetch(`${address}/unknown/events`)
    expect([answer.status, (await answer.json()).code]).toEqual([404, 'job-not-found'])
  })
})
