import { RateLimit, type Budget } from '../faults/rate-limit.ts'
import type { InstanceFaults } from '../faults/faults.ts'
import type { Incoming } from '../ledger/envelope.ts'
import type { Closing, Ledger, Submission } from '../ledger/ledger.ts'
import { number } from '../store/columns.ts'
import type { Database } from '../store/database.ts'
import { EntryRows } from '../store/entry-rows.ts'
import { deleteHistoryBefore, writeLedger, type ClosedLedger } from '../store/history-rows.ts'
import { Streams } from './streaming.ts'

export interface InstanceOptions {
  readonly ledger: Ledger
  /** The store that the ledger is kept in. */
  readonly database: Database
  /** How long POST /transactions waits for a close, in milliseconds. */
  readonly submissionTimeout: number
  /** Host names beside this machine's own at which friendbot and the page answer. */
  readonly allowedHosts: readonly string[]
  submit(incoming: Incoming): Submission
}

/** A store that follows the chain at its own pace. */
interface Copy {
  readonly database: Database
  readonly entries: EntryRows
  latest: ClosedLedger
  /** Closed, and not ingested yet. */
  readonly waiting: Closing[]
}

/**
 * One Horizon instance: what its answers are read from. It reads the ledger's own store, and while a fault makes it
 * lag or lose history, a copy that it alone writes.
 */
export class Instance {
  readonly ledger: Ledger
  readonly streams = new Streams()
  readonly submissionTimeout: number
  readonly allowedHosts: readonly string[]
  readonly submit: (incoming: Incoming) => Submission
  readonly #store: Database
  readonly #listeners = new Set<() => void>()
  readonly #unsubscribe: readonly (() => void)[]
  #copy: Copy | undefined
  #faults: InstanceFaults = {}
  #rateLimit: RateLimit | undefined
  #answersToLose = 0
  /** Whether it is in the part of its period in which it lags. */
  #lagging = false
  #phase: NodeJS.Timeout | undefined

  constructor({ ledger, database, submissionTimeout, allowedHosts, submit }: InstanceOptions) {
    this.ledger = ledger
    this.#store = database
    this.submissionTimeout = submissionTimeout
    this.allowedHosts = allowedHosts
    this.submit = submit
    this.#unsubscribe = [
      ledger.onClose(closing => this.#follow(closing)),
      ledger.onReset(() => this.#startOver()),
    ]
  }

  /** What it knows of the ledger, which may be behind. */
  get database(): Database {
    return this.#copy?.database ?? this.#store
  }

  /** The last ledger it has ingested. */
  get latest(): ClosedLedger {
    return this.#copy?.latest ?? this.ledger.latest
  }

  /** The oldest ledger in its history. */
  get elder(): number {
    return number(this.database.row('SELECT MIN(sequence) AS elder FROM ledgers')?.['elder'])
  }

  get faults(): InstanceFaults {
    return this.#faults
  }

  /** Replaces the faults it has; without lag it ingests at once what it is behind. */
  setFaults(faults: InstanceFaults): void {
    const { lag, retention, rateLimit, submissions } = faults
    // History that was deleted from the copy comes back only with another one.
    if (this.#faults.retention && !retention) this.#dropCopy()
    this.#faults = faults
    this.#rateLimit = rateLimit && new RateLimit(rateLimit)
    this.#answersToLose = submissions ? (submissions.count ?? Infinity) : 0
    this.#startPhase(lag !== undefined)
    if (lag ?? retention) this.#copy ??= this.#takeCopy()
    this.#advance()
  }

  /** Calls back whenever it has ingested a ledger. @returns what ends that */
  onLedger(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Counts a request; undefined where nothing is limited. */
  budget(client: string): Budget | undefined {
    return this.#rateLimit?.take(client)
  }

  /** How the answer to a submission that reaches the ledger gets lost, if it does. */
  takeLostAnswer(): 'none' | '504' | undefined {
    if (this.#answersToLose <= 0) return undefined
    this.#answersToLose -= 1
    return this.#faults.submissions?.answer
  }

  stop(): void {
    clearTimeout(this.#phase)
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    this.streams.close()
    this.#dropCopy()
  }

  #follow(closing: Closing): void {
    if (!this.#copy) return this.#notify()
    this.#copy.waiting.push(closing)
    this.#advance()
  }

  /** Ingests what it may know by now. */
  #advance(): void {
    const copy = this.#copy
    if (!copy) return
    const { lag, retention } = this.#faults
    const behind = this.#lagging ? (lag?.ledgers ?? Infinity) : 0
    while (copy.waiting.length > behind) {
      const closing = copy.waiting.shift()
      if (!closing) break
      copy.database.transaction(false, () => {
        copy.entries.write(closing.changes)
        writeLedger(copy.database, closing.ledger, closing.header, closing.transactions)
      })
      copy.entries.remember(closing.changes)
      copy.latest = closing.ledger
      this.#notify()
    }
    if (retention) deleteHistoryBefore(copy.database, copy.latest.sequence - retention.ledgers + 1)
    if (!lag && !retention) this.#dropCopy()
  }

  #startPhase(lagging: boolean): void {
    clearTimeout(this.#phase)
    this.#lagging = lagging
    const { seconds, every } = this.#faults.lag ?? {}
    if (seconds === undefined || every === undefined) return
    this.#phase = setTimeout(
      () => {
        this.#startPhase(!lagging)
        this.#advance()
      },
      (lagging ? seconds : every - seconds) * 1000,
    )
  }

  #startOver(): void {
    // Their cursors are of the chain that ended, as when the public test network is reset.
    this.streams.close()
    if (!this.#copy) return
    this.#dropCopy()
    this.#copy = this.#takeCopy()
  }

  #takeCopy(): Copy {
    const database = this.#store.copy()
    return { database, entries: new EntryRows(database), latest: this.ledger.latest, waiting: [] }
  }

  #dropCopy(): void {
    this.#copy?.database.close()
    this.#copy = undefined
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}
