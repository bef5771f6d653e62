import { MAX_FILE_BYTES } from '@windlass/contracts/anchor/anchor-platform.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import type { Sep12File } from '@windlass/contracts/wallet/sep12.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { CustomerFile, Tables } from '../tables.ts'
import type { Deps } from '../deps.ts'
import { badRequest } from '../errors.ts'
import { demandOf } from '../requests/limits.ts'
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

/** When a file whose upload had no answer is deleted again. */
const DROP_AGAIN_MS = 10 * 60_000

const PREFIX = 'file_'

/** Files of an earlier release, which kept them here until the business server had them. */
export const sealedFiles = sealedColumn({
  ...{ table: 'customer_files', column: 'sealed', key: ['id'] },
  contextOf: ({ id }) => id,
})

/**
 * `POST /customer/files`: passes a file on to the business server, where it waits until a `PUT /customer` names it. Throws 400
 * unless it is a picture or a PDF.
 */
export async function storeFile(
  deps: Deps,
  wallet: Wallet,
  bytes: AsyncIterable<Buffer>,
  client: string,
): Promise<Sep12File> {
  const { db } = deps.database
  const uuid = randomUUID()
  const id = PREFIX + uuid
  await db.transaction().execute(async tx => {
    await checkQuota(tx, wallet, client, deps.config.local)
    await tx
      .insertInto('customer_files')
      .values({
        id,
        account: wallet.account,
        account_memo: wallet.memo,
        content_type: '',
        size: 0,
        sealed: null,
        customer_id: null,
        base_account: baseAccount(wallet.account),
        client,
        expires_at: new Date(deps.clock.now().getTime() + WAIT_HOURS * 3_600_000),
      })
      .execute()
  })
  try {
    const { mediaType, size } = await deps.business.putFile(
      { id: uuid, name: 'file' },
      checked('file', bytes),
    )
    const row = await db
      .updateTable('customer_files')
      .set({ content_type: mediaType, size })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return fileForm(row)
  } catch (error) {
    await dropUnanswered(deps, [id])
    throw error
  }
}

/** The files of one `PUT /customer`, passed on as they come: each field's id at the business server. */
export function createUploads(deps: Deps, wallet: Wallet, clientAddress: string) {
  const files: Record<string, string> = {}
  const sent = new Map<string, Promise<unknown>>()
  return {
    files,
    take: async (name: string, bytes: AsyncIterable<Buffer>): Promise<void> => {
      await demandOf(deps.customerFiles, wallet, clientAddress)
      const id = randomUUID()
      const sending = deps.business.putFile({ id, name }, checked(name, bytes))
      sent.set(id, sending)
      await sending
      files[name] = id
    },
    /** After a refusal nobody can name them: they would take the room of others until they expire. */
    drop: async (): Promise<void> => {
      await Promise.allSettled(sent.values())
      await dropFiles(deps, [...sent.keys()])
    },
  }
}

/** Deletes files at the business server that wait there for no `PUT /customer` any more. What fails there expires. */
export async function dropFiles(deps: Deps, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await deps.business
      .deleteFile(id)
      .catch((error: unknown) =>
        deps.logger.warn({ err: error }, 'a file that nobody names waits until it expires'),
      )
}

/**
 * Deletes files that may be at the business server, although its answer was lost. Those that cannot be deleted count among the
 * waiting ones until they can, or have expired there.
 */
async function dropUnanswered(
  { business, database, clock, logger }: Deps,
  ids: readonly string[],
): Promise<void> {
  const { db } = database
  for (const id of ids)
    try {
      await business.deleteFile(businessId(id))
      await db.deleteFrom('customer_files').where('id', '=', id).execute()
    } catch (error) {
      logger.warn({ err: error }, 'a file without an answer could not be deleted yet')
      const soon = new Date(clock.now().getTime() + DROP_AGAIN_MS)
      await db.updateTable('customer_files').set({ expires_at: soon }).where('id', '=', id).execute()
    }
}

/** The id at the business server of a file that a wallet names. */
export const businessId = (fileId: string): string => fileId.slice(PREFIX.length)

const HEAD_BYTES = 12

