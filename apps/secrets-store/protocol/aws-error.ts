/** An error of the AWS JSON 1.1 protocol: `type` becomes `__type`, by which SDKs choose their exception class. */
export class AwsError extends Error {
  readonly type: string
  readonly status: number

  constructor(type: ErrorType, message: string, status = 400) {
    super(message)
    this.type = type
    this.status = status
  }
}

type ErrorType =
  | 'ResourceNotFoundException'
  | 'ResourceExistsException'
  | 'InvalidParameterException'
  | 'DecryptionFailure'
  | 'UnknownOperationException'
  | 'SerializationException'
  | 'MissingAuthenticationTokenException'
  | 'IncompleteSignatureException'
  | 'InvalidSignatureException'
  | 'UnrecognizedClientException'
