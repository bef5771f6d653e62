import { parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { type RawBuilder, sql } from 'kysely'
import { createHash } from 'node:crypto'
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

export async function payoutsWithIds(db: Db<Tables>, ids: readonly string[]): Promise<BankPayout[]> {
  if (ids.length === 0) return []
  return db.selectFrom('bank_payouts').selectAll().where('id', 'in', ids).execute()
}

/** The payouts with these codes. */
export async function payoutsNamed(db: Db<Tables>, codes: readonly string[]): Promise<BankPayout[]> {
  if (codes.length === 0) return []
  return db.selectFrom('bank_payouts').selectAll().where('code', 'in', codes).orderBy('id').execute()
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

/** A file of payouts that was canceled and made again has the next attempt's code. */
const MOST_ATTEMPTS = 10
/** Sums that are tried to find the payouts of a file. */
const MOST_TRIALS = 20_000

/**
 * What a bank shows with a payment of the whole file: from its payouts, so that an older state of the database, which
 * lacks the file, finds them.
 */
export function payoutFileCode(payouts: readonly { id: string }[], attempt = 0): string {
  const ids = payouts.map(({ id }) => id).sort()
  const hash = createHash('sha256').update(JSON.stringify([attempt, ...ids]))
  return `F${hash.digest('hex').slice(0, 14).toUpperCase()}`
}

/**
 * The payouts of a file that an older state of the database lacks, locked: those among the ones that wait that come to
 * the amount and give the file's code. Empty: there are none.
 */
export async function findPayoutsOfLostFile(
  tx: Db<Tables>,
  rail: string,
  code: string,
  total: bigint,
): Promise<BankPayout[]> {
  const payouts = await tx
    .selectFrom('bank_payouts')
    .selectAll()
    .where('rail', '=', rail)
    .where('file_id', 'is', null)
    .where('ended_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .forUpdate()
    .execute()
  const codes = (chosen: readonly BankPayout[]) =>
    Array.from({ length: MOST_ATTEMPTS }, (_, attempt) => payoutFileCode(chosen, attempt))
  return findSum(payouts, total, chosen => codes(chosen).includes(code)) ?? []
}

/** The payouts that come to the total and fit; the oldest first, since a file takes all that wait. */
function findSum(
  payouts: readonly BankPayout[],
  total: bigint,
  fits: (chosen: readonly BankPayout[]) => boolean,
): BankPayout[] | null {
  let trials = 0
  const search = (from: number, left: bigint, chosen: BankPayout[]): BankPayout[] | null => {
    trials += 1
    if (left === 0n) return chosen.length > 0 && fits(chosen) ? chosen : null
    if (left < 0n || trials > MOST_TRIALS) return null
    for (let next = from; next < payouts.length; next += 1) {
      const payout = payouts[next]
      if (!payout) continue
      const found = search(next + 1, left - parseAmount(payout.amount), [...chosen, payout])
      if (found) return found
    }
    return null
  }
  return search(0, total, [])
}

/** The file of a payout that may be at the bank; null: none. */
export async function approvedFileOf(
  tx: Db<Tables>,
  { file_id: id }: BankPayout,
): Promise<{ code: string; approvedAt: Date } | null> {
  if (id === null) return null
  const file = await tx
    .selectFrom('payout_files')
    .select(['code', 'approved_at'])
    .where('id', '=', id)
    .where('state', '=', 'approved')
    .executeTakeFirst()
  return file?.approved_at ? { code: file.code, approvedAt: file.approved_at } : null
}

/** The codes of rejected files that these payouts were in, by payout. */
export async function rejectedCodes(
  db: Db<Tables>,
  payouts: readonly { id: string }[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const codes = new Map<string, string[]>()
  if (payouts.length === 0) return codes
  const rows = await db
    .selectFrom('rejected_payouts')
    .innerJoin('payout_files', 'payout_files.id', 'rejected_payouts.file_id')
    .select(['payout_id', 'code'])
    .where(
      'payout_id',
      'in',
      payouts.map(({ id }) => id),
    )
    .execute()
  for (const { payout_id: id, code } of rows) codes.set(id, [...(codes.get(id) ?? []), code])
  return codes
}

/** The codes of the files that a payout is in, or was in before the bank rejected them. */
export async function codesOfFiles(db: Db<Tables>, payout: BankPayout): Promise<string[]> {
  const rejected = (await rejectedCodes(db, [payout])).get(payout.id) ?? []
  if (payout.file_id === null) return [...rejected]
  const { code } = await db
    .selectFrom('payout_files')
    .select('code')
    .where('id', '=', payout.file_id)
    .executeTakeFirstOrThrow()
  return [code, ...rejected]
}

/** The payouts that left a file when it was rejected, locked; empty: no rejected file has this code. */
export function lockPayoutsOfRejectedFile(tx: Db<Tables>, code: string): Promise<BankPayout[]> {
  return tx
    .selectFrom('bank_payouts')
    .selectAll()
    .where('id', 'in', eb =>
      eb
        .selectFrom('rejected_payouts')
        .innerJoin('payout_files', 'payout_files.id', 'rejected_payouts.file_id')
        .select('payout_id')
        .where('code', '=', code),
    )
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Whether a line's money goes back by a payout that has not ended, or that is held, in a query of another table. */
export const isLineSentBack = (
  line: RawBuilder<string>,
  isHeld: (payout: RawBuilder<string>) => RawBuilder<boolean>,
) => sql<boolean>`exists (select from bank_payouts p where p.line_id = ${line}
  and (p.ended_at is null or ${isHeld(sql`p.id`)}))`

/** A statement says how the payout ended. */
export async function endPayout(tx: Db<Tables>, id: string): Promise<void> {
  await tx
    .updateTable('bank_payouts')
    .set({ ended_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute()
}

/** Whether the payout of a withdrawal is in no file and has not ended. */
export async function isPayoutWaiting(db: Db<Tables>, transferId: string): Promise<boolean> {
  return exists(
    db
      .selectFrom('bank_payouts')
      .select('id')
      .where('kind', '=', 'payout')
      .where('transfer_id', '=', transferId)
      .where('file_id', 'is', null)
      .where('ended_at', 'is', null),
  )
}

export async function findPayout(db: Db<Tables>, id: string): Promise<BankPayout | null> {
  const query = db.selectFrom('bank_payouts').selectAll().where('id', '=', id)
  return (await query.executeTakeFirst()) ?? null
}

/** The newest payout of a withdrawal, locked; null: there is none yet. */
export async function lockPayoutOfTransfer(tx: Db<Tables>, transferId: string): Promise<BankPayout | null> {
  const row = await tx
    .selectFrom('bank_payouts')
    .selectAll()
    .where('kind', '=', 'payout')
    .where('transfer_id', '=', transferId)
    // One that came back may be paid again.
    .orderBy('created_at', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

/** The payout of a deposit's return that has not ended, locked; null: nothing of it goes back. */
export async function lockOpenReturn(tx: Db<Tables>, order: NewPayout | null): Promise<BankPayout | null> {
  if (order === null) return null
  await queuePayout(tx, order)
  const [payout] = await lockPayouts(tx, [payoutCode(order.id)])
  return payout?.ended_at === null ? payout : null
}

/** What ended the payout was taken back: it is at the bank, or waits, as before. */
export async function reopenPayout(tx: Db<Tables>, id: string): Promise<void> {
  await tx.updateTable('bank_payouts').set({ ended_at: null }).where('id', '=', id).execute()
}

/**
 * Ends a return that waits for a file, also one that the rail does not have yet, so that it goes into none.
 *
 * @returns its code; null: it is in a file, or has ended.
 */
export async function cancelWaitingReturn(
  tx: Db<Tables>,
  payout: Pick<NewPayout, 'id' | 'rail' | 'amount' | 'currency' | 'line_id'>,
): Promise<string | null> {
  await queuePayout(tx, { ...payout, kind: 'return', transfer_id: null })
  const canceled = await tx
    .updateTable('bank_payouts')
    .set({ ended_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', payout.id)
    .where('file_id', 'is', null)
    .where('ended_at', 'is', null)
    .returning('code')
    .executeTakeFirst()
  return canceled?.code ?? null
}
