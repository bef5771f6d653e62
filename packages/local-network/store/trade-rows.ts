import type { xdr } from '@stellar/stellar-sdk'
import { accountIdOf } from '../ledger/addresses.ts'
import { assetName, assetFields, type AssetName } from '../ledger/assets.ts'
import type { Applied } from '../ledger/apply.ts'
import { offerKey } from '../ledger/entries.ts'
import { operationId } from '../ledger/order.ts'
import { crossingsOf, operationResults } from '../ledger/results.ts'
import type { Change } from '../ledger/state.ts'
import { integer } from './columns.ts'
import type { Database } from './database.ts'

/** One side of a trade. */
interface Side {
  readonly account: string | null
  readonly offer: bigint | null
  readonly pool: string | null
  readonly asset: AssetName
  readonly amount: bigint
}

export interface Trade {
  /** Id of its operation. */
  readonly id: bigint
  readonly place: number
  /** The offer or the pool that was there first. */
  readonly seller: Side
  readonly buyer: Side
  /** What the seller asks for one unit. */
  readonly price: { readonly n: bigint; readonly d: bigint }
}

/** What a taker without an offer of its own trades under: the id of its operation, marked by bit 62. */
const takerMark = 1n << 62n

/** The trades of a transaction that succeeded; what crossing has merely tidied up is none. */
export function tradesOf(
  { incoming, result, changes }: Pick<Applied, 'incoming' | 'result' | 'changes'>,
  transaction: bigint,
): Trade[] {
  return operationResults(result).flatMap((each, index) => {
    const { claims, own } = crossingsOf(each)
    const id = operationId(transaction, index)
    const taker = incoming.operations[index]?.source ?? null
    return claims.flatMap((claim, place) => {
      const { value } = claim
      if (value.amountSold === 0n && value.amountBought === 0n) return []
      const pool =
        claim.type === 'claimAtomTypeLiquidityPool' ? hexOf(claim.liquidityPool.liquidityPoolId) : null
      const offer = claim.type === 'claimAtomTypeOrderBook' ? claim.orderBook : undefined
      const seller = {
        account: offer ? accountIdOf(offer.sellerId) : null,
        offer: offer?.offerId ?? null,
        pool,
        asset: assetName(value.assetSold) ?? '',
        amount: value.amountSold,
      }
      const buyer = {
        account: taker,
        offer: own ?? id | takerMark,
        pool: null,
        asset: assetName(value.assetBought) ?? '',
        amount: value.amountBought,
      }
      const asked = offer && askedPrice(changes[index] ?? [], offer.offerId)
      return { id, place, seller, buyer, price: asked ?? { n: value.amountBought, d: value.amountSold } }
    })
  })
}

const hexOf = (id: xdr.PoolId) => Buffer.from(id.value).toString('hex')

function askedPrice(changes: readonly Change[], id: bigint) {
  const before = changes.find(({ key }) => key === offerKey(id))?.before
  return before?.kind === 'offer' ? { n: BigInt(before.price.n), d: BigInt(before.price.d) } : undefined
}

/** Stores trades the way Horizon does: the base of a pair is the asset that was traded first. */
export function writeTrades(database: Database, trades: readonly Trade[], closedAt: number): void {
  const ranks = ranksOf(
    database,
    trades.flatMap(({ seller, buyer }) => [seller.asset, buyer.asset]),
  )
  for (const { id, place, seller, buyer, price } of trades) {
    const sellerFirst = (ranks.get(seller.asset) ?? 0n) < (ranks.get(buyer.asset) ?? 0n)
    const [base, counter] = sellerFirst ? [seller, buyer] : [buyer, seller]
    const [n, d] = sellerFirst ? [price.n, price.d] : [price.d, price.n]
    const side = ({ account, offer, pool, asset, amount }: Side) => [account, offer, pool, asset, amount]
    database.run(
      'INSERT INTO trades VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      id,
      place,
      closedAt,
      ...side(base),
      ...side(counter),
      sellerFirst ? 1 : 0,
      n,
      d,
    )
  }
}

/** Numbers assets in the order of their first trade; those of one ledger by type, code and issuer. */
function ranksOf(database: Database, assets: readonly AssetName[]): Map<AssetName, bigint> {
  const name = (asset: AssetName) => Object.values(assetFields(asset)).join('/')
  const sorted = [...new Set(assets)].sort((a, b) => (name(a) < name(b) ? -1 : 1))
  return new Map(
    sorted.map(asset => {
      database.run('INSERT OR IGNORE INTO traded_assets (asset) VALUES (?)', asset)
      return [asset, integer(database.row('SELECT id FROM traded_assets WHERE asset = ?', asset)?.['id'])]
    }),
  )
}
