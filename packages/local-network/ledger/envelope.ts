import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { operationOf } from '../operations/operations.ts'
import type { Operation } from '../operations/operation.ts'
import { accountIdOf } from './addresses.ts'

export interface IncomingOperation {
  /** The operation's own source, or the transaction's. */
  readonly source: string
  readonly sourceAccount: xdr.MuxedAccount
  readonly ownSource: boolean
  readonly body: xdr.OperationBody
  /** Undefined for a type this network does not support. */
  readonly operation: Operation | undefined
}

interface FeeBump {
  readonly source: string
  readonly fee: bigint
  readonly signatures: readonly xdr.DecoratedSignature[]
  readonly hash: Buffer
}

/** A submitted transaction, read once; a fee bump carries the transaction it pays for. */
export interface Incoming {
  readonly envelope: xdr.TransactionEnvelope
  /** Hash of what was submitted: of the fee bump, if it is one. */
  readonly hash: Buffer
  readonly tx: xdr.Transaction
  readonly txHash: Buffer
  readonly source: string
  readonly signatures: readonly xdr.DecoratedSignature[]
  readonly operations: readonly IncomingOperation[]
  readonly feeBump: FeeBump | undefined
}

export class MalformedEnvelope extends Error {}

/**
 * Reads a base64 TransactionEnvelope. The form before protocol 13 (v0) is turned into today's, as a network does.
 * @throws MalformedEnvelope
 */
export function readEnvelope(base64: string, networkId: Buffer): Incoming {
  const envelope = decode(base64)
  if (envelope.type === 'envelopeTypeTx') return incoming(envelope, envelope.v1, networkId)
  if (envelope.type === 'envelopeTypeTxFeeBump') return feeBump(envelope, networkId)
  throw new MalformedEnvelope('not a transaction')
}

function decode(base64: string): xdr.TransactionEnvelope {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0)
    throw new MalformedEnvelope('not base64')
  try {
    const envelope = xdr.TransactionEnvelope.fromXdr(base64, 'base64')
    return envelope.type === 'envelopeTypeTxV0' ? upgraded(envelope.v0) : envelope
  } catch (error) {
    throw new MalformedEnvelope('not a transaction envelope', { cause: error })
  }
}

function upgraded({ tx, signatures }: xdr.TransactionV0Envelope): xdr.TransactionEnvelope {
  const { sourceAccountEd25519, fee, seqNum, timeBounds, memo, operations } = tx
  return xdr.TransactionEnvelope.envelopeTypeTx(
    new xdr.TransactionV1Envelope({
      tx: new xdr.Transaction({
        sourceAccount: xdr.MuxedAccount.keyTypeEd25519(sourceAccountEd25519),
        fee,
        seqNum,
        cond: timeBounds ? xdr.Preconditions.precondTime(timeBounds) : xdr.Preconditions.precondNone(),
        memo,
        operations,
        ext: xdr.TransactionExt.v0(),
      }),
      signatures,
    }),
  )
}

function incoming(
  envelope: xdr.TransactionEnvelope,
  { tx, signatures }: xdr.TransactionV1Envelope,
  networkId: Buffer,
): Incoming {
  const hash = signatureBase(networkId, xdr.EnvelopeType.envelopeTypeTx.value, tx.toXdr())
  return {
    envelope,
    hash,
    tx,
    txHash: hash,
    source: accountIdOf(tx.sourceAccount),
    signatures,
    operations: tx.operations.map(({ sourceAccount, body }) => ({
      source: accountIdOf(sourceAccount ?? tx.sourceAccount),
      sourceAccount: sourceAccount ?? tx.sourceAccount,
      ownSource: sourceAccount !== null,
      body,
      operation: operationOf(body),
    })),
    feeBump: undefined,
  }
}

function feeBump(
  envelope: Extract<xdr.TransactionEnvelope, { type: 'envelopeTypeTxFeeBump' }>,
  networkId: Buffer,
): Incoming {
  const { tx, signatures } = envelope.feeBump
  const hash = signatureBase(networkId, xdr.EnvelopeType.envelopeTypeTxFeeBump.value, tx.toXdr())
  const inner = incoming(envelope, tx.innerTx.v1, networkId)
  return { ...inner, hash, feeBump: { source: accountIdOf(tx.feeSource), fee: tx.fee, signatures, hash } }
}

/** What signatures are over: network, kind of envelope, transaction. */
function signatureBase(networkId: Buffer, type: number, transaction: Uint8Array): Buffer {
  const tag = Buffer.alloc(4)
  tag.writeInt32BE(type)
  return createHash('sha256').update(networkId).update(tag).update(transaction).digest()
}

export function networkIdOf(passphrase: string): Buffer {
  return createHash('sha256').update(passphrase).digest()
}
