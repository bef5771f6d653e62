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
