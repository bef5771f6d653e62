import {
  Asset,
  getLiquidityPoolId,
  LiquidityPoolAsset,
  Operation,
  type Keypair,
  type xdr,
} from '@stellar/stellar-sdk'
import { codesOf, type Laboratory } from './laboratory.ts'

/** An issuer of two assets and people who have lines for both. */
export class Market {
  readonly lab: Laboratory
  readonly issuer: Keypair
  readonly eur: Asset
  readonly inr: Asset

  private constructor(lab: Laboratory, issuer: Keypair) {
    this.lab = lab
    this.issuer = issuer
    this.eur = new Asset('EUR', issuer.publicKey())
    this.inr = new Asset('INR', issuer.publicKey())
  }

  static async open(lab: Laboratory, flags = 0): Promise<Market> {
    const market = new Market(lab, await lab.funded())
    // Account flags as the SDK takes them.
    if (flags) await market.succeed(market.issuer, Operation.setOptions({ setFlags: flags as never }))
    return market
  }

  /** Someone with lines for both assets, and this much of each (in units of the asset). */
  async trader({ eur = '0', inr = '0' }: { eur?: string; inr?: string } = {}): Promise<Keypair> {
    const key = await this.lab.funded()
    const lines = [this.eur, this.inr].map(asset => Operation.changeTrust({ asset }))
    await this.succeed(key, ...lines)
    const gifts = [
      [this.eur, eur],
      [this.inr, inr],
    ] as const
    const paid = gifts.filter(([, amount]) => amount !== '0')
    if (paid.length > 0)
      await this.succeed(
        this.issuer,
        ...paid.map(([asset, amount]) => Operation.payment({ asset, amount, destination: key.publicKey() })),
      )
    return key
  }

  /** The codes of a transaction's operations; its own code where it has none. */
  async codes(source: Keypair, operations: readonly xdr.Operation[], signers = [source]): Promise<unknown> {
    const answer = await this.lab.submit({ source: source.publicKey(), signers, operations })
    const codes = codesOf(answer) as { transaction: string; operations?: string[] } | undefined
    return codes?.operations ?? codes?.transaction ?? 'success'
  }

  async succeed(source: Keypair, ...operations: xdr.Operation[]): Promise<string> {
    return this.lab.succeed({ source: source.publicKey(), signers: [source], operations })
  }

  /** What the issuer lets an account do with an asset. `maintain`: keep its offers, and make none. */
  async authorize(key: Keypair, asset: Asset, authorized: boolean, maintain = false): Promise<void> {
    const flags = { authorized, authorizedToMaintainLiabilities: maintain }
    const operation = Operation.setTrustLineFlags({ trustor: key.publicKey(), asset, flags })
    await this.succeed(this.issuer, operation)
  }

  async offersOf(key: Keypair) {
    return (await this.lab.horizon.offers().forAccount(key.publicKey()).limit(200).call()).records
  }

  /** What an account has of an asset, and what of that its offers bind. */
  async holds(key: Keypair, asset: Asset) {
    const { balances } = await this.lab.horizon.loadAccount(key.publicKey())
    const found = balances.find(each =>
      asset.isNative()
        ? each.asset_type === 'native'
        : 'asset_code' in each && each.asset_code === asset.getCode(),
    )
    if (!found || !('selling_liabilities' in found)) return undefined
    const { balance, selling_liabilities: selling, buying_liabilities: buying } = found
    return { balance, selling, buying }
  }
}

type Price = string | { n: number; d: number }

export const sell = (selling: Asset, buying: Asset, amount: string, at: Price, offerId = '0') =>
  Operation.manageSellOffer({ selling, buying, amount, price: at, offerId })

export const buy = (selling: Asset, buying: Asset, buyAmount: string, at: Price, offerId = '0') =>
  Operation.manageBuyOffer({ selling, buying, buyAmount, price: at, offerId })

export const passive = (selling: Asset, buying: Asset, amount: string, at: Price) =>
  Operation.createPassiveSellOffer({ selling, buying, amount, price: at })

export const lumens = Asset.native()

interface Send {
  readonly from: Asset
  readonly amount: string
  readonly to: Keypair
  readonly asset: Asset
  readonly least: string
  readonly path?: Asset[]
}
export const send = ({ from, amount, to, asset, least, path = [] }: Send) =>
  Operation.pathPaymentStrictSend({
    sendAsset: from,
    sendAmount: amount,
    destination: to.publicKey(),
    destAsset: asset,
    destMin: least,
    path,
  })

interface Receive {
  readonly from: Asset
  readonly most: string
  readonly to: Keypair
  readonly asset: Asset
  readonly amount: string
  readonly path?: Asset[]
}
export const receive = ({ from, most, to, asset, amount, path = [] }: Receive) =>
  Operation.pathPaymentStrictReceive({
    sendAsset: from,
    sendMax: most,
    destination: to.publicKey(),
    destAsset: asset,
    destAmount: amount,
    path,
  })

export const share = ({ eur }: Market) => new LiquidityPoolAsset(lumens, eur, 30)

export const poolOf = ({ eur }: Market) => {
  const id: string | Uint8Array = getLiquidityPoolId('constant_product', {
    assetA: lumens,
    assetB: eur,
    fee: 30,
  })
  return typeof id === 'string' ? id : Buffer.from(id).toString('hex')
}

export const deposit = (of: Market, a: string, b: string, minPrice = '0.0000001', maxPrice = '1000000') =>
  Operation.liquidityPoolDeposit({
    liquidityPoolId: poolOf(of),
    maxAmountA: a,
    maxAmountB: b,
    minPrice,
    maxPrice,
  })

export const withdraw = (of: Market, amount: string, minAmountA = '0', minAmountB = '0') =>
  Operation.liquidityPoolWithdraw({ liquidityPoolId: poolOf(of), amount, minAmountA, minAmountB })

/** A pool of 100 lumens and 400 EUR, and the only account that has shares of it. */
export async function pooled(lab: Laboratory): Promise<readonly [Market, Keypair]> {
  const other = await Market.open(lab)
  const member = await other.trader({ eur: '1000' })
  await other.succeed(member, Operation.changeTrust({ asset: share(other) }), deposit(other, '100', '400'))
  return [other, member]
}
