import type { xdr } from '@stellar/stellar-sdk'

/** Horizon's `extras.result_codes`. */
interface ResultCodes {
  transaction: string
  inner_transaction?: string
  operations?: string[]
}

export function resultCodes({ result }: xdr.TransactionResult): ResultCodes {
  if (result.type === 'txFeeBumpInnerSuccess' || result.type === 'txFeeBumpInnerFailed') {
    const inner = result.innerResultPair.result.result
    return {
      transaction: transactionCode(result.type),
      inner_transaction: transactionCode(inner.type),
      ...('results' in inner && { operations: inner.results.map(operationCode) }),
    }
  }
  return {
    transaction: transactionCode(result.type),
    ...('results' in result && { operations: result.results.map(operationCode) }),
  }
}

function transactionCode(type: xdr.TransactionResultResultVariantName): string {
  if (type === 'txNoAccount') return 'tx_no_source_account'
  if (type === 'txBadMinSeqAgeOrGap') return 'tx_bad_minseq_age_or_gap'
  return snakeCase(type)
}

/** Where Horizon's code is not what the XDR name would give. */
const renamed: Record<string, string> = {
  createAccountAlreadyExist: 'op_already_exists',
  allowTrustNoTrustLine: 'op_no_trust',
  allowTrustTrustNotRequired: 'op_not_required',
  setTrustLineFlagsNoTrustLine: 'op_no_trust',
  accountMergeSeqnumTooFar: 'op_seq_num_too_far',
  clawbackClaimableBalanceNotIssuer: 'op_no_issuer',
  manageDataNameNotFound: 'op_data_name_not_found',
  manageDataInvalidName: 'op_data_invalid_name',
  ...offerCodes('manageSellOffer'),
  ...offerCodes('manageBuyOffer'),
  pathPaymentStrictReceiveOfferCrossSelf: 'op_cross_self',
  pathPaymentStrictSendOfferCrossSelf: 'op_cross_self',
  pathPaymentStrictReceiveOverSendmax: 'op_over_source_max',
  pathPaymentStrictSendUnderDestmin: 'op_under_dest_min',
  invokeHostFunctionTrapped: 'function_trapped',
  changeTrustNotAuthMaintainLiabilities: 'op_not_aut_maintain_liabilities',
}

/** Horizon leaves out the prefix of some. */
function offerCodes(type: string): Record<string, string> {
  return {
    [`${type}SellNotAuthorized`]: 'sell_not_authorized',
    [`${type}BuyNotAuthorized`]: 'buy_not_authorized',
    [`${type}NotFound`]: 'op_offer_not_found',
  }
}

function operationCode(result: xdr.OperationResult): string {
  if (result.type !== 'opInner') {
    if (result.type === 'opNoAccount') return 'op_no_source_account'
    return snakeCase(result.type)
  }
  const { type, value } = result.tr
  return renamed[value.type] ?? snakeCase(`op${value.type.slice(type.length)}`)
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}
