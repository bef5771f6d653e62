import { xdr } from '@stellar/stellar-sdk'
import { publicKeyOf } from '../ledger/addresses.ts'
import { assetXdr, poolIdOf, type AssetName } from '../ledger/assets.ts'
import type { Offer } from '../ledger/entries.ts'
import { isHeldFrozen, type Frozen } from '../ledger/frozen.ts'
import type { LedgerState } from '../ledger/state.ts'
import {
  adjustedAmount,
  atLeastZero,
  exchange,
  least,
  liabilitiesOf,
  poolPayout,
  poolPrice,
  type Exchanged,
  type Rounding,
} from './exchange.ts'
import { addBalance, addLiabilities, available, room } from './holdings.ts'
import { removeEntry } from './reserves.ts'

/** Offers that one operation may cross. */
const crossingLimit = 1000

/** A taker that sends one asset for another, up to these amounts. */
export interface Conversion {
  readonly send: AssetName
  readonly maxSend: bigint
  readonly receive: AssetName
  readonly maxReceive: bigint
  readonly rounding: Rounding
  /** Offers that the operation has crossed before. */
  readonly crossed: number
  /** Keys of entries that may not be touched: offers that would move what these hold are removed instead (CAP-77). */
  readonly frozen: Frozen
  /** Ends the conversion before an offer. */
  refuse(offer: Offer): 'bad-price' | 'cross-self' | undefined
}

export interface Converted {
  /** `ok` when the taker wants no more or the offers have no more to give it. */
  readonly status: 'ok' | 'partial' | 'bad-price' | 'cross-self' | 'too-many'
  readonly sent: bigint
  readonly received: bigint
  readonly claims: readonly xdr.ClaimAtom[]
}

/** Takes offers from the book, or trades with the pool where that is no worse (path payments only). */
export function convert(state: LedgerState, conversion: Conversion): Converted {
  const book = state.layer()
  const offered = convertWithOffers(book, conversion)
  const pooled = conversion.rounding === 'offer' ? undefined : quoteOfPool(state, conversion)
  const bookIsBetter =
    offered.status === 'ok' && pooled && pooled.sent * offered.received > pooled.received * offered.sent
  if (!pooled || bookIsBetter) {
    book.commitTo(state)
    return offered
  }
  return tradeWithPool(state, conversion, pooled)
}

function convertWithOffers(state: LedgerState, conversion: Conversion): Converted {
  const { send, receive, rounding, crossed, frozen, refuse } = conversion
  let { maxSend, maxReceive } = conversion
  const claims: xdr.ClaimAtom[] = []
  let [sent, received] = [0n, 0n]
  const end = (status: Converted['status']): Converted => ({ status, sent, received, claims })
  if (maxSend <= 0n || maxReceive <= 0n) return end('ok')
  if (crossed >= crossingLimit) return end('too-many')
  for (;;) {
    const offer = bestOffer(state, receive, send)
    if (!offer) return end('partial')
    const refused = refuse(offer)
    if (refused) return end(refused)
    if (isHeldFrozen(frozen, offer.seller, offer.selling, offer.buying)) {
      releaseOffer(state, offer)
      removeEntry(state, offer)
      continue
    }
    if (crossed + claims.length >= crossingLimit) return end('too-many')
    const taken = cross(state, offer, maxSend, maxReceive, rounding)
    claims.push(claimOf(offer, taken.received, taken.sent))
    sent += taken.sent
    maxSend -= taken.sent
    received += taken.received
    maxReceive -= taken.received
    if (taken.offerStays || maxSend === 0n || maxReceive === 0n) return end('ok')
  }
}

function bestOffer(state: LedgerState, selling: AssetName, buying: AssetName): Offer | undefined {
  for (const offer of state.offers(selling, buying)) return offer
  return undefined
}

