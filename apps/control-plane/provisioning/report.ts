import { ProblemError } from '@windlass/client/client.ts'
import { reportProgress } from '@windlass/contracts/control-plane.ts'
import type { OutboxMessage } from '@windlass/service/outbox.ts'
import type { Deps } from '../deps.ts'
import { readSnapshot } from './snapshot.ts'

/** Delivers the job's present state to the platform. A change that a later one has overtaken is left to that one. */
export async function deliverProgress(deps: Deps, message: OutboxMessage): Promise<void> {
  const { jobId, revision } = message.payload as { jobId: string; revision: number }
  const snapshot = await readSnapshot(deps.database.db, deps.config, jobId)
  if (!snapshot || snapshot.revision > revision) return
  try {
    await deps.platform.call(reportProgress, {
      params: { jobId },
      body: snapshot,
      signal: AbortSignal.timeout(10_000),
    })
  } catch (error) {
    // Not (or no longer) the platform's job: saying it again would not change that.
    if (error instanceof ProblemError && error.status === 404) {
      deps.logger.warn({ jobId }, 'the platform does not know this job')
      return
    }
    throw error
  }
}
