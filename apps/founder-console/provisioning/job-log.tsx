import { readJobLog, type Job, type LogLine } from '@windlass/contracts/provisioning.ts'
import { useQuery } from '@tanstack/react-query'
import { LogView } from '@windlass/ui/log-view.tsx'
import { call, queries } from '../api.ts'

const POLL_MS = 2_000

/**
 * The run's log, fetched from the last line known, so that no line is lost or shown twice whatever happened
 * to the connection. It stands still once the job is completed.
 */
export function JobLog({ job }: { job: Job }) {
  const { jobId } = job
  const log = useQuery({
    queryKey: ['job-log', jobId, job.status === 'completed'],
    queryFn: async ({ signal }) => {
      const known = queries.getQueryData<LogLine[]>(['job-log-lines', jobId]) ?? []
      const after = known.at(-1)?.id
      const fresh = await call(readJobLog, {
        params: { jobId },
        query: after === undefined ? {} : { after },
        signal,
      })
      const lines = [...known, ...fresh.filter(line => line.id > (after ?? -1))]
      queries.setQueryData(['job-log-lines', jobId], lines)
      return lines
    },
    refetchInterval: job.status === 'completed' ? false : POLL_MS,
    placeholderData: before => before,
  })
  // The control plane may be out of reach while the job's state is known: then there is no log to show.
  return log.data ? <LogView lines={log.data} /> : null
}
