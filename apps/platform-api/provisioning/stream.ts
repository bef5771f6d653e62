import { openEvents } from '@windlass/service/events.ts'
import type { FastifyReply } from 'fastify'
import type { Deps } from '../deps.ts'
import { findJob, type JobState } from './queries.ts'

// A run that goes silent changes no row: looked at again from time to time, it is seen to have stalled.
const LOOK_EVERY_MS = 10_000

/**
 * Sends the job now and after each change until it is completed or the client leaves. Each event is the whole job,
 * so a client that was away needs the present state and nothing else; one whose `lastEventId` is the present
 * version waits for the next.
 */
export async function streamJob(
  { database, jobChanges, logger }: Pick<Deps, 'database' | 'jobChanges' | 'logger'>,
  first: JobState,
  lastEventId: string | undefined,
  reply: FastifyReply,
): Promise<void> {
  const id = first.job.jobId
  const events = openEvents(reply)
  let sent = lastEventId === first.version ? JSON.stringify(first.job) : ''
  let looking: Promise<void> | null = null
  let again = false

  const show = ({ job, version }: JobState): void => {
    const data = JSON.stringify(job)
    if (data !== sent) events.send({ id: version, data: job })
    sent = data
    if (job.status === 'completed') events.close()
  }
  const lookOnce = async (): Promise<void> => {
    const state = await findJob(database.db, id)
    if (state) show(state)
  }
  // One look at a time, and one more for whatever changed meanwhile.
  const look = (): void => {
    again = true
    looking ??= (async () => {
      while (again && !events.closed.aborted) {
        again = false
        await lookOnce()
      }
    })()
      .catch(error => logger.warn({ err: error }, 'a job could not be read for its stream'))
      .finally(() => (looking = null))
  }
  const unsubscribe = jobChanges.subscribe(id, look)
  const timer = setInterval(look, LOOK_EVERY_MS)
  events.closed.addEventListener('abort', () => {
    unsubscribe()
    clearInterval(timer)
  })
  show(first)
  // Whatever changed between the first reading and the subscription.
  look()
}
