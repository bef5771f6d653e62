/*
 * Keys as people see them (SEP-23): version byte, payload, CRC-16, in base32. Our own, because the Stellar SDK takes
 * some fifty megabytes of memory, which a server that only reads addresses and challenges has better uses for.
 */

const versions = {
  /** `G…`: an account's public key, 32 bytes. */
  account: { byte: 6 << 3, size: 32 },
  /** `S…`: its secret seed, 32 bytes. */
  seed: { byte: 18 << 3, size: 32 },
  /** `M…`: a muxed account, public key and 64-bit id. */
  muxed: { byte: 12 << 3, size: 40 },
} as const
export type KeyKind = keyof typeof versions

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const valueOf = new Map([...ALPHABET].map((letter, value) => [letter, value]))

/** `G…`, `S…` or `M…` of a payload of the right size. */
export function encodeKey(kind: KeyKind, payload: Uint8Array): string {
  const { byte, size } = versions[kind]
  if (payload.length !== size) throw new Error(`a key of this kind has ${size} bytes`)
  const body = Buffer.concat([Buffer.from([byte]), payload])
  return base32(Buffer.concat([body, checksum(body)]))
}

/** The bytes behind a key of that kind; null for every text that is none, or is written in another than its one form. */
export function decodeKey(kind: KeyKind, text: string): Buffer | null {
  const { byte, size } = versions[kind]
  if (text.length !== Math.ceil(((size + 3) * 8) / 5)) return null
  const bytes = fromBase32(text)
  if (bytes?.length !== size + 3 || bytes[0] !== byte) return null
  const body = bytes.subarray(0, size + 1)
  if (!checksum(body).equals(bytes.subarray(size + 1))) return null
  // Bits that fill up the last letter have one right value.
  return base32(bytes) === text ? body.subarray(1) : null
}

function base32(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(held >> (bits - 5)) & 31]
    held &= (1 << bits) - 1
  }
  return bits > 0 ? text + ALPHABET[(held << (5 - bits)) & 31] : text
}

function fromBase32(text: string): Buffer | null {
  const bytes = Buffer.alloc(Math.floor((text.length * 5) / 8))
  let at = 0
  let held = 0
  let bits = 0
  for (const letter of text) {
    const value = valueOf.get(letter)
    if (value === undefined) return null
    held = (held << 5) | value
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = held >> bits
    held &= (1 << bits) - 1
  }
  return bytes
}

/** CRC-16/XMODEM, low byte first. */
function checksum(bytes: Uint8Array): Buffer {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff
  }
  const sum = Buffer.alloc(2)
  sum.writeUInt16LE(crc)
  return sum
}
