import type { TreasurySettings } from '@windlass/contracts/business-server.ts'
import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/database.ts'
import { sql, type Transaction } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { LedgerPayment, Tables } from '../tables.ts'
import { addTreasurySettings, getTreasurySettings } from '../treasury/settings.ts'
import { CapacityError, readTreasury, release, reserve } from '../treasury/treasury.ts'
import { SWEEP_MEMO } from './cause.ts'
import { cancelPayment, queuePayment, reservationOf } from './ledger-payments.ts'

/**
 * One sweep in an hour, of a fortieth of what is issued at most: the signer's limit for an hour is a tenth by default,
 * and customers' payments need the rest. Of an existing asset the limit is two of the largest transfer, and a sweep half of one.
 */
const SHARE_OF_ISSUED = 40n
/** Of the ceiling: less is not worth a fee. */
const LEAST_SHARE = 100n

/** Sends what exceeds the ceiling to the cold account. Only what nothing has reserved is sent. */
export async function sweepExcess(deps: Deps): Promise<void> {
  const { ceiling, coldAccount } = await getTreasurySettings(deps)
  if (ceiling === null || coldAccount === null) return
  const { db } = deps.database
  if (await hasRecentSweep(db)) return
  const { capacity } = await readTreasury(deps)
  const amount = sweepAmount(deps, capacity, parseAmount(ceiling))
  if (amount === null) return
  const cause = `sweep:${randomUUID()}`
  try {
    await db.transaction().execute(async tx => {
      await reserve(deps, tx, cause, amount, null)
      await queuePayment(tx, {
        cause,
        transfer_id: null,
        purpose: 'sweep',
        destination: coldAccount,
        amount: formatAmount(amount),
        memo: SWEEP_MEMO,
        memo_type: 'text',
        claimable: false,
      })
    })
  } catch (error) {
    if (!(error instanceof CapacityError)) throw error
  }
  deps.wake.emit('ledgerPayments')
}

function sweepAmount({ config }: Deps, free: Amount, ceiling: Amount): Amount | null {
  const excess = free - ceiling
  if (excess <= 0n || excess < ceiling / LEAST_SHARE) return null
  const { asset, limits } = config.anchor.plan
  const most = asset.issuer ? parseAmount(limits.max) / 2n : parseAmount(asset.issued) / SHARE_OF_ISSUED
  return amountOf(excess < most ? excess : most)
}

/** A sweep that is not paid yet, or was paid in the last hour. */
async function hasRecentSweep(db: Db<Tables>): Promise<boolean> {
  const row = await db
    .selectFrom('ledger_payments')
    .select('id')
    .where('purpose', '=', 'sweep')
    .where(where =>
      where.or([
        where('state', '=', 'queued'),
        where.and([where('state', '=', 'paid'), where('paid_at', '>', sql<Date>`now() - interval '1 hour'`)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The sweep that waits; null: none. */
export async function queuedSweep(db: Db<Tables>): Promise<LedgerPayment | null> {
  const row = await db
    .selectFrom('ledger_payments')
    .selectAll()
    .where('purpose', '=', 'sweep')
    .where('state', '=', 'queued')
    .executeTakeFirst()
  return row ?? null
}

/** Cancels a sweep, unless its transaction is signed and may still apply. */
export async function cancelSweep(tx: Transaction<Tables>, sweep: LedgerPayment): Promise<void> {
  if (await cancelPayment(tx, sweep.id)) await release(tx, reservationOf(sweep))
}

/** Settings count from now on; a sweep that is not signed yet is canceled. Throws `validation-failed`. */
export async function changeTreasurySettings(
  deps: Deps,
  by: string,
  settings: TreasurySettings,
): Promise<void> {
  await deps.database.db.transaction().execute(async tx => {
    await addTreasurySettings(deps, tx, by, settings)
    const sweep = await queuedSweep(tx)
    if (sweep) await cancelSweep(tx, sweep)
  })
  deps.wake.emit('conditions')
}
