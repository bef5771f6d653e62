import { listen } from '@windlass/service/postgres/listen.ts'
import { loop, type Loop } from '@windlass/service/work/loop.ts'
import { startOutbox } from '@windlass/service/work/outbox.ts'
import { alone } from './alone.ts'
import { deliverEvent } from './anchors/events.ts'
import { startTestDeposits } from './test-deposits/run.ts'
import { startDailyChecks } from './check-runs/daily.ts'
import { sendReport } from './check-runs/send-report.ts'
import type { Deps } from './deps.ts'
import { pruneLogs } from './provisioning/journal.ts'
import { createFundingWatch } from './provisioning/funding.ts'
import { deliverAddress, deliverProgress } from './provisioning/report.ts'
import { startResumer } from './provisioning/retry.ts'
import { startWorker } from './provisioning/worker.ts'
import { startQueue } from './queue.ts'
import { startReconciler } from './reconciliation/reconcile.ts'
import { startFolderRemoval } from './removal/left-folders.ts'
import { isRemoved, listOpenRemovals } from './removal/records.ts'
import { runRemoval } from './removal/remove.ts'
import { deliverRemoval } from './removal/report.ts'
import { listDueRotations, runRotation } from './secret-rotation/run.ts'
import { wake as wakeAnchor } from './sleep/suspend.ts'
import { startSleep } from './sleep/watch.ts'
import { isHealthy } from './servers/servers.ts'
import { listOpenUpgrades } from './servers/upgrades/records.ts'
import { runUpgrade } from './servers/upgrades/run.ts'

/** The first who asked a clock after it was set would plan by the old time. */
const CLOCK_EVERY_MS = 1_000
const FUNDING_EVERY_MS = 60_000
const PRUNE_EVERY_MS = 24 * 60 * 60_000
const CHANGES_AT_ONCE = 2
const STOP_WITHIN_MS = 3_000

/** Every background loop. Those that requests wake have the name of their notification channel. */
export function startWorkers(deps: Deps): { stop(): Promise<void> } {
  const { database, logger, clock } = deps
  const outbox = startOutbox({
    database,
    logger,
    deliver: {
      progress: message => deliverProgress(deps, message),
      moved: message => deliverAddress(deps, message),
      event: message => deliverEvent(deps, message),
      removal: message => deliverRemoval(deps, message),
      'wallet-checks': message => sendReport(deps, message),
    },
    backoff: attempt => Math.min(10_000, 500 * 2 ** Math.min(attempt, 6)),
  })
  const wakeOne = (anchorId: string) => wakeAnchor(deps, anchorId)
  const loops: Record<string, Loop> = {
    jobs: startWorker(deps),
    reconciliation: startReconciler(deps),
    sleep: startSleep(deps),
    upgrades: startChanges(deps, 'upgrades', {
      due: () => listOpenUpgrades(database.db),
      run: (_, id, signal) => runUpgrade(deps, id, signal, wakeOne),
    }),
    removals: startChanges(deps, 'removals', { due: () => listOpenRemovals(database.db), run: runRemoval }),
    rotations: startChanges(deps, 'rotations', { due: () => listDueRotations(deps), run: runRotation }),
    deposits: startTestDeposits(deps),
    checks: startDailyChecks(deps, {
      wake: wakeOne,
      isHealthy: anchorId => isHealthy(deps, anchorId),
    }),
  }
  const wake = (channel: string | undefined): void => {
    for (const [name, each] of Object.entries(loops))
      if (channel === undefined || channel === name) each.wake()
  }
  const listening = listen(database.url, Object.keys(loops), received => wake(received?.channel), logger)
  const resumer = startResumer(deps, isRemoved)
  const comparing = loop({
    name: 'clock',
    logger,
    everyMs: CLOCK_EVERY_MS,
    startNow: false,
    act: () => clock.follow(),
  })
  const funding = loop({
    name: 'funding account',
    logger,
    everyMs: FUNDING_EVERY_MS,
    act: createFundingWatch(deps),
  })
  const folders = startFolderRemoval(deps)
  const logs = loop({
    name: 'old logs of jobs',
    logger,
    everyMs: PRUNE_EVERY_MS,
    act: () => pruneLogs(database.db),
  })
  return {
    stop: async () => {
      await Promise.all(
        [folders, logs, funding, listening, comparing, resumer, ...Object.values(loops)].map(each =>
          each.stop(),
        ),
      )
      await outbox.stop()
    },
  }
}

interface Changes {
  due(): Promise<string[]>
  run(deps: Deps, id: string, signal: AbortSignal): Promise<void>
}

/** Upgrades, removals or rotations of secrets: of several control planes one works on each. */
function startChanges(deps: Deps, name: string, { due, run }: Changes): Loop {
  return startQueue({
    name,
    logger: deps.logger,
    everyMs: deps.config.work.reconcileSeconds * 1_000,
    stopWithinMs: STOP_WITHIN_MS,
    atOnce: CHANGES_AT_ONCE,
    due,
    run: async (id, stopping) =>
      void (await alone(deps, { of: 'change', id }, () => run(deps, id, stopping))),
  })
}
