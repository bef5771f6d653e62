import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { WalletCheckReport } from '@windlass/contracts/platform/wallet-checks.ts'
import type { Loop } from '@windlass/service/work/loop.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { getAnchor } from '../anchors/records.ts'
import type { Deps } from '../deps.ts'
import { startQueue } from '../queue.ts'
import { claimChecks, recordReport } from './reports.ts'
import { runChecks } from './run-checks.ts'

export interface Checks {
  /** Starts the anchor's servers if they sleep: checks come through the reverse proxy, as a client's requests do. */
  wake(anchorId: string): Promise<void>
  /** Whether both servers of an anchor answer. */
  isHealthy(anchorId: string): Promise<boolean>
  run?(deps: Deps, plan: AnchorPlan): Promise<WalletCheckReport>
}

const LOOK_EVERY_MS = 30_000
const AT_ONCE = 2
const STOP_WITHIN_MS = 3_000
const HEALTHY_WITHIN_MS = 60_000

/** Checks each running anchor once a day, and on request. Of several control planes one checks an anchor at a time. */
export function startDailyChecks(deps: Deps, { wake, isHealthy, run = runChecks }: Checks): Loop {
  const { database, clock, logger } = deps
  return startQueue({
    name: 'checks',
    logger,
    everyMs: LOOK_EVERY_MS,
    stopWithinMs: STOP_WITHIN_MS,
    atOnce: AT_ONCE,
    due: free => claimChecks(database.db, clock.now(), free),
    run: async (anchorId, stopping) => {
      const { plan } = await getAnchor(database.db, anchorId)
      await wake(anchorId)
      await untilHealthy(() => isHealthy(anchorId), stopping)
      const report = await run(deps, plan)
      // A machine that goes down takes its anchors with it: that is no finding.
      if (stopping.aborted) return
      await database.db.transaction().execute(tx => recordReport(tx, anchorId, report))
    },
  })
}

/** Waits a while: when a machine starts, checks are due before the servers are up, and that is no finding. */
async function untilHealthy(isHealthy: () => Promise<boolean>, stopping: AbortSignal): Promise<void> {
  const until = performance.now() + HEALTHY_WITHIN_MS
  while (performance.now() < until && !stopping.aborted && !(await isHealthy())) {
    await sleep(1_000, undefined, { ref: false })
  }
}
