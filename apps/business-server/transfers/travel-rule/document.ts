import anyAscii from 'any-ascii'
import type { Address, Ivms101, NationalIdentification, Person } from '@windlass/contracts/anchor/ivms101.ts'
import { countries } from '@windlass/contracts/countries.ts'

type Fields = Readonly<Record<string, string>>

/** What is known of a side of whom nobody knows anything. */
export const UNKNOWN: Fields = {}

/** One side of a transfer. */
export interface Side {
  /** What is known of the person or organization, by SEP-9's names; {@link UNKNOWN}: nobody knows who it is. */
  fields: Fields
  /** This anchor's, or the sending anchor's, number for the customer; null: it is nobody's customer. */
  customer: string | null
  /** Bank account or address on the ledger. */
  account: string | null
}

/** An anchor that takes part. */
export interface Anchor {
  name: string
  lei: string | null
}

export interface Sides {
  originator: Side
  beneficiary: Side
  /** Null: nobody's, such as a wallet that a person has. */
  originatingAnchor: Anchor | null
  beneficiaryAnchor: Anchor | null
}

const MAX_NAME = 100
const LINE = 70
const MAX_LINES = 7
const MAX_CUSTOMER = 50

/** Latin characters of at most so many letters; undefined: there are none. */
const latin = (text: string | undefined, most: number): string | undefined =>
  anyAscii(text ?? '')
    .replaceAll(/[^ -~]+/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim()
    .slice(0, most)
    .trim() || undefined

/** Without what is undefined. */
const given = <T extends object>(values: { [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T

const isOrganization = (fields: Fields): boolean =>
  !fields.first_name && !fields.last_name && Boolean(fields['organization.name'])

/** SEP-9's fields for the name of a side that are still missing. */
const missingName = (fields: Fields): string[] =>
  isOrganization(fields) ? [] : ['first_name', 'last_name'].filter(name => !latin(fields[name], MAX_NAME))

/**
 * SEP-9's fields that are still needed before money moves. Of the beneficiary the name; of the originator also the postal
 * address, unless birth or an identity document say who it is (FATF recommendation 16).
 */
export function missingFields(
  { originator, beneficiary }: Pick<Sides, 'originator' | 'beneficiary'>,
  today: string,
) {
  const { fields } = originator
  const isKnown = isOrganization(fields)
    ? addressOf(fields, 'organization.') !== undefined
    : (addressOf(fields, '') ?? nationalIdOf(fields) ?? birthOf(fields, today))
  const prefix = isOrganization(fields) ? 'organization.' : ''
  return {
    originator: [...missingName(fields), ...(isKnown ? [] : lackingOfAddress(fields, prefix))],
    beneficiary:
      beneficiary.fields === UNKNOWN ||
      isOrganization(beneficiary.fields) ||
      latin(beneficiary.fields.last_name, MAX_NAME)
        ? []
        : ['last_name'],
  }
}

type Prefix = '' | 'organization.'

const streetOf = (fields: Fields, prefix: Prefix): string | undefined =>
  prefix === '' ? fields.address : fields['organization.registered_address']

function lackingOfAddress(fields: Fields, prefix: Prefix): string[] {
  const street = prefix === '' ? 'address' : 'organization.registered_address'
  return [
    ...(latin(streetOf(fields, prefix), LINE) ? [] : [street]),
    ...(latin(fields[`${prefix}city`], 35) ? [] : [`${prefix}city`]),
    ...(countries.has(fields[`${prefix}address_country_code`] ?? '')
      ? []
      : [`${prefix}address_country_code`]),
  ]
}

function addressOf(fields: Fields, prefix: Prefix): Address | undefined {
  const street = latin(streetOf(fields, prefix), LINE * MAX_LINES)
  const townName = latin(fields[`${prefix}city`], 35)
  const country = countries.get(fields[`${prefix}address_country_code`] ?? '')
  if (!street || !townName || !country) return undefined
  return given<Address>({
    addressType: prefix === '' ? 'HOME' : 'GEOG',
    addressLine: linesOf(street),
    postcode: latin(fields[`${prefix}postal_code`], 16),
    townName,
    countrySubDivision: latin(fields[`${prefix}state_or_province`], 35),
    country,
  })
}

/** Lines of whole words, of at most 70 letters each. */
function linesOf(text: string): string[] {
  const lines: string[] = []
  for (const word of text.match(/\S{1,70}/g) ?? []) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= LINE)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.slice(0, MAX_LINES)
}

const idTypes: Readonly<Record<string, NationalIdentification['nationalIdentifierType']>> = {
  passport: 'CCPT',
  drivers_license: 'DRLC',
  id_card: 'IDCD',
}

function nationalIdOf(fields: Fields): NationalIdentification | undefined {
  const number = latin(fields.id_number, 35)
  const country = countries.get(fields.id_country_code ?? '')
  if (!number || !country) return undefined
  const type = idTypes[fields.id_type ?? ''] ?? 'MISC'
  return { nationalIdentifier: number, nationalIdentifierType: type, countryOfIssue: country }
}

function birthOf(fields: Fields, today: string) {
  const [date = '', place] = [fields.birth_date, latin(fields.birth_place, 70)]
  return /^\d{4}-\d{2}-\d{2}$/.test(date) && date < today && place
    ? { dateOfBirth: date, placeOfBirth: place }
    : undefined
}

/** The document of a transfer of which {@link missingFields} misses nothing. */
export function createDocument(sides: Sides, today: string): Ivms101 {
  const { originator, beneficiary, originatingAnchor, beneficiaryAnchor } = sides
  return given<Ivms101>({
    originator: { originatorPerson: [personOf(originator, today)] },
    beneficiary: { beneficiaryPerson: [personOf(beneficiary, today)] },
    originatingVASP: originatingAnchor ? anchorPerson(originatingAnchor) : undefined,
    beneficiaryVASP: beneficiaryAnchor ? anchorPerson(beneficiaryAnchor) : undefined,
    payloadMetadata: { payloadVersion: '101.2023' },
  })
}

/** IVMS101 has no person without a name. */
export const unknownPerson: Person = {
  naturalPerson: {
    name: {
      nameIdentifier: [{ primaryIdentifier: 'Unknown', naturalPersonNameIdentifierType: 'LEGL' }],
    },
  },
}

function personOf({ fields, customer, account }: Side, today: string): Person {
  const number = latin(account ?? undefined, 512)
  const accountNumber = number ? { accountNumber: [number] } : {}
  if (fields === UNKNOWN) return { ...unknownPerson, ...accountNumber }
  return {
    ...(isOrganization(fields) ? legalPerson(fields, customer) : naturalPerson(fields, customer, today)),
    ...accountNumber,
  }
}

function naturalPerson(fields: Fields, customer: string | null, today: string): Person {
  const [family = '', first = ''] = [
    fields.last_name,
    [fields.first_name, fields.additional_name].filter(Boolean).join(' '),
  ]
  const [primaryIdentifier = '', secondaryIdentifier] = [latin(family, MAX_NAME), latin(first, MAX_NAME)]
  const isLocal = /[^ -~]/.test(family + first)
  const address = addressOf(fields, '')
  return {
    naturalPerson: given<NonNullable<Person['naturalPerson']>>({
      name: {
        nameIdentifier: [
          {
            ...given<{ primaryIdentifier: string; secondaryIdentifier?: string }>({
              primaryIdentifier,
              secondaryIdentifier,
            }),
            naturalPersonNameIdentifierType: 'LEGL',
          },
        ],
        ...(isLocal
          ? {
              localNameIdentifier: [
                {
                  primaryIdentifier: family.slice(0, MAX_NAME),
                  ...(first ? { secondaryIdentifier: first.slice(0, MAX_NAME) } : {}),
                  nameIdentifierType: 'LEGL',
                },
              ],
            }
          : {}),
      },
      geographicAddress: address && [address],
      nationalIdentification: nationalIdOf(fields),
      customerIdentification: latin(customer ?? undefined, MAX_CUSTOMER),
      dateAndPlaceOfBirth: birthOf(fields, today),
      countryOfResidence: countries.get(fields.address_country_code ?? ''),
    }),
  }
}

const legalName = (name: string) => ({
  nameIdentifier: [
    { legalPersonName: latin(name, MAX_NAME) ?? 'Unknown', legalPersonNameIdentifierType: 'LEGL' as const },
  ],
  ...(/[^ -~]/.test(name)
    ? {
        localNameIdentifier: [
          { legalPersonName: name.slice(0, MAX_NAME), legalPersonNameIdentifierType: 'LEGL' as const },
        ],
      }
    : {}),
})

function legalPerson(fields: Fields, customer: string | null): Person {
  const address = addressOf(fields, 'organization.')
  return {
    legalPerson: given<NonNullable<Person['legalPerson']>>({
      name: legalName(fields['organization.name'] ?? ''),
      geographicAddress: address && [address],
      customerIdentification: latin(customer ?? undefined, MAX_CUSTOMER),
      countryOfRegistration: countries.get(fields['organization.address_country_code'] ?? ''),
    }),
  }
}

const anchorPerson = ({ name, lei }: Anchor): Person => ({
  legalPerson: {
    name: legalName(name),
    ...(lei === null
      ? {}
      : { nationalIdentification: { nationalIdentifier: lei, nationalIdentifierType: 'LEIX' as const } }),
  },
})
