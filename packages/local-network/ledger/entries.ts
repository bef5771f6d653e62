/** What the ledger holds. Entries are never changed in place: a change is a new object under the same key. */
export type Entry = Account | TrustLine | DataEntry | ClaimableBalance

export interface Signer {
  /** StrKey: G… (key), T… (pre-authorised transaction), X… (hash) or P… (signed payload). */
  readonly key: string
  readonly weight: number
}

export interface Thresholds {
  readonly master: number
  readonly low: number
  readonly medium: number
  readonly high: number
}

export interface Account {
  readonly kind: 'account'
  readonly id: string
  /** Stroops. */
  readonly balance: bigint
  readonly sequence: bigint
  readonly subentries: number
  /** Base reserves this account pays for others' entries: the claimants of the claimable balances it made. */
  readonly sponsoring: number
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

export interface TrustLine {
  readonly kind: 'trustline'
  readonly account: string
  /** `CODE:ISSUER`. */
  readonly asset: string
  readonly balance: bigint
  readonly limit: bigint
  readonly flags: number
  readonly modified: number
}

export interface DataEntry {
  readonly kind: 'data'
  readonly account: string
  readonly name: string
  readonly value: Uint8Array
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
  /** The account that pays its reserve: its creator. */
  readonly sponsor: string
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
  }
}

/** Stroops that an account must keep: (2 + subentries + what it sponsors) base reserves. */
function minimumBalance(account: Account, further = 0): bigint {
  return BigInt(2 + account.subentries + account.sponsoring + further) * baseReserve
}

/** Stroops that an account may spend; negative when a higher reserve is no longer covered. */
export function spendable(account: Account, further = 0): bigint {
  return account.balance - minimumBalance(account, further)
}

export function newAccount(id: string, balance: bigint, ledger: number): Account {
  return {
    kind: 'account',
    id,
    balance,
    sequence: BigInt(ledger) << 32n,
    subentries: 0,
    sponsoring: 0,
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
