import type { TravelRuleSettings } from '@windlass/contracts/anchor/travel-rule.ts'
import { parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Deps } from '../../deps.ts'
import { worthIn } from '../../money/pricing/worth.ts'

type Reading = Pick<Deps['config'], 'anchor' | 'fx'>

const EVERY_TRANSFER = { amount: '0', currency: 'USD' }
/** The threshold of FATF recommendation 16, where no law of the country is known here. */
const FATF = { amount: '1000', currency: 'USD' }

/** Countries of the European Economic Area: Regulation (EU) 2023/1113 has no threshold between providers. */
const EEA = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(
  ' ',
)
/** 31 CFR 1010.410(f) in the US; without a threshold in the others: SI 2022/860, FINMA 02/2019, FIU-IND of March 2023. */
const laws: ReadonlyMap<string, typeof FATF> = new Map([
  ...EEA.map(country => [country, EVERY_TRANSFER] as const),
  ...['GB', 'CH', 'JP', 'IN'].map(country => [country, EVERY_TRANSFER] as const),
  ['US', { amount: '3000', currency: 'USD' }],
  ['CA', { amount: '1000', currency: 'CAD' }],
])

/** What the law of a country asks for, in the currency of the anchor's first asset; of one without a rate as many units. */
export function lawOf({ anchor, fx }: Reading, country: string | null): Amount {
  const { amount, currency } = laws.get(country ?? '') ?? FATF
  const { anchoredTo } = anchor.plan.asset
  const units = parseAmount(amount)
  // As many euros as dollars: most laws name one number for both.
  if (currency === 'USD' && anchoredTo === 'EUR') return units
  return worthIn({ fx }, units, currency, anchoredTo) ?? units
}

/**
 * From which amount of the first asset on data is kept; null: never. Towards a provider in a country the laws of both countries
 * count too.
 */
export function thresholdTowards(
  config: Reading,
  { threshold, corridors, country: here }: TravelRuleSettings,
  there: string | null,
): Amount | null {
  const corridor = corridors.find(({ country }) => country === there)
  if (corridor) return corridor.threshold === null ? null : parseAmount(corridor.threshold)
  if (threshold === null) return null
  const laws = there === null ? [] : [here, there].filter(each => each !== null)
  return laws
    .map(country => lawOf(config, country))
    .reduce((least, each) => (each < least ? each : least), parseAmount(threshold))
}