/** A file's bytes as they come. Throws 400 where the first ones are of no picture or PDF, 413 for more than a file may have. */
async function* checked(name: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let [head, size]: [Buffer | null, number] = [Buffer.alloc(0), 0]
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > MAX_FILE_BYTES) throw new Problem('body-too-large', `'${name}' is larger than 10 MB.`)
    if (head === null) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < HEAD_BYTES) continue
    requireKind(name, head)
    yield head
    head = null
  }
  if (head === null) return
  requireKind(name, head)
  yield head
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
    .where('customer_id', 'is', null)
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
  let query = owned(deps.database.db, wallet).selectAll().where('size', '>', 0)
  if (file_id) query = query.where('id', '=', file_id)
  if (customer_id) query = query.where('customer_id', '=', customer_id)
  const rows = await query.orderBy('created_at').limit(200).execute()
  return { files: rows.map(fileForm) }
}

/**
 * The ids at the business server of files that `…_file_id` fields name, also of those that it gave to the customer already: the
 * wallet may ask again after a lost answer. Throws 400 for an unknown file.
 */
export async function findFiles(
  deps: Deps,
  wallet: Wallet,
  named: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [field, id] of Object.entries(named)) {
    const row = await owned(deps.database.db, wallet)
      .selectAll()
      .where('id', '=', id)
      .where('expires_at', '>', deps.clock.now())
      .where('size', '>', 0)
      .executeTakeFirst()
    if (!row) throw badRequest(`${field}_file_id is not a file of this account, or has expired`)
    found[field] = businessId(row.id)
    if (row.sealed) await passOn(deps, { id: found[field], name: field }, deps.sealer.open(row.sealed, id))
  }
  return found
}

/** A file that an earlier release kept here, as a data URL. */
async function passOn(deps: Deps, file: { id: string; name: string }, dataUrl: string): Promise<void> {
  const bytes = Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64')
  await deps.business.putFile(file, Readable.from([bytes]))
  await deps.database.db
    .updateTable('customer_files')
    .set({ sealed: null })
    .where('id', '=', PREFIX + file.id)
    .execute()
}

/** The business server has given these files to a customer. */
export async function markForwarded(deps: Deps, ids: readonly string[], customerId: string): Promise<void> {
  if (ids.length === 0) return
  await deps.database.db
    .updateTable('customer_files')
    .set({ customer_id: customerId, client: null })
    .where('id', 'in', ids)
    .execute()
}

/** Deletes files that no `PUT /customer` named in time. */
export async function deleteExpiredFiles(deps: Deps): Promise<void> {
  const { db } = deps.database
  const unanswered = await db
    .selectFrom('customer_files')
    .select('id')
    .where('size', '=', 0)
    .where('expires_at', '<', sql<Date>`now()`)
    .where('created_at', '>', sql<Date>`now() - make_interval(hours => ${WAIT_HOURS + 1})`)
    .limit(100)
    .execute()
  await dropUnanswered(
    deps,
    unanswered.map(({ id }) => id),
  )
  await db
    .deleteFrom('customer_files')
    .where('customer_id', 'is', null)
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
  ...(row.customer_id ? { customer_id: row.customer_id } : { expires_at: row.expires_at.toISOString() }),
})

const kinds: readonly ((bytes: Buffer) => boolean)[] = [
  bytes => at(bytes, 0, '\xff\xd8\xff'),
  bytes => at(bytes, 0, '\x89PNG\r\n\x1a\n'),
  bytes => at(bytes, 0, '%PDF-'),
  bytes => at(bytes, 0, 'RIFF') && at(bytes, 8, 'WEBP'),
  // ISO base media: "ftyp" and the brands that phones use.
  bytes => at(bytes, 4, 'ftyp') && ['heic', 'heix', 'mif1', 'msf1'].some(brand => at(bytes, 8, brand)),
]

const at = (bytes: Buffer, offset: number, text: string) =>
  bytes.subarray(offset, offset + text.length).equals(Buffer.from(text, 'latin1'))

/** By the file's first bytes; the declared type is ignored. Throws 400 for other types. */
export function requireKind(name: string, bytes: Buffer): void {
  if (kinds.some(fits => fits(bytes))) return
  throw badRequest(`'${name}' cannot be decoded. Must be jpg, png, webp, heic or pdf.`)
}
