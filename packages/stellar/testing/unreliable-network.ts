import { Transaction, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { createHash, randomInt } from 'node:crypto'
import { readSigned } from '../signatures.ts'
import type {
  AccountTransaction,
  FeeStats,
  HistoryRange,
  Horizon,
  LedgerHead,
  LedgerTransaction,
  PaymentRecord,
  Submission,
} from '../horizon.ts'
import type { HorizonAccount } from '../horizon-account.ts'
import { LedgerError } from '../ledger-error.ts'

/**
 * What goes wrong with one call. `lagging`: an instance some ledgers behind answers. `silent`: nobody answers; a
 * submission is lost. `late`: a submission is queued, its answer lost, and a later ledger may include it.
 * `applied-unheard`: a submission is applied and its answer lost. `outage`: as `silent`, for longer than an
 * envelope is valid.
 */
export type Fault = 'none' | 'lagging' | 'silent' | 'late' | 'applied-unheard' | 'outage'
export const FAULTS: readonly Fault[] = ['none', 'lagging', 'silent', 'late', 'applied-unheard', 'outage']

interface ClosedLedger extends LedgerHead {
  transactions: Transaction[]
  /** Sequence numbers after this ledger; accounts not in it have {@link UnreliableNetwork.firstSequence}. */
  accounts: ReadonlyMap<string, bigint>
}

interface Options {
  /** One for each call, in order; a call after the last has none. */
  faults?: readonly Fault[]
  /** How many ledgers the lagging instance is behind. */
  lag?: number
  /** The asset that every account holds. */
  asset?: () => string
  /** Further ones. */
  further?: () => string[]
}

const PASSPHRASE = 'Test SDF Network ; September 2015'
const CLOSE_SECONDS = 5
const BASE_RESERVE = 5_000_000n
const OUTAGE_LEDGERS = 200

/** Several Horizon instances before one ledger that accepts transactions as the real one does. */
export class UnreliableNetwork implements Horizon {
  /** Accounts without a trustline. */
  readonly untrusted = new Set<string>()
  /** What every account holds of XLM. */
  xlm = '1000'
  private readonly faults: Fault[]
  private readonly options: Options
  private chain: ClosedLedger[] = []
  private waiting: Transaction[] = []
  // Another on every chain, as accounts have: two chains never see the same transaction.
  private firstSequence = 0n

  constructor(options: Options = {}) {
    this.options = options
    this.faults = [...(options.faults ?? [])]
    this.reset()
  }

  /** What the present chain contains. */
  get applied(): Transaction[] {
    return this.chain.flatMap(({ transactions }) => transactions)
  }

  /** Starts another chain from its first ledger. */
  reset(): void {
    const closedAt = new Date((this.chain.at(-1)?.closedAt.getTime() ?? 1_800_000_000_000) + 60_000)
    this.firstSequence = BigInt(randomInt(2 ** 30)) * 2n ** 32n
    this.waiting = []
    const hash = hashOf(`${this.firstSequence}:1`)
    this.chain = [
      { sequence: 1, hash, closedAt, baseReserve: BASE_RESERVE, transactions: [], accounts: new Map() },
    ]
  }

  /** Applies a transaction of someone else who holds the source's key. */
  include(transaction: Transaction): void {
    this.waiting.push(transaction)
    this.close()
  }

  /** Closes ledgers until this many seconds have passed. */
  pass(seconds: number): void {
    this.close(Math.ceil(seconds / CLOSE_SECONDS))
  }

  /** What an instance that is never behind answers. */
  async withoutFaults<T>(ask: () => Promise<T>): Promise<T> {
    const faults = this.faults.splice(0)
    try {
      return await ask()
    } finally {
      this.faults.push(...faults)
    }
  }

  async account(id: string): Promise<HorizonAccount> {
    const ledger = this.answer()
    const line = {
      asset: this.options.asset?.() ?? 'native',
      balance: '1000000',
      limit: '900000000000',
      buyingLiabilities: '0',
      sellingLiabilities: '0',
      authorized: true,
    }
    const further = (this.options.further?.() ?? []).map(asset => ({ ...line, asset }))
    const native = { ...line, asset: 'native', balance: this.xlm, limit: null }
    return {
      id,
      ledger: ledger.sequence,
      sequence: (ledger.accounts.get(id) ?? this.firstSequence).toString(),
      subentryCount: 0,
      sponsoring: 0,
      sponsored: 0,
      homeDomain: null,
      memoRequired: false,
      issuing: { authRequired: false, authRevocable: false, clawback: false },
      thresholds: { low: 0, medium: 0, high: 0 },
      signers: [],
      balances: this.untrusted.has(id) ? [native] : [native, line, ...further],
    }
  }

  async feeStats(): Promise<FeeStats> {
    this.answer()
    return { lastBaseFee: 100n, charged: 100n }
  }

  async history(): Promise<HistoryRange> {
    return { elder: 1, latest: this.answer().sequence }
  }

  async paymentsOf(): Promise<PaymentRecord[]> {
    this.answer()
    return []
  }

  async transaction(hash: string): Promise<LedgerTransaction | null> {
    const seen = this.chain.slice(0, this.answer().sequence)
    for (const { transactions, sequence, closedAt } of seen) {
      const index = transactions.findIndex(known => transactionHash(known) === hash)
      if (index >= 0)
        return { successful: true, result: '', cursor: String(placeOf(sequence, index)), closedAt }
    }
    return null
  }

  async transactionsOf(account: string, cursor = '', order = 'desc'): Promise<AccountTransaction[]> {
    const oldestFirst = this.chain
      .slice(0, this.answer().sequence)
      .flatMap(({ transactions, sequence: ledger, closedAt }) =>
        transactions.map((each, index) => ({ each, ledger, closedAt, place: placeOf(ledger, index) })),
      )
      .filter(({ each }) => each.source === account)
      .filter(({ place }) => cursor === '' || (order === 'asc') === place > BigInt(cursor))
      .map(({ each, ledger, closedAt, place }) => ({
        hash: transactionHash(each),
        innerHash: null,
        source: each.source,
        sourceSequence: each.sequence,
        cursor: String(place),
        successful: true,
        xdr: each.toXdr(),
        result: '',
        feeCharged: BigInt(each.fee),
        ledger,
        closedAt,
        isSignedBy: (keys: readonly string[]) => readSigned(each.toXdr(), PASSPHRASE).isSignedBy(keys),
      }))
    return order === 'asc' ? oldestFirst : oldestFirst.reverse()
  }

  async claimableBalance(): Promise<{ exists: boolean; ledger: number | null }> {
    return { exists: true, ledger: this.answer().sequence }
  }

  async head(): Promise<LedgerHead> {
    return this.answer()
  }

  async ledger(sequence: number): Promise<LedgerHead | null> {
    return sequence <= this.answer().sequence ? (this.chain[sequence - 1] ?? null) : null
  }

  async submit(envelope: string): Promise<Submission> {
    const fault = this.faults.shift() ?? 'none'
    const given = TransactionBuilder.fromXdr(envelope, PASSPHRASE)
    const transaction = given instanceof Transaction ? given : given.innerTransaction
    if (fault === 'outage') this.close(OUTAGE_LEDGERS)
    if (fault === 'silent' || fault === 'outage') return noAnswer()
    if (fault === 'late') {
      this.waiting.push(transaction)
      return noAnswer()
    }
    const known = this.applied.some(each => transactionHash(each) === transactionHash(transaction))
    if (known) return fault === 'lagging' ? refused('tx_bad_seq') : { outcome: 'applied' }
    const codes = this.check(transaction, this.latest, fault === 'lagging' ? this.lagged() : this.latest)
    if (codes) return refused(codes)
    this.include(transaction)
    const included = this.applied.includes(transaction)
    return fault === 'applied-unheard' || !included ? noAnswer() : { outcome: 'applied' }
  }

  private get latest(): ClosedLedger {
    const latest = this.chain.at(-1)
    if (!latest) throw new Error('a chain has at least one ledger')
    return latest
  }

  private lagged(): ClosedLedger {
    return this.chain.at(-1 - (this.options.lag ?? 3)) ?? this.chain[0] ?? this.latest
  }

  private answer(): ClosedLedger {
    const fault = this.faults.shift() ?? 'none'
    this.close(fault === 'outage' ? OUTAGE_LEDGERS : 1)
    if (fault === 'silent' || fault === 'outage') {
      throw new LedgerError('ledger-unavailable', 'The ledger does not answer.')
    }
    return fault === 'lagging' ? this.lagged() : this.latest
  }

  private close(times = 1): void {
    for (let count = 0; count < times; count++) {
      const last = this.latest
      const sequence = last.sequence + 1
      const accounts = new Map(last.accounts)
      const closedAt = new Date(last.closedAt.getTime() + CLOSE_SECONDS * 1_000)
      const hash = hashOf(`${last.hash}:${sequence}`)
      const next = { sequence, hash, closedAt, baseReserve: BASE_RESERVE, accounts }
      const transactions: Transaction[] = []
      for (const transaction of this.waiting) {
        if (this.check(transaction, next, next)) continue
        accounts.set(transaction.source, BigInt(transaction.sequence))
        transactions.push(transaction)
      }
      this.waiting = []
      this.chain.push({ ...next, transactions })
    }
  }

  private check(
    transaction: Transaction,
    { closedAt }: Pick<ClosedLedger, 'closedAt'>,
    { accounts }: Pick<ClosedLedger, 'accounts'>,
  ): string | null {
    if (Number(transaction.timeBounds?.maxTime) * 1_000 < closedAt.getTime()) return 'tx_too_late'
    const sequence = accounts.get(transaction.source) ?? this.firstSequence
    return BigInt(transaction.sequence) === sequence + 1n ? null : 'tx_bad_seq'
  }
}

/** A paging token, as Horizon builds them. */
const placeOf = (ledger: number, index: number): bigint => (BigInt(ledger) << 32n) + BigInt(index + 1)
const noAnswer = (): Submission => ({ outcome: 'unknown', detail: 'no answer' })
const refused = (code: string): Submission => ({ outcome: 'refused', codes: [code] })
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const transactionHash = (transaction: Transaction) => Buffer.from(transaction.hash()).toString('hex')
