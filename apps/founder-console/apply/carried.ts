import { formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Workspace } from '@windlass/contracts/platform/workspaces.ts'
import type { Answers } from './answers.ts'

/**
 * What an application at the other installation begins with: an anchor's terms. No credentials, no names of people, and no
 * issuers: an account of one network is nothing on another.
 */
function carriedFrom(anchor: Workspace): Partial<Answers> {
  const { asset, furtherAssets = [], fees, limits } = anchor
  const further = furtherAssets.flatMap(({ code, anchoredTo }, index) => [
    [`stellarConfig.assets.${index + 1}.code`, code],
    [`stellarConfig.assets.${index + 1}.anchoredTo`, anchoredTo],
  ])
  return {
    'companyProfile.name': anchor.organization.name,
    'asset.kind': asset.issuer ? 'existing' : 'own',
    'stellarConfig.assetCode': asset.code,
    'stellarConfig.assetName': asset.name,
    'stellarConfig.anchoredTo': asset.anchoredTo,
    ...(Object.fromEntries(further) as Partial<Answers>),
    'paymentRails.rails': anchor.rails,
    'paymentRails.settlement': anchor.settlement,
    'paymentRails.fee.fixed': fees.fixed,
    'paymentRails.fee.percentage': percentOfFraction(fees.percentage),
    'paymentRails.limits.min': limits.min,
    'paymentRails.limits.max': limits.max,
    'compliance.regions': anchor.regions,
  }
}

const CARRIED_NAMES: ReadonlySet<string> = new Set([
  ...['companyProfile.name', 'asset.kind', 'stellarConfig.assetCode', 'stellarConfig.assetName'],
  ...['stellarConfig.anchoredTo', 'paymentRails.rails', 'paymentRails.settlement'],
  ...['paymentRails.fee.fixed', 'paymentRails.fee.percentage'],
  ...['paymentRails.limits.min', 'paymentRails.limits.max', 'compliance.regions'],
])

/** Whether a link may bring an answer. Anyone can make a link: it brings no address of a person, and no issuer. */
export const isCarried = (name: string): boolean =>
  CARRIED_NAMES.has(name) || /^stellarConfig\.assets\.[1-9]\d?\.(code|anchoredTo)$/.test(name)

/** `0.005` → `0.5` (percent). */
const percentOfFraction = (fraction: string): string => formatAmount((parseAmount(fraction) * 100n) as Amount)

/** Where an application begins with the settings of an anchor at the other installation. */
export const CARRIED_PAGE = '/settings-of-an-anchor'

/** Names the settings in the fragment. */
export const CARRIED = 'settings'

/** The page with an anchor's settings. They are in the fragment, which browsers send to no server. */
export const carryTo = (carriedPage: string, anchor: Workspace): string =>
  `${carriedPage}#${CARRIED}=${encodeURIComponent(JSON.stringify(carriedFrom(anchor)))}`
