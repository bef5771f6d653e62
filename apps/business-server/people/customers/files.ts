import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem, unavailable } from '@windlass/service/http/problem.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql } from 'kysely'
import { fileContext } from './seal-details.ts'
import type { Deps } from '../../deps.ts'
import type { CustomerFile, Tables } from '../../tables.ts'

/** SEP-9's files, such as a passport's photograph. */
export interface GivenFile {
  name: string
  mediaType: string
  bytes: Buffer
}

const MAX_BYTES = 5 * 1024 * 1024
const MAX_FILES = 20

type Store = Pick<Deps, 'database' | 'sealer'>

/** A file that came as a data URL; its type is what its first bytes say. Throws `validation-failed`. */
export function readDataUrl(name: string, dataUrl: string): GivenFile {
  const encoded = /^data:[^,]{0,200};base64,([A-Za-z0-9+/=]*)$/.exec(dataUrl)?.[1]
  if (!encoded) throw refused(name, 'is not a file')
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.length > MAX_BYTES) throw refused(name, 'is larger than 5 MB')
  const mediaType = mediaTypeOf(bytes)
  if (!mediaType) throw refused(name, 'must be a JPEG, PNG, WebP, HEIC or PDF file')
  return { name, mediaType, bytes }
}

/**
 * Scans files before they are stored. Throws `validation-failed` for malware, `dependency-unavailable`
 * where a configured scanner does not answer.
 */
export async function requireClean(
  { scanner, logger }: Pick<Deps, 'scanner' | 'logger'>,
  files: readonly GivenFile[],
): Promise<void> {
  if (!scanner) return
  for (const { name, bytes } of files) {
    const found = await scanner.scan(bytes).catch((cause: unknown) => {
      throw unavailable('The scanner of files', cause)
    })
    if (found === null) continue
    logger.warn({ field: name, found }, 'a file was refused: the scanner found malware')
    throw refused(name, 'was refused by the malware scanner')
  }
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

/** Stores files, sealed; a file of the same name replaces the older one. Throws `validation-failed`. */
export function keepFiles(store: Store, customerId: string, files: readonly GivenFile[]): Promise<void> {
  return store.database.db.transaction().execute(tx => keepFilesIn(tx, store.sealer, customerId, files))
}

/** {@link keepFiles} in the caller's transaction. */
export async function keepFilesIn(
  tx: Db<Tables>,
  sealer: Sealer,
  customerId: string,
  files: readonly GivenFile[],
): Promise<void> {
  if (files.length === 0) return
  // Under the customer's lock, so that two uploads at once keep to the bound.
  await tx.selectFrom('customers').select('id').where('id', '=', customerId).forUpdate().execute()
  for (const { name, mediaType, bytes } of files) {
    const kept = {
      media_type: mediaType,
      size: bytes.length,
      sealed: sealer.seal(bytes.toString('base64'), fileContext(customerId, name)),
    }
    await tx
      .insertInto('customer_files')
      .values({ customer_id: customerId, name, ...kept })
      .onConflict(conflict =>
        conflict
          .columns(['customer_id', 'name'])
          .doUpdateSet({ ...kept, created_at: sql<Date>`clock_timestamp()` }),
      )
      .execute()
  }
  const names = await tx
    .selectFrom('customer_files')
    .select('name')
    .where('customer_id', '=', customerId)
    .execute()
  checkCount(names)
}

/** Throws `validation-failed` for more files than are kept. */
export function checkCount(files: readonly { name: string }[]): void {
  const names = new Set(files.map(({ name }) => name))
  if (names.size > MAX_FILES) throw new Problem('validation-failed', `at most ${MAX_FILES} files are kept`)
}

/** The stored files of a customer, by name. */
export function listFiles({ database }: Pick<Deps, 'database'>, customerId: string): Promise<CustomerFile[]> {
  return database.db
    .selectFrom('customer_files')
    .select(['customer_id', 'name', 'media_type', 'size', 'created_at'])
    .where('customer_id', '=', customerId)
    .orderBy('name')
    .execute()
}

/** A file's bytes; null if there is none. */
export async function openFile(
  { database, sealer }: Store,
  customerId: string,
  name: string,
): Promise<GivenFile | null> {
  const row = await database.db
    .selectFrom('customer_files')
    .select(['media_type', 'sealed'])
    .where(sql`customer_id::text`, '=', customerId)
    .where('name', '=', name)
    .executeTakeFirst()
  if (!row) return null
  const bytes = Buffer.from(sealer.open(row.sealed, fileContext(customerId, name)), 'base64')
  return { name, mediaType: row.media_type, bytes }
}

const refused = (name: string, why: string) => new Problem('validation-failed', `${name} ${why}`)
