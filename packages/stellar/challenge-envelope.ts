import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { decodeKey, encodeKey } from './strkey.ts'
import { XdrError, XdrReader, XdrWriter } from './xdr.ts'

/*
 * Transaction envelopes as far as SEP-10 uses them: version 1, time bounds, and nothing but manageData operations.
 * https://github.com/stellar/stellar-xdr (Stellar-transaction.x)
 */

export interface ManageData {
  /** `G…` or `M…` */
  source: string | null
  name: string
  /** Null: the entry is removed. */
  value: Buffer | null
}

export interface Signature {
  /** The last four bytes of the public key. */
  hint: Buffer
  signature: Buffer
}

export type ChallengeMemo = { type: 'none' } | { type: 'id'; value: bigint } | { type: 'other' }

export interface ChallengeEnvelope {
  /** `G…` or `M…` */
  source: string
  fee: number
  sequence: bigint
  /** Unix seconds; a `maxTime` of 0 is no end. Null: no time bounds. */
  timeBounds: { minTime: bigint; maxTime: bigint } | null
  memo: ChallengeMemo
  operations: readonly ManageData[]
  signatures: readonly Signature[]
}

/** The envelope holds something else than a challenge does. */
export class NoChallenge extends Error {}

const ENVELOPE_TX = 2
const ENVELOPE_FEE_BUMP = 5
const MANAGE_DATA = 10
const [ED25519, MUXED_ED25519] = [0, 0x100]
const [MEMO_NONE, MEMO_TEXT, MEMO_ID, MEMO_HASH, MEMO_RETURN] = [0, 1, 2, 3, 4]
const [NO_PRECONDITION, TIME_BOUNDS] = [0, 1]

/** The transaction's bytes without signatures. */
export function encodeTransaction(transaction: Omit<ChallengeEnvelope, 'signatures'>): Buffer {
  const { source, fee, sequence, timeBounds, memo, operations } = transaction
  const out = new XdrWriter()
  writeAccount(out, source)
  out.uint32(fee).uint64(BigInt.asUintN(64, sequence))
  if (timeBounds) out.uint32(TIME_BOUNDS).uint64(timeBounds.minTime).uint64(timeBounds.maxTime)
  else out.uint32(NO_PRECONDITION)
  if (memo.type === 'other') throw new Error('only id memos are written')
  if (memo.type === 'id') out.uint32(MEMO_ID).uint64(memo.value)
  else out.uint32(MEMO_NONE)
  out.uint32(operations.length)
  for (const operation of operations) {
    out.uint32(operation.source === null ? 0 : 1)
    if (operation.source !== null) writeAccount(out, operation.source)
    out.uint32(MANAGE_DATA).opaque(Buffer.from(operation.name))
    out.uint32(operation.value === null ? 0 : 1)
    if (operation.value !== null) out.opaque(operation.value)
  }
  return out.uint32(0).bytes()
}

/** The whole envelope in base64. */
export function encodeEnvelope(transaction: Buffer, signatures: readonly Signature[]): string {
  const out = new XdrWriter().uint32(ENVELOPE_TX).fixed(transaction).uint32(signatures.length)
  for (const { hint, signature } of signatures) out.fixed(hint).opaque(signature)
  return out.bytes().toString('base64')
}

/** What is signed. */
export function transactionHash(transaction: Buffer, networkPassphrase: string): Buffer {
  const network = createHash('sha256').update(networkPassphrase).digest()
  const head = new XdrWriter().fixed(network).uint32(ENVELOPE_TX).bytes()
  return createHash('sha256').update(head).update(transaction).digest()
}

/** The bytes of an envelope as wallets send it. Throws {@link XdrError} for what is not base64. */
export function envelopeBytes(text: string): Buffer {
  // A form that was not coded turns each + into a space.
  const base64 = text.trim().replaceAll(' ', '+')
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64)) throw new XdrError('it is not base64')
  return Buffer.from(base64, 'base64')
}

/**
 * Reads an envelope in base64, and its transaction's bytes. Throws {@link XdrError} for what is no envelope, and
 * {@link NoChallenge} for one that no challenge is.
 */
export function decodeEnvelope(text: string): { envelope: ChallengeEnvelope; transaction: Buffer } {
  const bytes = envelopeBytes(text)
  const xdr = new XdrReader(bytes)
  const type = xdr.uint32()
  if (type === ENVELOPE_FEE_BUMP) throw new NoChallenge('transaction must not be a fee bump')
  if (type !== ENVELOPE_TX) throw new XdrError('it is of another type')
  const source = readAccount(xdr)
  const fee = xdr.uint32()
  const sequence = xdr.int64()
  const timeBounds = readTimeBounds(xdr)
  const memo = readMemo(xdr)
  const operations = Array.from({ length: xdr.count(100) }, () => readOperation(xdr))
  if (xdr.uint32() !== 0) throw new NoChallenge('the challenge has an extension')
  const transaction = bytes.subarray(4, xdr.position)
  const signatures = Array.from({ length: xdr.count(20) }, () => ({
    hint: xdr.fixed(4),
    signature: xdr.opaque(64),
  }))
  xdr.end()
  return { envelope: { source, fee, sequence, timeBounds, memo, operations, signatures }, transaction }
}

function writeAccount(out: XdrWriter, address: string): void {
  const key = decodeKey('account', address)
  if (key) return void out.uint32(ED25519).fixed(key)
  const muxed = decodeKey('muxed', address)
  if (!muxed) throw new Error(`${address} is no account`)
  out.uint32(MUXED_ED25519).fixed(muxed.subarray(32)).fixed(muxed.subarray(0, 32))
}

function readAccount(xdr: XdrReader): string {
  const type = xdr.uint32()
  if (type === ED25519) return encodeKey('account', xdr.fixed(32))
  if (type !== MUXED_ED25519) throw new XdrError('an account is of another type')
  const id = xdr.fixed(8)
  return encodeKey('muxed', Buffer.concat([xdr.fixed(32), id]))
}

function readTimeBounds(xdr: XdrReader): ChallengeEnvelope['timeBounds'] {
  const type = xdr.uint32()
  if (type === NO_PRECONDITION) return null
  if (type !== TIME_BOUNDS) throw new NoChallenge('the challenge has other preconditions than time bounds')
  return { minTime: xdr.uint64(), maxTime: xdr.uint64() }
}

function readMemo(xdr: XdrReader): ChallengeMemo {
  const type = xdr.uint32()
  if (type === MEMO_NONE) return { type: 'none' }
  if (type === MEMO_ID) return { type: 'id', value: xdr.uint64() }
  if (type === MEMO_TEXT) xdr.opaque(28)
  else if (type === MEMO_HASH || type === MEMO_RETURN) xdr.fixed(32)
  else throw new XdrError('the memo is of another type')
  return { type: 'other' }
}

function readOperation(xdr: XdrReader): ManageData {
  const source = xdr.flag() ? readAccount(xdr) : null
  if (xdr.uint32() !== MANAGE_DATA) throw new NoChallenge('every operation must be manageData with a value')
  const name = xdr.opaque(64)
  if (!isUtf8(name)) throw new NoChallenge('the name of an entry is not UTF-8')
  return { source, name: name.toString('utf8'), value: xdr.flag() ? xdr.opaque(64) : null }
}
