import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import type { ConformanceReport } from '@windlass/contracts/conformance.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { healthOf, roles } from '../anchors/servers.ts'
import type { Deps } from '../deps.ts'
import { openVault, type Vault } from '../keys/vault.ts'
import { keepReport, planChecks, takeDue } from './queries.ts'
import { visitAnchor } from './visit-anchor.ts'

export interface DailyChecks {
  /** Looks now whether one is due. Resolves when none is any more. */
  wake(): Promise<void>
  stop(): Promise<void>
}

type Visit = (deps: Deps, plan: AnchorPlan, vault: Vault) => Promise<ConformanceReport>

const LOOK_EVERY_MS = 30_000
const AT_ONCE = 2
const STOP_WITHIN_MS = 3_000
const STANDING_WITHIN_MS = 60_000

/** Checks each running anchor once a day, and when asked; of several control planes each anchor is one's at a time. */
export function startDailyChecks(deps: Deps, visit: Visit = visitStanding): DailyChecks {
  let stopped = false
  let again = false
  let round: Promise<void> | null = null

  const lane = async (): Promise<void> => {
    while (!stopped) {
      const due = await takeDue(deps.database.db, deps.clock.now())
      if (!due) return
      try {
        const report = await visit(deps, due.plan, openVault(deps.master, due.id, due.data_key))
        // A machine that goes down takes its anchors with it: that is no finding.
        if (stopped) return
        await deps.database.db.transaction().execute(tx => keepReport(tx, due.id, report))
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
      // A check that is left is due again after its lease.
      await Promise.race([round, sleep(STOP_WITHIN_MS, undefined, { ref: false })])
    },
  }
}

/**
 * Waits a while for both servers first: after a night without a machine every check is due before the servers are up,
 * and that says nothing of the anchor.
 */
const visitStanding: Visit = async (deps, plan, vault) => {
  const until = performance.now() + STANDING_WITHIN_MS
  while (performance.now() < until) {
    const states = await Promise.all(roles.map(role => healthOf(deps, plan.anchorId, role)))
    if (states.every(state => state === 'healthy')) break
    await sleep(1_000, undefined, { ref: false })
  }
  return visitAnchor(deps, plan, vault)
}
