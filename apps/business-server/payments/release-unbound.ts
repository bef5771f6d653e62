import { parseAmount } from '@windlass/money/amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { wasRecorded } from '../money/journal/journal.ts'
import type { LedgerPayment, Tables, Transfer } from '../tables.ts'
import { bindPayment } from './bound-payments.ts'
import { findReceipt } from './rail-receipts.ts'
import { waitColumns } from './waits.ts'

/** The oldest payment on the ledger of a transaction that waits because this server did not order it, or not so; null: none. */
export async function findUnboundPayment(db: Db<Tables>, transferId: string): Promise<LedgerPayment | null> {
  const query = db
    .selectFrom('ledger_payments')
    .selectAll()
    .where('transfer_id', '=', transferId)
    .where('state', '=', 'queued')
    .where('wait_code', '=', 'unbound')
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
  if (!(await isOf(tx, payment, transfer)) || (await wasRecorded(tx, `payment:${payment.cause}`)))
    throw new Problem('action-not-possible', 'What would be paid is not what the transaction says.')
  await bindPayment(deps, tx, payment)
  await tx
    .updateTable('ledger_payments')
    .set({ ...waitColumns(null), next_try_at: sql<Date>`now()` })
    .where('id', '=', payment.id)
    .execute()
}

function isOf(tx: Db<Tables>, payment: LedgerPayment, transfer: Transfer): Promise<boolean> {
  if (payment.asset !== transfer.asset) return Promise.resolve(false)
  return payment.purpose === 'refund' ? isRefundOf(tx, payment, transfer) : isDepositOf(tx, payment, transfer)
}

async function isDepositOf(tx: Db<Tables>, payment: LedgerPayment, transfer: Transfer): Promise<boolean> {
  const { id, claimable_balance_id: balance, rail, rail_payment_id: paymentId } = transfer
  const cause = payment.purpose === 'redelivery' ? `redelivery:${balance}` : `deposit:${id}`
  const came = await findReceipt(tx, rail, paymentId ?? '')
  return (
    transfer.direction === 'deposit' &&
    payment.cause === cause &&
    payment.destination === transfer.stellar_account &&
    parseAmount(payment.amount) === parseAmount(transfer.amount ?? '0') &&
    came?.transfer_id === id &&
    came.outcome === 'accepted'
  )
}

/** No more than came for it, to who paid, and once. */
async function isRefundOf(tx: Db<Tables>, payment: LedgerPayment, transfer: Transfer): Promise<boolean> {
  const [came, another] = await tx
    .selectFrom('ledger_receipts')
    .select(['amount', 'sender'])
    .where('transfer_id', '=', transfer.id)
    .where('outcome', 'in', ['accepted', 'returned'])
    .limit(2)
    .execute()
  if (!came || another || transfer.state !== 'returning') return false
  const isBack = baseAccount(payment.destination) === came.sender
  return isBack && parseAmount(payment.amount) <= parseAmount(came.amount) && !(await isRefunded(tx, payment))
}

/** Whether the transaction has another refund, made or under way. */
const isRefunded = (tx: Db<Tables>, { id, transfer_id }: LedgerPayment): Promise<boolean> =>
  exists(
    tx
      .selectFrom('ledger_payments')
      .select('id')
      .where('transfer_id', '=', transfer_id)
      .where('purpose', '=', 'refund')
      .where('id', '<>', id)
      .where('state', '<>', 'canceled')
      .where(sql<boolean>`wait_code is distinct from 'unbound'`),
  )
