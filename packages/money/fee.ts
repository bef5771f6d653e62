import { add, type Amount } from './amount.ts'
import { multiply, type Rate } from './rate.ts'

/** What an anchor takes for a transaction: a fixed part in asset units and a fraction of the amount. */
export interface FeeSchedule {
  readonly fixed: Amount
  /** A fraction: `0.005` is half a percent. */
  readonly percentage: Rate
}

/** `fixed + amount × percentage`, the product rounded half up to the seventh digit. */
export function feeFor(schedule: FeeSchedule, amount: Amount): Amount {
  return add(schedule.fixed, multiply(amount, schedule.percentage))
}

/**
 * {@link feeFor} in whole numbers, with the percentage as `numerator / scale`: the same fee, or null where a number on
 * the way is too large to be exact.
 */
export function feeInNumbers(fixed: number, numerator: number, scale: number, amount: number): number | null {
  const share = amount * numerator
  const rest = share % scale
  const fee = fixed + (share - rest) / scale + (2 * rest >= scale ? 1 : 0)
  return Number.isSafeInteger(share) && Number.isSafeInteger(fee) ? fee : null
}
