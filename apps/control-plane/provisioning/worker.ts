import type { Loop } from '@windlass/service/work/loop.ts'
import type { Deps } from '../deps.ts'
import { startQueue } from '../queue.ts'
import { dueJobs, touchWaitingJobs } from './journal.ts'
import { runJob } from './run-job.ts'

const LOOK_EVERY_MS = 1_000

/** Runs due jobs. What is due is decided by the journal, so that a job whose worker died continues elsewhere. */
export function startWorker(deps: Deps): Loop {
  const { config, database, logger } = deps
  return startQueue({
    name: 'jobs',
    logger,
    everyMs: LOOK_EVERY_MS,
    atOnce: config.work.concurrency,
    due: async () => {
      await touchWaitingJobs(database.db)
      return dueJobs(database.db)
    },
    run: (jobId, stopping) => runJob(deps, jobId, stopping),
  })
}
