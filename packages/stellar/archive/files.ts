import { openAnswer } from '@windlass/service/outbound/open-answer.ts'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** Ledgers that one file of an archive contains. */
const FREQUENCY = 64
const TIMEOUT_MS = 60_000
/** The most that a file may have as it is sent, and unpacked: a ledger of the public network has some 500 KB. */
const MAX_SENT_BYTES = 256 * 1024 * 1024
const MAX_BYTES = 1024 * 1024 * 1024
const MAX_RECORD_BYTES = 64 * 1024 * 1024

/** What an archive publishes of each checkpoint. */
export type FileKind = 'ledger' | 'transactions' | 'results' | 'scp'

/** The last ledger of the checkpoint that contains a ledger. */
export const checkpointOf = (sequence: number): number =>
  Math.floor(sequence / FREQUENCY) * FREQUENCY + FREQUENCY - 1

/** The path of a file in every archive. */
export function pathOf(kind: FileKind, checkpoint: number): string {
  const name = checkpoint.toString(16).padStart(8, '0')
  return `/${kind}/${name.slice(0, 2)}/${name.slice(2, 4)}/${name.slice(4, 6)}/${kind}-${name}.xdr.gz`
}

export interface ArchiveFile {
  url: string
  /** The hash of the compressed file. */
  sha256: string
  /** XDR, those that were asked for. */
  records: Buffer[]
}

/**
 * Reads a file of an archive. Null: it is not published (yet).
 *
 * @param isWanted tells by its first bytes whether a record is kept
 * @throws {Error} where the archive does not answer as one
 */
export async function readFile(
  archive: string,
  { kind, checkpoint }: { kind: FileKind; checkpoint: number },
  isWanted: (record: Buffer) => boolean = () => true,
): Promise<ArchiveFile | null> {
  const url = archive + pathOf(kind, checkpoint)
  const answer = await openAnswer(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!answer.ok) {
    answer.cancel()
    if (answer.status === 404 || answer.status === 403) return null
    throw new Error(`${url} answered ${answer.status}`)
  }
  const hash = createHash('sha256')
  const sent = Readable.from(counted(answer.body, hash))
  const plain = sent.pipe(createGunzip())
  sent.on('error', error => plain.destroy(error))
  const records: Buffer[] = []
  for await (const record of framed(plain)) if (isWanted(record)) records.push(record)
  return { url, sha256: hash.digest('hex'), records }
}

async function* counted(body: AsyncIterable<Uint8Array>, hash: ReturnType<typeof createHash>) {
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_SENT_BYTES) throw new Error('the file is too large')
    hash.update(chunk)
    yield chunk
  }
}

/** Records begin with their length, whose highest bit is set (RFC 5531, section 11). */
async function* framed(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let [chunks, held, total]: [Buffer[], number, number] = [[], 0, 0]
  let needed = 4
  for await (const chunk of bytes) {
    total += chunk.length
    if (total > MAX_BYTES) throw new Error('the file is too large')
    chunks.push(chunk)
    held += chunk.length
    while (held >= needed) {
      const all: Buffer = chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)
      const length = all.readUInt32BE(0) & 0x7fff_ffff
      if (length > MAX_RECORD_BYTES) throw new Error('a record is too large')
      if (held < 4 + length) {
        ;[chunks, needed] = [[all], 4 + length]
        break
      }
      yield all.subarray(4, 4 + length)
      const rest = all.subarray(4 + length)
      ;[chunks, held, needed] = [[rest], rest.length, 4]
    }
  }
  if (held > 0) throw new Error('the file ends within a record')
}
