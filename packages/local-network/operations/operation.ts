import type { xdr } from '@stellar/stellar-sdk'
import type { Frozen } from '../ledger/frozen.ts'
import type { Change, LedgerState } from '../ledger/state.ts'

type ThresholdLevel = 'low' | 'medium' | 'high'

/** Where an operation is applied. */
export interface Scope {
  readonly state: LedgerState
  /** The operation's source account; it exists. */
  readonly source: string
  readonly ledger: {
    readonly protocol: number
    readonly sequence: number
    /** Unix seconds. */
    readonly closeTime: bigint
    /** Keys of entries that may not be touched. */
    readonly frozen: Frozen
  }
  readonly transaction: {
    readonly source: string
    readonly sequence: bigint
    /** Entries that a contract's call may read and write. */
    readonly footprint: xdr.LedgerFootprint | undefined
  }
  readonly index: number
}

/** An operation's own result, or one that any operation may have. */
export type OperationOutcome = xdr.OperationResultTr | 'opTooManySubentries' | 'opExceededWorkLimit'

/** How an operation ended, for what Horizon shows of it. */
export interface Ending {
  readonly result: xdr.OperationResult | undefined
  /** What it changed; nothing when its transaction failed. */
  readonly changes: readonly Change[]
  /** The operations before it in a transaction that succeeded. */
  readonly earlier: readonly { readonly source: string; readonly body: xdr.OperationBody }[]
}

/** One operation of a transaction: what it needs, what it does and how Horizon shows it. */
export interface Operation {
  /** Horizon's name and number of the type. */
  readonly type: string
  readonly typeNumber: number
  readonly threshold: ThresholdLevel
  /** The first protocol that has it; by default the oldest that this network declares. */
  readonly since?: number
  /** Whether it belongs into Horizon's /payments. */
  readonly moves: boolean
  /** What the result array holds for an operation that was never reached. */
  readonly untried: xdr.OperationResultTr
  /** The result of a body that no state of the ledger could make valid. */
  malformed(source: string): xdr.OperationResultTr | undefined
  apply(scope: Scope): OperationOutcome
  /** Horizon's own fields of this type. */
  record(source: xdr.MuxedAccount, ending: Ending): Record<string, unknown>
  /** Accounts beside the source in whose history it appears. */
  readonly affects: readonly string[]
}
