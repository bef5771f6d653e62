import { StrKey } from '@stellar/stellar-sdk/base'
import { createHash } from 'node:crypto'

/*
 * The XDR of a SEP-10 challenge, written and read as the bytes that it is: manageData operations with sources, a time
 * and perhaps an id. The SDK's objects for them cost twenty times the signature. What has another shape is not read
 * here, and left to the SDK.
 */

export interface DataEntry {
  /** `G…` or `M…` */
  source: string
  name: string
  value: string
}

/** A signature and which key it claims to be from. */
export interface DecoratedSignature {
  hint: Buffer
  signature: Buffer
}

/** What a challenge says; `memo` is an id. */
export interface ChallengeParts {
  source: string
  sequence: string
  minTime: number
  maxTime: number
  memo: string | null
  entries: readonly DataEntry[]
}

/** A challenge as bytes: its transaction, and the hash that is signed. */
export interface ChallengeBytes {
  transaction: Buffer
  hash: Buffer
}

const ENVELOPE_TYPE_TX = 2
const KEY_TYPE_ED25519 = 0
const KEY_TYPE_MUXED = 0x100
const PRECOND_TIME = 1
const MEMO_NONE = 0
const MEMO_ID = 2
const OPERATION_MANAGE_DATA = 10
const FEE_OF_OPERATION = 100
const PADDING = [Buffer.alloc(0), Buffer.alloc(3), Buffer.alloc(2), Buffer.alloc(1)] as const

const u32 = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}
const [NO, YES] = [u32(0), u32(1)]

/** The XDR of a muxed account: that of `M…` has the number before the key, its text behind it. */
function accountBytes(address: string): Buffer {
  if (address.startsWith('G')) {
    return Buffer.concat([u32(KEY_TYPE_ED25519), Buffer.from(StrKey.decodeEd25519PublicKey(address))])
  }
  const raw = Buffer.from(StrKey.decodeMed25519PublicKey(address))
  return Buffer.concat([u32(KEY_TYPE_MUXED), raw.subarray(32), raw.subarray(0, 32)])
}

function opaque(bytes: Buffer): Buffer {
  return Buffer.concat([u32(bytes.length), bytes, PADDING[bytes.length % 4] ?? NO])
}

function entryBytes({ source, name, value }: DataEntry): Buffer {
  return Buffer.concat([
    YES,
    accountBytes(source),
    u32(OPERATION_MANAGE_DATA),
    opaque(Buffer.from(name)),
    YES,
    opaque(Buffer.from(value)),
  ])
}

/** Entries that all challenges of a server have are written once. */
const written = new Map<string, Buffer>()
const KEPT = 200

function keptEntryBytes(entry: DataEntry): Buffer {
  const key = `${entry.source} ${entry.name} ${entry.value}`
  const before = written.get(key)
  if (before) return before
  const bytes = entryBytes(entry)
  if (written.size >= KEPT) written.clear()
  written.set(key, bytes)
  return bytes
}

/** Writes a challenge. Its first entry is its own, the others repeat. */
export function writeChallenge(parts: ChallengeParts, networkPassphrase: string): ChallengeBytes {
  const { source, minTime, maxTime, memo, entries } = parts
  const [first, ...others] = entries
  const transaction = Buffer.concat([
    keptAccount(source),
    u32(FEE_OF_OPERATION * entries.length),
    u64(BigInt(parts.sequence)),
    u32(PRECOND_TIME),
    u64(BigInt(minTime)),
    u64(BigInt(maxTime)),
    ...(memo === null ? [u32(MEMO_NONE)] : [u32(MEMO_ID), u64(BigInt(memo))]),
    u32(entries.length),
    ...(first ? [entryBytes(first)] : []),
    ...others.map(keptEntryBytes),
    NO,
  ])
  return { transaction, hash: hashOf(transaction, networkPassphrase) }
}

const accounts = new Map<string, Buffer>()

function keptAccount(address: string): Buffer {
  const before = accounts.get(address)
  if (before) return before
  const bytes = accountBytes(address)
  if (accounts.size >= KEPT) accounts.clear()
  accounts.set(address, bytes)
  return bytes
}

const networks = new Map<string, Buffer>()

