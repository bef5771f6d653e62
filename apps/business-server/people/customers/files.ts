import { MAX_FILE_BYTES } from '@windlass/contracts/anchor/anchor-platform.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import { Problem, unavailable } from '@windlass/service/http/problem.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql } from 'kysely'
import { fileContext, pieceContext } from './seal-details.ts'
import type { Deps } from '../../deps.ts'
import type { CustomerFile, Tables } from '../../tables.ts'

/** SEP-9's files, such as a passport's photograph. */
export interface OpenedFile {
  name: string
  mediaType: string
  pieces: AsyncIterable<Buffer>
}

const MAX_FILES = 20
/** So many bytes are in memory of a file, a few times over. Base64 of pieces can be joined: it is a multiple of three. */
const PIECE_BYTES = 192 * 1024
/** Longer than any upload: what is not whole then was cut off. */
const CUT_OFF = sql`interval '5 minutes'`
/** A day, as the SEP server's list of files says, and an hour for its clock. */
const WAIT_HOURS = 25
/** What waits of all customers together: the database must not fill with files that nobody names. */
const WAITING_BYTES = 2 * 1024 ** 3

type Store = Pick<Deps, 'database' | 'sealer'>

/**
 * Keeps a file as its bytes come, sealed in pieces, until a change of a customer names it by `id`. Its type is what its first
 * bytes say; it is scanned once it is whole. Throws `validation-failed`, `dependency-unavailable` where a configured scanner
 * does not answer; nothing is kept then. A file that is there already is not stored again: the answer to it may be lost.
 */
export async function receiveFile(
  deps: Pick<Deps, 'database' | 'sealer' | 'scanner' | 'logger'>,
  { id, name }: { id: string; name: string },
  bytes: AsyncIterable<Buffer>,
): Promise<{ mediaType: string; size: number }> {
  const { db } = deps.database
  let [number, size, mediaType] = [0, 0, '']
  let stored: { mediaType: string; size: number } | null = null
  try {
    for await (const piece of inPieces(bytes)) {
      size += piece.length
      if (size > MAX_FILE_BYTES) throw refused(name, 'is larger than 10 MB')
      // Read to its end: the sender hears no answer before.
      if (stored) continue
      if (number === 0) {
        mediaType = mediaTypeOf(piece) ?? ''
        if (!mediaType) throw refused(name, 'must be a JPEG, PNG, WebP, HEIC or PDF file')
        stored = await startFile(db, id, mediaType)
        if (stored) continue
      }
      const sealed = deps.sealer.seal(piece.toString('base64'), pieceContext(id, number))
      await db.insertInto('customer_file_pieces').values({ file_id: id, number, sealed }).execute()
      number++
    }
    if (stored) return stored
    if (number === 0) throw refused(name, 'is not a file')
    await requireClean(deps, name, piecesOf(deps, id))
    await db.updateTable('customer_files').set({ size }).where('id', '=', id).where(isWaiting).execute()
  } catch (error) {
    // Where the first piece failed, a file of this id may be another request's: leave it.
    if (number > 0) await deleteWaitingFile(db, id)
    throw error
  }
  return { mediaType, size }
}

/** @returns the file that is there already under this id. Throws `dependency-unavailable` while it is received. */
async function startFile(
  db: Db<Tables>,
  id: string,
  mediaType: string,
): Promise<{ mediaType: string; size: number } | null> {
  const before = db.deleteFrom('customer_files').where('id', '=', id).where(isWaiting).where('size', '=', 0)
  await before.where('created_at', '<', sql<Date>`now() - ${CUT_OFF}`).execute()
  await requireRoom(db)
  const added = await db
    .insertInto('customer_files')
    .values({ id, media_type: mediaType, size: 0 })
    .onConflict(conflict => conflict.column('id').doNothing())
    .executeTakeFirst()
  if (added.numInsertedOrUpdatedRows === 1n) return null
  const stored = await db
    .selectFrom('customer_files')
    .select(['media_type as mediaType', 'size'])
    .where('id', '=', id)
    .where('size', '>', 0)
    .executeTakeFirst()
  if (stored) return stored
  throw new Problem('dependency-unavailable', 'The file is being received. Try again in a few minutes.')
}

