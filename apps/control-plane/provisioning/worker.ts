import type { FastifyBaseLogger } from 'fastify'
import { PgBoss } from 'pg-boss'

const QUEUE = 'provisioning'

export interface WorkerOptions {
  databaseUrl: string
  concurrency: number
  logger: FastifyBaseLogger
  /** Runs one job; must be harmless for a job that is not due or that another worker has. */
  run(jobId: string, stopping: AbortSignal): Promise<void>
  /** Jobs that are due and that nobody works on. */
  due(): Promise<string[]>
}

/**
 * The queue that brings due jobs to workers, in this process and others. What is due is decided by the journal: a
 * look at it every second puts back whatever the queue lost with a worker that died.
 */
export async function startWorker(options: WorkerOptions) {
  const { logger } = options
  const boss = new PgBoss({
    connectionString: options.databaseUrl,
    application_name: 'control-plane queue',
    max: 4,
    schedule: false,
    useListenNotify: true,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
  })
  boss.on('error', error => logger.warn({ err: error }, 'the queue has trouble'))
  await boss.start()
  await boss.createQueue(QUEUE, {
    policy: 'short',
    notify: true,
    heartbeatSeconds: 10,
    retryLimit: 3,
    expireInSeconds: 900,
    deleteAfterSeconds: 3_600,
  })
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  await boss.work<{ jobId: string }>(
    QUEUE,
    { localConcurrency: options.concurrency, pollingIntervalSeconds: 1, heartbeatRefreshSeconds: 3 },
    async ([job]) => {
      if (!job || stopping.signal.aborted) return
      const run = options.run(job.data.jobId, stopping.signal)
      running.add(run)
      await run.finally(() => running.delete(run))
    },
  )
  const wake = async (jobId: string): Promise<void> => {
    await boss.send(QUEUE, { jobId }, { singletonKey: jobId })
  }
  const look = async (): Promise<void> => {
    try {
      for (const jobId of await options.due()) await wake(jobId)
    } catch (error) {
      logger.warn({ err: error }, 'could not look for due jobs')
    }
  }
  const timer = setInterval(() => void look(), 1_000)
  return {
    wake,
    stop: async () => {
      clearInterval(timer)
      stopping.abort()
      await Promise.allSettled(running)
      await boss.stop({ graceful: true, timeout: 2_000 })
    },
  }
}
