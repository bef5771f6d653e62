import type { AnchorEvent } from '@windlass/contracts/anchor-life.ts'
import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import { isReset } from '@windlass/stellar/settle.ts'
import { randomUUID } from 'node:crypto'
import { reportEvent } from '../anchors/events.ts'
import { listPublicKeys, type Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { findJobOfAnchor, writeLog } from './journal.ts'
import type { StageContext } from './stage.ts'
import { fundAndIssue } from './stages/fund-and-issue.ts'

/**
 * Test networks are reset a few times a year. Where that is proven and the distribution account is gone, the accounts
 * are funded, and the asset is issued or trusted again, with the same keys. The platform gets one event for each reset, whatever
 * fails in between. Resolves to whether there was a reset.
 */
export async function restoreAfterReset(deps: Deps, plan: AnchorPlan, vault: Vault): Promise<boolean> {
  if (deps.config.mainnet) return false
  const resetId = await noticeReset(deps, plan)
  if (resetId === null) return false
  const jobId = (await findJobOfAnchor(deps.database.db, plan.anchorId))?.id ?? ''
  const context = contextOf(deps, { plan, jobId, vault })
  await context.log('warn', 'The accounts are gone from the ledger: the network was reset.')
  await fundAndIssue.run(context)
  await context.log(
    'info',
    `Funded and ${plan.asset.issuer ? 'trusted' : 'issued'} again with the same keys.`,
  )
  await settle(deps, plan, resetId)
  return true
}

/** The id of a reset that is not repaired yet. It is stored before anything is done about it. */
async function noticeReset({ database: { db }, horizon, routineHorizon }: Deps, plan: AnchorPlan) {
  const { anchorId, asset } = plan
  const open = () =>
    db.selectFrom('ledger_resets').select('id').where('anchor_id', '=', anchorId).executeTakeFirst()
  const known = await open()
  if (known) return known.id
  const { distribution, issuer } = await listPublicKeys(db, anchorId)
  if (!distribution || !issuer) return null
  // After a reset anyone can have created the account again; only ours has the trustline.
  const account = await routineHorizon.account(distribution)
  if (account?.balances.some(line => line.asset === `${asset.code}:${issuer}`)) return null
  const issue = await db
    .selectFrom('envelopes')
    .select(['ledger', 'max_time'])
    .where('anchor_id', '=', anchorId)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  // A Horizon instance that is behind lacks the account too.
  if (!issue || !(await isReset(horizon, issue.ledger, new Date(Number(issue.max_time) * 1_000)))) return null
  await db
    .insertInto('ledger_resets')
    .values({ anchor_id: anchorId, id: randomUUID() })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return (await open())?.id ?? null
}

async function settle({ database, clock }: Deps, plan: AnchorPlan, resetId: string): Promise<void> {
  const { anchorId, asset } = plan
  await database.db.transaction().execute(async tx => {
    await tx.deleteFrom('ledger_resets').where('anchor_id', '=', anchorId).execute()
    const event: AnchorEvent = {
      id: resetId,
      at: clock.now().toISOString(),
      kind: 'ledger-reset',
      detail:
        `The test network was reset. The accounts were funded ${asset.issuer ? `and trust ${asset.code}` : `and ${asset.issued} ${asset.code} issued`} again with ` +
        'the same keys. What customers held on the ledger before is gone.',
    }
    await reportEvent(tx, anchorId, event)
  })
}

/** Without a lease: the stored envelope, of which there is one for each purpose, keeps anything from happening twice. */
export function contextOf(deps: Deps, given: Pick<StageContext, 'plan' | 'jobId' | 'vault'>): StageContext {
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
