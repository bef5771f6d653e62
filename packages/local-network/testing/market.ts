import { Asset, Operation, type Keypair, type xdr } from '@stellar/stellar-sdk'
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
