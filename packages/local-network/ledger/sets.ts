import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'

/** The protocol from which on a transaction set has phases, and the one from which on that of contracts has stages. */
const phasesSince = 20
const stagesSince = 23

interface SetParts {
  readonly protocol: number
  readonly previousHash: Uint8Array
  readonly baseFee: bigint
  readonly envelopes: readonly xdr.TransactionEnvelope[]
}

/** What validators agree on, as an archive has it. */
export function transactionSet({ protocol, previousHash, baseFee, envelopes }: SetParts): {
  hash: Buffer
  txSet: xdr.TransactionSet
  ext: xdr.TransactionHistoryEntryExt
} {
  if (protocol < phasesSince) {
    const txSet = new xdr.TransactionSet({ previousLedgerHash: previousHash, txs: [...envelopes] })
    const hash = hashOf(previousHash, ...envelopes.map(each => each.toXdr()))
    return { hash, txSet, ext: xdr.TransactionHistoryEntryExt.v0() }
  }
  const component = xdr.TxSetComponent.txsetCompTxsMaybeDiscountedFee(
    new xdr.TxSetComponentTxsMaybeDiscountedFee({ baseFee, txs: [...envelopes] }),
  )
  const noContracts =
    protocol < stagesSince
      ? xdr.TransactionPhase.v0Components([])
      : xdr.TransactionPhase.parallelTxsComponent(
          new xdr.ParallelTxsComponent({ baseFee: null, executionStages: [] }),
        )
  const phases = [xdr.TransactionPhase.v0Components(envelopes.length > 0 ? [component] : []), noContracts]
  const generalized = xdr.GeneralizedTransactionSet.v1TxSet(
    new xdr.TransactionSetV1({ previousLedgerHash: previousHash, phases }),
  )
  return {
    hash: hashOf(generalized.toXdr()),
    txSet: new xdr.TransactionSet({ previousLedgerHash: previousHash, txs: [] }),
    ext: xdr.TransactionHistoryEntryExt.generalizedTxSet(generalized),
  }
}

/** How the transactions of a ledger ended, in the order in which they were applied. */
export const resultSet = (
  results: readonly { hash: Uint8Array; result: xdr.TransactionResult }[],
): xdr.TransactionResultSet =>
  new xdr.TransactionResultSet({
    results: results.map(
      ({ hash, result }) => new xdr.TransactionResultPair({ transactionHash: hash, result }),
    ),
  })

export function hashOf(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
