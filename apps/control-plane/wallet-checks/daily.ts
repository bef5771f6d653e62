import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import type { WalletCheckReport } from '@windlass/contracts/wallet-checks.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { healthOf, roles } from '../anchors/servers.ts'
import type { Deps } from '../deps.ts'
import { openVault, type Vault } from '../keys/vault.ts'
import { recordReport, planChecks, claimDueAnchor } from './queries.ts'
import { runChecks } from './run-checks.ts'

export interface DailyChecks {
  /** Checks the anchors that are due. Resolves when none is due any more. */
  wake(): Promise<void>
  stop(): Promise<void>
}

type RunChecks = (deps: Deps, plan: AnchorPlan, vault: Vault) => Promise<WalletCheckReport>

const LOOK_EVERY_MS = 30_000
const AT_ONCE = 2
const STOP_WITHIN_MS = 3_000
const HEALTHY_WITHIN_MS = 60_000

/** Checks each running anchor once a day and on request. Several control planes never check the same anchor at once. */
export function startDailyChecks(deps: Deps, run: RunChecks = runWhenHealthy): DailyChecks {
  let stopped = false
  let again = false
  let round: Promise<void> | null = null

  const lane = async (): Promise<void> => {
    while (!stopped) {
      const due = await claimDueAnchor(deps.database.db, deps.clock.now())
      if (!due) return
      try {
        const report = await run(deps, due.plan, openVault(deps.master, due.id, due.data_key))
        // When the machine shuts down, so do its anchors: such a report says nothing.
        if (stopped) return
        await deps.database.db.transaction().execute(tx => recordReport(tx, due.id, report))
      } catch (error) {
        deps.logger.warn({ err: error, anchorId: due.id }, 'an anchor could not be checked')
      }
    }
  }
  const rounds = async (): Promise<void> => {
    while (again && !stopped) {
      again = false
      await planChecks(deps.database.db, deps.clock.now())
      await Promise.all(Array.from({ length: AT_ONCE }, lane))
    }
  }
  const wake = (): Promise<void> => {
    again = true
    round ??= rounds()
      .catch(error => deps.logger.warn({ err: error }, 'the daily checks failed'))
      .finally(() => (round = null))
    return round
  }
  const timer = setInterval(() => void wake(), LOOK_EVERY_MS)
  void wake()
  return {
    wake,
    stop: async () => {
      stopped = true
      clearInterval(timer)
      // An unfinished check is due again after its lease.
      await Promise.race([round, sleep(STOP_WITHIN_MS, undefined, { ref: false })])
    },
  }
}

/**
 * Waits for both servers first: after the machine was off, checks are due before the servers are up.
 */
const runWhenHealthy: RunChecks = async (deps, plan, vault) => {
  const until = performance.now() + HEALTHY_WITHIN_MS
  while (performance.now() < until) {
    const states = await Promise.all(roles.map(role => healthOf(deps, plan.anchorId, role)))
    if (states.every(state => state === 'healthy')) break
    await sleep(1_000, undefined, { ref: false })
  }
  return runChecks(deps, plan, vault)
}
