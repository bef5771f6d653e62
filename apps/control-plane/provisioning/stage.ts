import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { LogLine } from '@windlass/contracts/platform/provisioning.ts'
import type { StageName } from '@windlass/contracts/platform/provisioning.ts'
import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Deps } from '../deps.ts'
import type { Vault } from '../anchors/vault.ts'
import type { RetryPolicy } from './retry-policy.ts'

/** What a stage needs. */
export interface StageContext {
  deps: Deps
  jobId: string
  plan: AnchorPlan
  vault: Vault
  /** Aborts when the lease is lost, the stage takes too long or this process stops. */
  signal: AbortSignal
  /** Runs `act` in a transaction that commits only while this run holds the lease. Throws {@link LeaseLost}. */
  fenced<T>(act: (tx: Transaction<Tables>) => Promise<T>): Promise<T>
  /** A line for the founder. */
  log(level: LogLine['level'], text: string): Promise<void>
  /** A fault point, at which tests kill the process; its name begins with the stage's key. */
  at(point: string): void
}

/** One stage of provisioning. `run` may be repeated: it finds what an earlier run left. */
export interface ProvisioningStage {
  name: StageName
  /** Short name for fault points and logs. */
  key: string
  retries: RetryPolicy
  /** It keeps a processor busy: a few anchors at a time are in such stages. Waiting for that takes nothing from its budget. */
  isBusy?: boolean
  run(context: StageContext): Promise<void>
  /** Undoes what must not stay when the job fails; keys, the ledger and data stay. */
  undo?(context: StageContext): Promise<void>
}

/** Another worker runs the job now: nothing may be written for it here. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of the job was lost')
    this.name = 'LeaseLost'
  }
}
