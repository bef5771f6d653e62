import { keyOf } from '@windlass/ui/console/query.ts'
import { pathOf } from '@windlass/client/client.ts'
import { getJobStatus, streamJobStatus, type Job } from '@windlass/contracts/platform/provisioning.ts'
import { queryOptions } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { send } from '../api.ts'
import { queries } from '../queries.ts'

/** A job, and the milliseconds by which the service's clock is ahead of this device's, for durations. */
interface JobView {
  job: Job
  clockAhead: number
}

const jobKey = (jobId: string) => keyOf(getJobStatus, { params: { jobId } }, 'with clock')

export const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: jobKey(jobId),
    queryFn: async ({ signal }): Promise<JobView> => {
      const { body, headers } = await send(getJobStatus, { params: { jobId }, signal })
      const serverTime = Date.parse(headers.get('date') ?? '')
      // The `Date` header has whole seconds, so a smaller difference means nothing.
      const ahead = Number.isNaN(serverTime) ? 0 : serverTime - Date.now()
      const before = queries.getQueryData<JobView>(jobKey(jobId))
      return { ...newer(before, body), clockAhead: Math.abs(ahead) < 1500 ? 0 : ahead }
    },
  })

const REOPEN_MS = 10_000

/**
 * Updates a job's query by server-sent events while `enabled`. Returns whether the stream is open; otherwise the
 * caller polls. The browser reopens a broken stream itself; one that the service refused is reopened here.
 */
export function useJobStream(jobId: string, enabled: boolean): boolean {
  const [live, setLive] = useState(false)
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (!enabled) return
    const source = new EventSource(pathOf(streamJobStatus, { params: { jobId } }))
    let again: ReturnType<typeof setTimeout> | undefined
    const update = (event: MessageEvent<string>): void => {
      const job = JSON.parse(event.data) as Job
      queries.setQueryData<JobView>(jobKey(jobId), before => newer(before, job))
    }
    source.addEventListener('open', () => setLive(true))
    source.addEventListener('message', update)
    source.addEventListener('error', () => {
      setLive(false)
      if (source.readyState === EventSource.CLOSED)
        again ??= setTimeout(() => setRound(n => n + 1), REOPEN_MS)
    })
    return () => {
      source.close()
      clearTimeout(again)
      setLive(false)
    }
  }, [jobId, enabled, round])
  return live
}

// A poll and an event may arrive out of order; the newer one wins.
function newer(before: JobView | undefined, job: Job): JobView {
  if (!before) return { job, clockAhead: 0 }
  return Date.parse(job.updatedAt) < Date.parse(before.job.updatedAt) ? before : { ...before, job }
}
