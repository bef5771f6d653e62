import type { Principals } from '@windlass/contracts/realm.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import type { Deps } from '../deps.ts'
import { refused } from '../sep-errors.ts'
import { findOpenQuote } from '../sep38/take-quote.ts'
import { plainAmount, readAmount, readLimitedAmount } from './amounts.ts'
import { assetName } from './asset.ts'
import type { Beginning } from './begin.ts'

/** What a transaction is about as far as the wallet said: in units of the anchor's asset, and the currency beside it. */
export interface Agreed {
  amount: string | null
  /** `iso4217:…` */
  fiat: string
}

/**
 * Reads amount, assets and quote of a request together. A quote settles all of them, and an amount beside it must be
 * the quote's; `deposit-exchange` names its amount in what is paid in (SEP-6), everything else in the anchor's asset.
 * Throws a refusal.
 */
export async function agreedAmount(
  deps: Deps,
  wallet: Principals['wallet'],
  beginning: Beginning,
): Promise<Agreed> {
  const { sep, side, request, fiatAsset } = beginning
  const { anchor } = deps.config
  const exchange = side === 'deposit' ? request.source_asset : request.destination_asset
  const fiat = exchange ?? fiatAsset
  if (request.quote_id) return byQuote(deps, wallet, beginning)
  if (!request.amount) return { amount: null, fiat }
  if (sep === '6' && side === 'deposit' && exchange) {
    const sell_amount = readAmount('amount', request.amount)
    const pair = { sell_asset: exchange, buy_asset: assetName(anchor), sell_amount }
    const { buy_amount } = await deps.business.rate({ ...pair, type: 'indicative' })
    return { amount: plainAmount(buy_amount), fiat }
  }
  return { amount: readLimitedAmount('amount', request.amount, anchor.plan.limits), fiat }
}

async function byQuote(
  deps: Deps,
  wallet: Principals['wallet'],
  { sep, side, request }: Beginning,
): Promise<Agreed> {
  const quote = await findOpenQuote(deps.database.db, request.quote_id ?? '', wallet, deps.clock.now())
  const deposit = side === 'deposit'
  const fits = sep === '6' ? [quote.sell_amount] : [quote.sell_amount, quote.buy_amount]
  if (request.amount) {
    const given = parseAmount(readAmount('amount', request.amount))
    if (!fits.some(each => parseAmount(each) === given)) {
      throw refused('amount is not that of the quote; it must be its sell_amount')
    }
  }
  return {
    amount: plainAmount(deposit ? quote.buy_amount : quote.sell_amount),
    fiat: deposit ? quote.sell_asset : quote.buy_asset,
  }
}
