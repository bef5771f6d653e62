import {
  bicFault,
  ibanFault,
  ifscFault,
  routingNumberFault,
  upiFault,
} from '@windlass/contracts/platform/account-numbers.ts'
import { findRailName, type RailName } from '@windlass/contracts/platform/application-fields.ts'
import type { DestinationField } from './rail.ts'

const trimmed = (text: string) => text.trim()
/** As bank numbers are kept: capitals, without the spaces and dashes that people put in. */
const bare = (text: string) => text.replaceAll(/[\s-]/g, '').toUpperCase()

const digits = (least: number, most: number) => (value: string) =>
  new RegExp(`^[0-9]{${least},${most}}$`).test(value) ? null : `it has ${least} to ${most} digits`

const holder: DestinationField = {
  name: 'dest_name',
  label: 'Name of the account holder',
  pattern: '.{2,100}',
  hint: 'as the bank knows it',
  clean: trimmed,
  fault: value => (/^.{2,100}$/.test(value) ? null : 'it has 2 to 100 characters'),
}
const indianAccount: DestinationField[] = [
  {
    name: 'dest',
    label: 'Account number',
    pattern: '[0-9 \\-]{9,24}',
    hint: '9 to 18 digits',
    clean: bare,
    fault: digits(9, 18),
  },
  {
    name: 'dest_extra',
    label: 'IFSC',
    pattern: '[A-Za-z]{4}0[A-Za-z0-9]{6}',
    hint: 'such as SBIN0001234',
    clean: bare,
    fault: ifscFault,
  },
  holder,
]

const byRail: Readonly<Record<RailName, readonly DestinationField[]>> = {
  UPI: [
    {
      name: 'dest',
      label: 'UPI ID',
      pattern: '[A-Za-z0-9._\\-]{1,255}@[A-Za-z][A-Za-z0-9.\\-]{1,63}',
      hint: 'such as asha@okbank',
      clean: trimmed,
      fault: upiFault,
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
      clean: bare,
      fault: ibanFault,
    },
    {
      name: 'dest_extra',
      label: 'BIC',
      pattern: '[A-Za-z0-9]{8}([A-Za-z0-9]{3})?',
      hint: 'only where your bank asks for it',
      optional: true,
      clean: bare,
      fault: bicFault,
    },
    holder,
  ],
  ACH: [
    {
      name: 'dest',
      label: 'Account number',
      pattern: '[0-9 \\-]{4,24}',
      hint: '4 to 17 digits',
      clean: bare,
      fault: digits(4, 17),
    },
    {
      name: 'dest_extra',
      label: 'Routing number',
      pattern: '[0-9]{9}',
      hint: '9 digits, at the lower left of a check',
      clean: bare,
      fault: routingNumberFault,
    },
    holder,
  ],
}

const anyAccount: readonly DestinationField[] = [
  {
    name: 'dest',
    label: 'Account',
    pattern: '.{2,200}',
    hint: '',
    clean: trimmed,
    fault: value => (/^.{2,200}$/.test(value) ? null : 'it has 2 to 200 characters'),
  },
  holder,
]

/** What a rail of that name needs to know to pay someone. */
export function destinationFieldsOf(rail: string): readonly DestinationField[] {
  const known = findRailName(rail)
  return known ? byRail[known] : anyAccount
}

export interface Wrong {
  label: string
  name: string
  why: string
}

/** Each field's clean value, and what is missing or wrong, for people to read. */
export function readDestination(
  fields: readonly DestinationField[],
  given: Readonly<Record<string, string>>,
): { destination: Record<string, string>; wrong: Wrong[] } {
  const destination: Record<string, string> = {}
  const wrong: Wrong[] = []
  for (const { name, label, clean, fault, optional } of fields) {
    const value = clean((given[name] ?? '').slice(0, 300))
    if (value === '' && optional) continue
    destination[name] = value
    const why = value === '' ? 'it is needed' : fault(value)
    if (why) wrong.push({ label, name, why })
  }
  return { destination, wrong }
}

/** `IBAN: its check digits do not fit …` */
export const describeFaults = (wrong: readonly Wrong[]): string =>
  wrong.map(({ label, why }) => `${label}: ${why}`).join('; ')
