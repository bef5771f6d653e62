import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import {
  type AnchorSettings,
  type Direction,
  type Fee,
  plannedSettings,
  type PublicTerms,
} from '@windlass/contracts/anchor/anchor-settings.ts'
import { idOf, type ServedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { railKind, type RailKind } from '@windlass/contracts/platform/anchor-rails.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { BusinessServer } from './business-server.ts'

/** What was read counts for so long: a change is seen within this time, and a busy server asks once in it. */
const FRESH_MS = 1_000

/** The operator's settings, and what has no rate. */
export type CurrentTerms = AnchorSettings & Pick<PublicTerms, 'unpriced'>

/** Which the business server owns. */
export interface SettingsReader {
  /** As they are now; while the business server does not answer, as last read, at first the plan's. */
  current(): Promise<CurrentTerms>
}

export function createTerms(
  business: Pick<BusinessServer, 'terms'>,
  { plan }: AnchorConfig,
  logger: FastifyBaseLogger,
): SettingsReader {
  let known: CurrentTerms = plannedSettings(plan)
  let readAt = -Infinity
  let reading: Promise<void> | null = null
  const read = async () => {
    try {
      const { settings, unpriced } = await business.terms()
      known = { ...settings, ...(unpriced ? { unpriced } : {}) }
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

/** What follows from an anchor's terms, built once for as long as they are the same: they are read each second. */
export function onceForTerms<S extends AnchorSettings, T>(
  build: (anchor: AnchorConfig, settings: S) => T,
): (anchor: AnchorConfig, settings: S) => T {
  const kept = new WeakMap<AnchorConfig, { settings: S; built: T }>()
  return (anchor, settings) => {
    const known = kept.get(anchor)
    if (known?.settings === settings) return known.built
    const built = build(anchor, settings)
    kept.set(anchor, { settings, built })
    return built
  }
}

const switches = { deposit: 'deposits', withdrawal: 'withdrawals' } as const

/** The message of a pause; null: the direction is open. */
export const pauseOf = ({ paused }: AnchorSettings, direction: Direction): string | null =>
  paused[switches[direction]]

/** The rails over which transactions of this direction can start, in the plan's order; with an asset those that have a rate for it. */
export function openRails(
  { plan }: AnchorConfig,
  { rails, unpriced = [] }: CurrentTerms,
  direction: Direction,
  asset?: ServedAsset,
): (RailKind & { name: string })[] {
  const off = new Set(rails.filter(each => !each[switches[direction]]).map(({ name }) => name))
  const hasRate = (currency: string) =>
    !asset || !unpriced.some(each => each.asset === idOf(asset) && each.currency === currency)
  return plan.rails
    .filter(name => !off.has(name))
    .map(name => ({ name, ...railKind(name, plan.asset.anchoredTo) }))
    .filter(({ currency }) => hasRate(currency))
}

/** Whether new transactions of this direction can start, with an asset those of it. */
export const isOpen = (
  anchor: AnchorConfig,
  settings: CurrentTerms,
  direction: Direction,
  asset?: ServedAsset,
): boolean =>
  pauseOf(settings, direction) === null && openRails(anchor, settings, direction, asset).length > 0

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
