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
  | 'txBadSponsorship'
  | 'txSorobanInvalid'
  | 'txFrozenKeyAccessed'

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

/** The result of each operation, also of those inside a fee bump; none for a transaction without them. */
export function operationResults({ result }: xdr.TransactionResult): readonly xdr.OperationResult[] {
  const whole = 'innerResultPair' in result ? result.innerResultPair.result.result : result
  return 'results' in whole ? whole.results : []
}

/** What an operation has crossed, and the offer that it left in the book itself. */
export function crossingsOf(result: xdr.OperationResult): {
  claims: readonly xdr.ClaimAtom[]
  own: bigint | undefined
} {
  const value = result.type === 'opInner' ? result.tr.value : undefined
  switch (value?.type) {
    case 'manageSellOfferSuccess':
    case 'manageBuyOfferSuccess': {
      const { offersClaimed, offer } = value.success
      return { claims: offersClaimed, own: 'offer' in offer ? offer.offer.offerId : undefined }
    }
    case 'pathPaymentStrictSendSuccess':
    case 'pathPaymentStrictReceiveSuccess':
      return { claims: value.success.offers, own: undefined }
    default:
      return { claims: [], own: undefined }
  }
}
