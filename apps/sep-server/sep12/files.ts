import type { Principals } from '@windlass/contracts/realm.ts'
import type { Sep12File } from '@windlass/contracts/sep12.ts'
import type { Db } from '@windlass/service/database.ts'
import { Problem } from '@windlass/service/problem.ts'
import { sql, type Selectable } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { CustomerFileTable, SepDatabase } from '../database.ts'
import type { Deps } from '../deps.ts'
import { refused } from '../sep-errors.ts'
import { fileKind } from './file-kind.ts'

type Wallet = Principals['wallet']
type Row = Selectable<CustomerFileTable>

/** How long a file waits to be named in a `PUT /customer`. */
const WAIT_HOURS = 24
/** Files of one wallet, and megabytes of all wallets, that may wait: strangers' keys cost nothing. */
const WAITING_FILES = 10
const WAITING_BYTES = 512 * 1024 * 1024

/** A file as it is handed on: what the business server is given. */
export const dataUrl = (type: string, bytes: Buffer): string =>
  `data:${type};base64,${bytes.toString('base64')}`

/** `POST /customer/files`: keeps a file until it is named. Throws a refusal for what is no picture and no PDF. */
export async function keepFile(deps: Deps, wallet: Wallet, bytes: Buffer): Promise<Sep12File> {
  const type = fileKind('file', bytes)
  const id = `file_${randomUUID()}`
  const row = await deps.database.db.transaction().execute(async tx => {
    await demandRoom(tx, wallet)
    return tx
      .insertInto('customer_files')
      .values({
        id,
        account: wallet.account,
        account_memo: wallet.memo,
        content_type: type,
        size: bytes.length,
        sealed: deps.fileSealer.seal(dataUrl(type, bytes), id),
        customer_id: null,
        expires_at: new Date(deps.clock.now().getTime() + WAIT_HOURS * 3_600_000),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return fileForm(row)
}

async function demandRoom(tx: Db<SepDatabase>, { account }: Wallet): Promise<void> {
  const waiting = await tx
    .selectFrom('customer_files')
    .select([
      sql<string>`count(*) filter (where account = ${account})`.as('own'),
      sql<string>`coalesce(sum(size), 0)`.as('bytes'),
    ])
    .where('sealed', 'is not', null)
    .executeTakeFirstOrThrow()
  if (Number(waiting.own) >= WAITING_FILES || Number(waiting.bytes) >= WAITING_BYTES) {
    throw new Problem('too-many-requests', 'Too many files wait to be named in PUT /customer.', {
      headers: { 'retry-after': '3600' },
    })
  }
}

/** `GET /customer/files`: the wallet's own, by file or customer. */
export async function listFiles(
  deps: Deps,
  wallet: Wallet,
  { file_id, customer_id }: { file_id?: string; customer_id?: string },
): Promise<{ files: Sep12File[] }> {
  if (!file_id && !customer_id) throw refused('file_id or customer_id is needed')
  let query = owned(deps.database.db, wallet).selectAll()
  if (file_id) query = query.where('id', '=', file_id)
  if (customer_id) query = query.where('customer_id', '=', customer_id)
  const rows = await query.orderBy('created_at').limit(200).execute()
  return { files: rows.map(fileForm) }
}

/** The files that `…_file_id` fields name, as fields with their bytes. Throws a refusal for one that is not there. */
export async function openNamedFiles(
  deps: Deps,
  wallet: Wallet,
  named: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const opened: Record<string, string> = {}
  for (const [field, id] of Object.entries(named)) {
    const row = await owned(deps.database.db, wallet)
      .selectAll()
      .where('id', '=', id)
      .where('expires_at', '>', deps.clock.now())
      .executeTakeFirst()
    if (!row?.sealed) throw refused(`${field}_file_id is not a file of this account, or has expired`)
    opened[field] = deps.fileSealer.open(row.sealed, id)
  }
  return opened
}

/** The business server has them now: the bytes go, what they were stays. */
export async function handedOn(deps: Deps, ids: readonly string[], customerId: string): Promise<void> {
  if (ids.length === 0) return
  await deps.database.db
    .updateTable('customer_files')
    .set({ sealed: null, customer_id: customerId })
    .where('id', 'in', ids)
    .execute()
}

/** Forgets files that nobody named in time. */
export async function forgetExpiredFiles(db: Db<SepDatabase>): Promise<void> {
  await db
    .deleteFrom('customer_files')
    .where('sealed', 'is not', null)
    .where('expires_at', '<', sql<Date>`now()`)
    .execute()
}

function owned(db: Db<SepDatabase>, { account, memo }: Wallet) {
  return db
    .selectFrom('customer_files')
    .where('account', '=', account)
    .where(sql<boolean>`account_memo is not distinct from ${memo}`)
}

const fileForm = (row: Row): Sep12File => ({
  file_id: row.id,
  content_type: row.content_type,
  size: row.size,
  ...(row.sealed ? { expires_at: row.expires_at.toISOString() } : {}),
  ...(row.customer_id ? { customer_id: row.customer_id } : {}),
})
