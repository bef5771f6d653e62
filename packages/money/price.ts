import { add, amountOf, subtract, type Amount } from './amount.ts'
import { feeFor, type FeeSchedule } from './fee.ts'
import { decimalsOf, LEDGER_DECIMALS } from './number-text.ts'
import { divideHalfUp, powerOfTen, type Rate } from './rate.ts'
import { shortest } from './trim-zeros.ts'

/** The amounts of a deposit or a withdrawal: asset units, the fee within them, and money over the rail. */
export interface Price {
  /** What arrives on the ledger for a deposit, and is sent there for a withdrawal. */
  amount: Amount
  /** In asset units: `fixed + amount × percentage`. */
  fee: Amount
  /** What the customer pays or gets over the rail, in the currency. */
  fiat: Amount
}

/** The amounts do not come out: too little to cover the fee. */
export class PriceError extends Error {}

/** Exact money as a fraction of units becomes an amount that someone pays or gets. */
export type Rounding = (numerator: bigint, denominator: bigint, side: 'pays' | 'gets') => Amount

/** Half up to the seventh digit: by it quotes compare anchors, whatever the currency. */
export const forComparison: Rounding = (numerator, denominator) =>
  amountOf(divideHalfUp(numerator, denominator))

/** To what can be moved over a rail, in the anchor's favour: customers pay the next higher amount of the currency, and get the next lower. */
export function forPayment(currency: string): Rounding {
  const step = smallestOf(currency)
  return (numerator, denominator, side) => {
    const whole = numerator / (denominator * step)
    const isMore = side === 'pays' && whole * denominator * step < numerator
    return amountOf((isMore ? whole + 1n : whole) * step)
  }
}

const smallest = new Map<string, bigint>()

/** The smallest amount of a currency, in units of an {@link Amount}. */
function smallestOf(currency: string): bigint {
  const known = smallest.get(currency)
  if (known !== undefined) return known
  const step = powerOfTen(LEDGER_DECIMALS - decimalsOf(currency))
  smallest.set(currency, step)
  return step
}

/** A deposit of `amount` asset units: the customer pays `(amount + fee) × rate`. */
export function depositOf(amount: Amount, fees: FeeSchedule, rate: Rate, rounding: Rounding): Price {
  const fee = feeFor(fees, amount)
  return { amount, fee, fiat: moneyFor(add(amount, fee), rate, rounding, 'pays') }
}

/** The deposit that `fiat` buys: the largest amount that costs no more, before any rounding. Throws {@link PriceError}. */
export function depositFor(fiat: Amount, fees: FeeSchedule, rate: Rate): Price {
  const { numerator, digits } = fees.percentage
  const scale = powerOfTen(digits)
  const total = (fiat * powerOfTen(rate.digits)) / rate.numerator
  const amount = largestNear(
    ((total - fees.fixed) * scale) / (scale + numerator),
    candidate => candidate + feeFor(fees, amountOf(candidate)) <= total,
  )
  if (amount <= 0n) throw new PriceError('the amount does not cover the fee')
  return { amount: amountOf(amount), fee: feeFor(fees, amountOf(amount)), fiat }
}

/** A withdrawal of `amount` asset units: the customer gets `(amount - fee) × rate`. Throws {@link PriceError}. */
export function withdrawalOf(amount: Amount, fees: FeeSchedule, rate: Rate, rounding: Rounding): Price {
  const fee = feeFor(fees, amount)
  const fiat = moneyFor(subtract(amount, fee), rate, rounding, 'gets')
  if (amount <= fee || fiat <= 0n) throw new PriceError('the amount does not cover the fee')
  return { amount, fee, fiat }
}

/** The withdrawal that pays `fiat`: the smallest amount that comes to it. Throws {@link PriceError}. */
export function withdrawalFor(fiat: Amount, fees: FeeSchedule, rate: Rate): Price {
  const { numerator, digits } = fees.percentage
  const scale = powerOfTen(digits)
  if (numerator >= scale) throw new PriceError(NO_AMOUNT)
  const money = fiat * powerOfTen(rate.digits)
  const isTooLittle = (candidate: bigint) =>
    (candidate - feeFor(fees, amountOf(candidate))) * rate.numerator < money
  const guess = ((money / rate.numerator + fees.fixed) * scale) / (scale - numerator)
  const amount = amountOf(largestNear(guess, isTooLittle) + 1n)
  if (amount > LARGEST) throw new PriceError(NO_AMOUNT)
  return { amount, fee: feeFor(fees, amount), fiat }
}

const NO_AMOUNT = 'no amount gives this result after the fee'
const LARGEST = 2n ** 63n - 1n

/** What a deposit's fee is in money: what remains of it after the units at the rate, in whole amounts of the currency. */
export function feeInMoney(
  { amount, fiat }: Pick<Price, 'amount' | 'fiat'>,
  rate: Rate,
  currency: string,
): Amount {
  const step = smallestOf(currency)
  const scale = powerOfTen(rate.digits)
  return amountOf(divideHalfUp(fiat * scale - amount * rate.numerator, scale * step) * step)
}

const moneyFor = (units: Amount, rate: Rate, rounding: Rounding, side: 'pays' | 'gets'): Amount =>
  rounding(units * rate.numerator, powerOfTen(rate.digits), side)

/** The largest number that fits, where everything below one that fits does too; -1: none. Fast where the guess is near. */
function largestNear(guess: bigint, fits: (candidate: bigint) => boolean): bigint {
  let [low, high] = [guess < 0n ? -1n : guess, guess < 0n ? 0n : guess + 1n]
  for (let step = 1n; low >= 0n && !fits(low); step *= 2n) [low, high] = [low < step ? -1n : low - step, low]
  for (let step = 1n; fits(high); step *= 2n) [low, high] = [high, high + step]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}

/** `numerator / denominator` as a decimal with at most ten fraction digits, half up: SEP-38's prices. */
export function ratio(numerator: bigint, denominator: bigint): string {
  const scale = 10n ** 10n
  const units = divideHalfUp(numerator * scale, denominator)
  return shortest(`${units / scale}.${(units % scale).toString().padStart(10, '0')}`)
}
