import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import {
  type AnchorSettings,
  type Direction,
  type Fee,
  plannedSettings,
} from '@windlass/contracts/anchor-settings.ts'
import { railKind, type RailKind } from '@windlass/contracts/anchor-rails.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { BusinessServer } from './business-server.ts'

/** What was read counts for so long: a change is seen within this time, and a busy server asks once in it. */
const FRESH_MS = 1_000

/** The operator's settings, which the business server owns. */
export interface Terms {
  /** As they are now; while the business server does not answer, as last read, at first the plan's. */
  current(): Promise<AnchorSettings>
}

export function createTerms(
  business: Pick<BusinessServer, 'terms'>,
  { plan }: AnchorConfig,
  logger: FastifyBaseLogger,
): Terms {
  let known = plannedSettings(plan)
  let readAt = -Infinity
  let reading: Promise<void> | null = null
  const read = async () => {
    try {
      known = (await business.terms()).settings
    } catch (error) {
      logger.warn({ err: error }, 'the settings were not read again: the business server does not answer')
    }
    readAt = performance.now()
    reading = null
  }
  return {
    current: async () => {
      if (performance.now() - readAt > FRESH_MS) await (reading ??= read())
      return known
    },
  }
}

const switches = { deposit: 'deposits', withdrawal: 'withdrawals' } as const

/** The message of a pause; null: the direction is open. */
export const pauseOf = ({ paused }: AnchorSettings, direction: Direction): string | null =>
  paused[switches[direction]]

/** The rails over which transactions of this direction can start, in the plan's order. */
export function openRails(
  { plan }: AnchorConfig,
  { rails }: AnchorSettings,
  direction: Direction,
): (RailKind & { name: string })[] {
  const off = new Set(rails.filter(each => !each[switches[direction]]).map(({ name }) => name))
  return plan.rails
    .filter(name => !off.has(name))
    .map(name => ({ name, ...railKind(name, plan.asset.anchoredTo) }))
}

/** Whether new transactions of this direction can start. */
export const isOpen = (anchor: AnchorConfig, settings: AnchorSettings, direction: Direction): boolean =>
  pauseOf(settings, direction) === null && openRails(anchor, settings, direction).length > 0

/** The fee that every open rail of the direction has; null: they differ, and a quote (SEP-38) names each. */
export function commonFee(
  anchor: AnchorConfig,
  { fees, ...settings }: AnchorSettings,
  direction: Direction,
): Fee | null {
  const own = (name: string) => fees.rails.find(each => each.rail === name && each.direction === direction)
  const rails = openRails(anchor, { fees, ...settings }, direction)
  const [first = fees[direction], ...others] = rails.map(({ name }) => own(name) ?? fees[direction])
  const same = others.every(each => each.fixed === first.fixed && each.percentage === first.percentage)
  return same ? { fixed: first.fixed, percentage: first.percentage } : null
}
