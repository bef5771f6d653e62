import { xdr } from '@stellar/stellar-sdk'

/** Results of a transaction that carry nothing but their code. */
export type RejectionCode =
  | 'txTooEarly'
  | 'txTooLate'
  | 'txMissingOperation'
  | 'txBadSeq'
  | 'txBadAuth'
  | 'txInsufficientBalance'
  | 'txNoAccount'
  | 'txInsufficientFee'
  | 'txBadAuthExtra'
  | 'txBadMinSeqAgeOrGap'
  | 'txMalformed'

/** How a transaction ended, its fee bump left aside. */
export type Outcome =
  | { readonly code: RejectionCode }
  | { readonly code: 'txSuccess' | 'txFailed'; readonly operations: readonly xdr.OperationResult[] }

export function operationSucceeded(result: xdr.OperationResult): boolean {
  return result.type === 'opInner' && result.tr.value.type.endsWith('Success')
}

export function transactionResult(outcome: Outcome, feeCharged: bigint): xdr.TransactionResult {
  const Result = xdr.TransactionResultResult
  return new xdr.TransactionResult({
    feeCharged,
    result: 'operations' in outcome ? Result[outcome.code]([...outcome.operations]) : Result[outcome.code](),
    ext: xdr.TransactionResultExt.v0(),
  })
}

/** The result of a fee bump whose own checks held: it contains the result of the transaction inside. */
export function feeBumpResult(
  outcome: Outcome,
  innerHash: Uint8Array,
  feeCharged: bigint,
): xdr.TransactionResult {
  const Inner = xdr.InnerTransactionResultResult
  const pair = new xdr.InnerTransactionResultPair({
    transactionHash: innerHash,
    result: new xdr.InnerTransactionResult({
      feeCharged: 0n,
      result: 'operations' in outcome ? Inner[outcome.code]([...outcome.operations]) : Inner[outcome.code](),
      ext: xdr.InnerTransactionResultExt.v0(),
    }),
  })
  const Result = xdr.TransactionResultResult
  return new xdr.TransactionResult({
    feeCharged,
    result:
      outcome.code === 'txSuccess' ? Result.txFeeBumpInnerSuccess(pair) : Result.txFeeBumpInnerFailed(pair),
    ext: xdr.TransactionResultExt.v0(),
  })
}
