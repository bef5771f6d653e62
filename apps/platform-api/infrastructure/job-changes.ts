import { listen } from '@windlass/service/postgres/listen.ts'
import type { FastifyBaseLogger } from 'fastify'

/** Every process learns of a job's change here, whichever process made it. */
export const JOB_CHANNEL = 'job_changed'

export interface JobChanges {
  /** `changed` is called for each change of the job, and whenever one may have been missed. */
  subscribe(jobId: string, changed: () => void): () => void
  stop(): Promise<void>
}

/** One listening connection for all of a process's streams. */
export function listenForJobs(databaseUrl: string, logger: FastifyBaseLogger): JobChanges {
  const watchers = new Map<string, Set<() => void>>()
  const tell = (group: Iterable<() => void>): void => {
    for (const changed of group) changed()
  }
  const listening = listen(
    databaseUrl,
    [JOB_CHANNEL],
    received => {
      if (received) tell(watchers.get(received.payload) ?? [])
      else for (const group of watchers.values()) tell(group)
    },
    logger,
  )
  return {
    subscribe(jobId, changed) {
      const group = watchers.get(jobId) ?? new Set()
      watchers.set(jobId, group.add(changed))
      return () => {
        group.delete(changed)
        if (group.size === 0 && watchers.get(jobId) === group) watchers.delete(jobId)
      }
    },
    stop: () => listening.stop(),
  }
}
