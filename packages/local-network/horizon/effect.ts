import type { xdr } from '@stellar/stellar-sdk'
import { assetName } from '../ledger/assets.ts'

/** What an operation did to one account, as Horizon shows it. */
export interface Effect {
  readonly account: string
  readonly type: keyof typeof effectNumbers
  readonly [field: string]: unknown
}

export const effectNumbers = {
  account_created: 0,
  account_removed: 1,
  account_credited: 2,
  account_debited: 3,
  account_thresholds_updated: 4,
  account_home_domain_updated: 5,
  account_flags_updated: 6,
  account_inflation_destination_updated: 7,
  signer_created: 10,
  signer_removed: 11,
  signer_updated: 12,
  trustline_created: 20,
  trustline_removed: 21,
  trustline_updated: 22,
  trustline_authorized: 23,
  trustline_deauthorized: 24,
  trustline_authorized_to_maintain_liabilities: 25,
  trustline_flags_updated: 26,
  trade: 33,
  data_created: 40,
  data_removed: 41,
  data_updated: 42,
  sequence_bumped: 43,
  claimable_balance_created: 50,
  claimable_balance_claimant_created: 51,
  claimable_balance_claimed: 52,
  account_sponsorship_created: 60,
  account_sponsorship_updated: 61,
  account_sponsorship_removed: 62,
  trustline_sponsorship_created: 63,
  trustline_sponsorship_updated: 64,
  trustline_sponsorship_removed: 65,
  data_sponsorship_created: 66,
  data_sponsorship_updated: 67,
  data_sponsorship_removed: 68,
  claimable_balance_sponsorship_created: 69,
  claimable_balance_sponsorship_updated: 70,
  claimable_balance_sponsorship_removed: 71,
  signer_sponsorship_created: 72,
  signer_sponsorship_updated: 73,
  signer_sponsorship_removed: 74,
  claimable_balance_clawed_back: 80,
  liquidity_pool_deposited: 90,
  liquidity_pool_withdrew: 91,
  liquidity_pool_trade: 92,
  liquidity_pool_created: 93,
  liquidity_pool_removed: 94,
  liquidity_pool_revoked: 95,
  contract_credited: 96,
  contract_debited: 97,
} as const

/** An operation as Horizon shows it, whose fields its effects repeat. */
export type OperationFields = Readonly<Record<string, unknown>>

/** An entry before and after the operation. */
export interface Pair {
  readonly before: xdr.LedgerEntry | undefined
  readonly after: xdr.LedgerEntry | undefined
}

export function pairs(changes: readonly xdr.LedgerEntryChange[]): Pair[] {
  const found: Pair[] = []
  let before: xdr.LedgerEntry | undefined
  for (const change of changes) {
    if (change.type === 'ledgerEntryState') before = change.state
    else {
      const after =
        change.type === 'ledgerEntryCreated'
          ? change.created
          : change.type === 'ledgerEntryUpdated'
            ? change.updated
            : undefined
      found.push({ before, after })
      before = undefined
    }
  }
  return found
}

export interface Who {
  readonly account: string
  readonly account_muxed?: unknown
  readonly account_muxed_id?: unknown
}

/** The account in a field of the operation, with the muxed address it was named by. */
export function accountIn(operation: OperationFields, field: string): Who {
  const muxed = operation[`${field}_muxed`]
  return {
    account: String(operation[field]),
    ...(muxed !== undefined && { account_muxed: muxed, account_muxed_id: operation[`${field}_muxed_id`] }),
  }
}

export function moneyIn(operation: OperationFields, prefix = '') {
  const field = (name: string) => operation[`${prefix}${name}`]
  const [asset_type, amount] = [field('asset_type'), field('amount')]
  return asset_type === 'native'
    ? { asset_type, amount }
    : { asset_type, asset_code: field('asset_code'), asset_issuer: field('asset_issuer'), amount }
}

export const hexOf = (id: xdr.PoolId) => Buffer.from(id.value).toString('hex')

/** The name of a line's asset, or the id of the pool whose shares it holds. */
export function lineAsset(asset: xdr.TrustLineAsset): string {
  return asset.type === 'assetTypePoolShare' ? hexOf(asset.liquidityPoolId) : (assetName(asset) ?? 'native')
}
