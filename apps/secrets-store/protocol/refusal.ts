/** An error of the AWS JSON 1.1 protocol: `type` becomes `__type`, by which SDKs choose their exception class. */
export class Refusal extends Error {
  readonly type: string
  readonly status: number

  constructor(type: RefusalType, message: string, status = 400) {
    super(message)
    this.type = type
    this.status = status
  }
}

export type RefusalType =
  | 'ResourceNotFoundException'
  | 'ResourceExistsException'
  | 'InvalidRequestException'
  | 'InvalidParameterException'
  | 'InvalidNextTokenException'
  | 'LimitExceededException'
  | 'DecryptionFailure'
  | 'InternalServiceError'
  | 'UnknownOperationException'
  | 'SerializationException'
  | 'MissingAuthenticationTokenException'
  | 'IncompleteSignatureException'
  | 'InvalidSignatureException'
  | 'UnrecognizedClientException'

export const notFound = () =>
  new Refusal('ResourceNotFoundException', "Secrets Manager can't find the specified secret.")

export const markedForDeletion = () =>
  new Refusal(
    'InvalidRequestException',
    "You can't perform this operation on the secret because it was marked for deletion.",
  )
