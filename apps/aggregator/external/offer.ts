import { countries } from '@windlass/contracts/countries.ts'
import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { divideHalfUp, formatRate, parseRate, type Rate } from '@windlass/money/rate.ts'
import type { Currency, Discovery } from '../discovery/discovery-file.ts'
import type { AssetTerms, ExternalRow, StatedTerms } from '../tables.ts'

/** What the servers of an external anchor answered, by standard; null: not served. */
export interface Infos {
  sep24: unknown
  sep6: unknown
  sep31: unknown
  sep38: unknown
}

/**
 * A price that the anchor named: currency units for one asset unit, and its fee for an amount, in asset units; null where
 * it names none, as servers of SEP-38 before 2.0 do.
 */
export interface NamedPrice {
  currency: string
  amount: Amount
  price: Rate
  fee: Amount | null
}

/** As `/info` of SEP-6 and SEP-24 names them. */
export type Side = 'deposit' | 'withdraw'

/** What was read from an external anchor, as it is stored. */
export interface Offer {
  name: string | null
  assets: { code: string; issuer: string; anchoredTo: string; terms: AssetTerms }[]
  rails: string[]
  regions: string[]
  external: ExternalRow
}

const MOST_ASSETS = 8
const MOST_RAILS = 16
const MOST_REGIONS = 250
/** The most that numeric(19,7) stores. */
const LARGEST = amountOf(10n ** 18n)

/** An asset as the registry has it: XLM is `XLM` of `native`. */
export type Asset = Pick<Currency, 'code' | 'issuer'>

const isNative = ({ issuer }: Asset): boolean => issuer === 'native'

/** The fields by which SEP-24 asks for an asset. */
export const fieldsOf = (asset: Asset): Record<string, string> => ({
  asset_code: sepCode(asset),
  ...(isNative(asset) ? {} : { asset_issuer: asset.issuer }),
})

/** As SEP-38 names it. */
export const quotedAs = (asset: Asset): string =>
  isNative(asset) ? 'stellar:native' : `stellar:${asset.code}:${asset.issuer}`

/** As SEP-6 and SEP-24 list it. */
const sepCode = (asset: Asset): string => (isNative(asset) ? 'native' : asset.code)

/** Assets of the discovery file that can be bought with money, at most {@link MOST_ASSETS}. */
export const offeredAssets = ({ currencies }: Discovery, { sep24, sep6 }: Infos): Currency[] =>
  currencies
    .filter(asset => [sep24, sep6].some(info => isEnabled(info, 'deposit', asset)))
    .slice(0, MOST_ASSETS)

/** Whether a deposit of an asset can be started on a page. */
export const isDeposited = ({ sep24 }: Pick<Infos, 'sep24'>, asset: Asset): boolean =>
  isEnabled(sep24, 'deposit', asset)

/** Whether an asset can be withdrawn. */
export const isWithdrawn = ({ sep24, sep6 }: Infos, asset: Asset): boolean =>
  [sep24, sep6].some(info => isEnabled(info, 'withdraw', asset))

function isEnabled(info: unknown, side: Side, asset: Asset): boolean {
  const stated = sideOf(info, side, asset)
  return stated !== null && stated.enabled !== false
}

/**
 * The offer that follows from an anchor's own answers. What they do not say is named in `unknown` and counts as the
 * worst (ADR 0035). Null where there is no asset that can be bought.
 */
export function offerOf(
  discovery: Discovery,
  infos: Infos,
  pricesOf: (currency: Currency, side: Side) => readonly NamedPrice[],
): Offer | null {
  const assets = offeredAssets(discovery, infos).map(currency => ({
    code: currency.code,
    issuer: currency.issuer,
    anchoredTo: currency.anchorAsset ?? currency.code,
    terms: termsOf(infos, currency, side => pricesOf(currency, side)),
  }))
  if (assets.length === 0) return null
  const [rails, regions] = [railsOf(infos, 'deposit'), regionsOf(infos)]
  const withdrawalRails = railsOf(infos, 'withdraw')
  const unknown = [
    ...(rails.length === 0 ? ['rails'] : []),
    ...(regions.length === 0 ? ['regions'] : []),
    'capacity',
    'settlement',
  ]
  return {
    name: discovery.name,
    assets,
    rails,
    regions,
    external: { seps: sepsOf(infos), unknown, withdrawalRails },
  }
}

/** The smallest and the largest amount of an asset; null where neither SEP-24 nor SEP-6 names it. */
export function limitsOf(
  { sep24, sep6 }: Infos,
  side: Side,
  asset: Asset,
): { min: Amount | null; max: Amount | null } {
  const sides = [sep24, sep6].map(info => sideOf(info, side, asset) ?? {})
  const first = (name: 'min_amount' | 'max_amount') =>
    sides.map(stated => positive(stated[name])).find(amount => amount !== null) ?? null
  const [min, max] = [first('min_amount'), first('max_amount')]
  return min !== null && max !== null && min > max ? { min: null, max: null } : { min, max }
}

