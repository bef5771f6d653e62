import { Problem } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { LedgerPayment, Tables, Transfer } from '../tables.ts'
import { bindPayment } from './bound-payments.ts'
import { isOfTransaction } from './of-transaction.ts'
import { waitColumns } from './waits.ts'

/** The oldest payment on the ledger of a transaction that waits because this server did not order it, or not so; null: none. */
export async function findUnboundPayment(db: Db<Tables>, transferId: string): Promise<LedgerPayment | null> {
  const query = db
    .selectFrom('ledger_payments')
    .selectAll()
    .where('transfer_id', '=', transferId)
    .where('state', '=', 'queued')
    .where('wait_code', '=', 'unbound')
    // What takes a balance back pays nobody, and people resend what is paid.
    .where('purpose', '<>', 'reclaim')
    .orderBy('created_at')
    .orderBy('id')
  return (await query.executeTakeFirst()) ?? null
}

/**
 * Orders a payment that waits as it is, in the caller's transaction: two people saw it. Only one that its transaction says,
 * that follows from what came for it, and that the journal never had paid.
 *
 * @throws {Problem} `action-not-possible`
 */
export async function releaseUnboundPayment(
  deps: Pick<Deps, 'binder'>,
  tx: Db<Tables>,
  payment: LedgerPayment,
  transfer: Transfer,
): Promise<void> {
  if (!(await isOfTransaction(tx, payment, transfer)))
    throw new Problem('action-not-possible', 'What would be paid is not what the transaction says.')
  await bindPayment(deps, tx, payment)
  await tx
    .updateTable('ledger_payments')
    .set({ ...waitColumns(null), next_try_at: sql<Date>`now()` })
    .where('id', '=', payment.id)
    .execute()
}
