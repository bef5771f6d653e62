import { divideRates, parseRate, type Rate } from '@windlass/money/rate.ts'
import type { LiveRates } from '@windlass/service/outbound/exchange-rates.ts'

/**
 * Where exchange rates come from. Answers from memory: a provider with a live feed keeps the last rate and
 * returns null once that is too old to quote.
 */
export interface FxProvider {
  /** Units of `currency` for one unit of `peg`, both ISO 4217 codes or asset codes; null where it knows none. */
  rate(currency: string, peg: string): Rate | null
}

const one: Rate = { numerator: 1n, digits: 0 }

/** Constant rates, units for one dollar by code. */
export const constantRates = (dollars: Readonly<Record<string, Rate>>): FxProvider =>
  throughDollars(code => dollars[code])

/** XLM is pegged to nothing: it has a rate of its own. */
const throughDollars = (dollar: (code: string) => Rate | undefined): FxProvider => ({
  rate: (currency, peg) => {
    const wanted = currency === 'USD' ? one : dollar(currency)
    if (wanted === undefined) return null
    if (peg === 'USD') return wanted
    const xlm = peg === 'XLM' ? dollar(peg) : undefined
    return xlm === undefined ? null : divideRates(wanted, xlm)
  },
})

/** Rates of a source that is read again and again: none where the last one is too old. */
export function liveRates({ table }: Pick<LiveRates, 'table'>): FxProvider {
  const parsed = new Map<string, Rate>()
  return throughDollars(code => {
    const text = table[code]
    if (text === undefined) return undefined
    const rate = parsed.get(text) ?? parseRate(text)
    if (parsed.size > MOST_PARSED) parsed.clear()
    parsed.set(text, rate)
    return rate
  })
}

const MOST_PARSED = 1_000

/** Assets that everyone knows to be worth one unit of a currency, whatever an anchor says of them. */
const pegs: Readonly<Record<string, string>> = { USDC: 'USD' }

/**
 * Currency units per unit of an asset, resolved through what the asset is anchored to; 1 where that is the currency
 * itself, which nobody exchanges. Null: there is no rate for the pair.
 *
 * @param quoted what is quoted for a rate of the provider
 */
export function fxRate(
  fx: FxProvider,
  currency: string,
  asset: { code: string; anchoredTo: string },
  quoted: (rate: Rate) => Rate = rate => rate,
): Rate | null {
  const code = asset.code.toUpperCase()
  const anchoredTo = asset.anchoredTo.toUpperCase()
  const peg = pegs[code] ?? pegs[anchoredTo] ?? anchoredTo
  if (currency === peg || currency === anchoredTo || currency === code) return one
  const rate = fx.rate(currency, peg)
  return rate && quoted(rate)
}

/** Whether a pair could be quoted if an anchor had the asset: false only if the asset's peg is known. */
export function mayHaveRate(fx: FxProvider, currency: string, asset: string): boolean {
  const code = asset.split(':')[0] ?? asset
  return !(code in pegs) || fxRate(fx, currency, { code, anchoredTo: code }) !== null
}
