import { ProblemError } from '@windlass/client/client.ts'
import { reportConformance, type ConformanceReport } from '@windlass/contracts/conformance.ts'
import type { OutboxMessage } from '@windlass/service/outbox.ts'
import type { Deps } from '../deps.ts'

/** Tells the platform what a check found. */
export async function deliverConformance(deps: Deps, message: OutboxMessage): Promise<void> {
  const { anchorId, report } = message.payload as { anchorId: string; report: ConformanceReport }
  const signal = AbortSignal.timeout(10_000)
  try {
    await deps.platform.call(reportConformance, { params: { anchorId }, body: report, signal })
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 404)) throw error
    deps.logger.warn({ anchorId }, 'the platform does not know this anchor')
  }
}
