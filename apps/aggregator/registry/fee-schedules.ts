import { formatAmount } from '@windlass/money/amount.ts'
import type { FeeSchedule } from '@windlass/money/fee.ts'
import { formatRate } from '@windlass/money/rate.ts'

/** Gives each fee schedule a number, so that equal ones are told apart from others at a glance. */
export class FeeSchedules {
  readonly #numbers = new Map<string, number>()

  numberOf({ fixed, percentage }: FeeSchedule): number {
    const key = `${formatAmount(fixed)}+${formatRate(percentage)}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.#numbers.size)
    return this.#numbers.size - 1
  }
}
