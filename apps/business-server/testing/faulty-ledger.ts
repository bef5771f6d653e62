import { Transaction, TransactionBuilder } from '@stellar/stellar-sdk/base'
import type { Horizon } from '@windlass/stellar/horizon.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'

import { randomInt } from 'node:crypto'

/** What goes wrong with one call: nothing, no answer, or (a submission) applied with the answer lost. */
export type Fault = 'none' | 'silent' | 'applied-unheard'

const PASSPHRASE = 'Test SDF Network ; September 2015'

/** A ledger of one source account that takes a transaction as the real one does, and answers as badly as it is told to. */
export class FaultyLedger implements Horizon {
  readonly applied: Transaction[] = []
  // Another one for each ledger, as accounts have: two ledgers never see the same transaction.
  sequence = BigInt(randomInt(2 ** 47))
  /** Whether the destination can hold the asset. */
  trusted = true
  private seconds = 1_800_000_000
  private readonly faults: Fault[]
  private readonly asset: () => string
  private readonly source: () => string

  constructor(faults: Fault[], source: () => string, asset: () => string) {
    this.faults = [...faults]
    this.source = source
    this.asset = asset
  }

  async account(id: string) {
    this.mayBeSilent()
    const line = { asset: this.asset(), balance: '1000000', limit: '900000000000', authorized: true }
    return {
      id,
      sequence: (id === this.source() ? this.sequence : 1n).toString(),
      subentryCount: 0,
      homeDomain: null,
      thresholds: { low: 0, medium: 0, high: 0 },
      signers: [],
      balances: this.trusted || id === this.source() ? [line] : [],
    }
  }

  async transaction(hash: string) {
    this.mayBeSilent()
    return this.applied.some(each => hashOf(each) === hash) ? { successful: true } : null
  }

  async head() {
    this.mayBeSilent()
    return { sequence: 7, hash: 'h', closedAt: new Date(this.seconds * 1000) }
  }

  async ledgerHash() {
    return 'h'
  }

  async submit(envelope: string) {
    const fault = this.faults.shift() ?? 'none'
    if (fault === 'silent') return this.lost()
    const transaction = TransactionBuilder.fromXdr(envelope, PASSPHRASE)
    if (!(transaction instanceof Transaction)) throw new Error('a fee bump')
    const known = this.applied.some(each => hashOf(each) === hashOf(transaction))
    if (!known) {
      if (BigInt(transaction.sequence) !== this.sequence + 1n) {
        return { outcome: 'refused' as const, codes: ['tx_bad_seq'] }
      }
      if (Number(transaction.timeBounds?.maxTime) < this.seconds) {
        return { outcome: 'refused' as const, codes: ['tx_too_late'] }
      }
      this.applied.push(transaction)
      this.sequence += 1n
    }
    return fault === 'applied-unheard' ? this.lost() : { outcome: 'applied' as const }
  }

  // Time goes on while nobody answers: what was not applied by then never will be.
  private lost() {
    this.seconds += 1_000
    return { outcome: 'unknown' as const, detail: 'no answer' }
  }

  private mayBeSilent(): void {
    if ((this.faults.shift() ?? 'none') === 'none') return
    throw new LedgerError('ledger-unavailable', 'The ledger does not answer.')
  }
}

const hashOf = (transaction: Transaction) => Buffer.from(transaction.hash()).toString('hex')
