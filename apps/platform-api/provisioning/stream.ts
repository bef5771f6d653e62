import { openEvents } from '@windlass/service/http/events.ts'
import { loop } from '@windlass/service/work/loop.ts'
import type { FastifyReply } from 'fastify'
import type { Deps } from '../deps.ts'
import { findJob, type JobState } from './jobs.ts'

// A run that goes silent changes no row; reading it at intervals shows that it has stalled.
const READ_EVERY_MS = 10_000

/**
 * Sends the job now and after each change until it is completed or the client leaves. Each event is the whole job, so
 * that a client that reconnects needs the present state only; one whose `lastEventId` is the present version waits for
 * the next. Throws `too-many-requests`.
 */
export async function streamJob(
  { database, jobChanges, logger }: Pick<Deps, 'database' | 'jobChanges' | 'logger'>,
  first: JobState,
  lastEventId: string | undefined,
  reply: FastifyReply,
): Promise<void> {
  const id = first.job.jobId
  const events = openEvents(reply, reply.request.clientAddress)
  let sent = lastEventId === first.version ? JSON.stringify(first.job) : ''

  const send = ({ job, version }: JobState): void => {
    const data = JSON.stringify(job)
    if (data !== sent) events.send({ id: version, data: job })
    sent = data
    if (job.status === 'completed') events.close()
  }
  const read = async (): Promise<void> => {
    const state = await findJob(database.db, id)
    if (state && !events.closed.aborted) send(state)
  }
  send(first)
  // It also reads at once, for what changed between the first reading and the subscription.
  const reading = loop({ name: 'job-stream', everyMs: READ_EVERY_MS, act: read, logger })
  const unsubscribe = jobChanges.subscribe(id, () => reading.wake())
  events.closed.addEventListener('abort', () => {
    unsubscribe()
    void reading.stop()
  })
}
