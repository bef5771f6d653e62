import type { RetentionRules } from '@windlass/contracts/anchor/retention.ts'

export type Years = Required<RetentionRules>

/** What the directives against money laundering, and most other laws, ask for. */
const COMMON = { identity: 5, payments: 5 }

/**
 * Where the law asks for more: years of who customers are, against money laundering; and of payments, for which the law of
 * books counts too. They are what an anchor starts with: its officer sets what counts.
 */
const LONGER: Readonly<Record<string, typeof COMMON>> = {
  AR: { identity: 10, payments: 10 },
  BE: { identity: 10, payments: 10 },
  BR: { identity: 10, payments: 10 },
  CH: { identity: 10, payments: 10 },
  DE: { identity: 5, payments: 8 },
  ES: { identity: 10, payments: 10 },
  FR: { identity: 5, payments: 10 },
  GB: { identity: 5, payments: 6 },
  IN: { identity: 5, payments: 8 },
  IT: { identity: 10, payments: 10 },
  LU: { identity: 5, payments: 10 },
  MX: { identity: 10, payments: 10 },
  NL: { identity: 5, payments: 7 },
  SE: { identity: 5, payments: 7 },
}

/** The longest years of the countries that an anchor serves. */
export function yearsOf(countries: readonly string[]): Years {
  const all = [COMMON, ...countries.flatMap(country => LONGER[country] ?? [])]
  const identity = Math.max(...all.map(each => each.identity))
  const payments = Math.max(...all.map(each => each.payments))
  return {
    customerYears: identity,
    travelRecordYears: identity,
    paymentRecordYears: payments,
    caseRecordYears: identity,
  }
}
