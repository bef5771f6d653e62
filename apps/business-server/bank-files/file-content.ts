import { StatementError, type Chunks } from './statement.ts'
import { MAX_STATEMENT_BYTES, type StatementFormat } from '@windlass/contracts/anchor/bank-files.ts'
import { crc32, inflateRawSync } from 'node:zlib'

/* What a file is before its lines are read: its letters, the files of an archive, and its format. */

/** The letters of DOS (code page 850) from 0x80, which banks' old programs write. */
const DOS =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤' +
  'ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'

/** A name that `TextDecoder` knows, or `dos`. */
export type Encoding = string

/** The encoding of a whole file: what it says itself, else UTF-8, else that of Windows or DOS whose letters fit. */
export function encodingOf(bytes: Buffer): Encoding {
  const [, declared] =
    /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)["']/.exec(bytes.toString('latin1', 0, 200)) ?? []
  if (declared && !/^utf-?8$/i.test(declared) && isKnown(declared)) return declared
  if (isUtf8(bytes)) return 'utf-8'
  const some = bytes.subarray(0, LOOKED_AT)
  return fitOf(decoderOf('dos').decode(some)) > fitOf(decoderOf('windows-1252').decode(some))
    ? 'dos'
    : 'windows-1252'
}

/** How a file begins, as text. */
const startOf = (bytes: Buffer): string =>
  new TextDecoder(utf16(bytes) ?? 'windows-1252')
    .decode(bytes.subarray(0, 8_192))
    .replace(/^(\uFEFF|ï»¿)/, '')

const LOOKED_AT = 1024 * 1024

/**
 * The text of a file, which may be in UTF-16 if it begins so.
 *
 * @throws {StatementError} where the bytes are not text in the encoding.
 */
export async function* readText(chunks: Chunks, encoding: Encoding): AsyncGenerator<string> {
  let decoder: Pick<TextDecoder, 'decode'> | undefined
  try {
    for await (const chunk of chunks) {
      decoder ??= decoderOf(utf16(chunk) ?? encoding)
      yield decoder.decode(chunk, { stream: true })
    }
    yield decoder?.decode() ?? ''
  } catch (cause) {
    if (cause instanceof TypeError)
      throw new StatementError(`The file is not text in ${encoding.toUpperCase()}.`)
    throw cause
  }
}

function decoderOf(encoding: Encoding): Pick<TextDecoder, 'decode'> {
  if (encoding !== 'dos') return new TextDecoder(encoding, { fatal: true })
  return {
    decode: (chunk = new Uint8Array()) =>
      Buffer.from(chunk as Uint8Array)
        .toString('latin1')
        .replaceAll(/[\u0080-\u00ff]/g, letter => DOS[letter.charCodeAt(0) - 0x80] ?? ''),
  }
}

function utf16([first, second]: Uint8Array): Encoding | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

