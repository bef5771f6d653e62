import { Keypair, xdr } from '@stellar/stellar-sdk'
import { bytes, integer, number, text } from '../store/columns.ts'
import { UnusableStore, type Database, type Row } from '../store/database.ts'
import { EntryRows } from '../store/entry-rows.ts'
import { writeLedger, type ClosedLedger } from '../store/history-rows.ts'
import { applyTransaction, type Applied } from './apply.ts'
import { baseFee, newAccount, type Account } from './entries.ts'
import { networkIdOf, readEnvelope, type Incoming } from './envelope.ts'
import { putGenesis, type Genesis } from './genesis.ts'
import { ledgerHeader, newestProtocol, operationCapacity, totalCoins } from './header.ts'
import { hashOf, resultSet, transactionSet } from './sets.ts'
import { LedgerState, type Change } from './state.ts'
import { transactionResult } from './results.ts'
import { frozenIn, type Frozen } from './frozen.ts'
import { feeOf, leastReplacingFee, type OpenHeader } from './validity.ts'

export type Submission =
  /** Broke a rule of validity and left no trace. */
  | { readonly status: 'rejected'; readonly incoming: Incoming; readonly result: xdr.TransactionResult }
  /** In the ledger that is being filled, where it held or failed; `closed` resolves once that is safely stored. */
  | {
      readonly status: 'pending'
      readonly incoming: Incoming
      readonly successful: boolean
      readonly closed: Promise<void>
      readonly duplicate: boolean
    }
  /** In a closed ledger already. */
  | { readonly status: 'included'; readonly incoming: Incoming }
  /** Not taken: its source has another one in the open ledger, or that takes no more. */
  | { readonly status: 'later'; readonly incoming: Incoming }

/** The protocol from which on an account has one transaction in a ledger. */
const onePendingSince = 20
/** For so many ledgers a transaction that was applied is not looked at again. */
const bannedLedgers = 10

interface OpenLedger {
  readonly header: OpenHeader
  /** Unix milliseconds. */
  readonly closesAt: number
  state: LedgerState
  transactions: Map<string, Applied>
  /** The transaction of each source account, where it may have one only. */
  readonly bySource: Map<string, Applied>
  operations: number
  readonly closed: PromiseWithResolvers<void>
}

/** A ledger that was just closed, with all that another store needs to follow the chain. */
export interface Closing {
  readonly ledger: ClosedLedger
  readonly header: Uint8Array
  readonly transactions: readonly Applied[]
  readonly changes: readonly Change[]
}

/** Stroops for each operation. */
export interface Fees {
  /** The network's base fee, which ledger headers carry. */
  readonly base: bigint
  /** What the next ledger takes: more than the base fee during surge pricing. */
  readonly price: bigint
}

interface LedgerOptions {
  readonly passphrase: string
  /** Now, in Unix milliseconds. */
  readonly clock: () => number
  /** Close times are multiples of this many milliseconds: 1000 as on a real network, 1 for faster closes. */
  readonly resolution: number
  /** The protocol version that ledgers declare. */
  readonly protocol?: number
  /** What the first ledger holds beside the root account. */
  readonly genesis?: Genesis
  readonly deploys?: boolean
}

/**
 * The chain of ledgers. Transactions take effect in the open ledger as they arrive, each against what those before
 * it left; closing stores the whole ledger in one database transaction, and only then is anyone answered.
 */
export class Ledger {
  readonly passphrase: string
  readonly networkId: Buffer
  readonly protocol: number
  /** Holds all lumens at first; friendbot pays from it. */
  readonly root: Keypair
  readonly #database: Database
  readonly #entries: EntryRows
  readonly #clock: () => number
  readonly #resolution: number
  readonly #genesis: Genesis
  readonly #deploys: boolean
  readonly #listeners = new Set<(closing: Closing) => void>()
  readonly #resetListeners = new Set<() => void>()
  #latest: ClosedLedger
  #stateHash: Uint8Array = Buffer.alloc(32)
  #open: OpenLedger | undefined
  #fees: Fees = { base: baseFee, price: baseFee }

  /** @throws UnusableStore when the store belongs to another network. */
  constructor(
    database: Database,
    {
      passphrase,
      clock,
      resolution,
      protocol = newestProtocol,
      genesis = {},
      deploys = false,
    }: LedgerOptions,
  ) {
    this.passphrase = passphrase
    this.protocol = protocol
    this.networkId = networkIdOf(passphrase)
    this.root = Keypair.fromRawEd25519Seed(this.networkId)
    this.#database = database
    this.#entries = new EntryRows(database)
    this.#clock = clock
    this.#resolution = resolution
    this.#genesis = genesis
    this.#deploys = deploys
    this.#latest = this.#load() ?? this.#begin()
  }

