import type { Db } from '@windlass/service/postgres/database.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { finalStatuses } from './status.ts'
import type { Tables, Transaction } from '../tables.ts'

/** What a wallet sent of its customer: SEP-9 names, and `dest` and `dest_extra` of SEP-6, to values. */
export type Details = Readonly<Record<string, string>>

/** What the SEP server itself needs later: where a withdrawal goes. */
const KEPT = ['dest', 'dest_extra']

const contextOf = (transactionId: string) => `transaction:${transactionId}`

/** Bound to the transaction, so that the bytes open in no other row. Null for no details. */
export const sealDetails = (sealer: Sealer, transactionId: string, details: Details): Buffer | null =>
  Object.keys(details).length === 0 ? null : sealer.seal(JSON.stringify(details), contextOf(transactionId))

/** Throws where the key does not fit. */
export const openDetails = (
  sealer: Sealer,
  { id, details, fields }: Pick<Transaction, 'id' | 'details' | 'fields'>,
): Details => (details ? (JSON.parse(sealer.open(details, contextOf(id))) as Details) : fields)

/** Removes what only the business server needs, once it has it. */
export async function forgetDetails({ database, sealer }: Deps, id: string): Promise<void> {
  await database.db.transaction().execute(async tx => {
    const row = await lockDetails(tx).where('id', '=', id).executeTakeFirst()
    if (row) await keepDestination(tx, sealer, row)
  })
}

const lockDetails = (tx: Db<Tables>) =>
  tx.selectFrom('transactions').select(['id', 'details', 'fields']).forUpdate()

const KEPT_DAYS = 400

const AT_ONCE = 500
const BATCHES = 20

/**
 * Removes where ended withdrawals went, once wallets hardly ask any more: the business server has the record. A few at once, so
 * that no wallet waits for the rows of years.
 */
export async function forgetOldDetails({ database, clock }: Pick<Deps, 'database' | 'clock'>): Promise<void> {
  const before = new Date(clock.now().getTime() - KEPT_DAYS * 86_400_000)
  for (let batch = 0; batch < BATCHES; batch++) if ((await forgetSome(database.db, before)) < AT_ONCE) return
}

async function forgetSome(db: Db<Tables>, before: Date): Promise<number> {
  const old = db
    .selectFrom('transactions')
    .select('id')
    .where('updated_at', '<', before)
    .where('status', 'in', [...finalStatuses])
    .where(sql<boolean>`(details is not null or fields <> '{}'::jsonb)`)
    .orderBy('updated_at')
    .limit(AT_ONCE)
    .forUpdate()
    .skipLocked()
  const { numUpdatedRows } = await db
    .updateTable('transactions')
    .set({ details: null, fields: '{}' })
    .where('id', 'in', old)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

async function keepDestination(
  tx: Db<Tables>,
  sealer: Sealer,
  row: Pick<Transaction, 'id' | 'details' | 'fields'>,
): Promise<void> {
  await tx
    .updateTable('transactions')
    .set({ details: sealDetails(sealer, row.id, destinationOf(openDetails(sealer, row))), fields: '{}' })
    .where('id', '=', row.id)
    .execute()
}

const destinationOf = (details: Details): Details =>
  Object.fromEntries(Object.entries(details).filter(([name]) => KEPT.includes(name)))

export const sealedDetails = sealedColumn({
  ...{ table: 'transactions', column: 'details', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
  plain: { columns: { fields: `'{}'` }, textOf: ({ fields }) => fields ?? '{}' },
  keep: text => {
    const kept = destinationOf(JSON.parse(text) as Details)
    return Object.keys(kept).length === 0 ? null : JSON.stringify(kept)
  },
})