/** Exchanges with one offer: its seller's balances change, and what remains of it is bound again. */
function cross(
  state: LedgerState,
  offer: Offer,
  maxSend: bigint,
  maxReceive: bigint,
  rounding: Rounding,
): Exchanged {
  const { seller, selling, buying, price } = offer
  bind(state, offer, -1n)
  const limits = (amount: bigint) => ({
    maxSell: least(amount, atLeastZero(available(state, seller, selling))),
    maxBuy: atLeastZero(room(state, seller, buying)),
  })
  const before = limits(offer.amount)
  const amount = adjustedAmount(price, before.maxSell, before.maxBuy)
  const result = exchange(
    price,
    { maxSell: least(amount, before.maxSell), maxBuy: before.maxBuy, maxReceive, maxSend },
    rounding,
  )
  addBalance(state, seller, buying, result.sent)
  addBalance(state, seller, selling, -result.received)
  const after = limits(amount - result.received)
  const rest = result.offerStays ? adjustedAmount(price, after.maxSell, after.maxBuy) : 0n
  if (rest > 0n) putOffer(state, { ...offer, amount: rest })
  else removeEntry(state, offer)
  return result
}

/** Writes an offer and binds what it may buy and sell. */
export function putOffer(state: LedgerState, offer: Offer): void {
  state.put(offer)
  bind(state, offer, 1n)
}

/** Takes an offer off its book and releases what it has bound; its reserve stays. */
export function releaseOffer(state: LedgerState, offer: Offer): void {
  bind(state, offer, -1n)
  state.remove(offer)
}

function bind(state: LedgerState, offer: Offer, sign: bigint): void {
  const { buying, selling } = liabilitiesOf(offer)
  addLiabilities(state, offer.seller, offer.buying, { buying: sign * buying })
  addLiabilities(state, offer.seller, offer.selling, { selling: sign * selling })
}

function claimOf(offer: Offer, received: bigint, sent: bigint): xdr.ClaimAtom {
  return xdr.ClaimAtom.claimAtomTypeOrderBook(
    new xdr.ClaimOfferAtom({
      sellerId: publicKeyOf(offer.seller),
      offerId: offer.id,
      assetSold: assetXdr(offer.selling),
      amountSold: received,
      assetBought: assetXdr(offer.buying),
      amountBought: sent,
    }),
  )
}

interface PoolQuote {
  readonly sent: bigint
  readonly received: bigint
}

function quoteOfPool(state: LedgerState, conversion: Conversion): PoolQuote | undefined {
  const { send, maxSend, receive, maxReceive, rounding, crossed } = conversion
  if (crossed >= crossingLimit) return undefined
  const pool = state.pool(poolIdOf(send, receive))
  if (!pool || pool.reserveA <= 0n || pool.reserveB <= 0n) return undefined
  const [reserveIn, reserveOut] =
    pool.assetA === send ? [pool.reserveA, pool.reserveB] : [pool.reserveB, pool.reserveA]
  if (rounding === 'strict-send') {
    const received = poolPayout(reserveIn, reserveOut, maxSend)
    return received === undefined ? undefined : { sent: maxSend, received }
  }
  const sent = poolPrice(reserveIn, reserveOut, maxReceive)
  return sent === undefined ? undefined : { sent, received: maxReceive }
}

function tradeWithPool(
  state: LedgerState,
  { send, receive }: Conversion,
  { sent, received }: PoolQuote,
): Converted {
  const id = poolIdOf(send, receive)
  const pool = state.pool(id)
  if (!pool) throw new Error('only a pool that exists is quoted')
  const [a, b] = pool.assetA === send ? [sent, -received] : [-received, sent]
  state.put({ ...pool, reserveA: pool.reserveA + a, reserveB: pool.reserveB + b })
  const claim = xdr.ClaimAtom.claimAtomTypeLiquidityPool(
    new xdr.ClaimLiquidityAtom({
      liquidityPoolId: new xdr.PoolId(Buffer.from(id, 'hex')),
      assetSold: assetXdr(receive),
      amountSold: received,
      assetBought: assetXdr(send),
      amountBought: sent,
    }),
  )
  return { status: 'ok', sent, received, claims: [claim] }
}
