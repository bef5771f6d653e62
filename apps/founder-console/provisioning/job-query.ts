import { getJobStatus, streamJobStatus, type Job } from '@windlass/contracts/provisioning.ts'
import { queryOptions } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { queries, send } from '../api.ts'

/** A job, and how far the service's clock is ahead of this device's (milliseconds): durations need it. */
export interface JobView {
  job: Job
  clockAhead: number
}

export const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['job', jobId],
    queryFn: async ({ signal }): Promise<JobView> => {
      const { body, headers } = await send(getJobStatus, { params: { jobId }, signal })
      const told = Date.parse(headers.get('date') ?? '')
      // `Date` has whole seconds; less than that apart is no difference.
      const ahead = Number.isNaN(told) ? 0 : told - Date.now()
      const before = queries.getQueryData<JobView>(['job', jobId])
      return { ...newer(before, body), clockAhead: Math.abs(ahead) < 1500 ? 0 : ahead }
    },
  })

const OPEN_AGAIN_MS = 10_000

/**
 * Keeps a job's query fresh by server-sent events while `wanted`. Answers whether the stream stands; where it
 * does not, the caller polls. The browser opens a broken stream again by itself; one that the service refused
 * is tried again after a while.
 */
export function useJobStream(jobId: string, wanted: boolean): boolean {
  const [live, setLive] = useState(false)
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (!wanted) return
    const source = new EventSource(streamJobStatus.path.replace(':jobId', encodeURIComponent(jobId)))
    let again: ReturnType<typeof setTimeout> | undefined
    const take = (event: MessageEvent<string>): void => {
      const job = JSON.parse(event.data) as Job
      queries.setQueryData<JobView>(['job', jobId], before => newer(before, job))
    }
    source.addEventListener('open', () => setLive(true))
    source.addEventListener('message', take)
    source.addEventListener('error', () => {
      setLive(false)
      if (source.readyState === EventSource.CLOSED)
        again ??= setTimeout(() => setRound(n => n + 1), OPEN_AGAIN_MS)
    })
    return () => {
      source.close()
      clearTimeout(again)
      setLive(false)
    }
  }, [jobId, wanted, round])
  return live
}

// A poll and an event may cross; the older of the two must not undo the newer.
function newer(before: JobView | undefined, job: Job): JobView {
  if (!before) return { job, clockAhead: 0 }
  return Date.parse(job.updatedAt) < Date.parse(before.job.updatedAt) ? before : { ...before, job }
}
