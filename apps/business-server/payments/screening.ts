import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import { isHeld, type Party } from '../compliance/screening.ts'
import { findCustomer, findCustomerById, nameOf } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import type { LedgerPayment, Tables, Transfer } from '../tables.ts'
import { openDestination } from '../transfers/destination.ts'
import { findTransfer } from '../transfers/find.ts'

/** What a payment waits for that sanctions screening holds. */
export const SCREENED = 'An operator must decide about a name like one on a sanctions list.'

/**
 * Whether sanctions screening holds the payments of a transaction, in the caller's transaction. Its customers, who paid and
 * who is paid are compared with the lists.
 *
 * @param beneficiary where the transaction itself does not say who holds the account.
 */
export async function isTransactionHeld(
  deps: Deps,
  tx: Db<Tables>,
  transferId: string,
  beneficiary?: string,
): Promise<boolean> {
  return isHeld(deps, tx, { kind: 'transaction', id: transferId }, async () => {
    const transfer = await findTransfer(tx, transferId)
    return transfer ? partiesOf(deps, tx, transfer, beneficiary) : []
  })
}

/** Whether sanctions screening holds what has not left yet; it then waits for an operator. */
export async function isHeldBack(
  deps: Deps,
  table: 'ledger_payments' | 'rail_orders',
  { id, transfer_id }: Pick<LedgerPayment, 'id' | 'transfer_id'>,
): Promise<boolean> {
  if (transfer_id === null) return false
  const held = await deps.database.db.transaction().execute(async tx => {
    if (!(await isTransactionHeld(deps, tx, transfer_id))) return false
    await tx
      .updateTable(table)
      .set({ next_try_at: sql<Date>`'infinity'`, waits_for: SCREENED })
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .execute()
    return true
  })
  if (held) deps.wake.emit('conditions')
  return held
}

async function partiesOf(
  { database, sealer }: Deps,
  tx: Db<Tables>,
  transfer: Transfer,
  beneficiary?: string,
): Promise<Party[]> {
  const store = { sealer, database: { ...database, db: tx } }
  const { id, account, account_memo: memo, customer_id, receiver_id } = transfer
  const customers = [
    customer_id ? await findCustomerById(store, customer_id) : await findCustomer(store, account, memo),
    receiver_id ? await findCustomerById(store, receiver_id) : null,
  ].filter(customer => customer !== null)
  const { dest_name: name = beneficiary ?? null } = openDestination(sealer, transfer)
  return [
    ...customers.map(customer => ({
      ...({
        subject: { kind: 'customer', id: customer.id },
        role: 'customer',
        name: nameOf(customer),
      } as const),
    })),
    { subject: { kind: 'transaction', id }, role: 'beneficiary', name },
  ]
}

/** Sends what was held, in the caller's transaction: it is compared again first, since something else may hold it. */
export async function releaseScreened(tx: Db<Tables>): Promise<void> {
  for (const table of ['ledger_payments', 'rail_orders'] as const)
    await tx
      .updateTable(table)
      .set({ waits_for: null, next_try_at: sql<Date>`now()` })
      .where('waits_for', '=', SCREENED)
      .where('state', '=', 'queued')
      .execute()
}