/** One whose bytes are still coming may be of any size. */
async function requireRoom(db: Db<Tables>): Promise<void> {
  const { bytes } = await db
    .selectFrom('customer_files')
    .select(
      sql<string>`coalesce(sum(case when size = 0 then ${MAX_FILE_BYTES} else size end), 0)`.as('bytes'),
    )
    .where(isWaiting)
    .executeTakeFirstOrThrow()
  if (Number(bytes) < WAITING_BYTES) return
  throw new Problem(
    'dependency-unavailable',
    'Too many files wait for their customers. Try again in an hour.',
  )
}

async function* inPieces(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let [held, size]: [Buffer[], number] = [[], 0]
  for await (const chunk of bytes) {
    held.push(chunk)
    size += chunk.length
    while (size >= PIECE_BYTES) {
      const all = Buffer.concat(held)
      yield all.subarray(0, PIECE_BYTES)
      ;[held, size] = [[all.subarray(PIECE_BYTES)], size - PIECE_BYTES]
    }
  }
  if (size > 0) yield Buffer.concat(held)
}

async function requireClean(
  { scanner, logger }: Pick<Deps, 'scanner' | 'logger'>,
  name: string,
  pieces: AsyncIterable<Buffer>,
): Promise<void> {
  if (!scanner) return
  const found = await scanner.scan(pieces).catch((cause: unknown) => {
    throw unavailable('The scanner of files', cause)
  })
  if (found === null) return
  logger.warn({ field: name, found }, 'a file was refused: the scanner found malware')
  throw refused(name, 'was refused by the malware scanner')
}

function mediaTypeOf(bytes: Buffer): string | null {
  const at = (offset: number, text: string) =>
    bytes.subarray(offset, offset + text.length).equals(Buffer.from(text, 'latin1'))
  if (at(0, '\xff\xd8\xff')) return 'image/jpeg'
  if (at(0, '\x89PNG\r\n\x1a\n')) return 'image/png'
  if (at(0, '%PDF-')) return 'application/pdf'
  if (at(0, 'RIFF') && at(8, 'WEBP')) return 'image/webp'
  const heic = ['heic', 'heix', 'mif1', 'msf1'].some(brand => at(8, brand))
  return at(4, 'ftyp') && heic ? 'image/heic' : null
}

/** Bound to customer and name: a row that is moved to another customer opens nowhere. */
const nameOfFile = (id: string) => `pieces:${id}`

/**
 * Which of the files wait. The others the customer has under this name already: the answer to an earlier request may be lost.
 * Throws `validation-failed` where a file is neither, or the customer would have more than are kept.
 */
export async function requireFiles(
  db: Db<Tables>,
  customerId: string | undefined,
  files: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  if (Object.keys(files).length === 0) return {}
  const kept = customerId === undefined ? [] : await listFiles({ database: { db } }, customerId)
  const isKept = ([name, id]: [string, string]) => kept.some(each => each.name === name && each.id === id)
  const named = Object.entries(files).filter(each => !isKept(each))
  const ids = named.map(([, id]) => id).filter(isUuid)
  const waiting = await db
    .selectFrom('customer_files')
    .select('id')
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('size', '>', 0)
    .where(isWaiting)
    .execute()
  const missing = named.find(([, id]) => !waiting.some(each => each.id === id))
  if (missing) throw refused(missing[0], 'is not a file that was uploaded, or has expired')
  if (new Set([...kept.map(({ name }) => name), ...Object.keys(files)]).size > MAX_FILES)
    throw new Problem('validation-failed', `at most ${MAX_FILES} files are kept`)
  return Object.fromEntries(named)
}

