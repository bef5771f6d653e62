import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import type { Deps } from '../deps.ts'
import type { Vault } from '../keys/vault.ts'
import { writeLog } from '../provisioning/journal.ts'
import type { StageContext } from '../provisioning/stage.ts'
import { fundAndIssue } from '../provisioning/stages/fund-and-issue.ts'

/**
 * Test networks are reset a few times a year. Where an anchor's distribution account has vanished from the ledger,
 * its accounts are funded and its asset is issued again with the same keys. Resolves to whether that was so.
 */
export async function restoreAfterReset(
  deps: Deps,
  { plan, jobId }: { plan: AnchorPlan; jobId: string },
  vault: Vault,
): Promise<boolean> {
  if (deps.config.mainnet) return false
  const { publicKey } = await vault.get(deps.database.db, 'distribution')
  if (publicKey === null || (await deps.horizon.account(publicKey))) return false
  const context = contextOf(deps, { plan, jobId, vault })
  await context.log('warn', 'The accounts are gone from the ledger: the network was reset.')
  await fundAndIssue.run(context)
  await context.log('info', 'Funded and issued again with the same keys.')
  return true
}

// No lease: the stored envelope alone, of which there can be one, keeps the issue from happening twice.
function contextOf(deps: Deps, given: Pick<StageContext, 'plan' | 'jobId' | 'vault'>): StageContext {
  const { db } = deps.database
  return {
    ...given,
    deps,
    signal: AbortSignal.timeout(fundAndIssue.retries.budget * 1_000),
    fenced: act => db.transaction().execute(act),
    log: (level, text) => writeLog(db, { jobId: given.jobId, stage: fundAndIssue.name, level, text }),
    at: () => {},
  }
}
