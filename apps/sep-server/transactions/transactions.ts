import { statuses, type TransactionSep } from '@windlass/contracts/anchor/anchor-platform.ts'
import { compiled } from '@windlass/service/postgres/compiled.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import { finalStatuses } from './status.ts'
import type { NewTransaction, Owner, Tables, Transaction, TransactionChange } from '../tables.ts'

/** Open transactions of one customer before any payment is received. */
const MAX_OPEN = 50
/** Direct payments of an anchor, which has many customers, before it pays. */
const MAX_OPEN_DIRECT = 1_000

/** Bounds the transactions that wait for a customer. Serializes the customer's starts. Throws `too-many-requests`. */
export async function checkOpenTransactions(
  tx: Db<Tables>,
  { account, memo }: Owner,
  sep: TransactionSep,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`open:${account}:${memo ?? ''}`}, 0))`.execute(tx)
  const most = sep === '31' ? MAX_OPEN_DIRECT : MAX_OPEN
  const { open } = await tx
    .selectFrom('transactions')
    .select(sql<string>`count(*)`.as('open'))
    .where('account', '=', account)
    .where(sql<boolean>`account_memo is not distinct from ${memo}`)
    .where('sep', sep === '31' ? '=' : '<>', '31')
    .where('transfer_received_at', 'is', null)
    .where('status', 'not in', finalStatuses)
    .executeTakeFirstOrThrow()
  if (Number(open) < most) return
  throw new Problem('too-many-requests', `At most ${most} transactions of a customer can be open.`, {
    headers: { 'retry-after': '600' },
  })
}

export function insertTransaction(db: Db<Tables>, row: NewTransaction): Promise<Transaction> {
  return db.insertInto('transactions').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function findTransaction(db: Db<Tables>, id: string): Promise<Transaction | null> {
  if (!isUuid(id)) return null
  const row = await db.selectFrom('transactions').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Locks the row until the database transaction ends. */
export async function lockTransaction(db: Db<Tables>, id: string): Promise<Transaction | null> {
  if (!isUuid(id)) return null
  const query = db.selectFrom('transactions').selectAll().where('id', '=', id)
  return (await query.forUpdate().executeTakeFirst()) ?? null
}

export function changeTransaction(
  db: Db<Tables>,
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

interface Lookup {
  id?: string
  stellar_transaction_id?: string
  external_transaction_id?: string
}

/** A transaction of the owner, by any of its ids. */
export async function findOwned(
  db: Db<Tables>,
  sep: TransactionSep,
  owner: Owner,
  lookup: Lookup,
): Promise<Transaction | null> {
  const { id, stellar_transaction_id, external_transaction_id } = lookup
  if (id !== undefined && !isUuid(id)) return null
  if (id !== undefined && stellar_transaction_id === undefined && external_transaction_id === undefined)
    return (await ownedById(db, { sep, ...owner, id }))[0] ?? null
  let query = owned(db, sep, owner)
  if (id !== undefined) query = query.where('id', '=', id)
  if (stellar_transaction_id !== undefined)
    query = query.where('stellar_transaction_id', '=', stellar_transaction_id)
  if (external_transaction_id !== undefined)
    query = query.where('external_transaction_id', '=', external_transaction_id)
  return (await query.executeTakeFirst()) ?? null
}

interface ListFilter {
  /** In SEP-38's form: transactions of any of these. */
  assets: readonly string[]
  kinds?: readonly Transaction['kind'][]
  no_older_than?: Date
  limit: number
  /** Only transactions after this one. */
  paging_id?: string
}

/** Transactions of the owner, newest first; null for an unknown `paging_id`. */
export async function listOwned(
  db: Db<Tables>,
  sep: '6' | '24',
  owner: Owner,
  filter: ListFilter,
): Promise<Transaction[] | null> {
  const { assets } = filter
  let query = owned(db, sep, owner).where(({ or, eb }) =>
    or([eb('source_asset', 'in', assets), eb('destination_asset', 'in', assets)]),
  )
  if (filter.kinds) query = query.where('kind', 'in', filter.kinds)
  if (filter.no_older_than) query = query.where('started_at', '>=', filter.no_older_than)
  if (filter.paging_id !== undefined) {
    const start = await findOwned(db, sep, owner, { id: filter.paging_id })
    if (!start) return null
    query = query.where(sql<boolean>`(started_at, id) < (${start.started_at}, ${start.id})`)
  }
  return query.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(filter.limit).execute()
}

function owned(db: Db<Tables>, sep: TransactionSep, { account, memo }: Owner) {
  return db
    .selectFrom('transactions')
    .selectAll()
    .where('sep', '=', sep)
    .where('account', '=', account)
    .where(sql<boolean>`account_memo is not distinct from ${memo}`)
}

/** What wallets ask most. */
const ownedById = compiled((db: Db<Tables>, of: Owner & { sep: TransactionSep; id: string }) =>
  owned(db, of.sep, of).where('id', '=', of.id),
)

/** The newest SEP-6 transaction of the owner that still asks for details by SEP-12. */
export const findWaitingForKyc = (db: Db<Tables>, owner: Owner): Promise<Transaction | undefined> =>
  owned(db, '6', owner)
    .where('status', '=', 'pending_customer_info_update')
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Transactions of all wallets for `get_transactions` and `GET /transactions` (Platform API): newest first, in pages. */
export async function listTransactions(db: Db<Tables>, params: unknown): Promise<Transaction[]> {
  const { sep, statuses: wanted, page_size, page_number } = (params ?? {}) as Record<string, unknown>
  const limit = bounded(page_size, 20, 100)
  let query = db.selectFrom('transactions').selectAll()
  if (sep === '6' || sep === '24' || sep === '31') query = query.where('sep', '=', sep)
  const names = typeof wanted === 'string' ? wanted.split(',') : Array.isArray(wanted) ? wanted : []
  const chosen = statuses.filter(status => names.includes(status))
  if (chosen.length > 0) query = query.where('status', 'in', chosen)
  return query
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .offset(bounded(page_number, 0, 1_000_000) * limit)
    .execute()
}

function bounded(value: unknown, fallback: number, max: number): number {
  const number = Number(value ?? fallback)
  return Number.isInteger(number) && number >= 0 ? Math.min(number, max) : fallback
}
