import { int64Max, type Offer, type Price } from '../ledger/entries.ts'
import { poolFee } from '../ledger/assets.ts'

/** Offers round in favour of who does not get all they want; a path payment keeps its exact side. */
export type Rounding = 'offer' | 'strict-send' | 'strict-receive'

export interface Exchanged {
  /** What the offer sells and the taker receives. */
  readonly received: bigint
  /** What the offer buys and the taker sends. */
  readonly sent: bigint
  /** Whether the offer is worth more than what the taker wants, so that some of it stays. */
  readonly offerStays: boolean
}

export interface Limits {
  /** The offer's side. */
  readonly maxSell: bigint
  readonly maxBuy: bigint
  /** The taker's side. */
  readonly maxReceive: bigint
  readonly maxSend: bigint
}

const down = (a: bigint, b: bigint) => a / b
const up = (a: bigint, b: bigint) => (a + b - 1n) / b
export const least = (...values: bigint[]) => values.reduce((a, b) => (a < b ? a : b))

export const atLeastZero = (value: bigint) => (value < 0n ? 0n : value)

/** What one offer and one taker exchange (stellar-core's exchangeV10), before errors of rounding are judged. */
function exchangeUnchecked(price: Price, limits: Limits, rounding: Rounding): Exchanged {
  const [n, d] = [BigInt(price.n), BigInt(price.d)]
  const { maxSell, maxBuy, maxReceive, maxSend } = limits
  // Both worths in units of 1/(n*d), so that nothing is rounded yet.
  const offerWorth = least(maxSell * n, maxBuy * d)
  const takerWorth = least(maxSend * d, maxReceive * n)
  const offerStays = offerWorth > takerWorth
  if (!offerStays) {
    if (n > d) {
      const received = down(offerWorth, n)
      return { received, sent: down(received * n, d), offerStays }
    }
    const sent = down(offerWorth, d)
    return { received: up(sent * d, n), sent, offerStays }
  }
  if (rounding === 'strict-send')
    return { received: down(takerWorth, n), sent: least(maxSend, maxBuy), offerStays }
  if (n > d || rounding === 'strict-receive') {
    const received = down(takerWorth, n)
    return { received, sent: up(received * n, d), offerStays }
  }
  const sent = down(takerWorth, d)
  return { received: down(sent * d, n), sent, offerStays }
}

/** An exchange that rounding would make more than one percent worse than its price does not take place. */
export function exchange(price: Price, limits: Limits, rounding: Rounding): Exchanged {
  const result = exchangeUnchecked(price, limits, rounding)
  const { received, sent, offerStays } = result
  const nothing = { received: 0n, sent: 0n, offerStays }
  if (received > 0n && sent > 0n)
    return rounding !== 'offer' || withinOnePercent(price, received, sent) ? result : nothing
  return rounding === 'strict-send' ? result : nothing
}

function withinOnePercent({ n, d }: Price, received: bigint, sent: bigint): boolean {
  const [receivedWorth, sentWorth] = [100n * BigInt(n) * received, 100n * BigInt(d) * sent]
  const difference = receivedWorth > sentWorth ? receivedWorth - sentWorth : sentWorth - receivedWorth
  return difference <= BigInt(n) * received
}

const unlimited = { maxReceive: int64Max, maxSend: int64Max }

/** The amount of an offer that its limits let it sell in full. */
export function adjustedAmount(price: Price, maxSell: bigint, maxBuy: bigint): bigint {
  return exchange(price, { ...unlimited, maxSell, maxBuy }, 'offer').received
}

/** What an offer of an amount binds: what it may come to buy, and what it may come to sell. */
export function liabilitiesOf({ price, amount }: Pick<Offer, 'price' | 'amount'>) {
  return boundBy(price, amount, int64Max)
}

/** What an offer binds that is limited by what it sells or by what it buys. */
export function boundBy(price: Price, maxSell: bigint, maxBuy: bigint): { buying: bigint; selling: bigint } {
  const { received, sent } = exchangeUnchecked(price, { ...unlimited, maxSell, maxBuy }, 'offer')
  return { buying: sent, selling: received }
}

const allPoints = 10_000n
const keptPoints = allPoints - BigInt(poolFee)

/** What a pool gives for an amount paid in (CAP-38); undefined where that is nothing or too much for it. */
export function poolPayout(reserveIn: bigint, reserveOut: bigint, paid: bigint): bigint | undefined {
  if (paid > int64Max - reserveIn) return undefined
  const out = down(keptPoints * reserveOut * paid, allPoints * reserveIn + keptPoints * paid)
  return out > 0n ? out : undefined
}

/** What a pool takes for an amount paid out (CAP-38); undefined where it cannot pay that. */
export function poolPrice(reserveIn: bigint, reserveOut: bigint, wanted: bigint): bigint | undefined {
  if (wanted >= reserveOut) return undefined
  const paid = up(allPoints * reserveIn * wanted, (reserveOut - wanted) * keptPoints)
  return paid <= int64Max - reserveIn ? paid : undefined
}

/** The largest whole number whose square is no more than a value. */
export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  let root = BigInt(Math.floor(Math.sqrt(Number(value))))
  while (root * root > value) root -= 1n
  while ((root + 1n) * (root + 1n) <= value) root += 1n
  return root
}
