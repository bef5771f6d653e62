import type { Incoming } from '../ledger/envelope.ts'
import type { Ledger, Submission } from '../ledger/ledger.ts'
import type { Database } from '../store/database.ts'
import type { Streams } from './streaming.ts'

/** What the HTTP surface serves. */
export interface Network {
  readonly ledger: Ledger
  readonly database: Database
  readonly streams: Streams
  /** How long POST /transactions waits for a close, in milliseconds. */
  readonly submissionTimeout: number
  /** Host names beside this machine's own at which friendbot and the page answer. */
  readonly allowedHosts: readonly string[]
  submit(incoming: Incoming): Submission
}
