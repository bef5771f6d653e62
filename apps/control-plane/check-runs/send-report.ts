import { ProblemError } from '@windlass/client/client.ts'
import { reportWalletChecks, type WalletCheckReport } from '@windlass/contracts/platform/wallet-checks.ts'
import type { OutboxMessage } from '@windlass/service/work/outbox.ts'
import type { Deps } from '../deps.ts'

/** Sends a report to the platform. */
export async function sendReport(deps: Deps, message: OutboxMessage): Promise<void> {
  const { anchorId, report } = message.payload as { anchorId: string; report: WalletCheckReport }
  const signal = AbortSignal.timeout(10_000)
  try {
    await deps.platform.call(reportWalletChecks, { params: { anchorId }, body: report, signal })
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 404)) throw error
    deps.logger.warn({ anchorId }, 'the platform does not know this anchor')
  }
}
