/** Codes founders see when the ledger stands in the way. */
type LedgerErrorCode =
  | 'faucet-unavailable'
  | 'ledger-unavailable'
  | 'submission-unconfirmed'
  | 'transaction-refused'
  | 'funding-account-empty'
  | 'fee-above-maximum'

/** Work with the ledger that did not come to an end. `message` is fit for founders. */
export class LedgerError extends Error {
  readonly code: LedgerErrorCode
  /** Whether the same again, later, can succeed. */
  readonly retryable: boolean

  constructor(
    code: LedgerErrorCode,
    message: string,
    options: { retryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'LedgerError'
    this.code = code
    this.retryable = options.retryable ?? true
  }
}
