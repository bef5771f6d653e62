import type { Principals } from '@windlass/contracts/realm.ts'
import type { Sep12File } from '@windlass/contracts/wallet/sep12.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { CustomerFile, Tables } from '../tables.ts'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'

type Wallet = Principals['wallet']

/** How long an uploaded file waits for the `PUT /customer` that names it. */
const WAIT_HOURS = 24
/** Limits of waiting files: of an account, of a client's network (anyone can create accounts), and in total. */
const WAITING_OF_ACCOUNT = 10
const WAITING_OF_CLIENT = 40
const WAITING_BYTES = 512 * 1024 * 1024
/** A client with nothing waiting may still upload until as much waits. */
const WAITING_BYTES_AT_MOST = 2 * WAITING_BYTES

/** A file as the business server accepts it. */
export const dataUrl = (type: string, bytes: Buffer): string =>
  `data:${type};base64,${bytes.toString('base64')}`

/** Until the business server has it. */
export const sealedFiles = sealedColumn({
  ...{ table: 'customer_files', column: 'sealed', key: ['id'] },
  contextOf: ({ id }) => id,
})

/** `POST /customer/files`: stores a file until a `PUT /customer` names it. Throws 400 unless it is a picture or a PDF. */
export async function storeFile(
  deps: Deps,
  wallet: Wallet,
  bytes: Buffer,
  client: string,
): Promise<Sep12File> {
  const type = fileKind('file', bytes)
  const id = `file_${randomUUID()}`
  const row = await deps.database.db.transaction().execute(async tx => {
    await checkQuota(tx, wallet, client, deps.config.local)
    return tx
      .insertInto('customer_files')
      .values({
        id,
        account: wallet.account,
        account_memo: wallet.memo,
        content_type: type,
        size: bytes.length,
        sealed: deps.sealer.seal(dataUrl(type, bytes), id),
        customer_id: null,
        base_account: baseAccount(wallet.account),
        client,
        expires_at: new Date(deps.clock.now().getTime() + WAIT_HOURS * 3_600_000),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return fileForm(row)
}

async function checkQuota(tx: Db<Tables>, wallet: Wallet, client: string, local: boolean): Promise<void> {
  const account = baseAccount(wallet.account)
  // Two uploads at once must not both take the last place.
  await sql`select pg_advisory_xact_lock(hashtextextended('files', 0))`.execute(tx)
  const waiting = await tx
    .selectFrom('customer_files')
    .select([
      sql<string>`count(*) filter (where base_account = ${account})`.as('own'),
      sql<string>`count(*) filter (where client = ${client})`.as('clients'),
      sql<string>`coalesce(sum(size), 0)`.as('bytes'),
    ])
    .where('sealed', 'is not', null)
    .executeTakeFirstOrThrow()
  // On a developer's machine everything comes from one address.
  const ofClient = local ? 0 : Number(waiting.clients)
  const room = ofClient === 0 ? WAITING_BYTES_AT_MOST : WAITING_BYTES
  const full = Number(waiting.own) >= WAITING_OF_ACCOUNT || ofClient >= WAITING_OF_CLIENT
  if (full || Number(waiting.bytes) >= room) {
    throw new Problem('too-many-requests', 'Too many files are waiting. Name them in PUT /customer first.', {
      headers: { 'retry-after': '3600' },
    })
  }
}

/** `GET /customer/files`: files of this wallet, by file or customer. */
export async function listFiles(
  deps: Deps,
  wallet: Wallet,
  { file_id, customer_id }: { file_id?: string; customer_id?: string },
): Promise<{ files: Sep12File[] }> {
  if (!file_id && !customer_id) throw badRequest('file_id or customer_id is needed')
  let query = owned(deps.database.db, wallet).selectAll()
  if (file_id) query = query.where('id', '=', file_id)
  if (customer_id) query = query.where('customer_id', '=', customer_id)
  const rows = await query.orderBy('created_at').limit(200).execute()
  return { files: rows.map(fileForm) }
}

/** Decrypts the files that `…_file_id` fields name, as SEP-9 fields. Throws 400 for an unknown file. */
export async function openFiles(
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
    if (!row?.sealed) throw badRequest(`${field}_file_id is not a file of this account, or has expired`)
    opened[field] = deps.sealer.open(row.sealed, id)
  }
  return opened
}

/** The business server has these files: only their metadata is kept. */
export async function markForwarded(deps: Deps, ids: readonly string[], customerId: string): Promise<void> {
  if (ids.length === 0) return
  await deps.database.db
    .updateTable('customer_files')
    .set({ sealed: null, customer_id: customerId, client: null })
    .where('id', 'in', ids)
    .execute()
}

/** Deletes files that no `PUT /customer` named in time. */
export async function deleteExpiredFiles(db: Db<Tables>): Promise<void> {
  await db
    .deleteFrom('customer_files')
    .where('sealed', 'is not', null)
    .where('expires_at', '<', sql<Date>`now()`)
    .execute()
}

function owned(db: Db<Tables>, { account, memo }: Wallet) {
  return db
    .selectFrom('customer_files')
    .where('account', '=', account)
    .where(sql<boolean>`account_memo is not distinct from ${memo}`)
}

const fileForm = (row: CustomerFile): Sep12File => ({
  file_id: row.id,
  content_type: row.content_type,
  size: row.size,
  ...(row.sealed ? { expires_at: row.expires_at.toISOString() } : {}),
  ...(row.customer_id ? { customer_id: row.customer_id } : {}),
})

const kinds: readonly { type: string; fits(bytes: Buffer): boolean }[] = [
  { type: 'image/jpeg', fits: bytes => at(bytes, 0, '\xff\xd8\xff') },
  { type: 'image/png', fits: bytes => at(bytes, 0, '\x89PNG\r\n\x1a\n') },
  { type: 'application/pdf', fits: bytes => at(bytes, 0, '%PDF-') },
  { type: 'image/webp', fits: bytes => at(bytes, 0, 'RIFF') && at(bytes, 8, 'WEBP') },
  {
    // ISO base media: "ftyp" and the brands that phones use.
    type: 'image/heic',
    fits: bytes =>
      at(bytes, 4, 'ftyp') && ['heic', 'heix', 'mif1', 'msf1'].some(brand => at(bytes, 8, brand)),
  },
]

const at = (bytes: Buffer, offset: number, text: string) =>
  bytes.subarray(offset, offset + text.length).equals(Buffer.from(text, 'latin1'))

/** The media type by the file's first bytes; the declared type is ignored. Throws 400 for other types. */
export function fileKind(name: string, bytes: Buffer): string {
  const found = kinds.find(({ fits }) => fits(bytes))
  if (!found) throw badRequest(`'${name}' cannot be decoded. Must be jpg, png, webp, heic or pdf.`)
  return found.type
}
