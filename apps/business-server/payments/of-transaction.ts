import { parseAmount } from '@windlass/money/amount.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'
import { sql } from 'kysely'
import { wasRecorded } from '../money/journal/journal.ts'
import type { LedgerPayment, Tables, Transfer } from '../tables.ts'
import { findReceipt } from './rail-receipts.ts'

/**
 * Whether a payment on the ledger is what its transaction says, follows from what came for it, and the journal, which nobody
 * changes, never had it paid.
 */
export async function isOfTransaction(
  tx: Db<Tables>,
  payment: LedgerPayment,
  transfer: Transfer,
): Promise<boolean> {
  if (payment.asset !== transfer.asset || (await wasRecorded(tx, `payment:${payment.cause}`))) return false
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
