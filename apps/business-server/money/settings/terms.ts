import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { AnchorSettings, Direction, Fee } from '@windlass/contracts/anchor/anchor-settings.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import type { FeeSchedule } from '@windlass/money/fee.ts'
import { parseRate } from '@windlass/money/rate.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { TransferTerms } from '../../tables.ts'

/** The terms of one direction as they are now: a transaction keeps those that it starts with. */
export function termsOf({ fees, limits }: AnchorSettings, direction: Direction): TransferTerms {
  const own = fees.rails.filter(each => each.direction === direction)
  return {
    fee: fees[direction],
    railFees: Object.fromEntries(own.map(({ rail, fixed, percentage }) => [rail, { fixed, percentage }])),
    limits: { min: limits.min, max: limits.max },
    ...(fees.spread ? { spread: fees.spread[direction] } : {}),
  }
}

/** What the fee of a transaction depends on. */
interface OnTerms {
  /** Null: it started before terms were kept, with those of the plan. */
  terms: TransferTerms | null
  rail: string
}

export const feeOf = (plan: AnchorPlan, { terms, rail }: OnTerms): Fee =>
  terms ? (terms.railFees[rail] ?? terms.fee) : plan.fees

export function feeScheduleOf(plan: AnchorPlan, of: OnTerms): FeeSchedule {
  const { fixed, percentage } = feeOf(plan, of)
  const part = parseAmount(fixed)
  // Nobody sets one that pays customers: it was written past the settings.
  if (part < 0n) throw new Problem('validation-failed', 'the fee must not be negative')
  return { fixed: part, percentage: parseRate(percentage) }
}

export const limitsOf = (plan: AnchorPlan, { terms }: Pick<OnTerms, 'terms'>): AnchorPlan['limits'] =>
  terms?.limits ?? plan.limits

const switches = { deposit: 'deposits', withdrawal: 'withdrawals' } as const

/** The message of a pause; null: the direction is not paused. */
export const pauseOf = ({ paused }: AnchorSettings, direction: Direction): string | null =>
  paused[switches[direction]]

/** A rail, and the wrong or missing field of the anchor's account that keeps customers from paying over it. */
interface OfferedRail {
  readonly name: string
  readonly accountFault?: string
}

/**
 * Whether transactions of this direction can start over the rail: the operator has it on, and its account for deposits can
 * be true.
 */
export function isRailOn(
  settings: AnchorSettings,
  { name, accountFault }: OfferedRail,
  direction: Direction,
): boolean {
  if (direction === 'deposit' && accountFault !== undefined) return false
  return settings.rails.find(each => each.name === name)?.[switches[direction]] ?? true
}

/** Nothing more is agreed while a direction is paused or the rail is off. Throws `validation-failed`. */
export function requireOpen(settings: AnchorSettings, rail: OfferedRail, direction: Direction): void {
  const paused = pauseOf(settings, direction)
  if (paused !== null) throw new Problem('validation-failed', paused)
  if (!isRailOn(settings, rail, direction))
    throw new Problem('validation-failed', `${rail.name} is not available for ${direction}s at the moment`)
}