function isKnown(encoding: string): boolean {
  try {
    return new TextDecoder(encoding).encoding !== ''
  } catch {
    return false
  }
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/**
 * How many letters beyond ASCII stand in words as letters do (small ones behind a letter, capitals beside capitals), less
 * those that do not. Æ of DOS is the apostrophe of Windows.
 */
function fitOf(text: string): number {
  const all = text.match(/[^\P{L}A-Za-zÆæ]/gu) ?? []
  const fit = text.match(/(?<=\p{L})[^\P{Ll}a-zæ](?!\p{Lu})|(?<!\p{Ll})[^\P{Lu}A-ZÆ](?=\p{L}|$)/gmu) ?? []
  return 2 * fit.length - all.length
}

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

/** What our exports of money at a rail say of themselves, so that nobody's statement is what we wrote. */
export const EXPORT_MARK = 'WINDLASS-EXPORT'

/** The columns of our files: the journal, fees, transactions of the console, payouts for banks in India. */
const heads = [
  ['at', 'entry', 'kind', 'transaction', 'account', 'unit', 'amount'],
  ['day', 'rail', 'direction', 'transactions', 'fees', 'rounding', 'unit'],
  ['id', 'created', 'kind', 'status', 'account', 'memo', 'amount', 'fee', 'rail', 'rail_amount', 'currency'],
  ['Transaction Type', 'Beneficiary Name', 'Beneficiary Account Number'],
]
const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/** Exports of release 0.1, which have no mark: our names of entries stand where banks have theirs. */
const unmarked = [
  /<MsgId>([\w-]+)<\/MsgId>.*<Stmt><Id>\1<\/Id>.*<NtryRef>[0-9a-f]{32}<\/NtryRef>.*<BkTxCd><Prtry>/,
  new RegExp(`<TRNUID>0</TRNUID>.*<FITID>${UUID}</FITID>`),
]

/** Whether a file is one that we made. A spreadsheet may have saved its columns with another delimiter, or quoted. */
export function isOwnExport(start: string): boolean {
  if (start.includes(EXPORT_MARK) || unmarked.some(form => form.test(start))) return true
  const [first = ''] = start.split(/\r?\n/, 1)
  return heads.some(
    names =>
      first
        .replaceAll('"', '')
        .split(/[,;\t|]/)
        .slice(0, names.length)
        .join() === names.join(),
  )
}

const READ = 'Statements are read as camt.053, camt.054, MT940, OFX and CSV, returns over ACH as NACHA.'

/** What people upload that is no statement, by how it begins. */
const others: readonly [begins: RegExp, what: string][] = [
  [/^%PDF/, 'The file is a PDF.'],
  [/^PK[^]*(\[Content_Types\]|\bxl\/|\.ods)/, 'The file is a spreadsheet. Save it as CSV.'],
  [/^\u00D0\u00CF\u0011\u00E0/, 'The file is a document of an office program. Save a spreadsheet as CSV.'],
  [
    /^(PK|\u001F\u2039|7z\u00BC\u00AF|Rar!)/,
    'The file is an archive that is not read. Unpack it, and upload the files in it.',
  ],
  [/^\s*!(Type|Account|Option):/i, 'The file is QIF.'],
  [/^01,\w*,\w*,\d{6},\d{0,4},/, 'The file is BAI2.'],
  [/^\s*<(!doctype\s+html|html)/i, 'The file is a web page.'],
  [/^\s*[[{]\s*["{[\]}]/, 'The file is JSON.'],
  [
    /^(?![^]*:60[FM]:)[^]*:34F:/,
    'The file is an MT942, a report within the day, whose bookings may change. Upload the MT940 of the whole day.',
  ],
  [
    /BkToCstmrAcctRpt|camt\.052/,
    'The file is a camt.052, a report within the day, whose bookings may change. Upload the camt.053 of the whole day.',
  ],
]

const OFX = /^\s*(OFXHEADER|(<\?xml[^>]*>\s*)?<(\?OFX|OFX))/i

/**
 * The format of a file.
 *
 * @param given what the person says that it is
 * @throws {StatementError} for what is no statement, naming it.
 */
export function formatOf(bytes: Buffer, given?: StatementFormat): StatementFormat {
  const start = startOf(bytes)
  if (isOwnExport(start))
    throw new StatementError(
      'The file is an export of Windlass: its lines are in the journal already. Upload the statement that your bank made.',
    )
  const known = others.find(([begins]) => begins.test(start))
  if (known) throw new StatementError(`${known[1]} ${READ}`)
  if (NACHA.test(start)) return 'nacha'
  if (given) return given
  if (OFX.test(start)) return 'ofx'
  if (/^\s*</.test(start)) return /BkToCstmrDbtCdtNtfctn|camt\.054/.test(start) ? 'camt.054' : 'camt.053'
  return /^(\s*\{1:|\s*:20:)|\n[^\S\n]*:(20|60[FM]):/.test(start) ? 'mt940' : 'csv'
}

const NACHA = /^101[ \d]{10}.{10}\d{6}[ \d]{4}[A-Z\d]094101/