function termsOf(infos: Infos, asset: Currency, pricesOf: (side: Side) => readonly NamedPrice[]): AssetTerms {
  return {
    ...statedTerms(infos, 'deposit', asset, pricesOf('deposit')),
    ...(isWithdrawn(infos, asset)
      ? { withdrawal: statedTerms(infos, 'withdraw', asset, pricesOf('withdraw')) }
      : {}),
  }
}

function statedTerms(infos: Infos, side: Side, asset: Asset, prices: readonly NamedPrice[]): StatedTerms {
  const { min, max } = limitsOf(infos, side, asset)
  const fees = feesByPrices(prices) ?? feesByInfo(infos, side, asset)
  return {
    min: min && formatAmount(min),
    max: max && formatAmount(max),
    fees,
    prices: Object.fromEntries(prices.map(({ currency, price }) => [currency, shortRate(price)])),
  }
}

/**
 * A fixed part and a fraction from the fees for two amounts, rounded up: SEP-38 prices have the fee that a customer
 * pays, `/info` at most one that is stated.
 */
function feesByPrices(prices: readonly NamedPrice[]): StatedTerms['fees'] {
  const charged = prices.flatMap(({ fee, ...price }) => (fee === null ? [] : { ...price, fee }))
  const [first] = charged
  if (!first) return null
  const second = charged.find(
    ({ currency, amount }) => currency === first.currency && amount !== first.amount,
  )
  const [small, large] = second && second.amount < first.amount ? [second, first] : [first, second]
  const steps = large ? large.amount - small.amount : small.amount
  const rise = large ? large.fee - small.fee : small.fee
  const fraction = rise <= 0n ? 0n : (rise * FRACTION + steps - 1n) / steps
  const percentage: Rate = { numerator: fraction > FRACTION ? FRACTION : fraction, digits: FRACTION_DIGITS }
  const fixed = small.fee - (small.amount * percentage.numerator) / FRACTION
  return { fixed: formatAmount(amountOf(fixed < 0n ? 0n : fixed)), percentage: shortRate(percentage) }
}

const shortRate = (rate: Rate): string => formatRate(parseRate(formatRate(rate)))

const FRACTION_DIGITS = 9
const FRACTION = 10n ** BigInt(FRACTION_DIGITS)

function feesByInfo({ sep24, sep6 }: Infos, side: Side, asset: Asset): StatedTerms['fees'] {
  for (const info of [sep24, sep6]) {
    const { fee_fixed: fixed, fee_percent: percent } = sideOf(info, side, asset) ?? {}
    if (fixed === undefined && percent === undefined) continue
    const known = { fixed: notNegative(fixed ?? 0), percentage: fractionOf(percent ?? 0) }
    if (known.fixed !== null && known.percentage !== null) {
      return { fixed: formatAmount(known.fixed), percentage: shortRate(known.percentage) }
    }
  }
  return null
}

/** `1.5` percent is `0.015`. */
function fractionOf(percent: unknown): Rate | null {
  const rate = rateOf(percent)
  if (!rate) return null
  const fraction = { numerator: rate.numerator, digits: rate.digits + 2 }
  return fraction.digits > 18 || fraction.numerator > 10n ** BigInt(fraction.digits) ? null : fraction
}

function railsOf({ sep6, sep24, sep38 }: Infos, side: Side): string[] {
  const methods = offChainAssets(sep38).flatMap(asset => deliveryMethods(asset, side).map(nameOf))
  const stated = [sep6, sep24].flatMap(info => Object.values(table(table(info)[side])).map(table))
  const funding = stated.flatMap(({ funding_methods: named, fields, types }) => [
    ...list(named),
    ...list(table(table(fields).type).choices),
    // What SEP-6 names the ways of a withdrawal by.
    ...(side === 'withdraw' ? Object.keys(table(types)).slice(0, MOST_RAILS) : []),
  ])
  const rails = [...methods, ...funding].flatMap(name => (typeof name === 'string' ? railCode(name) : []))
  return [...new Set(rails)].slice(0, MOST_RAILS)
}

const nameOf = (method: unknown): unknown => (typeof method === 'string' ? method : table(method).name)

/** A rail's name in the registry's spelling. */
function railCode(name: string): string[] {
  const code = name
    .trim()
    .toUpperCase()
    .replace(/[^A-Z0-9_-]+/g, '_')
  return /^[A-Z0-9_-]{1,32}$/.test(code) && /[A-Z0-9]/.test(code) ? [code] : []
}

