import { findRailName, type RailName, railNames } from './application-fields.ts'

/** A payment rail that Windlass knows by name. */
export interface RailKind {
  /** ISO 4217 */
  currency: string
  /** What people call it. */
  label: string
  /** SEP-38's delivery method and SEP-6's `type`. */
  method: string
  /** ISO 3166 countries that it reaches; empty: many. */
  countries: readonly string[]
  /** What a payout needs in addition to the account number; null: nothing. Absent for rails that Windlass does not know. */
  routing?: { label: string; optional: boolean } | null
}

/** The members of the Single Euro Payments Area (European Payments Council, EPC409-09), by ISO 3166. */
const SEPA =
  'AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO SE SI SK SM VA'.split(
    ' ',
  )
const ifsc = { label: 'IFSC', optional: false }

const known: Readonly<Record<RailName, RailKind>> = {
  UPI: { currency: 'INR', label: 'UPI', method: 'upi', countries: ['IN'], routing: null },
  IMPS: { currency: 'INR', label: 'IMPS bank transfer', method: 'imps', countries: ['IN'], routing: ifsc },
  NEFT: { currency: 'INR', label: 'NEFT bank transfer', method: 'neft', countries: ['IN'], routing: ifsc },
  SEPA: {
    currency: 'EUR',
    label: 'SEPA transfer',
    method: 'sepa',
    countries: SEPA,
    routing: { label: 'BIC', optional: true },
  },
  ACH: {
    currency: 'USD',
    label: 'ACH transfer',
    method: 'ach',
    countries: ['US'],
    routing: { label: 'routing number', optional: false },
  },
}

/** What people call known rails in Spanish, within a sentence, by {@link RailKind.label}; those that are left out are called the same. */
export const spanishRailLabels: Readonly<Record<string, string>> = {
  'IMPS bank transfer': 'transferencia IMPS',
  'NEFT bank transfer': 'transferencia NEFT',
  'SEPA transfer': 'transferencia SEPA',
  'ACH transfer': 'transferencia ACH',
}

/** The rail of that name; an unknown rail moves the currency that the asset is pegged to. */
export function railKind(name: string, anchoredTo: string): RailKind {
  const rail = findRailName(name)
  return rail ? known[rail] : { currency: anchoredTo, label: name, method: name.toLowerCase(), countries: [] }
}

/** The SEP-12 type of those who send direct payments (SEP-31). */
export const SENDER_TYPE = 'sep31-sender'
const RECEIVER_TYPE = 'sep31-receiver'

/** The SEP-12 type of those who are paid over a rail of the anchor (SEP-31): the first has the usual name. */
export const receiverType = (rail: RailKind, all: readonly RailKind[]): string =>
  rail.method === all[0]?.method ? RECEIVER_TYPE : `${RECEIVER_TYPE}-${rail.method}`

/** The known rail with this `type` (SEP-6) or delivery method (SEP-38). */
export const railOfMethod = (method: string | null): RailKind | undefined =>
  Object.values(known).find(rail => rail.method === method)

/** The rails that reach a country (ISO 3166). */
export const railsIn = (country: string) => railNames.filter(name => known[name].countries.includes(country))

/** What an asset may be pegged to so that an anchor with these rails has a price for it: there are no other rates. */
export const pegsOf = (rails: readonly string[]): string[] => [
  ...new Set(['USD', 'USDC', ...rails.map(rail => railKind(rail, 'USD').currency)]),
]

/** The countries that rails reach. */
export const countriesOf = (rails: readonly string[]): string[] => [
  ...new Set(rails.flatMap(rail => railKind(rail, '').countries)),
]
