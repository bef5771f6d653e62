import { getJobLog } from '@windlass/contracts/control-plane.ts'
import type { LogLine } from '@windlass/contracts/provisioning.ts'
import { openEvents } from '@windlass/service/events.ts'
import type { FastifyReply } from 'fastify'
import type { Deps } from '../deps.ts'
import { findJob } from './queries.ts'

const LOOK_EVERY_MS = 1_000

/**
 * Sends a run's lines as they are written, those after `lastEventId` first, until the run is completed and all are
 * sent, or the client leaves. A control plane that is away is waited for.
 */
export async function streamLog(
  { controlPlane, database, jobChanges, logger }: Deps,
  jobId: string,
  lastEventId: string | undefined,
  reply: FastifyReply,
): Promise<void> {
  const events = openEvents(reply)
  let after = Number(lastEventId)
  if (!Number.isSafeInteger(after) || after < 0) after = 0
  let looking = false

  const read = (): Promise<LogLine[]> => controlPlane.call(getJobLog, { params: { jobId }, query: { after } })
  const look = async (): Promise<void> => {
    const state = await findJob(database.db, jobId)
    for (let lines = await read(); lines.length > 0 && !events.closed.aborted; lines = await read()) {
      for (const line of lines) events.send({ id: String(line.id), data: line })
      after = lines.at(-1)?.id ?? after
    }
    if (state?.job.status === 'completed') events.close()
  }
  const lookOnce = (): void => {
    if (looking || events.closed.aborted) return
    looking = true
    look()
      .catch(error => logger.debug({ err: error, jobId }, 'a log could not be read for its stream'))
      .finally(() => (looking = false))
  }
  const unsubscribe = jobChanges.subscribe(jobId, lookOnce)
  const timer = setInterval(lookOnce, LOOK_EVERY_MS)
  events.closed.addEventListener('abort', () => {
    unsubscribe()
    clearInterval(timer)
  })
  lookOnce()
}
