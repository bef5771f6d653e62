import type { StageError } from '@windlass/contracts/platform/provisioning.ts'

/** Work on an anchor that cannot continue. The message is for the founder. */
export class StageFailure extends Error {
  readonly code: string
  /** Whether the same work can succeed later. */
  readonly retryable: boolean

  constructor(code: string, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'StageFailure'
    this.code = code
    this.retryable = options.retryable ?? true
  }
}

/** What the founder sees of an error. An unexpected one reveals nothing internal. */
export function stageErrorOf(error: unknown): StageError {
  const { code, retryable, message } = error as { code?: unknown; retryable?: unknown; message?: unknown }
  const named = error instanceof Error && /^(StageFailure|LedgerError|RuntimeError)$/.test(error.name)
  if (named && typeof code === 'string') {
    return { code, detail: String(message), retryable: retryable !== false }
  }
  return { code: 'internal-error', detail: 'Something went wrong on our side.', retryable: true }
}
