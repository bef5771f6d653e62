/** An answer in Horizon's error form (RFC 7807 with `extras`). */
export class HorizonProblem extends Error {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string | undefined
  readonly extras: Record<string, unknown> | undefined

  constructor(
    type: string,
    title: string,
    status: number,
    detail?: string,
    extras?: Record<string, unknown>,
  ) {
    super(detail ?? title)
    this.type = type
    this.title = title
    this.status = status
    this.detail = detail
    this.extras = extras
  }

  body(): Record<string, unknown> {
    const { type, title, status, detail, extras } = this
    return {
      type: `https://stellar.org/horizon-errors/${type}`,
      title,
      status,
      ...(detail && { detail }),
      ...(extras && { extras }),
    }
  }
}

export const notFound = () =>
  new HorizonProblem(
    'not_found',
    'Resource Missing',
    404,
    'The resource at the url requested was not found.  This usually occurs for one of two reasons:  ' +
      'The url requested is not valid, or no data in our database could be found with the parameters provided.',
  )

export const beforeHistory = () =>
  new HorizonProblem(
    'before_history',
    'Data Requested Is Before Recorded History',
    410,
    "This horizon instance is configured to only track a portion of the stellar network's latest history. " +
      'This request is asking for results prior to the recorded history known to this horizon instance.',
  )

export const rateLimitExceeded = () =>
  new HorizonProblem(
    'rate_limit_exceeded',
    'Rate Limit Exceeded',
    429,
    'The rate limit for the requesting IP address is over its alloted limit.  The allowed limit and requests left ' +
      "per time period are communicated to clients via the http response headers 'X-RateLimit-*' headers.",
  )

export const badRequest = (field: string, reason: string) =>
  new HorizonProblem('bad_request', 'Bad Request', 400, 'The request you sent was invalid in some way.', {
    invalid_field: field,
    reason,
  })

export const invalidAccountsParameters = () =>
  new HorizonProblem(
    'invalid_accounts_params',
    'Invalid Accounts Parameters',
    400,
    'Exactly one filter is required. Please ensure that you are including a signer, sponsor, asset, or liquidity ' +
      'pool filter.',
  )

export const malformedTransaction = (envelope: string) =>
  new HorizonProblem(
    'transaction_malformed',
    'Transaction Malformed',
    400,
    'Horizon could not decode the transaction envelope in this request. A transaction should be an XDR ' +
      'TransactionEnvelope struct encoded using base64.  The envelope read from this request is echoed in the ' +
      '`extras.envelope_xdr` field of this response for your convenience.',
    { envelope_xdr: envelope },
  )

export const failedTransaction = (extras: {
  envelope_xdr: string
  result_xdr: string
  result_codes: object
}) =>
  new HorizonProblem(
    'transaction_failed',
    'Transaction Failed',
    400,
    'The transaction failed when submitted to the stellar network. The `extras.result_codes` field on this ' +
      'response contains further details.  Descriptions of each code can be found at: ' +
      'https://developers.stellar.org/docs/data/apis/horizon/api-reference/errors/http-status-codes/horizon-specific/transaction-failed',
    extras,
  )

export const submissionTimeout = (hash: string, envelope: string) =>
  new HorizonProblem(
    'transaction_submission_timeout',
    'Transaction Submission Timeout',
    504,
    'Your transaction submission request has timed out. This does not necessarily mean the submission has ' +
      'failed. Before resubmitting, please use the transaction hash provided in `extras.hash` to poll the GET ' +
      '/transactions endpoint for some time and check if it was included in a ledger.',
    { hash, envelope_xdr: envelope },
  )

export const overCapacity = (detail: string) =>
  new HorizonProblem('server_over_capacity', 'Server Over Capacity', 503, detail)

export const unsupportedMediaType = () =>
  new HorizonProblem(
    'unsupported_media_type',
    'Unsupported Media Type',
    415,
    'The request has an unsupported content type. Presently, the only supported content type is ' +
      'application/x-www-form-urlencoded.',
  )

export const tooLarge = () =>
  new HorizonProblem(
    'payload_too_large',
    'Payload Too Large',
    413,
    'No transaction is as large as the body of this request.',
  )

export const notAcceptable = () =>
  new HorizonProblem(
    'not_acceptable',
    'An acceptable response content-type could not be provided for this request',
    406,
  )

export const foreignHost = () =>
  new HorizonProblem(
    'forbidden',
    'Forbidden',
    403,
    'This network answers here only to names of this machine (localhost, *.localhost, loopback addresses), so ' +
      'that no web site can reach it under a name of its own.',
  )

export const serverError = () =>
  new HorizonProblem(
    'server_error',
    'Internal Server Error',
    500,
    'An error occurred while processing this request. It has been logged by the server.',
  )
