import { exists } from '@windlass/service/postgres/exists.ts'
import { type Selectable, sql } from 'kysely'
import type { PlatformDb } from '../tables.ts'
import type { AnchorAccountsTable } from '../customer-tables.ts'
import { newId } from '../ids.ts'

/** A ledger account, and the memo that tells people apart where one account is many people's. */
export interface Account {
  /** `G…`, `M…` or `C…` */
  account: string
  memo: string | null
}

/** An account with which a customer signed in at an anchor. */
export type AnchorAccount = Selectable<AnchorAccountsTable>

/** How long an account waits for the customer. */
const WAIT_DAYS = 30

/** Whether one person alone has the account: then it can be a wallet, which counts at every anchor. */
export const isOwn = ({ account, memo }: Account): boolean => memo === null && account.startsWith('G')

/** The memo of a row. */
export const memoOf = ({ memo }: Pick<AnchorAccount, 'memo'>): string | null => memo || null

const stored = ({ account, memo }: Account) => ({ account, memo: memo ?? '' })

/** Records with which account a customer signs in at an anchor. A second time changes the same row. */
export async function keepAccount(
  tx: PlatformDb,
  row: Pick<AnchorAccount, 'customer_id' | 'anchor_id' | 'proven'> & { status: 'waiting' | 'confirmed' },
  account: Account,
  now: Date,
): Promise<void> {
  const change = { status: row.status, proven: row.proven, changed_at: now }
  await tx
    .insertInto('anchor_accounts')
    .values({ ...row, ...stored(account), id: newId('acc'), created_at: now, changed_at: now })
    .onConflict(conflict =>
      conflict.columns(['customer_id', 'anchor_id', 'account', 'memo']).doUpdateSet(change),
    )
    .execute()
}

/** A customer's accounts that wait or are confirmed, newest first. */
export const accountsOf = (db: PlatformDb, customerId: string): Promise<AnchorAccount[]> =>
  db
    .selectFrom('anchor_accounts')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('status', '<>', 'removed')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(200)
    .execute()

/** One of a customer's accounts that is not removed, locked. */
export const lockAccount = (
  tx: PlatformDb,
  customerId: string,
  id: string,
): Promise<AnchorAccount | undefined> =>
  tx
    .selectFrom('anchor_accounts')
    .selectAll()
    .where('id', '=', id)
    .where('customer_id', '=', customerId)
    .where('status', '<>', 'removed')
    .forUpdate()
    .executeTakeFirst()

/** Whether the customer has confirmed the account, at whatever anchor. */
export async function isConfirmed(tx: PlatformDb, customerId: string, account: Account): Promise<boolean> {
  return exists(
    tx
      .selectFrom('anchor_accounts')
      .select('id')
      .where('customer_id', '=', customerId)
      .where(sql<boolean>`(account, memo) = (${account.account}, ${account.memo ?? ''})`)
      .where('status', '=', 'confirmed'),
  )
}

/** The customer who has confirmed a shared account at the anchor: of several, the last one. */
export async function ownerAt(db: PlatformDb, anchorId: string, account: Account): Promise<string | null> {
  const row = await db
    .selectFrom('anchor_accounts')
    .select('customer_id')
    .where('anchor_id', '=', anchorId)
    .where(sql<boolean>`(account, memo) = (${account.account}, ${account.memo ?? ''})`)
    .where('status', '=', 'confirmed')
    .orderBy('changed_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.customer_id ?? null
}

/** Where an account of a customer is at the anchor; null: it is not known there. */
export async function statusAt(
  db: PlatformDb,
  anchorId: string,
  customerId: string,
  account: Account,
): Promise<AnchorAccount['status'] | null> {
  const row = await db
    .selectFrom('anchor_accounts')
    .select('status')
    .where('anchor_id', '=', anchorId)
    .where('customer_id', '=', customerId)
    .where(sql<boolean>`(account, memo) = (${account.account}, ${account.memo ?? ''})`)
    .executeTakeFirst()
  return row?.status ?? null
}

/** A wallet of one's own is in the list of wallets once it is confirmed, for every anchor; a shared account stays here. */
export async function settleAccount(tx: PlatformDb, row: AnchorAccount, now: Date): Promise<void> {
  if (isOwn({ account: row.account, memo: memoOf(row) })) {
    await tx
      .deleteFrom('anchor_accounts')
      .where('customer_id', '=', row.customer_id)
      .where('account', '=', row.account)
      .where('memo', '=', row.memo)
      .execute()
    return
  }
  await tx
    .updateTable('anchor_accounts')
    .set({ status: 'confirmed', changed_at: now })
    .where('id', '=', row.id)
    .execute()
}

/** Removes an account of a customer at every anchor. True if there was one. */
export async function removeAccount(
  tx: PlatformDb,
  customerId: string,
  account: Account,
  now: Date,
): Promise<boolean> {
  const rows = await tx
    .updateTable('anchor_accounts')
    .set({ status: 'removed', changed_at: now })
    .where('customer_id', '=', customerId)
    .where(sql<boolean>`(account, memo) = (${account.account}, ${account.memo ?? ''})`)
    .where('status', '<>', 'removed')
    .returning('id')
    .execute()
  return rows.length > 0
}

export async function deleteAccountsOf(tx: PlatformDb, customerId: string): Promise<void> {
  await tx.deleteFrom('anchor_accounts').where('customer_id', '=', customerId).execute()
}

/** Removes accounts that nobody confirmed in time. */
export async function pruneAccounts(db: PlatformDb, now: Date): Promise<void> {
  const before = new Date(now.getTime() - WAIT_DAYS * 86_400_000)
  await db
    .deleteFrom('anchor_accounts')
    .where('status', '=', 'waiting')
    .where('changed_at', '<', before)
    .execute()
}
