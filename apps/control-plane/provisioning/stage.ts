import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import type { LogLine } from '@windlass/contracts/provisioning.ts'
import type { StageError, StageName } from '@windlass/contracts/provisioning.ts'
import type { Transaction } from 'kysely'
import type { Tables } from '../database.ts'
import type { Deps } from '../deps.ts'
import type { Vault } from '../keys/vault.ts'
import type { RetryPolicy } from './retry-policy.ts'

/** What a stage works with. */
export interface StageContext {
  deps: Deps
  jobId: string
  plan: AnchorPlan
  vault: Vault
  /** Aborts when the lease is lost, the stage's time is up or this process stops. */
  signal: AbortSignal
  /** Runs `act` in a transaction that commits only while this run holds the lease. Throws {@link LeaseLost}. */
  fenced<T>(act: (tx: Transaction<Tables>) => Promise<T>): Promise<T>
  /** A line for the founder. */
  log(level: LogLine['level'], text: string): Promise<void>
  /** A point at which tests let the process die; the stage's key comes before it. */
  at(point: string): void
}

/** One of the seven. `run` may be repeated: it finds what an earlier run left. */
export interface ProvisioningStage {
  name: StageName
  /** Short name for fault points and logs. */
  key: string
  retries: RetryPolicy
  run(context: StageContext): Promise<void>
  /** Takes back what should not be left behind when the job fails; keys, the ledger and data stay. */
  undo?(context: StageContext): Promise<void>
}

/** A stage that cannot go on; the message is for the founder. */
export class StageFailure extends Error {
  readonly code: string
  readonly retryable: boolean

  constructor(code: string, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'StageFailure'
    this.code = code
    this.retryable = options.retryable ?? true
  }
}

/** Another worker has the job now: nothing more may be written for it here. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of the job was lost')
    this.name = 'LeaseLost'
  }
}

/** What the founder is told of an error. One that nobody foresaw says nothing of its inside. */
export function stageErrorOf(error: unknown): StageError {
  const { code, retryable, message } = error as { code?: unknown; retryable?: unknown; message?: unknown }
  const named = error instanceof Error && /^(StageFailure|LedgerError|RuntimeError)$/.test(error.name)
  if (named && typeof code === 'string') {
    return { code, detail: String(message), retryable: retryable !== false }
  }
  return { code: 'internal-error', detail: 'Something went wrong on our side.', retryable: true }
}
