import type { DestinationField } from './rail.ts'

const holder: DestinationField = {
  name: 'dest_name',
  label: 'Name of the account holder',
  pattern: '.{2,100}',
  hint: 'as the bank knows it',
}
const indianAccount: DestinationField[] = [
  { name: 'dest', label: 'Account number', pattern: '[0-9]{9,18}', hint: '9 to 18 digits' },
  { name: 'dest_extra', label: 'IFSC', pattern: '[A-Za-z]{4}0[A-Za-z0-9]{6}', hint: 'such as SBIN0001234' },
  holder,
]

const byRail: Readonly<Record<string, readonly DestinationField[]>> = {
  UPI: [
    {
      name: 'dest',
      label: 'UPI ID',
      pattern: '[A-Za-z0-9._\\-]{2,256}@[A-Za-z0-9.\\-]{2,64}',
      hint: 'such as asha@okbank',
    },
  ],
  IMPS: indianAccount,
  NEFT: indianAccount,
  SEPA: [
    {
      name: 'dest',
      label: 'IBAN',
      pattern: '[A-Za-z]{2}[0-9]{2}[A-Za-z0-9 ]{10,40}',
      hint: 'such as DE89 3704 0044 0532 0130 00',
    },
    holder,
  ],
  ACH: [
    { name: 'dest', label: 'Account number', pattern: '[0-9]{4,17}', hint: '4 to 17 digits' },
    { name: 'dest_extra', label: 'Routing number', pattern: '[0-9]{9}', hint: '9 digits' },
    holder,
  ],
}

/** What a rail of that name needs to know to pay someone. */
export function destinationFieldsOf(rail: string): readonly DestinationField[] {
  return (
    byRail[rail.toUpperCase()] ?? [{ name: 'dest', label: 'Account', pattern: '.{2,200}', hint: '' }, holder]
  )
}

/** The fields that are missing or wrong, by name. */
export function wrongFields(
  fields: readonly DestinationField[],
  given: Readonly<Record<string, string>>,
): DestinationField[] {
  return fields.filter(
    ({ name, pattern }) => !new RegExp(`^(?:${pattern})$`).test((given[name] ?? '').trim()),
  )
}
