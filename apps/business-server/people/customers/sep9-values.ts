import { Problem } from '@windlass/service/http/problem.ts'
import { isEmail } from '@windlass/service/http/validation.ts'
import { isIP } from 'node:net'
import { countries } from '@windlass/contracts/countries.ts'

interface Form {
  fits(value: string): boolean
  /** What a value must be, for the wallet. */
  must: string
}

const email: Form = { fits: isEmail, must: 'must be an email address' }
const date: Form = { fits: isDate, must: 'must be an ISO 8601 date, such as 1976-07-04' }
const pattern = (form: RegExp, must: string): Form => ({ fits: value => form.test(value), must })

const country: Form = {
  fits: value => countries.has(value),
  must: 'must be an ISO 3166-1 alpha-3 country code, such as IND',
}

/** SEP-9's fields whose values have a form. */
const forms: Readonly<Record<string, Form>> = {
  email_address: email,
  'organization.email': email,
  birth_date: date,
  id_issue_date: date,
  id_expiration_date: date,
  'organization.registration_date': date,
  address_country_code: country,
  birth_country_code: country,
  id_country_code: country,
  'organization.address_country_code': country,
  mobile_number: pattern(/^\+[1-9]\d{5,14}$/, 'must be a number by E.164, such as +919876543210'),
  language_code: pattern(/^[a-z]{2}$/, 'must be an ISO 639-1 language code, such as en'),
  ip_address: { fits: value => isIP(value) !== 0, must: 'must be an IP address' },
}

/** A day there is: 30 February is none. */
function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const day = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value)
}

/** Whether the value of a SEP-9 field has the form that its field asks for; fields without one take any text. */
export const fitsSep9 = (name: string, value: string): boolean =>
  !Object.hasOwn(forms, name) || (forms[name]?.fits(value) ?? true)

/** Throws `validation-failed` for the first value of a wrong form. */
export function checkSep9(fields: Readonly<Record<string, string>>): void {
  const wrong = Object.entries(fields).find(([name, value]) => !fitsSep9(name, value))
  if (wrong) throw new Problem('validation-failed', `${wrong[0]} ${forms[wrong[0]]?.must}`)
}