function regionsOf({ sep38 }: Infos): string[] {
  const codes = offChainAssets(sep38).flatMap(({ country_codes: named }) => list(named))
  return [...new Set(codes.flatMap(countryCode))].slice(0, MOST_REGIONS)
}

/** SEP-38 asks for a country in three letters or for a part of one (ISO 3166-2); many anchors write two letters. */
function countryCode(code: unknown): string[] {
  if (typeof code !== 'string') return []
  const known = countries.get(code)
  if (known !== undefined) return [known]
  return /^[A-Z]{2}(-[A-Z0-9]{1,3})?$/.test(code) ? [code.slice(0, 2)] : []
}

/** Money for deposits is sold to the anchor, that of withdrawals bought from it. */
const deliveryMethods = (asset: Record<string, unknown>, side: Side): unknown[] =>
  list(side === 'deposit' ? asset.sell_delivery_methods : asset.buy_delivery_methods)

/** Currencies that can be paid in, or out, with the first delivery method and country of each. */
export function payable(
  sep38: unknown,
  side: Side,
): { currency: string; method?: string; country?: string }[] {
  return offChainAssets(sep38).flatMap(stated => {
    const { asset, country_codes: countries } = stated
    const [, currency] = /^iso4217:([A-Z]{3})$/.exec(String(asset)) ?? []
    if (currency === undefined) return []
    const [method, country] = [deliveryMethods(stated, side).map(nameOf)[0], list(countries)[0]]
    return {
      currency,
      ...(typeof method === 'string' ? { method: method.slice(0, 100) } : {}),
      ...(typeof country === 'string' ? { country: country.slice(0, 6) } : {}),
    }
  })
}

/** `dividend / divisor` as an amount, half up to the 7th digit. */
function quotient(dividend: Rate, divisor: Rate): Amount {
  const over = dividend.numerator * 10n ** BigInt(divisor.digits + 7)
  const under = divisor.numerator * 10n ** BigInt(dividend.digits)
  const units = divideHalfUp(over, under)
  return units > LARGEST ? LARGEST : amountOf(units)
}

const offChainAssets = (sep38: unknown) =>
  list(table(sep38).assets)
    .map(table)
    .filter(({ asset }) => typeof asset === 'string' && asset.startsWith('iso4217:'))

/**
 * The price in an answer of SEP-38 `/price`; null where it is none. It is in units of what is sold for one of what is
 * bought: of a withdrawal it is turned round, and rounded down.
 */
export function readPrice(body: unknown, side: Side, currency: string, amount: Amount): NamedPrice | null {
  const { price: named, fee } = table(body)
  const stated = rateOf(named)
  if (!stated || stated.numerator === 0n || stated.digits > 18) return null
  const price = side === 'deposit' ? stated : inverse(stated)
  if (price === null) return null
  const { total, asset } = table(fee)
  if (fee === undefined) return { currency, amount, price, fee: null }
  const charged = rateOf(total)
  if (!charged) return null
  const one: Rate = { numerator: 1n, digits: 0 }
  return { currency, amount, price, fee: quotient(charged, asset === `iso4217:${currency}` ? price : one) }
}

/** What one unit of the other side is worth, rounded down; null beyond what a rate can be. */
function inverse(rate: Rate): Rate | null {
  const numerator = 10n ** BigInt(rate.digits + INVERSE_DIGITS) / rate.numerator
  return numerator === 0n || numerator > MOST_INVERSE ? null : { numerator, digits: INVERSE_DIGITS }
}
const INVERSE_DIGITS = 12
/** A million million units of a currency for one asset unit. */
const MOST_INVERSE = 10n ** BigInt(12 + INVERSE_DIGITS)

function sepsOf({ sep24, sep6, sep31, sep38 }: Infos): number[] {
  const served = { 6: sep6, 24: sep24, 31: sep31, 38: sep38 }
  return [1, 10, ...Object.entries(served).flatMap(([sep, info]) => (info === null ? [] : [Number(sep)]))]
}

const sideOf = (info: unknown, side: Side, asset: Asset): Record<string, unknown> | null => {
  const stated = table(table(info)[side])
  const code = sepCode(asset)
  return Object.hasOwn(stated, code) ? table(stated[code]) : null
}

export const table = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, 1_000) : [])

function notNegative(value: unknown): Amount | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  try {
    const amount = parseAmount(value)
    if (amount < 0n) return null
    return amount > LARGEST ? LARGEST : amount
  } catch {
    return null
  }
}

function positive(value: unknown): Amount | null {
  const amount = notNegative(value)
  return amount === 0n ? null : amount
}

function rateOf(value: unknown): Rate | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  try {
    return parseRate(value)
  } catch {
    return null
  }
}
