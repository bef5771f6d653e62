import {
  accountKey,
  claimableBalanceKey,
  dataKey,
  keyOf,
  trustLineKey,
  type Account,
  type ClaimableBalance,
  type DataEntry,
  type Entry,
  type TrustLine,
} from './entries.ts'

export interface EntrySource {
  find(key: string): Entry | undefined
}

export interface Change {
  readonly key: string
  readonly before: Entry | undefined
  readonly after: Entry | undefined
}

/**
 * A view of the ledger over another one. What is written stays here until `commit` hands it to the one below;
 * a view that is dropped never happened. Ledger, transaction and operation are three such layers, which makes
 * undoing a failed transaction and listing what an operation changed the same mechanism.
 */
export class LedgerState implements EntrySource {
  readonly #below: EntrySource
  readonly #ledger: number
  readonly #written = new Map<string, Entry | undefined>()

  /** @param ledger sequence of the ledger that every entry written here is stamped with. */
  constructor(below: EntrySource, ledger: number) {
    this.#below = below
    this.#ledger = ledger
  }

  /** A further layer over this one. */
  layer(): LedgerState {
    return new LedgerState(this, this.#ledger)
  }

  find(key: string): Entry | undefined {
    return this.#written.has(key) ? this.#written.get(key) : this.#below.find(key)
  }

  account(id: string): Account | undefined {
    const entry = this.find(accountKey(id))
    return entry?.kind === 'account' ? entry : undefined
  }

  trustLine(account: string, asset: string): TrustLine | undefined {
    const entry = this.find(trustLineKey(account, asset))
    return entry?.kind === 'trustline' ? entry : undefined
  }

  data(account: string, name: string): DataEntry | undefined {
    const entry = this.find(dataKey(account, name))
    return entry?.kind === 'data' ? entry : undefined
  }

  claimableBalance(id: string): ClaimableBalance | undefined {
    const entry = this.find(claimableBalanceKey(id))
    return entry?.kind === 'claimable-balance' ? entry : undefined
  }

  put(entry: Entry): void {
    this.#written.set(keyOf(entry), { ...entry, modified: this.#ledger })
  }

  remove(entry: Entry): void {
    this.#written.set(keyOf(entry), undefined)
  }

  /** Every entry written here, beside what the view below holds for it. */
  changes(): Change[] {
    const changes: Change[] = []
    for (const [key, after] of this.#written) {
      const before = this.#below.find(key)
      if (before || after) changes.push({ key, before, after })
    }
    return changes
  }

  commitTo(target: LedgerState): void {
    for (const [key, entry] of this.#written) target.#written.set(key, entry)
  }
}
