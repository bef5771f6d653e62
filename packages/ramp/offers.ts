import { parseAmount, formatAmount, subtract } from '@windlass/money/amount.ts'
import { forPayment } from '@windlass/money/price.ts'
import { parseRate, powerOfTen } from '@windlass/money/rate.ts'
import {
  RefusedError,
  type Anchor,
  type Offer,
  type Route,
  type Selection,
  type Wallet,
} from '../wallet/wallet.ts'

export type Kind = 'deposit' | 'withdraw'

/** What the customer asked for, complete. */
export interface Wish {
  kind: Kind
  amount: string
  /** `CODE`, or `CODE:ISSUER`. */
  asset: string
  rail: string
  currency: string
  region?: string
  external?: boolean
}

/** A way to be paid or to pay: what anchors in the registry have in common. */
export interface Choice {
  asset: string
  rail: string
  currency: string
}

/** An offer with both sides as the customer sees them. */
export interface PricedOffer {
  offer: Offer
  selection: Selection
  gives: { amount: string; unit: string }
  gets: { amount: string; unit: string }
}

export interface Offers {
  /** Best first. */
  list: PricedOffer[]
  /** How many anchors made an offer. */
  count: number
  /** Why the first is the best; null where routing chose none of them. */
  route: Route | null
}

const SHOWN = 5
const ANCHORS_READ = 200
const CURRENCIES: Readonly<Record<string, string>> = {
  UPI: 'INR',
  IMPS: 'INR',
  NEFT: 'INR',
  SEPA: 'EUR',
  ACH: 'USD',
  PIX: 'BRL',
}

/** What money a rail moves; where it is not known, what the asset is pegged to. */
export const currencyOf = (rail: string, anchoredTo: string): string =>
  CURRENCIES[rail.toUpperCase()] ?? anchoredTo

/** Asset, rail and currency of every available anchor, each once; those that differ from `given` are left out. */
export async function findChoices(
  wallet: Wallet,
  given: { asset?: string; rail?: string; region?: string; currency?: string },
  signal: AbortSignal,
): Promise<Choice[]> {
  const choices = new Map<string, Choice>()
  let read = 0
  const [code] = given.asset?.split(':') ?? []
  const filter = { asset: code, rail: given.rail, region: given.region, available: true }
  for await (const anchor of wallet.anchors(filter, { signal })) {
    for (const choice of choicesOf(anchor, given)) choices.set(JSON.stringify(choice), choice)
    read += 1
    if (read === ANCHORS_READ) break
  }
  return [...choices.values()].sort((one, other) =>
    `${one.asset} ${one.rail}` < `${other.asset} ${other.rail}` ? -1 : 1,
  )
}

function choicesOf(
  { assets, rails }: Anchor,
  given: { asset?: string; rail?: string; currency?: string },
): Choice[] {
  const [code] = given.asset?.split(':') ?? []
  return assets
    .filter(asset => code === undefined || asset.code === code)
    .flatMap(asset =>
      rails
        .filter(rail => given.rail === undefined || rail === given.rail.toUpperCase())
        .map(rail => ({
          asset: given.asset ?? asset.code,
          rail,
          currency: given.currency ?? currencyOf(rail, asset.anchoredTo),
        })),
    )
}

/** The best offers, the one that routing chose first. Throws what the wallet throws. */
export async function findOffers(
  wallet: Pick<Wallet, 'compare' | 'route'>,
  wish: Wish,
  signal: AbortSignal,
): Promise<Offers> {
  const { kind, ...asked } = wish
  const [offers, route] = await Promise.all([
    wallet.compare(asked, { signal }),
    wallet.route(asked, { signal }).catch((error: unknown) => {
      if (error instanceof RefusedError && error.code === 'no-eligible-anchor') return null
      throw error
    }),
  ])
  const best = offers.find(({ anchorId }) => anchorId === route?.anchorId)
  const others = offers.filter(offer => offer !== best).sort((one, other) => other.score - one.score)
  const list = [...(best ? [best] : []), ...others].slice(0, SHOWN).map(offer => ({
    offer,
    selection: offer === best && route ? { decisionId: route.decisionId } : { anchorId: offer.anchorId },
    ...sidesOf(kind, offer),
  }))
  return { list, count: offers.length, route: best ? route : null }
}

/**
 * A deposit costs the quoted money; a withdrawal brings what the amount without the fee is worth. Both as the anchor asks and pays
 * them over a rail, in whole cents: quotes have seven digits, so that anchors can be compared.
 */
function sidesOf(kind: Kind, offer: Offer): Pick<PricedOffer, 'gives' | 'gets'> {
  const units = { amount: offer.buyAmount, unit: offer.asset }
  const round = forPayment(offer.currency)
  if (kind === 'deposit') {
    const money = round(parseAmount(offer.sellAmount), 1n, 'pays')
    return { gives: { amount: formatAmount(money), unit: offer.currency }, gets: units }
  }
  const net = subtract(parseAmount(offer.amount), parseAmount(offer.fee.total))
  const { numerator, digits } = parseRate(offer.fxRate)
  const money = round(net > 0n ? net * numerator : 0n, powerOfTen(digits), 'gets')
  return { gives: units, gets: { amount: formatAmount(money), unit: offer.currency } }
}
