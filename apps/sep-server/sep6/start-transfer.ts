import type { QueryOf } from '@windlass/contracts/endpoint.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import type { deposit } from '@windlass/contracts/sep6.ts'
import type { Deps } from '../deps.ts'
import { refused } from '../sep-errors.ts'
import { chooseRail, fiatAssets } from '../transactions/asset.ts'
import { begin } from '../transactions/begin.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { terms } from './info.ts'

type Query = QueryOf<typeof deposit>

/**
 * Begins a deposit. The customer's identity is the business server's to judge: it asks for it by
 * `pending_customer_info_update`, or gives the payment instructions, which stand in the transaction then.
 */
export async function startDeposit(
  deps: Deps,
  wallet: Principals['wallet'],
  query: Query,
  exchange: boolean,
) {
  const row = await start(deps, wallet, 'deposit', query, exchange)
  return {
    how: 'Read the transaction: it holds the payment instructions once the anchor knows the customer.',
    id: row.id,
    ...terms(deps.config.anchor),
    extra_info: { message: `Over ${chooseRail(deps.config.anchor, row.type ?? undefined).label}.` },
  }
}

/** Begins a withdrawal; account and memo to pay to stand in the transaction once the anchor knows the customer. */
export async function startWithdrawal(
  deps: Deps,
  wallet: Principals['wallet'],
  query: Query,
  exchange: boolean,
) {
  if (!query.dest && !exchange) {
    // SEP-12 may hold the customer's account; without either the payout has nowhere to go.
    if (!query.customer_id) throw refused('dest is needed: the account that receives the money')
  }
  const row = await start(deps, wallet, 'withdrawal', query, exchange)
  return {
    id: row.id,
    ...terms(deps.config.anchor),
    extra_info: { message: 'Pay only to the account and memo that the transaction names.' },
  }
}

async function start(
  deps: Deps,
  wallet: Principals['wallet'],
  side: 'deposit' | 'withdrawal',
  query: Query,
  exchange: boolean,
): Promise<Transaction> {
  const { anchor } = deps.config
  const mine = side === 'deposit' ? query.destination_asset : query.source_asset
  const other = side === 'deposit' ? query.source_asset : query.destination_asset
  if (exchange) {
    if (!mine || !other) throw refused('source_asset and destination_asset are needed')
    if (!query.amount) throw refused('amount is needed')
    if (!fiatAssets(anchor).includes(other)) throw refused(`the anchor does not exchange ${other}`)
  }
  const rail = chooseRail(anchor, query.funding_method ?? query.type, exchange ? other : undefined)
  const { wallet_url: _, country_code: __, location_id: ___, dest, dest_extra, ...request } = query
  return begin(deps, wallet, {
    sep: '6',
    side,
    status: 'incomplete',
    request: {
      ...request,
      asset_code: exchange ? mine : query.asset_code,
      ...(exchange ? {} : { source_asset: undefined, destination_asset: undefined }),
      type: rail.method,
    },
    fields: { ...(dest ? { dest } : {}), ...(dest_extra ? { dest_extra } : {}) },
    fiatAsset: `iso4217:${rail.currency}`,
  })
}
