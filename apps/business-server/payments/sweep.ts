import type { TreasurySettings } from '@windlass/contracts/anchor/business-server.ts'
import { servedAssets, type AssetKey, type ServedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { sql, type Transaction } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { LedgerPayment, Tables } from '../tables.ts'
import {
  addTreasurySettings,
  areSettingsBound,
  getTreasurySettings,
  treasurySettingsSince,
} from '../money/treasury/settings.ts'
import { isOfOtherAnchor } from '../transfers/payable.ts'
import { CapacityError, readTreasury, release, reserve } from '../money/treasury/treasury.ts'
import { hasReturned } from './refunds.ts'
import { SWEEP_MEMO } from './ledger-payments.ts'
import { cancelPayment, queuePayment, reservationOf } from './ledger-payments.ts'

/**
 * One sweep in an hour, of a fortieth of what is issued at most: the signer's limit for an hour is a tenth by default,
 * and customers' payments need the rest. Of an existing asset the limit is two of the largest transfer, and a sweep half of one.
 */
const SHARE_OF_ISSUED = 40n
/** The ceiling is divided by it: less is not worth a fee. */
const LEAST_SHARE = 100n

/** Sends what exceeds an asset's ceiling to its cold account. Only what nothing has reserved is sent. */
export async function sweepExcess(deps: Deps): Promise<void> {
  for (const asset of servedAssets(deps.config.anchor)) await sweepOne(deps, asset)
}

async function sweepOne(deps: Deps, served: ServedAsset): Promise<void> {
  const { key: asset } = served
  const { ceiling, coldAccount } = await getTreasurySettings(deps, asset)
  if (ceiling === null || coldAccount === null) return
  const { db } = deps.database
  if (await hasRecentSweep(db, asset)) return
  if (await isSweepReturned(db, asset, coldAccount)) return
  const { capacity } = await readTreasury(deps, asset)
  const amount = sweepAmount(deps, served, capacity, parseAmount(ceiling))
  if (amount === null) return
  const cause = `sweep:${randomUUID()}`
  try {
    await db.transaction().execute(async tx => {
      await reserve(deps, tx, { id: cause, asset, amount, expiresAt: null })
      const payment = {
        ...{ cause, transfer_id: null, purpose: 'sweep' as const, destination: coldAccount },
        ...{ amount: formatAmount(amount), asset, memo: SWEEP_MEMO, memo_type: 'text', claimable: false },
      }
      // What nobody set waits, until people set it again.
      const isProven = await areSettingsBound(deps, tx, asset, { coldAccount, ceiling })
      await queuePayment(deps, tx, payment, isProven)
    })
  } catch (error) {
    if (!(error instanceof CapacityError)) throw error
  }
  deps.wake.emit('ledgerPayments')
}

function sweepAmount({ config }: Deps, { isOwn }: ServedAsset, free: Amount, ceiling: Amount): Amount | null {
  const excess = free - ceiling
  if (excess <= 0n || excess < ceiling / LEAST_SHARE) return null
  const { asset, limits } = config.anchor.plan
  const most = isOwn ? parseAmount(asset.issued) / SHARE_OF_ISSUED : parseAmount(limits.max) / 2n
  return amountOf(excess < most ? excess : most)
}

/** Whether the cold account sent units back since it was set: it may be an account that returns every payment. */
export async function isSweepReturned(
  db: Db<Tables>,
  asset: AssetKey,
  coldAccount: string,
): Promise<boolean> {
  const since = await treasurySettingsSince(db, asset)
  return since !== null && hasReturned(db, { sender: coldAccount, asset, since })
}

/** A sweep of the asset that is not paid yet, or was paid in the last hour. */
async function hasRecentSweep(db: Db<Tables>, asset: AssetKey): Promise<boolean> {
  return exists(
    db
      .selectFrom('ledger_payments')
      .select('id')
      .where('purpose', '=', 'sweep')
      .where('asset', 'is not distinct from', asset)
      .where(where =>
        where.or([
          where('state', '=', 'queued'),
          where.and([
            where('state', '=', 'paid'),
            where('paid_at', '>', sql<Date>`now() - interval '1 hour'`),
          ]),
        ]),
      ),
  )
}

/** The sweep of an asset that waits; null: none. */
export async function queuedSweep(db: Db<Tables>, asset: AssetKey): Promise<LedgerPayment | null> {
  const row = await db
    .selectFrom('ledger_payments')
    .selectAll()
    .where('purpose', '=', 'sweep')
    .where('asset', 'is not distinct from', asset)
    .where('state', '=', 'queued')
    .executeTakeFirst()
  return row ?? null
}

/** Cancels a sweep, unless its transaction is signed and may still apply. */
export async function cancelSweep(tx: Transaction<Tables>, sweep: LedgerPayment): Promise<void> {
  if (await cancelPayment(tx, sweep.id)) await release(tx, reservationOf(sweep))
}

/** Settings of an asset count from now on; a sweep of it that is not signed yet is canceled. Throws `validation-failed`. */
export async function changeTreasurySettings(
  deps: Deps,
  of: { asset: AssetKey; by: string },
  settings: TreasurySettings,
): Promise<void> {
  const { coldAccount } = settings
  if (coldAccount !== null && (await isOfOtherAnchor(deps, coldAccount)))
    throw invalid('coldAccount', 'must not be an account of an anchor')
  await deps.database.db.transaction().execute(async tx => {
    await addTreasurySettings(deps, tx, of, settings)
    const sweep = await queuedSweep(tx, of.asset)
    if (sweep) await cancelSweep(tx, sweep)
  })
  deps.wake.emit('conditions')
}
