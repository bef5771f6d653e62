import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { BankPayout, Tables } from '../../tables.ts'

type NewPayout = Omit<BankPayout, 'code' | 'sealed_destination' | 'file_id' | 'ended_at' | 'created_at'>

/** What a bank shows with a payout: from the order's id, so that an older state of the database gives the same. */
export const payoutCode = (orderId: string): string =>
  `P${orderId.replaceAll('-', '').slice(0, 14).toUpperCase()}`

/** Adds a payout to those that wait for a file, once for each order. */
export async function queuePayout(db: Db<Tables>, payout: NewPayout): Promise<void> {
  await db
    .insertInto('bank_payouts')
    .values({
      ...payout,
      code: payoutCode(payout.id),
      sealed_destination: null,
      ended_at: null,
    })
    .onConflict(conflict => conflict.column('id').doNothing())
    .execute()
}

/** The payouts with these codes, locked. */
export function lockPayouts(tx: Db<Tables>, codes: readonly string[]): Promise<BankPayout[]> {
  if (codes.length === 0) return Promise.resolve([])
  return tx
    .selectFrom('bank_payouts')
    .selectAll()
    .where('code', 'in', codes)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** The payouts of the file with this code, locked. */
export function lockPayoutsOfFile(tx: Db<Tables>, code: string): Promise<BankPayout[]> {
  return tx
    .selectFrom('bank_payouts')
    .selectAll()
    .where('file_id', '=', eb => eb.selectFrom('payout_files').select('id').where('code', '=', code))
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Whether the file of a payout may be at the bank. */
export async function isInApprovedFile(tx: Db<Tables>, { file_id: id }: BankPayout): Promise<boolean> {
  if (id === null) return false
  const file = await tx.selectFrom('payout_files').select('state').where('id', '=', id).executeTakeFirst()
  return file?.state === 'approved'
}

/** A statement says how the payout ended. */
export async function endPayout(tx: Db<Tables>, id: string): Promise<void> {
  await tx
    .updateTable('bank_payouts')
    .set({ ended_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute()
}

/** The payout of a withdrawal, locked; null: there is none yet. */
export async function lockPayoutOfTransfer(tx: Db<Tables>, transferId: string): Promise<BankPayout | null> {
  const row = await tx
    .selectFrom('bank_payouts')
    .selectAll()
    .where('kind', '=', 'payout')
    .where('transfer_id', '=', transferId)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}
