import type { xdr } from '@stellar/stellar-sdk'
import { accountIdOf } from '../ledger/addresses.ts'
import { amountText } from '../ledger/amounts.ts'
import { assetFields, assetName } from '../ledger/assets.ts'
import { crossingsOf } from '../ledger/results.ts'
import { balanceMade } from './claimable-effects.ts'
import { accountIn, type Effect, hexOf, type OperationFields, type Pair, type Who } from './effect.ts'

/** What a trade did to the taker and to the owner of each offer that it took. */
export function tradeEffects(
  operation: OperationFields,
  all: readonly Pair[],
  result: xdr.OperationResult,
): Effect[] {
  const buyer = accountIn(operation, 'source_account')
  return crossingsOf(result).claims.flatMap((claim): Effect[] => {
    const { assetSold, amountSold, assetBought, amountBought } = claim.value
    if (amountSold === 0n && amountBought === 0n) return []
    const [sold, bought] = [assetName(assetSold) ?? '', assetName(assetBought) ?? '']
    if (claim.type === 'claimAtomTypeLiquidityPool')
      return [
        {
          ...buyer,
          type: 'liquidity_pool_trade',
          liquidity_pool: poolRecordIn(all, hexOf(claim.liquidityPool.liquidityPoolId)),
          sold: { asset: sold, amount: amountText(amountSold) },
          bought: { asset: bought, amount: amountText(amountBought) },
        },
      ]
    if (claim.type !== 'claimAtomTypeOrderBook') return []
    const { offerId, sellerId } = claim.orderBook
    const seller = accountIdOf(sellerId)
    const offer_id = offerId.toString()
    const side = (name: string, asset: string, amount: bigint) => ({
      [`${name}_amount`]: amountText(amount),
      ...assetFields(asset, `${name}_asset`),
    })
    return [
      {
        ...buyer,
        type: 'trade',
        seller,
        offer_id,
        ...side('sold', bought, amountBought),
        ...side('bought', sold, amountSold),
      },
      {
        account: seller,
        type: 'trade',
        seller: buyer.account,
        ...('account_muxed' in buyer && {
          seller_muxed: buyer.account_muxed,
          seller_muxed_id: operation['source_account_muxed_id'],
        }),
        offer_id,
        ...side('sold', sold, amountSold),
        ...side('bought', bought, amountBought),
      },
    ]
  })
}

function poolsIn(all: readonly Pair[]) {
  return all.flatMap(({ before, after }) => {
    const [was, is] = [poolIn(before), poolIn(after)]
    const pool = is ?? was
    return pool ? [{ id: hexOf(pool.liquidityPoolId), was, is }] : []
  })
}

function poolIn(entry: xdr.LedgerEntry | undefined): xdr.LiquidityPoolEntry | undefined {
  return entry?.data.type === 'liquidityPool' ? entry.data.liquidityPool : undefined
}

function poolRecordIn(all: readonly Pair[], id: string) {
  const pool = poolsIn(all).find(each => each.id === id)
  const entry = pool?.is ?? pool?.was
  return entry && poolFields(entry)
}

/** A pool inside an effect. */
function poolFields({ liquidityPoolId, body }: xdr.LiquidityPoolEntry) {
  const { params, reserveA, reserveB, totalPoolShares, poolSharesTrustLineCount } = body.constantProduct
  const reserve = (asset: xdr.Asset, amount: bigint) => ({
    asset: assetName(asset) ?? '',
    amount: amountText(amount),
  })
  return {
    id: hexOf(liquidityPoolId),
    fee_bp: params.fee,
    type: 'constant_product',
    total_trustlines: poolSharesTrustLineCount.toString(),
    total_shares: amountText(totalPoolShares),
    reserves: [reserve(params.assetA, reserveA), reserve(params.assetB, reserveB)],
  }
}

export function depositEffects(operation: OperationFields, source: Who, all: readonly Pair[]): Effect[] {
  const { liquidity_pool_id, reserves_deposited, shares_received } = operation
  const liquidity_pool = poolRecordIn(all, String(liquidity_pool_id))
  return [
    { ...source, type: 'liquidity_pool_deposited', liquidity_pool, reserves_deposited, shares_received },
  ]
}

export function withdrawalEffects(operation: OperationFields, source: Who, all: readonly Pair[]): Effect[] {
  const { liquidity_pool_id, reserves_received, shares } = operation
  const liquidity_pool = poolRecordIn(all, String(liquidity_pool_id))
  return [
    {
      ...source,
      type: 'liquidity_pool_withdrew',
      liquidity_pool,
      reserves_received,
      shares_redeemed: shares,
    },
  ]
}

/** An account that was made to leave pools: what was its share is in claimable balances. */
export function redemptionEffects(source: Who, all: readonly Pair[]): Effect[] {
  const balances = all.flatMap(({ before, after }) =>
    !before && after?.data.type === 'claimableBalance' ? [after.data.claimableBalance] : [],
  )
  const unconditional = (balance: xdr.ClaimableBalanceEntry) =>
    balance.claimants.map(({ v0 }) => ({
      destination: accountIdOf(v0.destination),
      predicate: { unconditional: true },
    }))
  const revoked = poolsIn(all).flatMap(({ was, is }): Effect[] => {
    if (!was) return []
    const [before, left] = [was.body.constantProduct, is?.body.constantProduct]
    const shares = before.totalPoolShares - (left?.totalPoolShares ?? 0n)
    if (shares === 0n) return []
    const reserve = (asset: xdr.Asset, amount: bigint) => {
      const name = assetName(asset)
      const balance = balances.find(each => assetName(each.asset) === name && each.amount === amount)
      return {
        asset: name,
        amount: amountText(amount),
        ...(balance && { claimable_balance_id: balance.balanceId.toXdr('hex') }),
      }
    }
    return [
      {
        ...source,
        type: 'liquidity_pool_revoked',
        liquidity_pool: poolFields(is ?? was),
        reserves_revoked: [
          reserve(before.params.assetA, before.reserveA - (left?.reserveA ?? 0n)),
          reserve(before.params.assetB, before.reserveB - (left?.reserveB ?? 0n)),
        ],
        shares_revoked: amountText(shares),
      },
    ]
  })
  return [...balances.flatMap(balance => balanceMade(source, balance, unconditional(balance))), ...revoked]
}

export function poolLifeEffects(operation: OperationFields, all: readonly Pair[]): Effect[] {
  const source = accountIn(operation, 'source_account')
  return poolsIn(all).flatMap(({ id, was, is }): Effect[] => {
    if (!was && is) return [{ ...source, type: 'liquidity_pool_created', liquidity_pool: poolFields(is) }]
    return was && !is ? [{ ...source, type: 'liquidity_pool_removed', liquidity_pool_id: id }] : []
  })
}
