import { xdr } from '@stellar/stellar-sdk/base'
import { createHash } from 'node:crypto'
import { encodeDeep } from '../read-envelope.ts'

export const sha256 = (...parts: readonly Uint8Array[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

export const hex = (bytes: { value: Uint8Array }): string => Buffer.from(bytes.value).toString('hex')

/** What validators agree on: transactions, on the ledger before. */
export interface TransactionSet {
  /** What the ledger's header, and the signed value, name it by. */
  hash: string
  previousLedgerHash: string
  transactions: readonly xdr.TransactionEnvelope[]
}

export function readTransactionSet({ txSet, ext }: xdr.TransactionHistoryEntry): TransactionSet {
  if (ext.type === 'generalizedTxSet') return generalized(ext.generalizedTxSet)
  const { previousLedgerHash, txs } = txSet
  return {
    hash: sha256(previousLedgerHash.value, ...txs.map(encodeDeep)),
    previousLedgerHash: hex(previousLedgerHash),
    transactions: txs,
  }
}

/** As from protocol 20 on. */
function generalized(set: xdr.GeneralizedTransactionSet): TransactionSet {
  const { previousLedgerHash, phases } = set.v1TxSet
  return {
    hash: sha256(encodeDeep(set)),
    previousLedgerHash: hex(previousLedgerHash),
    transactions: phases.flatMap(inPhase),
  }
}

const inPhase = (phase: xdr.TransactionPhase): xdr.TransactionEnvelope[] =>
  phase.type === 'v0Components'
    ? phase.v0Components.flatMap(({ txsMaybeDiscountedFee }) => txsMaybeDiscountedFee.txs)
    : phase.parallelTxsComponent.executionStages.flat(2)

/** The forms of a set without transactions, which archives leave out: classic, and with a phase of contracts. */
export function emptySets(previousLedgerHash: Uint8Array): TransactionSet[] {
  const noPhase = xdr.TransactionPhase.v0Components([])
  const noStage = xdr.TransactionPhase.parallelTxsComponent(
    new xdr.ParallelTxsComponent({ baseFee: null, executionStages: [] }),
  )
  const forms = [[noPhase], [noPhase, noPhase], [noPhase, noStage]].map(phases =>
    generalized(
      xdr.GeneralizedTransactionSet.v1TxSet(new xdr.TransactionSetV1({ previousLedgerHash, phases })),
    ),
  )
  const classic = {
    hash: sha256(previousLedgerHash),
    previousLedgerHash: Buffer.from(previousLedgerHash).toString('hex'),
    transactions: [],
  }
  return [classic, ...forms]
}
