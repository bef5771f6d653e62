import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

/** A member of an archive: from a file on disk, or from text. */
export type Member = { name: string } & ({ path: string } | { text: string })

const BLOCK = 512
const NAME_BYTES = 100
const LARGEST_OCTAL = 8 ** 11

/** The bytes of a tar archive (POSIX ustar) of these members; each is readable by its owner alone. */
export async function* tarOf(members: Iterable<Member>, at: Date): AsyncGenerator<Buffer> {
  for (const member of members) {
    const text = 'text' in member ? Buffer.from(member.text) : null
    const size = text?.length ?? (await stat((member as { path: string }).path)).size
    yield header(member.name, size, at)
    let written = 0
    for await (const chunk of text ? [text] : createReadStream((member as { path: string }).path)) {
      const bytes = chunk as Buffer
      written += bytes.length
      yield bytes
    }
    if (written !== size) throw new Error(`${member.name} changed while it was archived`)
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
  }
  yield Buffer.alloc(2 * BLOCK)
}

function header(name: string, size: number, at: Date): Buffer {
  if (Buffer.byteLength(name) > NAME_BYTES) throw new Error(`the name ${name} is too long for an archive`)
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, offset: number, length: number) =>
    block.write(value.toString(8).padStart(length - 1, '0'), offset)
  block.write(name, 0)
  octal(0o600, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  // Beyond 8 GiB as a binary number, which every tar of today reads.
  if (size < LARGEST_OCTAL) octal(size, 124, 12)
  else block.writeUInt8(0x80, 124) && block.writeBigUInt64BE(BigInt(size), 128)
  octal(Math.floor(at.getTime() / 1_000), 136, 12)
  block.write('        ', 148)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  )
  return block
}

/** Calls `visit` for each member with its bytes as they come; throws where the archive is cut or spoilt. */
export async function readTar(
  bytes: AsyncIterable<Buffer>,
  visit: (name: string) => { chunk(bytes: Buffer): void; end(): void },
): Promise<void> {
  let pending = Buffer.alloc(0)
  let current: { left: number; padding: number; sink: ReturnType<typeof visit> } | null = null
  let ended = false
  for await (const chunk of bytes) {
    pending = Buffer.concat([pending, chunk])
    while (!ended) {
      if (current && current.left > 0) {
        if (pending.length === 0) break
        const part = pending.subarray(0, current.left)
        current.sink.chunk(part)
        current.left -= part.length
        pending = pending.subarray(part.length)
      } else if (current) {
        if (pending.length < current.padding) break
        pending = pending.subarray(current.padding)
        current.sink.end()
        current = null
      } else {
        if (pending.length < BLOCK) break
        const block = pending.subarray(0, BLOCK)
        pending = pending.subarray(BLOCK)
        if (block.every(byte => byte === 0)) ended = true
        else current = begin(block, visit)
      }
    }
  }
  if (!ended || current) throw new Error('the archive is cut off')
}

function begin(block: Buffer, visit: Parameters<typeof readTar>[1]) {
  const sum = parseInt(block.toString('latin1', 148, 154), 8)
  const zeroed = Buffer.from(block).fill(0x20, 148, 156)
  if (sum !== zeroed.reduce((total, byte) => total + byte, 0)) throw new Error('the archive is spoilt')
  const name = block.toString('utf8', 0, NAME_BYTES).replace(/\0.*$/s, '')
  const large = (block[124] ?? 0) & 0x80
  const left = large ? Number(block.readBigUInt64BE(128)) : parseInt(block.toString('latin1', 124, 135), 8)
  return { left, padding: (BLOCK - (left % BLOCK)) % BLOCK, sink: visit(name) }
}
