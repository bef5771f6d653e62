import { listJobs } from '@windlass/contracts/platform/admin-home.ts'
import { streamAnchorLog } from '@windlass/contracts/platform/anchor-life.ts'
import {
  activateAnchor,
  announceAnchorSecret,
  reportProgress,
} from '@windlass/contracts/internal/control-plane.ts'
import {
  type LogLine,
  getJobStatus,
  readJobLog,
  retryJob,
  streamJobStatus,
} from '@windlass/contracts/platform/provisioning.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/http/pages.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { FastifyRequest } from 'fastify'
import { requireMember } from '../anchors/access.ts'
import type { Deps } from '../deps.ts'
import { type JobState, findJob, findJobs, jobOfAnchor } from './jobs.ts'
import { readLog, streamLog } from './log.ts'
import { activate, setSecret, jobNotFound, report } from './report.ts'
import { retry } from './retry.ts'
import { streamJob } from './stream.ts'

// The stream has answered already.
const NEVER_SENT: LogLine = { id: 0, at: '', stage: '', level: 'info', text: '' }

export function provisioningRoutes(on: On, deps: Deps): void {
  founderRoutes(on, deps)
  controlPlaneRoutes(on, deps)
  on(listJobs).serve(async ({ query, request, reply }) => {
    const found = await findJobs(deps.database.db, query, pageStart(query), pageSize(query))
    linkNext(request, reply, query, found)
    return found.map(({ job }) => job)
  })
}

function founderRoutes(on: On, deps: Deps): void {
  const { db, pool } = deps.database
  const retries = createRate(pool, 'retries', 30 * deps.config.rateFactor, 5 * 60)
  const requireJob = async (id: string): Promise<JobState> => {
    const state = await findJob(db, id)
    if (!state) throw jobNotFound()
    return state
  }
  on(getJobStatus).serve(async ({ params }) => (await requireJob(params.jobId)).job)
  on(streamJobStatus).serve(async ({ params, request, reply }) => {
    const state = await requireJob(params.jobId)
    const seen = lastEventId(request)
    // Nothing will follow: 204 tells an EventSource not to come back (WHATWG HTML §9.2.3).
    if (state.job.status === 'completed' && seen === state.version) return answer(204, state.job)
    await streamJob(deps, state, seen, reply)
    return state.job
  })
  on(readJobLog).serve(({ params, query }) => readLog(deps, params.jobId, query.after))
  on(streamAnchorLog).serve(async ({ params, principal, request, reply }) => {
    await requireMember(db, principal.userId, params.anchorId)
    await streamLog(deps, await jobOfAnchor(db, params.anchorId), lastEventId(request), reply)
    return NEVER_SENT
  })
  on(retryJob).serve(async ({ params, request }) => {
    await retries.demand(request.clientAddress)
    return retry(deps, params.jobId, request)
  })
}

function controlPlaneRoutes(on: On, deps: Deps): void {
  on(reportProgress).serve(async ({ params, body }) => {
    await report(deps, params.jobId, body.revision, body.job)
    return { ok: true }
  })
  on(announceAnchorSecret).serve(async ({ params, body }) => {
    await setSecret(deps, params.jobId, body.serviceSecretHash)
    return { ok: true }
  })
  on(activateAnchor).serve(async ({ params, body }) => {
    await activate(deps, params.jobId, body)
    return { ok: true }
  })
}

function lastEventId(request: FastifyRequest): string | undefined {
  const id = request.headers['last-event-id']
  return typeof id === 'string' ? id : undefined
}
