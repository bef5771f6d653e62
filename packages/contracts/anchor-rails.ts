/** A payment rail that Windlass knows by name. */
export interface RailKind {
  /** ISO 4217 */
  currency: string
  /** What people call it. */
  label: string
  /** SEP-38's delivery method and SEP-6's `type`. */
  method: string
  /** ISO 3166 countries where it reaches; empty: many. */
  countries: readonly string[]
}

const known: Readonly<Record<string, RailKind>> = {
  UPI: { currency: 'INR', label: 'UPI', method: 'upi', countries: ['IN'] },
  IMPS: { currency: 'INR', label: 'IMPS bank transfer', method: 'imps', countries: ['IN'] },
  NEFT: { currency: 'INR', label: 'NEFT bank transfer', method: 'neft', countries: ['IN'] },
  SEPA: { currency: 'EUR', label: 'SEPA transfer', method: 'sepa', countries: [] },
  ACH: { currency: 'USD', label: 'ACH transfer', method: 'ach', countries: ['US'] },
}

/** The rail of that name; one we have no name for moves the currency that the asset is anchored to. */
export function railKind(name: string, anchoredTo: string): RailKind {
  const rail = known[name.toUpperCase()]
  return rail ?? { currency: anchoredTo, label: name, method: name.toLowerCase(), countries: [] }
}
