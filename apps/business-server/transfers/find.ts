import type { Db } from '@windlass/service/database.ts'
import { sql, type Selectable } from 'kysely'
import type { BusinessDatabase } from '../database.ts'
import type { Transfer, TransferStepTable } from './transfer.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export async function findTransfer(db: Db<BusinessDatabase>, id: string): Promise<Transfer | null> {
  if (!UUID.test(id)) return null
  const row = await db.selectFrom('transfers').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Holds the row until the surrounding transaction ends. Throws where there is none. */
export function lockTransfer(tx: Db<BusinessDatabase>, id: string): Promise<Transfer> {
  return tx.selectFrom('transfers').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow()
}

export async function lockByReference(tx: Db<BusinessDatabase>, reference: string): Promise<Transfer | null> {
  const query = tx.selectFrom('transfers').selectAll().where('reference', '=', reference)
  return (await query.forUpdate().executeTakeFirst()) ?? null
}

export async function lockByLedgerMemo(tx: Db<BusinessDatabase>, memo: string): Promise<Transfer | null> {
  if (!/^\d{1,19}$/.test(memo) || BigInt(memo) >= 2n ** 63n) return null
  const query = tx.selectFrom('transfers').selectAll().where('ledger_memo', '=', memo)
  return (await query.forUpdate().executeTakeFirst()) ?? null
}

export function stepsOf(
  db: Db<BusinessDatabase>,
  id: string,
): Promise<Pick<Selectable<TransferStepTable>, 'to_state' | 'why' | 'at'>[]> {
  return db
    .selectFrom('transfer_steps')
    .select(['to_state', 'why', 'at'])
    .where('transfer_id', '=', id)
    .orderBy('id')
    .execute()
}

/** Those that nobody paid or went on with in time. */
export async function overdueTransfers(db: Db<BusinessDatabase>): Promise<string[]> {
  const rows = await db
    .selectFrom('transfers')
    .select('id')
    .where('state', 'in', ['new', 'identifying', 'awaiting_funds'])
    .where('expires_at', '<', sql<Date>`now()`)
    .limit(50)
    .execute()
  return rows.map(({ id }) => id)
}

/** Those that wait for their customer to be identified, of one customer of the centre or of all. */
export async function identifyingTransfers(db: Db<BusinessDatabase>, centralId?: string): Promise<string[]> {
  let query = db
    .selectFrom('transfers')
    .innerJoin('customers', 'customers.id', 'transfers.customer_id')
    .select('transfers.id')
    .where('transfers.state', '=', 'identifying')
  if (centralId) query = query.where('customers.central_id', '=', centralId)
  return (await query.limit(200).execute()).map(({ id }) => id)
}
