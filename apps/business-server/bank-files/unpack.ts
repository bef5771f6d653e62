import { MAX_STATEMENT_BYTES } from '@windlass/contracts/anchor/bank-files.ts'
import { crc32, inflateRawSync } from 'node:zlib'
import { StatementError } from './statement.ts'

/* Archives in which banks hand out statements (EBICS C53 and the like). */

const MOST_FILES = 100
/** Texts shrink to a twentieth at most; what shrinks more is made to fill a memory. */
const MOST_RATIO = 100
const [FILE, ENTRY, END] = [0x04034b50, 0x02014b50, 0x06054b50]
const END_BYTES = 22
const MOST_COMMENT = 65_535

const isArchive = (bytes: Buffer): boolean => bytes.length >= 4 && bytes.readUInt32LE(0) === FILE

/**
 * The files of a ZIP archive, in the order of its list; what is none is one file.
 *
 * @throws {StatementError} for paths, encryption, too many or too large files, and what is broken.
 */
export function unpack(bytes: Buffer): Buffer[] {
  // A spreadsheet is an archive too, and refused by its name.
  if (!isArchive(bytes) || isSpreadsheet(bytes)) return [bytes]
  const { count, at } = endOf(bytes)
  if (count === 0) throw new StatementError('The archive has no file.')
  if (count > MOST_FILES) throw new StatementError(`The archive has more than ${MOST_FILES} files.`)
  const files: Buffer[] = []
  let [place, total] = [at, 0]
  try {
    for (let index = 0; index < count; index += 1) {
      const entry = entryAt(bytes, place)
      total += entry.size
      if (total > MAX_STATEMENT_BYTES)
        throw new StatementError(
          `The files of the archive have more than ${MAX_STATEMENT_BYTES} bytes. Upload them one by one.`,
        )
      files.push(contentOf(bytes, entry))
      place = entry.next
    }
  } catch (error) {
    if (error instanceof StatementError) throw error
    throw new StatementError('The archive is broken or cut off.')
  }
  return files
}

const isSpreadsheet = (bytes: Buffer): boolean =>
  /\[Content_Types\]|\bxl\/|\.ods/.test(bytes.toString('latin1', 0, 8_192))

function endOf(bytes: Buffer): { count: number; at: number } {
  const from = Math.max(0, bytes.length - END_BYTES - MOST_COMMENT)
  for (let at = bytes.length - END_BYTES; at >= from; at -= 1)
    if (bytes.readUInt32LE(at) === END)
      return { count: bytes.readUInt16LE(at + 10), at: bytes.readUInt32LE(at + 16) }
  throw new StatementError('The archive is broken or cut off.')
}

interface Entry {
  method: number
  crc: number
  packed: number
  size: number
  offset: number
  next: number
}

function entryAt(bytes: Buffer, at: number): Entry {
  if (bytes.readUInt32LE(at) !== ENTRY) throw new StatementError('The archive is broken or cut off.')
  const [flags, method] = [bytes.readUInt16LE(at + 8), bytes.readUInt16LE(at + 10)]
  const [packed, size] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)]
  const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
  const name = bytes.toString('utf8', at + 46, nameEnd)
  const where = `“${name.slice(0, 60)}” in the archive`
  if ((flags & 1) !== 0) throw new StatementError(`${where} is encrypted.`)
  if (/[/\\]|^\.\.?$/.test(name)) throw new StatementError(`${where} is in a folder. Upload the files in it.`)
  if (method !== 0 && method !== 8) throw new StatementError(`${where} is packed in a way that is not read.`)
  if (size > packed * MOST_RATIO) throw new StatementError(`${where} is far larger than a bank’s file.`)
  const next = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  return { method, crc: bytes.readUInt32LE(at + 16), packed, size, offset: bytes.readUInt32LE(at + 42), next }
}

function contentOf(bytes: Buffer, { method, crc, packed, size, offset }: Entry): Buffer {
  if (bytes.readUInt32LE(offset) !== FILE) throw new StatementError('The archive is broken or cut off.')
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
  const data = bytes.subarray(start, start + packed)
  // The size in the list bounds what is made, whatever the data says.
  const content = method === 0 ? data : inflateRawSync(data, { maxOutputLength: size + 1 })
  if (content.length !== size || crc32(content) !== crc)
    throw new StatementError('The archive is broken or cut off.')
  if (isArchive(content))
    throw new StatementError('The archive has an archive in it. Unpack it, and upload the files.')
  return content
}
