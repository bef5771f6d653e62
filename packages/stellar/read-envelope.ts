import {
  encodeMuxedAccountToAddress,
  Memo,
  Operation,
  StrKey,
  xdr,
  type OperationRecord,
} from '@stellar/stellar-sdk/base'
import { createHash } from 'node:crypto'

/**
 * An envelope as the ledger took it (docs/adr/0212). The ledger takes operations that the SDK refuses, so that each is
 * understood only where it is asked for: what a stranger adds to a transaction never keeps the rest of it unread.
 */
export interface Envelope {
  /** Hex; of a fee bump, its own. */
  hash: string
  /** That of the transaction inside a fee bump; of another, its own. */
  innerHash: string
  /** Who pays the fee: `G…` or `M…`, as all accounts here. */
  feeSource: string
  source: string
  sequence: string
  memo: Memo
  /** Unix seconds; 0: no bound. */
  minTime: number
  maxTime: number
  /** Those of the transaction inside a fee bump. */
  signatures: readonly xdr.DecoratedSignature[]
  operations: readonly EnvelopeOperation[]
  /** Base64 XDR: without its fee bump. */
  inner: string
}

export interface EnvelopeOperation {
  type: xdr.Operation['body']['type']
  /** Its own source, or that of the transaction. */
  source: string
  /** @throws {Error} where the SDK refuses it */
  read(): OperationRecord
}

/** Values in values, and types around each: more than the ledger takes, and less than the stack of a process. */
const MAX_DEPTH = 10_000

interface Decoded<Wire, Value> {
  schema: { decode(bytes: Uint8Array, options: { maxDepth: number }): Wire }
  fromXdrObject(wire: Wire): Value
}

/** Decodes what a stranger may have nested deeper than the SDK reads by itself. */
export const decodeDeep = <Wire, Value>(type: Decoded<Wire, Value>, bytes: Uint8Array): Value =>
  type.fromXdrObject(type.schema.decode(bytes, { maxDepth: MAX_DEPTH }))

/** Encodes as {@link decodeDeep} decodes. */
export function encodeDeep(value: xdr.XdrValue): Uint8Array {
  const { schema } = value.constructor as unknown as {
    schema: { encode(wire: unknown, options: { maxDepth: number }): Uint8Array }
  }
  return schema.encode(value.toXdrObject(), { maxDepth: MAX_DEPTH })
}

/** @param given base64 XDR */
export function readEnvelope(given: string, passphrase: string): Envelope {
  const bytes = Buffer.from(given, 'base64')
  if (bytes.toString('base64') !== given) throw new Error('the envelope is not base64')
  return readBytes(bytes, passphrase)
}

export function readBytes(bytes: Buffer, passphrase: string): Envelope {
  const network = createHash('sha256').update(passphrase).digest()
  const hashOf = (type: number, ...parts: readonly Uint8Array[]): string =>
    createHash('sha256')
      .update(Buffer.concat([network, tag(type), ...parts]))
      .digest('hex')
  const envelope = decodeDeep(xdr.TransactionEnvelope, bytes)
  if (envelope.type !== 'envelopeTypeTxFeeBump') {
    const { signatures } = envelope.value
    const signed = bytes.subarray(4, -sizeOf(signatures))
    const hash =
      envelope.type === 'envelopeTypeTx'
        ? hashOf(TRANSACTION, signed)
        : // The form before protocol 13 is hashed as today's, in which the type of its key comes first.
          hashOf(TRANSACTION, tag(0), signed)
    const read = readTransaction(envelope.value)
    return { ...read, hash, innerHash: hash, feeSource: read.source, inner: bytes.toString('base64') }
  }
  const { tx, signatures } = envelope.feeBump
  const signed = bytes.subarray(4, -sizeOf(signatures))
  // Before what it wraps: its source, its fee, and which type that is of. After it: the form of its extension.
  const inner = signed.subarray(tx.feeSource.toXdr().length + 8 + 4, -4)
  return {
    ...readTransaction(tx.innerTx.v1),
    hash: hashOf(FEE_BUMP, signed),
    innerHash: hashOf(TRANSACTION, inner.subarray(0, -sizeOf(tx.innerTx.v1.signatures))),
    feeSource: encodeMuxedAccountToAddress(tx.feeSource),
    inner: Buffer.concat([tag(TRANSACTION), inner]).toString('base64'),
  }
}

const TRANSACTION = xdr.EnvelopeType.envelopeTypeTx.value
const FEE_BUMP = xdr.EnvelopeType.envelopeTypeTxFeeBump.value

function tag(type: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(type)
  return bytes
}

const sizeOf = (signatures: readonly xdr.DecoratedSignature[]): number =>
  signatures.reduce((size, each) => size + each.toXdr().length, 4)

function readTransaction({
  tx,
  signatures,
}: xdr.TransactionV0Envelope | xdr.TransactionV1Envelope): Omit<
  Envelope,
  'hash' | 'innerHash' | 'feeSource' | 'inner'
> {
  const source =
    'sourceAccount' in tx
      ? encodeMuxedAccountToAddress(tx.sourceAccount)
      : StrKey.encodeEd25519PublicKey(tx.sourceAccountEd25519.value)
  const bounds = boundsOf(tx)
  return {
    source,
    sequence: String(tx.seqNum),
    memo: Memo.fromXdrObject(tx.memo),
    minTime: Number(bounds?.minTime ?? 0),
    maxTime: Number(bounds?.maxTime ?? 0),
    signatures,
    operations: tx.operations.map(operation => ({
      type: operation.body.type,
      source: operation.sourceAccount ? encodeMuxedAccountToAddress(operation.sourceAccount) : source,
      read: () => Operation.fromXdrObject(operation),
    })),
  }
}

function boundsOf(tx: xdr.TransactionV0 | xdr.Transaction): xdr.TimeBounds | null {
  if ('timeBounds' in tx) return tx.timeBounds
  switch (tx.cond.type) {
    case 'precondTime':
      return tx.cond.timeBounds
    case 'precondV2':
      return tx.cond.v2.timeBounds
    default:
      return null
  }
}
