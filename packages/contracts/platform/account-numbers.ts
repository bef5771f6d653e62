import {
  composeIBAN,
  extractIBAN,
  friendlyFormatIBAN,
  isSEPACountry,
  isValidBIC,
  validateIBAN,
  ValidationErrorsIBAN as Errors,
} from 'ibantools'

/** Countries that joined the Single Euro Payments Area after the library's list was made (EPC409). */
const JOINED = new Set(['AL', 'MD', 'ME', 'MK', 'RS'])

/**
 * What is wrong with an IBAN of the Single Euro Payments Area (ISO 13616; capitals, no spaces), for the person who typed
 * it; null: nothing.
 */
export function ibanFault(iban: string): string | null {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban)) return 'an IBAN begins with two letters and two digits'
  const country = iban.slice(0, 2)
  if (!isSEPACountry(country) && !JOINED.has(country)) return `${country} is no country of the SEPA area`
  // Check digits inside national account numbers are left to the banks: some accounts do not follow them.
  const { errorCodes } = validateIBAN(iban)
  if (errorCodes.includes(Errors.WrongBBANLength)) return `an IBAN of ${country} has another length`
  if (errorCodes.includes(Errors.WrongIBANChecksum))
    return 'its check digits do not fit: one character is mistyped'
  if (errorCodes.includes(Errors.WrongBBANFormat)) return `an IBAN of ${country} looks different`
  return null
}

/** An IBAN with the check digits that belong to it (ISO 7064, MOD 97-10). Throws where the country has no such account. */
export function ibanOf(country: string, accountNumber: string): string {
  const iban = composeIBAN({ countryCode: country, bban: accountNumber })
  if (iban === null) throw new Error(`${country} has no account number ${accountNumber}`)
  return iban
}

/** The bank's code and the account number in an IBAN, as they are written in its country; null: it is no IBAN. */
export function nationalNumberOf(iban: string): { bank: string; number: string } | null {
  const { bban, bankIdentifier: bank = '' } = extractIBAN(iban)
  return bban === undefined ? null : { bank, number: bban.slice(bank.length) }
}

/** `DE89370400440532013000` as people read it: in groups of four. */
export const inGroups = (iban: string): string => friendlyFormatIBAN(iban) ?? iban

/** What is wrong with a BIC (ISO 9362, capitals); null: nothing. */
export const bicFault = (bic: string): string | null =>
  bic === bic.toUpperCase() && isValidBIC(bic)
    ? null
    : 'a BIC has 8 or 11 letters and digits, with the country as the fifth and sixth'

/** What is wrong with an ABA routing number; null: nothing. */
export function routingNumberFault(number: string): string | null {
  if (!/^\d{9}$/.test(number)) return 'a routing number has 9 digits'
  const sum = [...number].reduce((total, digit, at) => total + Number(digit) * ([3, 7, 1][at % 3] ?? 0), 0)
  return sum % 10 === 0 ? null : 'its check digit does not fit: one digit is mistyped'
}

/** What the fields of a rail's account are checked with, by the name that `CredentialField.check` gives. */
export const accountChecks = {
  iban: ibanFault,
  bic: bicFault,
  'routing-number': routingNumberFault,
} as const
export type AccountChecks = Readonly<Record<keyof typeof accountChecks, (value: string) => string | null>>

/** What is wrong with a UPI ID (virtual payment address); null: nothing. */
export const upiFault = (id: string): string | null =>
  /^[a-z0-9._-]{1,255}@[a-z][a-z0-9.-]{1,63}$/i.test(id) ? null : 'a UPI ID looks like asha@okbank'

/** What is wrong with an IFSC (capitals); null: nothing. */
export const ifscFault = (code: string): string | null =>
  /^[A-Z]{4}0[A-Z0-9]{6}$/.test(code) ? null : 'an IFSC is four letters, a zero and six letters or digits'
