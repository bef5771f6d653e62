/** How long an IBAN of a country of the Single Euro Payments Area is (ISO 13616, EPC409). */
const IBAN_LENGTHS: Readonly<Record<string, number>> = {
  ...{ AD: 24, AL: 28, AT: 20, BE: 16, BG: 22, CH: 21, CY: 28, CZ: 24, DE: 22, DK: 18, EE: 20, ES: 24 },
  ...{ FI: 18, FR: 27, GB: 22, GI: 23, GR: 27, HR: 21, HU: 28, IE: 22, IS: 26, IT: 27, LI: 21, LT: 20 },
  ...{ LU: 20, LV: 21, MC: 27, MD: 24, ME: 22, MK: 19, MT: 31, NL: 18, NO: 15, PL: 28, PT: 25, RO: 24 },
  ...{ RS: 22, SE: 24, SI: 19, SK: 24, SM: 27, VA: 22 },
}

/** What is wrong with an IBAN (capitals, no spaces), for the person who typed it; null: nothing. */
export function ibanFault(iban: string): string | null {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban)) return 'an IBAN begins with two letters and two digits'
  const length = IBAN_LENGTHS[iban.slice(0, 2)]
  if (length === undefined) return `${iban.slice(0, 2)} is no country of the SEPA area`
  if (iban.length !== length) return `an IBAN of ${iban.slice(0, 2)} has ${length} characters`
  return ibanRemainder(iban) === 1 ? null : 'its check digits do not fit: one character is mistyped'
}

/** An IBAN with the check digits that belong to it (ISO 7064, MOD 97-10). */
export function ibanOf(country: string, accountNumber: string): string {
  const check = 98 - ibanRemainder(`${country}00${accountNumber}`)
  return `${country}${String(check).padStart(2, '0')}${accountNumber}`
}

function ibanRemainder(iban: string): number {
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, letter =>
    String(letter.charCodeAt(0) - 55),
  )
  return Number(BigInt(digits) % 97n)
}

/** `DE89370400440532013000` as people read it: in groups of four. */
export const inGroups = (iban: string): string => iban.replaceAll(/(.{4})(?=.)/g, '$1 ')

/** What is wrong with a BIC (ISO 9362, capitals); null: nothing. */
export const bicFault = (bic: string): string | null =>
  /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(bic) ? null : 'a BIC has 8 or 11 letters and digits'

/** What is wrong with an ABA routing number; null: nothing. */
export function routingNumberFault(number: string): string | null {
  if (!/^\d{9}$/.test(number)) return 'a routing number has 9 digits'
  const sum = [...number].reduce((total, digit, at) => total + Number(digit) * ([3, 7, 1][at % 3] ?? 0), 0)
  return sum % 10 === 0 ? null : 'its check digit does not fit: one digit is mistyped'
}

/** What is wrong with a UPI ID (virtual payment address); null: nothing. */
export const upiFault = (id: string): string | null =>
  /^[a-z0-9._-]{1,255}@[a-z][a-z0-9.-]{1,63}$/i.test(id) ? null : 'a UPI ID looks like asha@okbank'

/** What is wrong with an IFSC (capitals); null: nothing. */
export const ifscFault = (code: string): string | null =>
  /^[A-Z]{4}0[A-Z0-9]{6}$/.test(code) ? null : 'an IFSC is four letters, a zero and six letters or digits'
