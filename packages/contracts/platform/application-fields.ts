/*
 * What the application form needs of the contract, without the schemas: they would be part of a page that visitors load
 * first.
 */

export const railNames = ['UPI', 'IMPS', 'NEFT', 'SEPA', 'ACH'] as const
export type RailName = (typeof railNames)[number]

/** The rail of that name, in whichever case it is written; undefined: one that Windlass does not know. */
export const findRailName = (name: string): RailName | undefined =>
  railNames.find(each => each === name.toUpperCase())

/** How many assets one application may name (ADR 70). */
export const mostAssets = 5

export const settlements = ['instant', 'under_60_minutes'] as const

/** The text fields of the application's parts, and how long each may be. */
export const textLengths = {
  companyProfile: {
    name: 200,
    businessEmail: 254,
    contactName: 200,
    country: 100,
    website: 500,
    registrationNumber: 100,
  },
  stellarConfig: { assetCode: 12, assetName: 100, anchoredTo: 12 },
  compliance: { jurisdiction: 100, licenseNumber: 100 },
} as const
