import type { ExchangeTerms } from '@windlass/contracts/anchor/journal.ts'
import { divideRates, formatRate, parseRate, type Rate, withSpread } from '@windlass/money/rate.ts'
import type { FxRates } from '@windlass/service/process/fixed-rates.ts'

/** The rate that a customer is quoted: with the anchor's share, except where nothing is exchanged. */
export function quotedRate(
  fx: FxRates,
  anchoredTo: string,
  currency: string,
  { direction, spread }: { direction: 'deposit' | 'withdrawal'; spread: string | undefined },
): Rate | null {
  const rate = exchangeRate(fx, anchoredTo, currency)
  return rate && spread !== undefined && !isSame(anchoredTo, currency)
    ? withSpread(rate, parseRate(spread), direction)
    : rate
}

/** Whether nothing is exchanged, so that no rate can move. */
export const isSame = (anchoredTo: string, currency: string): boolean =>
  anchoredTo === currency || (isDollar(anchoredTo) && isDollar(currency))

interface Quoted {
  anchoredTo: string
  currency: string
  spread: string | undefined
  /** Whether the platform's rates are asked for, or those of the configuration count. */
  isLive: boolean
  at: Date
}

/** What is kept of an exchange beside the rate; null: there is no rate. */
export function exchangeTerms(
  fx: FxRates,
  { anchoredTo, currency, spread, isLive, at }: Quoted,
): ExchangeTerms | null {
  const mid = exchangeRate(fx, anchoredTo, currency)
  if (!mid) return null
  return {
    mid: formatRate(mid),
    spread: isSame(anchoredTo, currency) ? null : (spread ?? null),
    ...{ source: isLive ? 'platform' : 'configured', at: at.toISOString() },
  }
}

const isDollar = (currency: string): boolean => currency === 'USD' || currency === 'USDC'

/** Currency units for one unit of the anchor's asset, through what it is anchored to; null: there is no rate. */
export function exchangeRate(fx: FxRates, anchoredTo: string, currency: string): Rate | null {
  if (anchoredTo === currency) return parseRate('1')
  const dollars = isDollar(currency) ? '1' : fx[currency]
  if (dollars === undefined) return null
  if (isDollar(anchoredTo)) return parseRate(dollars)
  // XLM is pegged to nothing: it has a rate of its own.
  const xlm = anchoredTo === 'XLM' ? fx[anchoredTo] : undefined
  return xlm === undefined ? null : divideRates(parseRate(dollars), parseRate(xlm))
}
