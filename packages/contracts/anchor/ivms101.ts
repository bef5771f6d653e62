import Type, { type Static } from 'typebox'

/*
 * The interVASP messaging standard IVMS101.2023 (Joint Working Group on interVASP Messaging Standards, August 2023): data of
 * the sides of a transfer, as sections 5 and 6 of the standard define them. What their constraints ask for beyond types is in
 * `apps/business-server/transfers/travel-rule/constraints.ts`.
 */

/** Latin characters and numbers. */
const Latin = (maxLength: number) => Type.String({ pattern: `^[ -~]{1,${maxLength}}$` })
const Local = Type.String({ minLength: 1, maxLength: 100 })
const Country = Type.String({ pattern: '^[A-Z]{2}$' })
const Optional = Type.Optional
const closed = { additionalProperties: false }

const naturalNameTypes = ['ALIA', 'BIRT', 'MAID', 'LEGL', 'MISC'] as const
const legalNameTypes = ['LEGL', 'SHRT', 'TRAD'] as const

export const Address = Type.Object(
  {
    addressType: Type.Enum(['HOME', 'BIZZ', 'GEOG']),
    department: Optional(Latin(50)),
    subDepartment: Optional(Latin(70)),
    streetName: Optional(Latin(70)),
    buildingNumber: Optional(Latin(16)),
    buildingName: Optional(Latin(35)),
    floor: Optional(Latin(70)),
    postBox: Optional(Latin(16)),
    room: Optional(Latin(70)),
    postcode: Optional(Latin(16)),
    townName: Latin(35),
    townLocationName: Optional(Latin(35)),
    districtName: Optional(Latin(35)),
    countrySubDivision: Optional(Latin(35)),
    addressLine: Optional(Type.Array(Latin(70), { maxItems: 7 })),
    country: Country,
  },
  closed,
)
export type Address = Static<typeof Address>

export const NationalIdentification = Type.Object(
  {
    nationalIdentifier: Latin(35),
    nationalIdentifierType: Type.Enum([
      ...(['ARNU', 'CCPT', 'RAID', 'DRLC', 'FIIN', 'TXID', 'SOCS', 'IDCD', 'LEIX', 'MISC'] as const),
    ]),
    countryOfIssue: Optional(Country),
    registrationAuthority: Optional(Type.String({ pattern: '^RA\\d{6}$' })),
  },
  closed,
)
export type NationalIdentification = Static<typeof NationalIdentification>

const NaturalPerson = Type.Object(
  {
    name: Type.Object(
      {
        nameIdentifier: Type.Array(
          Type.Object(
            {
              primaryIdentifier: Latin(100),
              secondaryIdentifier: Optional(Latin(100)),
              naturalPersonNameIdentifierType: Type.Enum([...naturalNameTypes]),
            },
            closed,
          ),
          { minItems: 1 },
        ),
        localNameIdentifier: Optional(
          Type.Array(
            Type.Object(
              {
                primaryIdentifier: Local,
                secondaryIdentifier: Optional(Local),
                nameIdentifierType: Type.Enum([...naturalNameTypes]),
              },
              closed,
            ),
          ),
        ),
      },
      closed,
    ),
    geographicAddress: Optional(Type.Array(Address)),
    nationalIdentification: Optional(NationalIdentification),
    customerIdentification: Optional(Latin(50)),
    dateAndPlaceOfBirth: Optional(
      Type.Object(
        { dateOfBirth: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), placeOfBirth: Latin(70) },
        closed,
      ),
    ),
    countryOfResidence: Optional(Country),
  },
  closed,
)
export type NaturalPerson = Static<typeof NaturalPerson>

const LegalPerson = Type.Object(
  {
    name: Type.Object(
      {
        nameIdentifier: Type.Array(
          Type.Object(
            { legalPersonName: Latin(100), legalPersonNameIdentifierType: Type.Enum([...legalNameTypes]) },
            closed,
          ),
          { minItems: 1 },
        ),
        localNameIdentifier: Optional(
          Type.Array(
            Type.Object(
              { legalPersonName: Local, legalPersonNameIdentifierType: Type.Enum([...legalNameTypes]) },
              closed,
            ),
          ),
        ),
      },
      closed,
    ),
    geographicAddress: Optional(Type.Array(Address)),
    customerIdentification: Optional(Latin(50)),
    nationalIdentification: Optional(NationalIdentification),
    countryOfRegistration: Optional(Country),
  },
  closed,
)
export type LegalPerson = Static<typeof LegalPerson>

/** A natural or a legal person. */
export const Person = Type.Object(
  {
    naturalPerson: Optional(NaturalPerson),
    legalPerson: Optional(LegalPerson),
    accountNumber: Optional(Type.Array(Latin(512))),
  },
  closed,
)
export type Person = Static<typeof Person>

export const Ivms101 = Type.Object(
  {
    originator: Type.Object({ originatorPerson: Type.Array(Person, { minItems: 1 }) }, closed),
    beneficiary: Type.Object({ beneficiaryPerson: Type.Array(Person, { minItems: 1 }) }, closed),
    originatingVASP: Optional(Person),
    beneficiaryVASP: Optional(Person),
    payloadMetadata: Type.Object({ payloadVersion: Type.Literal('101.2023') }, closed),
  },
  closed,
)
export type Ivms101 = Static<typeof Ivms101>
