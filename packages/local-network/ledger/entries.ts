/** What the ledger holds. Entries are never changed in place: a change is a new object under the same key. */
export type Entry =
  Account | TrustLine | DataEntry | ClaimableBalance | Offer | LiquidityPool | ContractBalance | AssetContract

export interface Signer {
  /** StrKey: G… (key), T… (pre-authorised transaction), X… (hash) or P… (signed payload). */
  readonly key: string
  readonly weight: number
  /** The account that pays its reserve, when that is another. */
  readonly sponsor?: string
}

/** Stroops that offers are bound to buy and to sell. */
export interface Liabilities {
  readonly buying: bigint
  readonly selling: bigint
}

export interface Thresholds {
  readonly master: number
  readonly low: number
  readonly medium: number
  readonly high: number
}

export interface Account extends Liabilities {
  readonly kind: 'account'
  readonly id: string
  /** Stroops. */
  readonly balance: bigint
  readonly sequence: bigint
  readonly subentries: number
  /** Base reserves this account pays for others' entries and for claimable balances. */
  readonly sponsoring: number
  /** Base reserves of its own entries that others pay. */
  readonly sponsored: number
  /** The account that pays the reserve of this account itself. */
  readonly sponsor: string | null
  readonly homeDomain: string
  readonly inflationDestination: string | null
  readonly flags: number
  readonly thresholds: Thresholds
  /** Ordered by key bytes, the master key not among them. */
  readonly signers: readonly Signer[]
  /** Ledger and close time (Unix seconds) of the last change of the sequence; 0 before the first. */
  readonly sequenceLedger: number
  readonly sequenceTime: bigint
  readonly modified: number
}

export interface TrustLine extends Liabilities {
  readonly kind: 'trustline'
  readonly account: string
  /** `CODE:ISSUER`, or the id of a liquidity pool whose shares it holds. */
  readonly asset: string
  readonly balance: bigint
  readonly limit: bigint
  readonly flags: number
  /** Liquidity pools that this account has shares of and that hold this asset. */
  readonly pools: number
  readonly sponsor: string | null
  readonly modified: number
}

export interface DataEntry {
  readonly kind: 'data'
  readonly account: string
  readonly name: string
  readonly value: Uint8Array
  readonly sponsor: string | null
  readonly modified: number
}

export interface Price {
  readonly n: number
  readonly d: number
}

export interface Offer {
  readonly kind: 'offer'
  readonly id: bigint
  readonly seller: string
  /** Assets: `native` or `CODE:ISSUER`. */
  readonly selling: string
  readonly buying: string
  /** Amount of what it sells. */
  readonly amount: bigint
  /** What it buys for one unit of what it sells. */
  readonly price: Price
  /** 1: passive, it does not cross an offer of the same price. */
  readonly flags: number
  readonly sponsor: string | null
  readonly modified: number
}

/** A constant-product pool of two assets (CAP-38). */
export interface LiquidityPool {
  readonly kind: 'liquidity-pool'
  /** Hex of the hash of its parameters. */
  readonly id: string
  readonly assetA: string
  readonly assetB: string
  readonly reserveA: bigint
  readonly reserveB: bigint
  readonly shares: bigint
  /** Trustlines for its shares; without any it is removed. */
  readonly lines: number
  readonly modified: number
}

export interface ClaimableBalance {
  readonly kind: 'claimable-balance'
  /** Hex of the XDR ClaimableBalanceID: four zero bytes and the hash. */
  readonly id: string
  /** `native` or `CODE:ISSUER`. */
  readonly asset: string
  readonly amount: bigint
  readonly claimants: readonly { readonly destination: string; readonly predicate: string }[]
  readonly clawbackEnabled: boolean
  /** The account that pays its reserve: its creator, or who sponsors that. */
  readonly sponsor: string
  readonly modified: number
}

/** What a contract account holds of an asset: an entry of the asset's contract. */
export interface ContractBalance {
  readonly kind: 'contract-balance'
  /** `C…`: the asset's contract. */
  readonly contract: string
  /** `C…` */
  readonly holder: string
  /** `native` or `CODE:ISSUER`. */
  readonly asset: string
  readonly balance: bigint
  readonly clawback: boolean
  readonly modified: number
}

/** Contract of an asset, once someone has deployed it. */
export interface AssetContract {
  readonly kind: 'asset-contract'
  /** `C…` */
  readonly contract: string
  /** `native` or `CODE:ISSUER`. */
  readonly asset: string
  readonly modified: number
}

export const AccountFlag = { required: 1, revocable: 2, immutable: 4, clawback: 8, all: 15 } as const
export const LineFlag = { authorized: 1, maintain: 2, clawback: 4, authorization: 3, all: 7 } as const

export const int64Max = 2n ** 63n - 1n
export const baseFee = 100n
/** Stroops: 0.5 XLM. */
export const baseReserve = 5_000_000n
export const subentryLimit = 1000

export const accountKey = (id: string) => `account ${id}`
export const trustLineKey = (account: string, asset: string) => `trustline ${account} ${asset}`
export const dataKey = (account: string, name: string) => `data ${account} ${name}`
export const claimableBalanceKey = (id: string) => `claimable-balance ${id}`
export const offerKey = (id: bigint) => `offer ${id}`
export const poolKey = (id: string) => `liquidity-pool ${id}`
export const contractBalanceKey = (contract: string, holder: string) =>
  `contract-balance ${contract} ${holder}`
export const assetContractKey = (contract: string) => `asset-contract ${contract}`

/** Whether a trustline's asset is the shares of a liquidity pool. */
export const isPoolId = (asset: string) => asset.length === 64 && !asset.includes(':')

export function keyOf(entry: Entry): string {
  switch (entry.kind) {
    case 'account':
      return accountKey(entry.id)
    case 'trustline':
      return trustLineKey(entry.account, entry.asset)
    case 'data':
      return dataKey(entry.account, entry.name)
    case 'claimable-balance':
      return claimableBalanceKey(entry.id)
    case 'offer':
      return offerKey(entry.id)
    case 'liquidity-pool':
      return poolKey(entry.id)
    case 'contract-balance':
      return contractBalanceKey(entry.contract, entry.holder)
    case 'asset-contract':
      return assetContractKey(entry.contract)
  }
}

/** The order of an offer in its book: best price first, then the oldest. The network compares doubles too. */
export function compareOffers(a: Offer, b: Offer): number {
  const difference = a.price.n / a.price.d - b.price.n / b.price.d
  return difference === 0 ? (a.id < b.id ? -1 : 1) : difference
}

/** Stroops that an account must keep: (2 + subentries + what it sponsors - what others sponsor) base reserves. */
function minimumBalance({ subentries, sponsoring, sponsored }: Account): bigint {
  return BigInt(2 + subentries + sponsoring - sponsored) * baseReserve
}

/** Stroops that an account may spend; negative when a higher reserve is no longer covered. */
export function spendable(account: Account): bigint {
  return account.balance - minimumBalance(account) - account.selling
}

export function newAccount(id: string, balance: bigint, ledger: number): Account {
  return {
    kind: 'account',
    id,
    balance,
    sequence: BigInt(ledger) << 32n,
    subentries: 0,
    sponsoring: 0,
    sponsored: 0,
    sponsor: null,
    buying: 0n,
    selling: 0n,
    homeDomain: '',
    inflationDestination: null,
    flags: 0,
    thresholds: { master: 1, low: 0, medium: 0, high: 0 },
    signers: [],
    sequenceLedger: 0,
    sequenceTime: 0n,
    modified: ledger,
  }
}
