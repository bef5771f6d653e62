import { countries } from '@windlass/contracts/countries.ts'
import { type ReportedPerson, type Reported } from './subject.ts'
import { line, type Node, xmlDocument } from './xml.ts'

/*
 * A draft of a FinCEN SAR: form type SARX, in the order of EFL_SARXBatchSchema 1.2. What an anchor does not know of itself (its
 * tax number, its control code) is left empty for the filer.
 */

const compact = (at: Date): string => at.toISOString().slice(0, 10).replaceAll('-', '')
const day = (text: string | undefined): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') ? (text ?? '').replaceAll('-', '') : ''
const NARRATIVE = { letters: 4_000, parts: 5 }
/** Kinds of what is reported: type, subtype, and a text where the subtype is none of the list's. */
type Activity = readonly [type: number, subtype: number, other?: string]

function activitiesOf({ file: { hits } }: Reported): Activity[] {
  const found = hits.map(({ match, velocity, country, outside }): Activity => {
    if (match) return [9, 9999, 'Name like one on a sanctions list']
    if (outside) return [9, 9999, 'Found by a screening program']
    if (country) return [9, 928]
    return velocity?.rule.kind === 'below-limit' ? [1, 113] : [8, 812]
  })
  const all = found.length > 0 ? found : ([[9, 9999, 'See narrative']] as const)
  return [...new Map(all.map(each => [each[1], each])).values()]
}

/** Each element that the schema numbers has the next number. */
function numbered(): (name: string, content: readonly (Node | null)[]) => Node {
  let next = 0
  return (name, content) => {
    const children = content.filter(each => each !== null)
    next += 1
    return [`fc2:${name}`, children, { SeqNum: next }]
  }
}
const text = (name: string, value: string | number): Node => [`fc2:${name}`, value]
const known = (name: string, value: string): Node | null => (value === '' ? null : text(name, value))
const unknown = (name: string, value: string): Node | null => (value === '' ? text(name, 'Y') : null)

/** A draft for FinCEN's BSA E-Filing, to complete there or in a program for filing. */
export function fincenSar(reported: Reported): string {
  const { at, people, filer, transfers, narrative } = reported
  const el = numbered()
  const name = (full: string) =>
    el('PartyName', [text('PartyNameTypeCode', 'L'), text('RawPartyFullName', line(full, 150))])
  const identified = (type: string, number = '') =>
    el('PartyIdentification', [
      text('PartyIdentificationNumberText', line(number, 25)),
      text('PartyIdentificationTypeCode', type),
    ])
  const emptyAddress = () =>
    el('Address', [
      text('RawCityText', ''),
      text('RawCountryCodeText', ''),
      text('RawStateCodeText', ''),
      text('RawStreetAddress1Text', ''),
      text('RawZIPCode', ''),
    ])
  const phone = () => el('PhoneNumber', [text('PhoneNumberText', '')])
  const business = () => el('OrganizationClassificationTypeSubtype', [text('OrganizationTypeID', 4)])
  const party = (code: string, before: readonly (Node | null)[], after: readonly (Node | null)[]) =>
    el('Party', [text('ActivityPartyTypeCode', code), ...before, ...after])
  const regulator = text('PrimaryRegulatorTypeCode', '7')
  const parties = [
    party('35', [], [name(filer.name), emptyAddress(), phone(), identified('4'), identified('28')]),
    party('37', [], [name(filer.name)]),
    party('30', [regulator], [name(filer.name), emptyAddress(), identified('2'), business()]),
    party('8', [], [name(filer.name), phone()]),
    party(
      '34',
      [text('NoBranchActivityInvolvedIndicator', 'Y'), regulator],
      [name(filer.name), emptyAddress(), identified('2'), business()],
    ),
    ...(people.length > 0 ? people.map(person => subject(el, person)) : [nobody(el)]),
  ]
  const times = transfers
    .map(({ transfer }) => transfer.created_at)
    .toSorted((a, b) => a.getTime() - b.getTime())
  const [first, last] = [times[0] ?? at, times.at(-1) ?? at]
  const worth = reported.worthIn('USD')
  // Whole dollars, rounded up.
  const dollars = worth === null ? null : String((worth + 9_999_999n) / 10_000_000n)
  const suspicious = el('SuspiciousActivity', [
    dollars === null ? text('AmountUnknownIndicator', 'Y') : null,
    text('SuspiciousActivityFromDateText', compact(first)),
    text('SuspiciousActivityToDateText', compact(last)),
    dollars === null ? null : text('TotalSuspiciousAmountText', dollars),
    ...activitiesOf(reported).map(([type, subtype, other]) =>
      el('SuspiciousActivityClassification', [
        other === undefined ? null : text('OtherSuspiciousActivityTypeText', other),
        text('SuspiciousActivitySubtypeID', subtype),
        text('SuspiciousActivityTypeID', type),
      ]),
    ),
  ])
  const parts = Array.from({ length: NARRATIVE.parts }, (_, index) =>
    narrative.slice(index * NARRATIVE.letters, (index + 1) * NARRATIVE.letters),
  ).filter(part => part !== '')
  const activity = el('Activity', [
    text('FilingDateText', compact(at)),
    el('ActivityAssociation', [text('InitialReportIndicator', 'Y')]),
    ...parties,
    suspicious,
    ...parts.map((part, index) =>
      el('ActivityNarrativeInformation', [
        text('ActivityNarrativeSequenceNumber', index + 1),
        text('ActivityNarrativeText', part),
      ]),
    ),
  ])
  return xmlDocument([
    'fc2:EFilingBatchXML',
    [text('FormTypeCode', 'SARX'), activity],
    {
      ...{ 'xmlns:fc2': 'www.fincen.gov/base', TotalAmount: dollars ?? '0', PartyCount: parties.length },
      ...{ ActivityCount: 1, ActivityAttachmentCount: 0, AttachmentCount: 0 },
    },
  ])
}

