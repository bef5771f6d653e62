import type { Origin } from '@windlass/service/observe/current-request.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import type { Tables, Transfer } from '../tables.ts'
import { type Destination, sealDestination } from './destination.ts'

/* What changes of a transfer beside its state, which `move.ts` alone changes. */

/** Sets the request that a transfer began with: its page may have been opened before its event came. */
export async function setOrigin(db: Db<Tables>, id: string, origin: Origin): Promise<void> {
  await db
    .updateTable('transfers')
    .set({ origin: JSON.stringify(origin) })
    .where('id', '=', id)
    .execute()
}

/** Changes what the customer typed on the pages, while nothing is agreed. */
export async function changeTyped(
  { database, sealer }: Pick<Deps, 'database' | 'sealer'>,
  id: string,
  {
    destination,
    ...typed
  }: { amount?: string | null; rail?: string; currency?: string; destination: Destination },
): Promise<void> {
  await database.db
    .updateTable('transfers')
    .set({ ...typed, sealed_destination: sealDestination(sealer, id, destination), destination: '{}' })
    .where('id', '=', id)
    .where('state', '=', 'new')
    .execute()
}

/** What the page posts to the window that opened it (SEP-24 `postMessage`). */
export async function setPagePosts(
  db: Db<Tables>,
  id: string,
  posts: { callback?: 'postMessage'; posts_changes?: true },
): Promise<void> {
  await db.updateTable('transfers').set(posts).where('id', '=', id).execute()
}

/** Links a transfer to a customer who came back after being deleted. */
export async function linkCustomer(db: Db<Tables>, id: string, customerId: string): Promise<void> {
  await db
    .updateTable('transfers')
    .set({ customer_id: customerId })
    .where('id', '=', id)
    .where('customer_id', 'is', null)
    .execute()
}

/** A claimable balance that nobody claimed was paid to the account instead. */
export async function noteRedelivered(tx: Db<Tables>, id: string, hash: string): Promise<void> {
  await tx
    .updateTable('transfers')
    .set({ ledger_hash: hash, claimable_balance_id: null, message: null })
    .where('id', '=', id)
    .execute()
}

export async function noteMessage(tx: Db<Tables>, id: string, message: string | null): Promise<void> {
  await tx.updateTable('transfers').set({ message, notice: null }).where('id', '=', id).execute()
}

/** As {@link noteMessage}, by a code that the customer's pages say in their language. Wallets get {@link notices}. */
export async function setNotice(
  tx: Db<Tables>,
  id: string,
  notice: NonNullable<Transfer['notice']>,
): Promise<void> {
  const change = { notice, message: notices[notice] }
  await tx.updateTable('transfers').set(change).where('id', '=', id).execute()
}

export const notices: Readonly<Record<NonNullable<Transfer['notice']>, string>> = {
  'paid-already': 'Your payment arrived and the asset was sent to your account. Do not pay again.',
  'waits-for-treasury':
    'The anchor cannot pay out this amount at the moment. It continues as soon as it can.',
}

/** A customer is deleted. */
export async function unlinkCustomer(tx: Db<Tables>, customerId: string): Promise<void> {
  await tx.updateTable('transfers').set({ customer_id: null }).where('customer_id', '=', customerId).execute()
}

/** Has a withdrawal say what was paid for it and by whom, in the caller's transaction. */
export async function correctPayment(
  tx: Db<Tables>,
  id: string,
  paid: Pick<Transfer, 'amount' | 'stellar_account'>,
): Promise<void> {
  await tx.updateTable('transfers').set(paid).where('id', '=', id).execute()
}
