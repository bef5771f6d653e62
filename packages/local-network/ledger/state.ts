import {
  accountKey,
  assetContractKey,
  claimableBalanceKey,
  compareOffers,
  contractBalanceKey,
  dataKey,
  isPoolId,
  keyOf,
  offerKey,
  poolKey,
  trustLineKey,
  type Account,
  type ClaimableBalance,
  type ContractBalance,
  type DataEntry,
  type Entry,
  type LiquidityPool,
  type Offer,
  type TrustLine,
} from './entries.ts'

export interface EntrySource {
  /** The id that was last given to an offer. */
  readonly lastId: bigint
  find(key: string): Entry | undefined
  /** The offers that sell one asset for another, best first. */
  offers(selling: string, buying: string): Iterable<Offer>
  offersOf(seller: string): readonly Offer[]
  /** The trustlines for shares of liquidity pools. */
  poolLinesOf(account: string): readonly TrustLine[]
  /** The asset (`native`, `CODE:ISSUER`) whose contract this is, among those that have one without its being deployed. */
  assetOf(contract: string): string | undefined
  /** The contract that an asset has or would have. */
  contractOf(asset: string): string
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
  /** Keys of written offers by what they sell and buy. */
  readonly #books = new Map<string, Set<string>>()
  #lastId: bigint | undefined
  /** Who pays for the entries of whom, while a transaction says so: sponsor by sponsored account. */
  readonly sponsorships: Map<string, string>

  /** @param ledger sequence of the ledger that every entry written here is stamped with. */
  constructor(below: EntrySource, ledger: number, sponsorships = new Map<string, string>()) {
    this.#below = below
    this.#ledger = ledger
    this.sponsorships = sponsorships
  }

  /** A further layer over this one; a transaction brings sponsorships of its own. */
  layer(sponsorships = this.sponsorships): LedgerState {
    return new LedgerState(this, this.#ledger, sponsorships)
  }

  get lastId(): bigint {
    return this.#lastId ?? this.#below.lastId
  }

  /** An id for a new offer. */
  nextId(): bigint {
    return (this.#lastId = this.lastId + 1n)
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

  offer(id: bigint): Offer | undefined {
    const entry = this.find(offerKey(id))
    return entry?.kind === 'offer' ? entry : undefined
  }

  pool(id: string): LiquidityPool | undefined {
    const entry = this.find(poolKey(id))
    return entry?.kind === 'liquidity-pool' ? entry : undefined
  }

  contractBalance(contract: string, holder: string): ContractBalance | undefined {
    const entry = this.find(contractBalanceKey(contract, holder))
    return entry?.kind === 'contract-balance' ? entry : undefined
  }

  assetOf(contract: string): string | undefined {
    const deployed = this.find(assetContractKey(contract))
    return deployed?.kind === 'asset-contract' ? deployed.asset : this.#below.assetOf(contract)
  }

  contractOf(asset: string): string {
    return this.#below.contractOf(asset)
  }

  *offers(selling: string, buying: string): Generator<Offer> {
    const written = [...(this.#books.get(`${selling} ${buying}`) ?? [])]
      .map(key => this.#written.get(key))
      .filter(entry => entry?.kind === 'offer' && entry.selling === selling && entry.buying === buying)
    const own = (written as Offer[]).sort(compareOffers)
    for (const offer of this.#below.offers(selling, buying)) {
      if (this.#written.has(offerKey(offer.id))) continue
      for (let first = own[0]; first && compareOffers(first, offer) < 0; first = own[0]) {
        own.shift()
        yield first
      }
      yield offer
    }
    yield* own
  }

  offersOf(seller: string): readonly Offer[] {
    return this.#overlaid(this.#below.offersOf(seller), entry =>
      entry.kind === 'offer' && entry.seller === seller ? entry : undefined,
    )
  }

  poolLinesOf(account: string): readonly TrustLine[] {
    return this.#overlaid(this.#below.poolLinesOf(account), entry =>
      entry.kind === 'trustline' && entry.account === account && isPoolId(entry.asset) ? entry : undefined,
    )
  }

  #overlaid<T extends Entry>(below: readonly T[], pick: (entry: Entry) => T | undefined): T[] {
    const untouched = below.filter(entry => !this.#written.has(keyOf(entry)))
    const own = [...this.#written.values()].flatMap(entry => (entry && pick(entry)) ?? [])
    return [...untouched, ...own]
  }

  put(entry: Entry): void {
    this.#write(keyOf(entry), { ...entry, modified: this.#ledger })
  }

  remove(entry: Entry): void {
    this.#write(keyOf(entry), undefined)
  }

  #write(key: string, entry: Entry | undefined): void {
    this.#written.set(key, entry)
    if (entry?.kind !== 'offer') return
    const book = `${entry.selling} ${entry.buying}`
    const keys = this.#books.get(book)
    if (keys) keys.add(key)
    else this.#books.set(book, new Set([key]))
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
    for (const [key, entry] of this.#written) target.#write(key, entry)
    if (this.#lastId !== undefined) target.#lastId = this.#lastId
  }
}
