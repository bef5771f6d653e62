import type { Db } from '@windlass/service/database.ts'
import type { BusinessDatabase } from '../database.ts'

interface NewPayment {
  cause: string
  transfer_id: string | null
  purpose: 'deposit' | 'refund'
  destination: string
  amount: string
  memo: string | null
  memo_type: string | null
  claimable: boolean
}

/** Notes a payment of ours on the ledger, in the caller's transaction; a second one for the same cause is dropped. */
export async function queuePayment(tx: Db<BusinessDatabase>, payment: NewPayment): Promise<void> {
  await tx
    .insertInto('ledger_payments')
    .values({ ...payment, hash: null, waits_for: null, paid_at: null })
    .onConflict(conflict => conflict.column('cause').doNothing())
    .execute()
}
