import type {
  Address,
  Ivms101,
  LegalPerson,
  NaturalPerson,
  Person,
} from '@windlass/contracts/anchor/ivms101.ts'
import { countries } from '@windlass/contracts/countries.ts'

const alpha2 = new Set([...countries.values(), 'XX'])

/** What IVMS101's own constraints (section 5.2) find wrong, by their names; the types of the contract hold already. */
export function faultsOf({ originator, beneficiary, ...anchors }: Ivms101, today: string): string[] {
  const persons = [
    ...originator.originatorPerson.map(person => [...identified(person), ...common(person, today)]),
    ...beneficiary.beneficiaryPerson.map(person => common(person, today)),
    ...[anchors.originatingVASP, anchors.beneficiaryVASP].map(person =>
      person ? common(person, today) : [],
    ),
  ]
  return [...new Set(persons.flat())]
}

const unless = (holds: boolean, name: string): string[] => (holds ? [] : [name])

function identified({ naturalPerson: natural, legalPerson: legal }: Person): string[] {
  if (natural) {
    const { geographicAddress: places = [], customerIdentification, nationalIdentification } = natural
    const isKnown = customerIdentification ?? nationalIdentification ?? natural.dateAndPlaceOfBirth
    return unless(places.length > 0 || isKnown !== undefined, 'C1 OriginatorInformationNaturalPerson')
  }
  const places = legal?.geographicAddress ?? []
  const isKnown = legal?.customerIdentification ?? legal?.nationalIdentification
  const hasSeat = places.some(({ addressType }) => addressType === 'GEOG')
  return unless(hasSeat || isKnown !== undefined, 'C4 OriginatorInformationLegalPerson')
}

function common({ naturalPerson: natural, legalPerson: legal }: Person, today: string): string[] {
  if ((natural === undefined) === (legal === undefined)) return ['Person: either natural or legal']
  const places = (natural ?? legal)?.geographicAddress ?? []
  return [
    ...places.flatMap(addressFaults),
    ...(natural ? naturalFaults(natural, today) : []),
    ...(legal ? legalFaults(legal) : []),
  ]
}

function addressFaults({
  country,
  addressLine = [],
  streetName,
  buildingName,
  buildingNumber,
}: Address): string[] {
  const hasBuilding = streetName !== undefined && (buildingName ?? buildingNumber) !== undefined
  return [
    ...unless(alpha2.has(country), 'C3 Country'),
    ...unless(addressLine.length > 0 || hasBuilding, 'C8 ValidAddress'),
  ]
}

function naturalFaults(person: NaturalPerson, today: string): string[] {
  const { name, dateAndPlaceOfBirth: birth, nationalIdentification: id, countryOfResidence: home } = person
  const isLegal = name.nameIdentifier.some(each => each.naturalPersonNameIdentifierType === 'LEGL')
  const lands = [id?.countryOfIssue, home].filter(each => each !== undefined)
  return [
    ...unless(birth === undefined || birth.dateOfBirth < today, 'C2 DateInPast'),
    ...unless(
      lands.every(each => alpha2.has(each)),
      'C3 Country',
    ),
    ...unless(isLegal, 'C6 LegalNamePresentNaturalPerson'),
  ]
}

const LEI = /^[A-Z0-9]{18}[0-9]{2}$/

function legalFaults({
  name,
  nationalIdentification: id,
  countryOfRegistration: home,
}: LegalPerson): string[] {
  const isLegal = name.nameIdentifier.some(each => each.legalPersonNameIdentifierType === 'LEGL')
  const faults = [
    ...unless(home === undefined || alpha2.has(home), 'C3 Country'),
    ...unless(isLegal, 'C5 LegalNamePresentLegalPerson'),
  ]
  if (!id) return faults
  const isLei = id.nationalIdentifierType === 'LEIX'
  return [
    ...faults,
    ...unless(
      ['RAID', 'MISC', 'LEIX', 'TXID'].includes(id.nationalIdentifierType),
      'C7 ValidNationalIdentifierLegalPerson',
    ),
    ...unless(
      id.countryOfIssue === undefined && (id.registrationAuthority === undefined) === isLei,
      'C9 CompleteNationalIdentifierLegalPerson',
    ),
    ...unless(!isLei || isValidLei(id.nationalIdentifier), 'C11 ValidLEI'),
  ]
}

/** ISO 17442: letters count as 10 to 35, and the number is 1 modulo 97. */
export function isValidLei(lei: string): boolean {
  if (!LEI.test(lei)) return false
  const digits = [...lei].map(letter => parseInt(letter, 36)).join('')
  return BigInt(digits) % 97n === 1n
}
