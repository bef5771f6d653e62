import { describeUnreachable } from '@windlass/client/unreachable.ts'

/**
 * Anything that this package throws, except the reason of an aborted signal, which is thrown as it is. `retryable`: the
 * same call may succeed later without a change.
 */
export class WalletError extends Error {
  readonly code: string
  readonly retryable: boolean

  constructor(code: string, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = new.target.name
    this.code = code
    this.retryable = options.retryable ?? false
  }
}

/** No answer in time, or no connection. */
export class UnreachableError extends WalletError {
  constructor(host: string, cause: unknown) {
    super('unreachable', describeUnreachable(host, cause), { retryable: true, cause })
  }
}

/** The aggregator or the anchor refused. `code` is the aggregator's problem code, or `anchor-refused`. */
export class RefusedError extends WalletError {
  readonly status: number
  /** Name it to the operator of the server. */
  readonly requestId: string | null

  constructor(code: string, message: string, refusal: { status: number; requestId: string | null }) {
    const { status, requestId } = refusal
    super(code, message, { retryable: status === 429 || status >= 500 })
    this.status = status
    this.requestId = requestId
  }
}

/** The challenge is not what SEP-10 or SEP-45 asks for, or not from the anchor that was selected. It was not signed. */
export class ChallengeError extends WalletError {
  constructor(message: string, cause?: unknown) {
    super('challenge-invalid', message, { cause })
  }
}

/** The anchor does not serve what was asked for. */
export class UnsupportedError extends WalletError {
  constructor(message: string) {
    super('unsupported', message)
  }
}

/** Whether the challenge was not answered in time, by the wallet's clock or the anchor's. The SEPs have a text for it and no code. */
export const isExpired = (error: unknown): boolean =>
  (error instanceof ChallengeError || (error instanceof RefusedError && error.status < 500)) &&
  // oxlint-disable-next-line compared-sentences/by-codes -- anchors give no code for this.
  /\b(expired|timebounds|not yet valid|valid yet)\b/i.test(error.message)
