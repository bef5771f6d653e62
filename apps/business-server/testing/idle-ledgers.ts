import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerAnchor } from './ledger-anchor.ts'

/** Looks in a row that find nothing under way. */
const LOOKS = 15

/**
 * Closes a ledger whenever all that the anchor has under way waits for one. What goes into a ledger does not depend on how
 * fast the machine is, so that ledgers can be counted.
 */
export class IdleLedgers {
  readonly #anchor: LedgerAnchor
  readonly #waiting = new Set<() => void>()
  #asking = 0
  #isStopped = false
  #closing: Promise<void>

  constructor(anchor: LedgerAnchor) {
    this.#anchor = anchor
    this.#countQuestions()
    anchor.horizon.submit = xdr => this.#submit(xdr)
    this.#closing = this.#closeWhenIdle()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#closing
  }

  /** Resolves with the next ledger. */
  next(): Promise<void> {
    return new Promise(resolve => this.#waiting.add(resolve))
  }

  #countQuestions(): void {
    const { horizon } = this.#anchor
    const { submit: _, second: __, ...questions } = horizon
    for (const [name, ask] of Object.entries(questions) as [string, (...given: unknown[]) => unknown][]) {
      if (typeof ask !== 'function') continue
      const counted = async (...given: unknown[]) => {
        this.#asking++
        try {
          return await ask(...given)
        } finally {
          this.#asking--
        }
      }
      Object.assign(horizon, { [name]: counted })
    }
  }

  /** As stellar-core takes it: pending until the ledger, or to be sent again after it. */
  async #submit(xdr: string): ReturnType<LedgerAnchor['horizon']['submit']> {
    for (;;) {
      this.#asking++
      const next = this.next()
      const answer = await fetch(`${this.#anchor.network.url}/transactions_async`, {
        ...{ method: 'POST', body: new URLSearchParams({ tx: xdr }) },
      })
      const { tx_status: status, hash } = (await answer.json()) as { tx_status: string; hash: string }
      this.#asking--
      if (status === 'ERROR') return { outcome: 'unknown', detail: status }
      await next
      const found = await this.#anchor.horizon.transaction(hash)
      if (found)
        return found.successful ? { outcome: 'applied' } : { outcome: 'refused', codes: ['tx_failed'] }
    }
  }

  async #closeWhenIdle(): Promise<void> {
    const { pool } = this.#anchor.deps.database
    const kept = pool.totalCount - pool.idleCount
    const isBusy = () => this.#asking > 0 || pool.waitingCount > 0 || pool.totalCount - pool.idleCount > kept
    for (let looks = 0; !this.#isStopped; looks = isBusy() ? 0 : looks + 1) {
      await sleep(1)
      if (looks < LOOKS || this.#waiting.size === 0) continue
      looks = 0
      const waiting = [...this.#waiting]
      this.#waiting.clear()
      this.#anchor.network.close()
      for (const resolve of waiting) resolve()
    }
  }
}
