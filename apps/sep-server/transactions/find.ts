import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { SepDatabase } from '../database.ts'
import type { NewTransaction, Transaction, TransactionChange } from './transaction.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whose transactions: one session of SEP-10. */
export interface Owner {
  account: string
  memo: string | null
}

export function insertTransaction(db: Db<SepDatabase>, row: NewTransaction): Promise<Transaction> {
  return db.insertInto('transactions').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function findTransaction(db: Db<SepDatabase>, id: string): Promise<Transaction | null> {
  if (!UUID.test(id)) return null
  const row = await db.selectFrom('transactions').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Holds the row until the surrounding transaction ends. */
export async function lockTransaction(db: Db<SepDatabase>, id: string): Promise<Transaction | null> {
  if (!UUID.test(id)) return null
  const query = db.selectFrom('transactions').selectAll().where('id', '=', id)
  return (await query.forUpdate().executeTakeFirst()) ?? null
}

export function changeTransaction(
  db: Db<SepDatabase>,
  id: string,
  change: TransactionChange,
): Promise<Transaction> {
  return db
    .updateTable('transactions')
    .set({ ...change, updated_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export interface Lookup {
  id?: string
  stellar_transaction_id?: string
  external_transaction_id?: string
}

/** One of the owner's, by whichever id is given. */
export async function findOwned(
  db: Db<SepDatabase>,
  sep: '6' | '24',
  owner: Owner,
  lookup: Lookup,
): Promise<Transaction | null> {
  if (lookup.id !== undefined && !UUID.test(lookup.id)) return null
  let query = owned(db, sep, owner)
  if (lookup.id !== undefined) query = query.where('id', '=', lookup.id)
  if (lookup.stellar_transaction_id !== undefined) {
    query = query.where('stellar_transaction_id', '=', lookup.stellar_transaction_id)
  }
  if (lookup.external_transaction_id !== undefined) {
    query = query.where('external_transaction_id', '=', lookup.external_transaction_id)
  }
  return (await query.executeTakeFirst()) ?? null
}

export interface ListFilter {
  kinds?: readonly Transaction['kind'][]
  no_older_than?: Date
  limit: number
  /** Begins after this transaction. */
  paging_id?: string
}

/** The owner's, newest first. */
export async function listOwned(
  db: Db<SepDatabase>,
  sep: '6' | '24',
  owner: Owner,
  filter: ListFilter,
): Promise<Transaction[]> {
  let query = owned(db, sep, owner)
  if (filter.kinds) query = query.where('kind', 'in', filter.kinds)
  if (filter.no_older_than) query = query.where('started_at', '>=', filter.no_older_than)
  if (filter.paging_id !== undefined) {
    const start = await findOwned(db, sep, owner, { id: filter.paging_id })
    if (!start) return []
    query = query.where(sql<boolean>`(started_at, id) < (${start.started_at}, ${start.id})`)
  }
  return query.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(filter.limit).execute()
}

function owned(db: Db<SepDatabase>, sep: '6' | '24', { account, memo }: Owner) {
  return db
    .selectFrom('transactions')
    .selectAll()
    .where('sep', '=', sep)
    .where('account', '=', account)
    .where(sql<boolean>`account_memo is not distinct from ${memo}`)
}