  /** The chain that the store holds; undefined for an empty store. */
  #load(): ClosedLedger | undefined {
    const last = lastLedger(this.#database)
    if (!last) return undefined
    requireNetwork(this.#database, this.passphrase)
    const header = xdr.LedgerHeader.fromXdr(bytes(last['header']))
    this.#stateHash = header.bucketListHash.value
    this.#entries.lastId = header.idPool
    return closedLedgerOf(last)
  }

  get latest(): ClosedLedger {
    return this.#latest
  }

  /** Transactions that wait for the next close. */
  get waiting(): number {
    return this.#open?.transactions.size ?? 0
  }

  get fees(): Fees {
    return this.#fees
  }

  /** Entries that no transaction may touch, from the next ledger on. */
  frozen: Frozen = new Set()

  /** From the next ledger on; one that already has transactions keeps the fees of its first. */
  setFees(fees: Fees): void {
    this.#fees = fees
  }

  /** An account with what the open ledger has done to it so far. */
  pendingAccount(id: string): Account | undefined {
    return this.#openLedger().state.account(id)
  }

  /** @throws MalformedEnvelope */
  read(envelope: string): Incoming {
    return readEnvelope(envelope, this.networkId)
  }

  submit(incoming: Incoming): Submission {
    const name = incoming.hash.toString('hex')
    const known = this.#open?.transactions.get(name)
    if (this.#open && known) return pending(this.#open, known, true)
    if (this.includes(incoming.hash)) return { status: 'included', incoming }
    const open = this.#openLedger()
    const other = open.bySource.get(incoming.source)
    if (other) return this.#submitSecond(incoming, other, open)
    if (open.operations + incoming.operations.length > operationCapacity) return { status: 'later', incoming }
    const outcome = applyTransaction(incoming, open.state, open.header)
    if (!outcome.applied) return { status: 'rejected', incoming, result: outcome.result }
    open.transactions.set(name, outcome)
    // Friendbot of the public test network pays from many accounts.
    if (this.protocol >= onePendingSince && incoming.source !== this.root.publicKey())
      open.bySource.set(incoming.source, outcome)
    open.operations += incoming.operations.length
    return pending(open, outcome, false)
  }

  /** A transaction whose source has one in the open ledger: only a fee bump that bids much more takes its place. */
  #submitSecond(incoming: Incoming, other: Applied, open: OpenLedger): Submission {
    const rejected = (code: 'txBadSeq' | 'txInsufficientFee', fee: bigint): Submission => ({
      status: 'rejected',
      incoming,
      result: transactionResult({ code }, fee),
    })
    if (!incoming.feeBump && other.incoming.txHash.equals(incoming.hash)) return pending(open, other, true)
    if (incoming.tx.seqNum < other.incoming.tx.seqNum) return rejected('txBadSeq', 0n)
    if (!incoming.feeBump || incoming.tx.seqNum !== other.incoming.tx.seqNum)
      return { status: 'later', incoming }
    const least = leastReplacingFee(incoming, other.incoming)
    if (feeOf(incoming).bid < least) return rejected('txInsufficientFee', least)
    const state = new LedgerState(this.#entries, open.header.sequence)
    const transactions = new Map<string, Applied>()
    for (const before of open.transactions.values()) {
      const next = before === other ? incoming : before.incoming
      const outcome = applyTransaction(next, state, open.header)
      if (outcome.applied) transactions.set(next.hash.toString('hex'), outcome)
      else if (next === incoming) return { status: 'rejected', incoming, result: outcome.result }
    }
    Object.assign(open, { state, transactions })
    open.bySource.clear()
    for (const applied of transactions.values()) {
      if (applied.incoming.source !== this.root.publicKey())
        open.bySource.set(applied.incoming.source, applied)
    }
    const replaced = transactions.get(incoming.hash.toString('hex'))
    if (!replaced) throw new Error('the transaction is not in the open ledger')
    return pending(open, replaced, false)
  }

  /** Why a transaction of a closed ledger would be rejected now; undefined where it would not. */
  rejectionOf(incoming: Incoming): xdr.TransactionResult | undefined {
    const open = this.#openLedger()
    const outcome = applyTransaction(incoming, open.state.layer(), open.header)
    return outcome.applied ? undefined : outcome.result
  }

  /** Whether a ledger of late holds this transaction by its own hash: for so long the network takes it for one to come. */
  isRecent(hash: Uint8Array): boolean {
    const row = this.#database.row('SELECT ledger FROM transactions WHERE hash = ?', hash)
    return row !== undefined && this.#latest.sequence - number(row['ledger']) < bannedLedgers
  }

  /** Whether a closed ledger holds this transaction, by its own hash or inside a fee bump. */
  includes(hash: Uint8Array): boolean {
    return (
      this.#database.row('SELECT 1 FROM transactions WHERE hash = ? OR inner_hash = ?', hash, hash) !==
      undefined
    )
  }

  /**
   * Closes the open ledger. If the store refuses (a full disk), nothing has happened: the ledger stays open, its
   * transactions wait, and the next call tries again.
   */
  close(): ClosedLedger {
    const open = this.#openLedger()
    const transactions = [...open.transactions.values()]
    const changes = open.state.changes()
    const stateHash = hashOf(this.#stateHash, ...transactions.map(({ meta }) => meta))
    const feePool = transactions.reduce((sum, { feeCharged }) => sum + feeCharged, this.#latest.feePool)
    const { header, hash } = ledgerHeader({
      protocol: this.protocol,
      sequence: open.header.sequence,
      previousHash: this.#latest.hash,
      closeTime: open.header.closeTime,
      transactionsHash: transactionSet({
        protocol: this.protocol,
        previousHash: this.#latest.hash,
        baseFee: open.header.baseFee,
        envelopes: transactions.map(({ incoming }) => incoming.envelope),
      }).hash,
      resultsHash: hashOf(
        resultSet(transactions.map(({ incoming: { hash }, result }) => ({ hash, result }))).toXdr(),
      ),
      stateHash,
      feePool,
      baseFee: open.header.baseFee,
      lastId: open.state.lastId,
    })
    const closed: ClosedLedger = {
      sequence: open.header.sequence,
      hash,
      previousHash: this.#latest.hash,
      closedAt: open.closesAt,
      feePool,
    }
    this.#database.transaction(transactions.length > 0, () => {
      this.#entries.write(changes)
      writeLedger(this.#database, closed, header, transactions)
    })
    this.#entries.remember(changes)
    this.#entries.lastId = open.state.lastId
    this.#latest = closed
    this.#stateHash = stateHash
    this.#open = undefined
    open.closed.resolve()
    for (const listener of this.#listeners) listener({ ledger: closed, header, transactions, changes })
    return closed
  }

  /** Continues from another chain, which the store holds once `replace` has run. */
  restore(replace: () => void): void {
    const open = this.#open
    replace()
    this.#entries.forget()
    this.#open = undefined
    this.#latest = this.#load() ?? this.#begin()
    for (const listener of this.#resetListeners) listener()
    open?.closed.resolve()
  }

  /** Deletes everything and starts again at ledger 1, as the public test network does a few times a year. */
  reset(): void {
    this.restore(() => {
      this.#database.clear()
      this.#stateHash = Buffer.alloc(32)
    })
  }

  /** Calls back after every close. @returns what ends that */
  onClose(listener: (closing: Closing) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls back after every reset. @returns what ends that */
  onReset(listener: () => void): () => void {
    this.#resetListeners.add(listener)
    return () => this.#resetListeners.delete(listener)
  }

  #openLedger(): OpenLedger {
    // Its time is that of its first transaction, or of its close if there is none.
    if (this.#open && this.#open.transactions.size > 0) return this.#open
    const now = Math.floor(this.#clock() / this.#resolution) * this.#resolution
    const closesAt = Math.max(this.#latest.closedAt + this.#resolution, now)
    const sequence = this.#latest.sequence + 1
    this.#open = {
      header: {
        protocol: this.protocol,
        sequence,
        closeTime: BigInt(Math.floor(closesAt / 1000)),
        baseFee: this.#fees.base,
        feePrice: this.#fees.price,
        frozen: frozenIn(this.protocol, this.frozen),
      },
      closesAt,
      state: new LedgerState(this.#entries, sequence),
      transactions: new Map(),
      bySource: new Map(),
      operations: 0,
      closed: Promise.withResolvers(),
    }
    return this.#open
  }

  /** The first ledger: one account holds everything. */
  #begin(): ClosedLedger {
    const closedAt = Math.floor(this.#clock() / this.#resolution) * this.#resolution
    const state = new LedgerState(this.#entries, 1)
    const given = putGenesis(state, this.#genesis)
    state.put({ ...newAccount(this.root.publicKey(), totalCoins - given, 1), sequence: 0n })
    const none = Buffer.alloc(32)
    const { header, hash } = ledgerHeader({
      protocol: this.protocol,
      sequence: 1,
      previousHash: none,
      closeTime: BigInt(Math.floor(closedAt / 1000)),
      transactionsHash: none,
      resultsHash: none,
      stateHash: this.#stateHash,
      feePool: 0n,
      baseFee: this.#fees.base,
      lastId: 0n,
    })
    const ledger = { sequence: 1, hash, previousHash: none, closedAt, feePool: 0n }
    this.#database.transaction(true, () => {
      this.#database.run('INSERT INTO network VALUES (1, ?, ?)', this.passphrase, this.#deploys ? 1 : 0)
      this.#entries.write(state.changes())
      writeLedger(this.#database, ledger, header, [])
    })
    return ledger
  }
}

function pending(open: OpenLedger, { incoming, successful }: Applied, duplicate: boolean): Submission {
  return { status: 'pending', incoming, successful, closed: open.closed.promise, duplicate }
}

function lastLedger(database: Database): Row | undefined {
  return database.row('SELECT * FROM ledgers ORDER BY sequence DESC LIMIT 1')
}

function requireNetwork(database: Database, passphrase: string): void {
  const known = text(database.row('SELECT passphrase FROM network')?.['passphrase'])
  if (known !== passphrase)
    throw new UnusableStore(`this data folder belongs to the network '${known}', not '${passphrase}'`)
}

function closedLedgerOf(row: Row): ClosedLedger {
  return {
    sequence: number(row['sequence']),
    hash: bytes(row['hash']),
    previousHash: bytes(row['previous_hash']),
    closedAt: number(row['closed_at']),
    feePool: integer(row['fee_pool']),
  }
}
