import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { servesXlm } from '@windlass/contracts/internal/served-assets.ts'
import { isLow, topUp } from '@windlass/stellar/funding.ts'
import { sql } from 'kysely'
import { findPayer } from '../anchors/accounts.ts'
import { listPublicKeys, type Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { envelopeStore } from './envelopes.ts'
import { contextOf } from './ledger-reset.ts'

/** Stroops beyond the reserves of a distribution account: enough for a claimable balance and its fee, and for many. */
const LEAST = 15_000_000n
const TARGET = 50_000_000n
/** Bounds what one anchor can take from the account that pays for all. */
const MAX_A_DAY = 4

/**
 * Tops up an anchor's distribution account from FUNDING_ACCOUNT where its XLM runs out: once, wherever the process dies,
 * because the stored envelope is settled before another one is signed. Resolves to whether XLM was sent.
 *
 * @throws {LedgerError}
 */
export async function topUpIfLow(deps: Deps, plan: AnchorPlan, vault: Vault): Promise<boolean> {
  // It would pay customers with it: its operator tops it up.
  if (servesXlm({ plan })) return false
  const { ledger } = deps.config
  const { distribution } = await listPublicKeys(deps.database.db, plan.anchorId)
  if (!distribution) return false
  const log = async (level: 'info' | 'warn', text: string) =>
    deps.logger[level]({ anchorId: plan.anchorId }, text)
  const context = { ...contextOf(deps, { plan, jobId: '', vault }), log, at: deps.faults.at }
  const store = envelopeStore(context, 'top-up')
  const wanted = { account: distribution, least: LEAST, target: TARGET }
  if ((await store.current()) === null) {
    if (!(await isLow({ ...wanted, horizon: deps.routineHorizon }))) return false
  }
  const payer = await findPayer(deps, plan.anchorId)
  if (!payer) return false
  if ((await store.current()) === null) {
    if ((await countToday(deps, plan)) >= MAX_A_DAY) {
      await log(
        'warn',
        `The distribution account lacks XLM and had ${MAX_A_DAY} top-ups today. Top it up by hand.`,
      )
      return false
    }
  }
  await topUp({
    ...wanted,
    horizon: deps.horizon,
    networkPassphrase: ledger.networkPassphrase,
    maxFee: ledger.maxFee,
    payer,
    store,
    reference: plan.anchorId,
  })
  const applied = await store.current()
  if (!applied) return false
  await store.retire(applied.hash, 'the top-up is done')
  return true
}

async function countToday({ database }: Deps, { anchorId }: AnchorPlan): Promise<number> {
  const row = await database.db
    .selectFrom('envelopes')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('anchor_id', '=', anchorId)
    .where('purpose', '=', 'top-up')
    .where('created_at', '>', sql<Date>`now() - interval '1 day'`)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}
