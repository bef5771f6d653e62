import type { AnchorEvent } from '@windlass/contracts/platform/anchor-life.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { idOf, NATIVE } from '@windlass/contracts/internal/served-assets.ts'
import { getAnchorWork } from '@windlass/contracts/anchor/business-server.ts'
import { compareChain, whyNotReset } from '@windlass/stellar/reset.ts'
import { randomUUID } from 'node:crypto'
import { reportEvent } from '../anchors/events.ts'
import { listPublicKeys, type Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { businessServerOf } from '../servers/business.ts'
import { rememberChain } from './envelopes.ts'
import { findJobOfAnchor, writeLog } from './journal.ts'
import type { StageContext } from './stage.ts'
import { fundAndIssue } from './stages/fund-and-issue.ts'

/**
 * Test networks are reset a few times a year. This waits for a proven reset, no distribution account, and the operator's
 * word that it was so (docs/adr/0087). Then it funds the accounts, and issues or trusts the asset again, with the same keys.
 * The platform gets one event for each reset, whatever fails in between. `waits`: nothing is to be paid on this ledger yet.
 */
export async function restoreAfterReset(
  deps: Deps,
  plan: AnchorPlan,
  vault: Vault,
): Promise<'restored' | 'waits' | 'same'> {
  if (deps.config.mainnet) return 'same'
  const resetId = await noticeReset(deps, plan, vault)
  if (resetId === 'waits' || resetId === 'same') return resetId
  const jobId = (await findJobOfAnchor(deps.database.db, plan.anchorId))?.id ?? ''
  const context = contextOf(deps, { plan, jobId, vault })
  await context.log('warn', 'The accounts are gone from the ledger: the network was reset.')
  await fundAndIssue.run(context)
  await context.log(
    'info',
    `Funded and ${plan.asset.issuer ? 'trusted' : 'issued'} again with the same keys.`,
  )
  await settle(deps, plan, resetId)
  return 'restored'
}

/** The id of a reset that is not repaired yet. It is stored before anything is done about it. */
async function noticeReset(deps: Deps, plan: AnchorPlan, vault: Vault): Promise<string> {
  const { horizon, routineHorizon, database } = deps
  const { db } = database
  const { anchorId, asset } = plan
  const open = () =>
    db.selectFrom('ledger_resets').select('id').where('anchor_id', '=', anchorId).executeTakeFirst()
  const known = await open()
  if (known) return known.id
  const { distribution, issuer } = await listPublicKeys(db, anchorId)
  if (!distribution || !issuer) return 'same'
  // After a reset anyone can have created the account again; only ours has the trustline, and requires memos.
  const account = await routineHorizon.account(distribution)
  const id = idOf({ code: asset.code, issuer })
  if (account?.memoRequired && id === NATIVE) return 'same'
  if (id !== NATIVE && account?.balances.some(line => line.asset === id)) return 'same'
  const memory = await rememberChain(deps, anchorId)
  // A Horizon instance that is behind lacks the account too.
  if (!memory || (await whyNotReset(horizon, memory)) !== null) return 'same'
  if (await waitsForWord(deps, anchorId, vault)) return 'waits'
  await db
    .insertInto('ledger_resets')
    .values({ anchor_id: anchorId, id: randomUUID() })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return (await open())?.id ?? 'waits'
}

/** Whether the anchor's server has read another chain than this one: its operator has to say that it was reset. */
async function waitsForWord(deps: Deps, anchorId: string, vault: Vault): Promise<boolean> {
  try {
    const server = await businessServerOf(deps, anchorId, vault)
    const { lastLedger } = await server.call(getAnchorWork, { signal: AbortSignal.timeout(ASK_WITHIN_MS) })
    return lastLedger ? (await compareChain(deps.horizon, lastLedger)) !== 'same' : false
  } catch (error) {
    deps.logger.warn({ err: error, anchorId }, 'a reset waits until the business server answers')
    return true
  }
}

const ASK_WITHIN_MS = 5_000

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