type Element = ReturnType<typeof numbered>

function subject(el: Element, { fields, verifiedName, id }: ReportedPerson): Node {
  const isOrganization = !fields.first_name && !fields.last_name && Boolean(fields['organization.name'])
  const prefix = isOrganization ? 'organization.' : ''
  const of = (field: string, most: number) => line(fields[`${prefix}${field}`], most)
  const [last, first] = [
    line(isOrganization ? fields['organization.name'] : fields.last_name, 150),
    isOrganization ? '' : line(fields.first_name, 35),
  ]
  const birth = isOrganization ? '' : day(fields.birth_date)
  const country = countries.get(fields[`${prefix}address_country_code`] ?? '') ?? ''
  const street = isOrganization ? of('registered_address', 100) : of('address', 100)
  const city = of('city', 50)
  // Two letters are a state of the USA; others have none in this form.
  const state = country === 'US' ? of('state_or_province', 2) : ''
  const zip = line((fields[`${prefix}postal_code`] ?? '').replaceAll(/[^0-9A-Za-z]/g, ''), 9)
  return el('Party', [
    text('ActivityPartyTypeCode', '33'),
    isOrganization ? null : unknown('BirthDateUnknownIndicator', birth),
    text('BothPurchaserSenderPayeeReceiveIndicator', 'Y'),
    known('IndividualBirthDateText', birth),
    text('NoKnownAccountInvolvedIndicator', 'Y'),
    isOrganization ? text('PartyAsEntityOrganizationIndicator', 'Y') : null,
    isOrganization ? null : text('UnknownGenderIndicator', 'Y'),
    el('PartyName', [
      unknown('EntityLastNameUnknownIndicator', last),
      isOrganization ? null : unknown('FirstNameUnknownIndicator', first),
      text('PartyNameTypeCode', 'L'),
      known('RawEntityIndividualLastName', last),
      known('RawIndividualFirstName', first),
    ]),
    verifiedName
      ? el('PartyName', [text('PartyNameTypeCode', 'AKA'), text('RawPartyFullName', line(verifiedName, 150))])
      : null,
    el('Address', [
      unknown('CityUnknownIndicator', city),
      unknown('CountryCodeUnknownIndicator', country),
      known('RawCityText', city),
      known('RawCountryCodeText', country),
      known('RawStateCodeText', state),
      known('RawStreetAddress1Text', street),
      known('RawZIPCode', zip),
      unknown('StateCodeUnknownIndicator', country === 'US' || country === '' ? state : 'none'),
      unknown('StreetAddressUnknownIndicator', street),
      unknown('ZIPCodeUnknownIndicator', zip),
    ]),
    el('PartyIdentification', [text('TINUnknownIndicator', 'Y')]),
    el('PartyIdentification', [
      text('OtherPartyIdentificationTypeText', 'Customer number'),
      text('PartyIdentificationNumberText', line(id.replaceAll('-', ''), 25)),
      text('PartyIdentificationTypeCode', '999'),
    ]),
    fields.email_address
      ? el('ElectronicAddress', [
          text('ElectronicAddressText', line(fields.email_address, 517)),
          text('ElectronicAddressTypeCode', 'E'),
        ])
      : null,
    el('PartyAssociation', [text('CustomerIndicator', 'Y')]),
  ])
}

/** Nobody is known. */
const nobody = (el: Element): Node =>
  el('Party', [
    text('ActivityPartyTypeCode', '33'),
    text('AllCriticalSubjectInformationUnavailableIndicator', 'Y'),
    el('PartyName', [text('EntityLastNameUnknownIndicator', 'Y'), text('PartyNameTypeCode', 'L')]),
  ])