function hashOf(transaction: Buffer, networkPassphrase: string): Buffer {
  let network = networks.get(networkPassphrase)
  if (!network) {
    network = createHash('sha256').update(networkPassphrase).digest()
    if (networks.size < KEPT) networks.set(networkPassphrase, network)
  }
  return createHash('sha256').update(network).update(u32(ENVELOPE_TYPE_TX)).update(transaction).digest()
}

/** The envelope in base64. */
export const envelopeOf = (
  { transaction }: ChallengeBytes,
  signatures: readonly DecoratedSignature[],
): string =>
  Buffer.concat([
    u32(ENVELOPE_TYPE_TX),
    transaction,
    u32(signatures.length),
    ...signatures.flatMap(({ hint, signature }) => [hint, opaque(signature)]),
  ]).toString('base64')

/** The shape is another one. */
class OtherShape extends Error {}

/**
 * Reads the bytes of an envelope of this shape; null for every other one, be it a good challenge or none. Each byte is
 * as {@link writeChallenge} writes it, so that the hash is that of exactly what was read.
 */
export function readChallengeBytes(
  envelope: Buffer,
  networkPassphrase: string,
): (ChallengeParts & ChallengeBytes & { signatures: DecoratedSignature[] }) | null {
  try {
    return read(envelope, networkPassphrase)
  } catch (error) {
    if (error instanceof OtherShape || error instanceof RangeError) return null
    throw error
  }
}

const MOST_ENTRIES = 100
const MOST_SIGNATURES = 20

function read(envelope: Buffer, networkPassphrase: string) {
  let at = 0
  const number = (): number => {
    const value = envelope.readUInt32BE(at)
    at += 4
    return value
  }
  const long = (): bigint => {
    const value = envelope.readBigUInt64BE(at)
    at += 8
    return value
  }
  const time = (): number => {
    const value = long()
    need(value <= BigInt(Number.MAX_SAFE_INTEGER))
    return Number(value)
  }
  const need = (condition: boolean): void => {
    if (!condition) throw new OtherShape()
  }
  const bytes = (length: number): Buffer => {
    need(at + length <= envelope.length)
    return envelope.subarray(at, (at += length))
  }
  const variable = (most: number): Buffer => {
    const length = number()
    need(length <= most)
    const value = bytes(length)
    need(bytes((4 - (length % 4)) % 4).every(byte => byte === 0))
    return value
  }
  const text = (most: number): string => {
    const value = variable(most)
    need(value.every(byte => byte >= 0x20 && byte < 0x7f))
    return value.toString('latin1')
  }
  const account = (): string => {
    const type = number()
    if (type === KEY_TYPE_ED25519) return StrKey.encodeEd25519PublicKey(bytes(32))
    need(type === KEY_TYPE_MUXED)
    const id = bytes(8)
    return StrKey.encodeMed25519PublicKey(Buffer.concat([bytes(32), id]))
  }
  const entry = (): DataEntry => {
    need(number() === 1)
    const source = account()
    need(number() === OPERATION_MANAGE_DATA)
    const name = text(64)
    need(number() === 1)
    return { source, name, value: text(64) }
  }
  const signature = (): DecoratedSignature => ({ hint: bytes(4), signature: variable(64) })
  const several = <T>(most: number, one: () => T): T[] => {
    const count = number()
    need(count <= most)
    return Array.from({ length: count }, one)
  }

  need(number() === ENVELOPE_TYPE_TX)
  const begin = at
  const source = account()
  // The fee.
  number()
  const sequence = long()
  need(sequence < 2n ** 63n)
  need(number() === PRECOND_TIME)
  const [minTime, maxTime] = [time(), time()]
  const memoType = number()
  need(memoType === MEMO_NONE || memoType === MEMO_ID)
  const memo = memoType === MEMO_ID ? String(long()) : null
  const entries = several(MOST_ENTRIES, entry)
  need(number() === 0)
  const transaction = envelope.subarray(begin, at)
  const signatures = several(MOST_SIGNATURES, signature)
  need(at === envelope.length)
  const hash = hashOf(transaction, networkPassphrase)
  return {
    source,
    sequence: String(sequence),
    minTime,
    maxTime,
    memo,
    entries,
    transaction,
    hash,
    signatures,
  }
}
