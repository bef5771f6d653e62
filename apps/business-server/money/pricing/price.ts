import { amountOf, type Amount } from '@windlass/money/amount.ts'
import { feeFor, type FeeSchedule } from '@windlass/money/fee.ts'
import type { Rate } from '@windlass/money/rate.ts'

/** Currency of the rails comes in hundredths; an amount has seven digits. */
const CENT = 100_000n

/** The amounts of a transfer: asset units, the fee within them, and currency over the rail. */
export interface Price {
  /** Of a deposit what arrives on the ledger, of a withdrawal what is sent there. */
  amount: Amount
  /** In asset units: `fixed + amount × percentage`. */
  fee: Amount
  /** What the customer pays or gets over the rail, in whole hundredths. */
  fiat: Amount
}

/** The amounts do not come out: too little to cover the fee. */
export class PriceError extends Error {}

/** A deposit of `amount` asset units: the customer pays `(amount + fee) × rate`, rounded up to a hundredth. */
export function depositOf(amount: Amount, fees: FeeSchedule, rate: Rate): Price {
  const fee = feeFor(fees, amount)
  return { amount, fee, fiat: amountOf(times(amount + fee, rate, 'up', CENT)) }
}

/** The deposit that `fiat` buys: the largest amount that it pays for. Throws {@link PriceError}. */
export function depositFor(fiat: Amount, fees: FeeSchedule, rate: Rate): Price {
  const total = over(fiat, rate, 'down')
  const amount = largest(total, candidate => candidate + feeFor(fees, amountOf(candidate)) <= total)
  if (amount <= 0n) throw new PriceError('the amount does not cover the fee')
  return { amount: amountOf(amount), fee: feeFor(fees, amountOf(amount)), fiat }
}

/** A withdrawal of `amount` asset units: the customer gets `(amount - fee) × rate`, rounded down to a hundredth. */
export function withdrawalOf(amount: Amount, fees: FeeSchedule, rate: Rate): Price {
  const fee = feeFor(fees, amount)
  const fiat = times(amount - fee, rate, 'down', CENT)
  if (amount <= fee || fiat <= 0n) throw new PriceError('the amount does not cover the fee')
  return { amount, fee, fiat: amountOf(fiat) }
}

/** The withdrawal that pays `fiat`: the smallest amount that comes to it. Throws {@link PriceError}. */
export function withdrawalFor(fiat: Amount, fees: FeeSchedule, rate: Rate): Price {
  const net = over(fiat, rate, 'up')
  const enough = (candidate: bigint) => candidate - feeFor(fees, amountOf(candidate)) >= net
  let high = net + fees.fixed + 1n
  while (!enough(high)) {
    high *= 2n
    if (high > 2n ** 63n) throw new PriceError('no amount gives this result after the fee')
  }
  const amount = amountOf(largest(high, candidate => !enough(candidate)) + 1n)
  return { amount, fee: feeFor(fees, amount), fiat }
}

/** The largest number from 0 to `high` that fits, where everything below one that fits does too; -1: none. */
function largest(high: bigint, fits: (candidate: bigint) => boolean): bigint {
  let [low, top] = [-1n, high]
  while (low < top) {
    const middle = (low + top + 1n) / 2n
    if (fits(middle)) low = middle
    else top = middle - 1n
  }
  return low
}

function times(amount: bigint, rate: Rate, direction: 'up' | 'down', step: bigint): bigint {
  return divide(amount * rate.numerator, 10n ** BigInt(rate.digits) * step, direction) * step
}

function over(amount: bigint, rate: Rate, direction: 'up' | 'down'): bigint {
  return divide(amount * 10n ** BigInt(rate.digits), rate.numerator, direction)
}

function divide(numerator: bigint, denominator: bigint, direction: 'up' | 'down'): bigint {
  const whole = numerator / denominator
  return direction === 'up' && whole * denominator < numerator ? whole + 1n : whole
}

/** `numerator / denominator` as a decimal with at most ten fraction digits, half up: SEP-38's prices. */
export function ratio(numerator: bigint, denominator: bigint): string {
  const scale = 10n ** 10n
  const units = (numerator * scale * 2n + denominator) / (denominator * 2n)
  const fraction = (units % scale).toString().padStart(10, '0').replace(/0+$/, '')
  return fraction ? `${units / scale}.${fraction}` : `${units / scale}`
}
