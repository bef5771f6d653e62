/** Decimal strings with at most 7 fraction digits. */
export type Amount = string

/** What the customer wants. */
export interface Wish {
  /** In asset units. */
  amount: Amount
  /** `CODE`, or `CODE:ISSUER`. */
  asset: string
  /** Such as `UPI`. */
  rail: string
  /** ISO 3166 alpha-2. */
  region?: string
  /** What the customer pays in or is paid in, such as `INR`. */
  currency?: string
  /** Anchors of other platforms, which nobody at the aggregator approved, compete too. */
  external?: boolean
}

/** What keeps an account from receiving an asset. */
export interface TrustlineState {
  /** `no-account`, `no-trustline`, `not-authorized`, `trustline-full`; null: it can receive it. `not-known`: the ledger did not answer. */
  fault: string | null
  /** Asks a wallet to add the trustline (SEP-7); null where that does not help. */
  addTrustline: string | null
}

export interface AnchorFilter {
  asset?: string
  rail?: string
  region?: string
  available?: boolean
}

/** An anchor in the aggregator's registry. */
export interface Anchor {
  id: string
  slug: string
  name: string
  domain: string
  status: string
  regions: string[]
  assets: { code: string; issuer: string; anchoredTo: string }[]
  rails: string[]
  limits: { min: Amount; max: Amount }
  /** `percentage` is a fraction: 0.005 is half a percent. */
  fees: { fixed: Amount; percentage: string }
  settlement: string
  current_availability: boolean
}

interface Priced {
  anchorId: string
  amount: Amount
  currency: string
  asset: string
  issuer?: string
  rail: string
  /** Currency units per asset unit. */
  fxRate: string
  /** In asset units. */
  fee: { fixed: Amount; percentage: string; variable: Amount; total: Amount }
  /** What the customer pays, in the currency. */
  sellAmount: Amount
  /** What the customer gets, in the asset. */
  buyAmount: Amount
}

export interface Quote extends Priced {
  id: string
  firm: boolean
  expiresAt: string
  /** Why this anchor. */
  reasoning: string
}

/** What one anchor would take. */
export interface Offer extends Priced {
  slug: string
  domain: string
  /** 0 to 100 by the routing policy. */
  score: number
  /** What the score is the weighted sum of, each 0 to 100. */
  scores: { fee: number; speed: number; uptime: number; liquidity: number }
  /** An anchor of another platform. */
  external?: boolean
}

/** The best anchor for a wish. */
export interface Route {
  anchorId: string
  domain: string
  decisionId: string
  score: number
  /** In asset units. */
  fee: Amount
  limits?: { min: Amount; max: Amount; within: boolean }
  candidates: { rank: number; anchorId: string; slug: string; fee: Amount; score: number }[]
  /** Plain text: why this anchor. */
  reasoning: string
}

/** Where an anchor is and whom to trust there, as routing returned it. Contains no secret. */
export interface AnchorAddress {
  anchorId: string
  homeDomain: string
  signingKey: string
  networkPassphrase: string
  /** `C…`: the contract by which contract accounts log in (SEP-45). */
  webAuthContract?: string | null
  endpoints: {
    webAuth: string | null
    webAuthForContracts?: string | null
    transferServer: string | null
    transferServerSep24: string | null
    kycServer: string | null
    quoteServer: string | null
  }
}

/** A customer at an anchor (SEP-12). */
export interface Customer {
  id?: string
  status: 'ACCEPTED' | 'PROCESSING' | 'NEEDS_INFO' | 'REJECTED'
  /** What the anchor asks for, by SEP-9 name. */
  fields?: Record<string, CustomerField>
  provided_fields?: Record<string, CustomerField>
  message?: string
}

export interface CustomerField {
  type: string
  description: string
  optional?: boolean
  choices?: string[]
  status?: string
}

/** A firm quote of an anchor (SEP-38). Assets: `stellar:CODE:ISSUER` or `iso4217:INR`. */
export interface FirmQuote {
  id: string
  expires_at: string
  price: string
  total_price: string
  sell_asset: string
  sell_amount: Amount
  buy_asset: string
  buy_amount: Amount
  fee: { total: Amount; asset: string }
}

/** A deposit or withdrawal as SEP-6 and SEP-24 report it. What is not known yet is absent. */
export interface Transaction {
  id: string
  kind: string
  /** A status of SEP-6 and SEP-24, such as `pending_user_transfer_start`. */
  status: string
  message?: string
  more_info_url?: string
  amount_in?: Amount
  amount_in_asset?: string
  amount_out?: Amount
  amount_out_asset?: string
  fee_details?: { total: Amount; asset: string }
  refunds?: { amount_refunded: Amount; amount_fee: Amount }
  /** How to pay a SEP-6 deposit, by SEP-9 name. */
  instructions?: Record<string, { value: string; description: string }>
  withdraw_anchor_account?: string
  withdraw_memo?: string
  withdraw_memo_type?: string
  stellar_transaction_id?: string
  claimable_balance_id?: string
  updated_at?: string
  completed_at?: string
}

/** One end of a transfer. */
export interface PlanEnd {
  /** ISO 4217. */
  currency: string
  rail: string
  /** ISO 3166 alpha-2. */
  region?: string
}

export interface PlanWish {
  /** What the sender pays in, in `from.currency`. */
  amount: Amount
  from: PlanEnd
  to: PlanEnd
  external?: boolean
}

interface PlanLeg {
  anchorId: string
  domain: string
  asset: string
  issuer: string
  fxRate: string
  /** In asset units. */
  fee: { fixed: Amount; percentage: string; variable: Amount; total: Amount }
  sellAmount: Amount
  buyAmount: Amount
}

/** A transfer from rail to rail: a deposit at one anchor, a withdrawal at another. */
export interface TransferPlan {
  id: string
  amount: Amount
  /** The most received first. */
  plans: {
    /** In `to.currency`. */
    received: Amount
    rate: string
    deposit: PlanLeg
    /** A path payment between the two; absent where both anchors have the same asset. */
    conversion?: {
      sendAsset: string
      sendAmount: Amount
      destinationAsset: string
      destinationAmount: Amount
      path: string[]
    }
    withdrawal: PlanLeg
  }[]
  reasoning: string
}
