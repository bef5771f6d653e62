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
    const message = !isUnknownName(cause)
      ? `${host} does not answer. Check the connection, then retry.`
      : /\.localhost(:|$)/.test(host)
        ? `Node does not find ${host} on this machine. Add "127.0.0.1 ${host.split(':')[0]}" to /etc/hosts.`
        : `There is no host ${host}, or its name cannot be looked up. Check its spelling and the connection.`
    super('unreachable', message, { retryable: true, cause })
  }
}

/** Node says so; browsers do not. */
function isUnknownName(cause: unknown): boolean {
  const { code } = ((cause as Error | undefined)?.cause ?? {}) as { code?: unknown }
  return code === 'ENOTFOUND' || code === 'EAI_AGAIN'
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
