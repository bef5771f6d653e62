import type { Db } from '@windlass/service/database.ts'
import type { BusinessDatabase } from '../database.ts'

/** The transactions on the ledger by which a transfer's payments went back, in their order. */
export async function refundHashes(db: Db<BusinessDatabase>, transferId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('ledger_payments')
    .select('hash')
    .where('transfer_id', '=', transferId)
    .where('purpose', '=', 'refund')
    .where('state', '=', 'paid')
    .orderBy('paid_at')
    .execute()
  return rows.flatMap(({ hash }) => hash ?? [])
}