/** Gives a customer files that wait, by name; one of the same name replaces the older one. Throws `validation-failed`. */
export async function attachFiles(
  tx: Db<Tables>,
  sealer: Sealer,
  customerId: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  if (Object.keys(files).length === 0) return
  // Under the customer's lock, so that two uploads at once keep to the bound.
  await tx.selectFrom('customers').select('id').where('id', '=', customerId).forUpdate().execute()
  for (const [name, id] of Object.entries(await requireFiles(tx, customerId, files))) {
    await tx
      .deleteFrom('customer_files')
      .where('customer_id', '=', customerId)
      .where('name', '=', name)
      .execute()
    const sealed = sealer.seal(nameOfFile(id), fileContext(customerId, name))
    const { numUpdatedRows } = await tx
      .updateTable('customer_files')
      .set({ customer_id: customerId, name, sealed, created_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .where(isWaiting)
      .executeTakeFirst()
    // Another request named it meanwhile, or this one twice.
    if (numUpdatedRows === 0n) throw refused(name, 'is not a file that was uploaded, or has expired')
  }
}

/** The stored files of a customer, by name. */
export function listFiles(
  { database }: { database: { db: Db<Tables> } },
  customerId: string,
): Promise<CustomerFile[]> {
  return database.db
    .selectFrom('customer_files')
    .select(['id', 'name', 'media_type', 'size', 'created_at'])
    .where('customer_id', '=', customerId)
    .orderBy('name')
    .$narrowType<{ name: string }>()
    .execute()
}

/** A file, whose pieces are opened as they are read; null if there is none. */
export async function openFile(store: Store, customerId: string, name: string): Promise<OpenedFile | null> {
  const row = await store.database.db
    .selectFrom('customer_files')
    .select(['id', 'media_type', 'sealed'])
    .where(sql`customer_id::text`, '=', customerId)
    .where('name', '=', name)
    .executeTakeFirst()
  if (!row?.sealed) return null
  const text = store.sealer.open(row.sealed, fileContext(customerId, name))
  return { name, mediaType: row.media_type, pieces: piecesIn(store, row.id, text) }
}

/** All files of a customer. */
export async function openFiles(store: Store, customerId: string): Promise<OpenedFile[]> {
  const opened = []
  for (const { name } of await listFiles(store, customerId))
    opened.push(await openFile(store, customerId, name))
  return opened.filter(file => file !== null)
}

function piecesIn(store: Store, id: string, text: string): AsyncIterable<Buffer> {
  if (text === nameOfFile(id)) return piecesOf(store, id)
  // Base64 has no colon.
  if (text.includes(':')) throw new Error('a file is not the one that its row names')
  return onePiece(Buffer.from(text, 'base64'))
}

/** A file of an earlier release. */
export async function* onePiece(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** Throws where pieces are missing or were exchanged. */
export async function* piecesOf({ database, sealer }: Store, id: string): AsyncGenerator<Buffer> {
  const sizes = database.db.selectFrom('customer_files').select('size').where('id', '=', id)
  const { size = 0 } = (await sizes.executeTakeFirst()) ?? {}
  let read = 0
  for (let number = 0; ; number++) {
    const row = await database.db
      .selectFrom('customer_file_pieces')
      .select('sealed')
      .where('file_id', '=', id)
      .where('number', '=', number)
      .executeTakeFirst()
    if (!row) break
    const piece = Buffer.from(sealer.open(row.sealed, pieceContext(id, number)), 'base64')
    read += piece.length
    yield piece
  }
  // It is 0 until the file is whole.
  if (size > 0 && read !== size) throw new Error('pieces of a file are missing')
}

/** What is kept of the files of a customer who is deleted: which they are, or, of an earlier release, all of it. */
export type KeptFile = { name: string; mediaType: string } & ({ id: string } | { base64: string })

export async function filesToKeep({ database, sealer }: Store, customerId: string): Promise<KeptFile[]> {
  const rows = await database.db
    .selectFrom('customer_files')
    .select(['id', 'name', 'media_type', 'sealed'])
    .where('customer_id', '=', customerId)
    .orderBy('name')
    .execute()
  return rows.flatMap(({ id, name, media_type: mediaType, sealed }) => {
    if (!sealed || name === null) return []
    const text = sealer.open(sealed, fileContext(customerId, name))
    return [{ name, mediaType, ...(text === nameOfFile(id) ? { id } : { base64: text }) }]
  })
}

/** Sets files apart with their customer, who is deleted next. */
export async function moveFiles(tx: Db<Tables>, files: readonly KeptFile[], keptId: string): Promise<void> {
  const ids = files.flatMap(file => ('id' in file ? [file.id] : []))
  if (ids.length === 0) return
  await tx
    .updateTable('customer_files')
    .set({ customer_id: null, name: null, sealed: null, kept_id: keptId })
    .where('id', 'in', ids)
    .execute()
}

/** Deletes a file that no change of a customer will name; nothing where a customer has it. */
export async function deleteWaitingFile(db: Db<Tables>, id: string): Promise<void> {
  await db.deleteFrom('customer_files').where('id', '=', id).where(isWaiting).execute()
}

/** Deletes files that no change of a customer named in time. */
export async function deleteWaitingFiles(db: Db<Tables>): Promise<void> {
  await db
    .deleteFrom('customer_files')
    .where(isWaiting)
    .where('created_at', '<', sql<Date>`now() - make_interval(hours => ${WAIT_HOURS})`)
    .execute()
}

const isWaiting = sql<boolean>`customer_id is null and kept_id is null`

const refused = (name: string, why: string) => new Problem('validation-failed', `${name} ${why}`)
