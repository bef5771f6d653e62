import { getJobLog } from '@windlass/contracts/internal/control-plane.ts'
import type { LogLine } from '@windlass/contracts/platform/provisioning.ts'
import { openEvents } from '@windlass/service/http/events.ts'
import { loop } from '@windlass/service/work/loop.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { FastifyReply } from 'fastify'
import type { Deps } from '../deps.ts'
import { passProblems } from '../infrastructure/services.ts'
import { findJob } from './jobs.ts'
import { jobNotFound } from './report.ts'

const fromControlPlane = passProblems('The control plane')
const READ_EVERY_MS = 1_000

/** A run's log as the control plane keeps it. Throws `job-not-found`, `dependency-unavailable`. */
export async function readLog(deps: Deps, jobId: string, after: number | undefined): Promise<LogLine[]> {
  if (!(await findJob(deps.database.db, jobId))) throw jobNotFound()
  try {
    return await fromControlPlane(deps.controlPlane.call(getJobLog, { params: { jobId }, query: { after } }))
  } catch (error) {
    // The job has not been handed over yet: nothing has been written.
    if (error instanceof Problem && error.code === 'job-not-found') return []
    throw error
  }
}

/**
 * Sends a run's lines as they are written, those after `lastEventId` first, until the run is completed and all are
 * sent, or the client leaves. It waits for a control plane that is unavailable. Throws `too-many-requests`.
 */
export async function streamLog(
  { controlPlane, database, jobChanges, logger }: Deps,
  jobId: string,
  lastEventId: string | undefined,
  reply: FastifyReply,
): Promise<void> {
  const events = openEvents(reply, reply.request.clientAddress)
  let after = Number(lastEventId)
  if (!Number.isSafeInteger(after) || after < 0) after = 0

  const read = (): Promise<LogLine[]> => controlPlane.call(getJobLog, { params: { jobId }, query: { after } })
  const sendNew = async (): Promise<void> => {
    const state = await findJob(database.db, jobId)
    for (let lines = await read(); lines.length > 0 && !events.closed.aborted; lines = await read()) {
      for (const line of lines) events.send({ id: String(line.id), data: line })
      after = lines.at(-1)?.id ?? after
    }
    if (state?.job.status === 'completed') events.close()
  }
  const sending = loop({ name: 'log-stream', everyMs: READ_EVERY_MS, act: sendNew, logger })
  const unsubscribe = jobChanges.subscribe(jobId, () => sending.wake())
  events.closed.addEventListener('abort', () => {
    unsubscribe()
    void sending.stop()
  })
}
