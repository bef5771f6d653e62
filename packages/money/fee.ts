import { add, type Amount } from './amount.ts'
import { multiply, powerOfTen, type Rate } from './rate.ts'

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
 * What customers give away in all, as a schedule of its own: the fee and the anchor's share of the exchange rate, which they
 * pay on the amount and on the fee. Fixed part rounded half up to the seventh digit.
 */
export function costOf({ fixed, percentage }: FeeSchedule, spread: Rate): FeeSchedule {
  const [one, other] = [powerOfTen(percentage.digits), powerOfTen(spread.digits)]
  const numerator = percentage.numerator * (other + spread.numerator) + spread.numerator * one
  return {
    fixed: add(fixed, multiply(fixed, spread)),
    percentage: { numerator, digits: percentage.digits + spread.digits },
  }
}
