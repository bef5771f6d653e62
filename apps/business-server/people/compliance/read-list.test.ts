import { describe, expect, it, test } from 'vitest'
import { euXml, ofacCsv, ofacXml, unXml } from '../../testing/sanctions-lists.ts'
import { readList } from './read-list.ts'

const listed = [
  { id: 7, name: 'Qadir Testov', aliases: ['Kadir Testow'] },
  { id: 8, name: 'Other Name' },
]
const read = (text: string) => readList(Buffer.from(text))

describe('a list', () => {
  it('is read as OFAC, the UN and the EU publish it', async () => {
    const ofac = await read(ofacXml([{ id: 7, name: 'TESTOV, Qadir', aliases: ['KADIR TESTOW'] }]))
    expect(ofac).toEqual({
      ...{ source: 'OFAC', list: 'ofac-sdn', format: 'ofac-xml', publishedOn: '2026-11-20' },
      entries: [
        {
          ...{ id: '7', names: ['Qadir TESTOV', 'KADIR TESTOW'], detail: 'SDGT; born 10 Mar 1957' },
          ...{ born: [1957], countries: [] },
        },
      ],
    })
    const csv = await read(ofacCsv([{ id: 7, name: 'TESTOV, Qadir' }]))
    expect(csv).toMatchObject({
      ...{ source: 'OFAC', format: 'ofac-csv', publishedOn: null },
      entries: [{ id: '7', names: ['TESTOV, Qadir'], detail: 'SDGT; DOB 10 Mar 1957.' }],
    })
    expect(await read(unXml(listed))).toMatchObject({
      ...{ source: 'UN', format: 'un-xml', publishedOn: '2026-11-20' },
      entries: [
        { id: '7', names: ['Qadir Testov', 'Kadir Testow'], detail: 'Al-Qaida; QDi.001; born 1957' },
        { id: '8' },
      ],
    })
    expect(await read(euXml(listed))).toMatchObject({
      ...{ source: 'EU', format: 'eu-xml', publishedOn: '2026-11-20' },
      entries: [
        { id: 'EU.7.1', names: ['Qadir Testov', 'Kadir Testow'], detail: 'TERR; born 1957-03-10' },
        {},
      ],
    })
  })

  it('has years of birth and countries of its people', async () => {
    const [person] = [{ id: 7, name: 'TESTOV, Qadir' }]
    const places =
      '<nationalityList><nationality><uid>1</uid><country>Iraq</country></nationality></nationalityList>' +
      '<placeOfBirthList><placeOfBirthItem><uid>1</uid><placeOfBirth>Aleppo, Syria</placeOfBirth></placeOfBirthItem>' +
      '</placeOfBirthList><addressList><address><uid>1</uid><country>Korea, North</country></address></addressList>'
    const ofac = ofacXml([person]).replace('<akaList>', `${places}<akaList>`)
    const csv = ofacCsv([person]).replace(
      'DOB 10 Mar 1957.',
      'DOB 10 Mar 1957; alt. DOB circa 1959; POB Aleppo, Syria; nationality Iraq; citizen Korea, North.',
    )
    const un = unXml([{ id: 7, name: 'Qadir Testov' }]).replace(
      '<INDIVIDUAL_DATE_OF_BIRTH>',
      '<NATIONALITY><VALUE>Syrian Arab Republic</VALUE></NATIONALITY><INDIVIDUAL_DATE_OF_BIRTH><FROM_YEAR>1953</FROM_YEAR>' +
        '<TO_YEAR>1955</TO_YEAR></INDIVIDUAL_DATE_OF_BIRTH><INDIVIDUAL_DATE_OF_BIRTH>',
    )
    const eu = euXml([{ id: 7, name: 'Qadir Testov' }]).replace(
      '<birthdate ',
      '<citizenship countryIso2Code="SY"/><address countryIso2Code="00"/><birthdate countryIso2Code="IQ" ',
    )
    const factsOf = async (text: string) => {
      const { born, countries } = (await read(text)).entries[0] ?? {}
      return { born, countries }
    }
    expect(await factsOf(ofac)).toEqual({ born: [1957], countries: ['IQ', 'KP', 'SY'] })
    expect(await factsOf(csv)).toEqual({ born: [1957, 1959], countries: ['IQ', 'KP', 'SY'] })
    expect(await factsOf(un)).toEqual({ born: [1953, 1954, 1955, 1957], countries: ['SY'] })
    expect(await factsOf(eu)).toEqual({ born: [1957], countries: ['IQ', 'SY'] })
  })

  it('of OFAC is the consolidated one where nearly all programs are those of names that are not blocked', async () => {
    const people = [1, 2, 3].map(id => ({ id, name: `Name${id}` }))
    const text = ofacCsv(people)
    expect(await read(text)).toMatchObject({ source: 'OFAC', list: 'ofac-sdn' })
    expect(await read(text.replaceAll('SDGT', 'NS-PLC'))).toMatchObject({ list: 'ofac-consolidated' })
    expect(await read(text.replace('SDGT', 'NS-PLC'))).toMatchObject({ list: 'ofac-sdn' })
  })

  it('of OFAC has the addresses of wallets as names', async () => {
    const [one, other] = [
      '12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h',
      'GBQ4QZ7U3XJ4DAZP5S5VJ3LFM2O7GZ4AK7MQWVK6DFLEVE5QHPQ7TT5O',
    ]
    const remarks = `DOB 1977; Digital Currency Address - XBT ${one}; alt. Digital Currency Address - XLM ${other}.`
    const csv = ofacCsv([{ id: 7, name: 'TESTOV, Qadir' }]).replace('DOB 10 Mar 1957.', remarks)
    expect((await read(csv)).entries[0]?.names).toEqual(['TESTOV, Qadir', one, other])
    const ids = `<idList><id><uid>1</uid><idType>Digital Currency Address - XLM</idType><idNumber>${other}</idNumber></id>
      <id><uid>2</uid><idType>Passport</idType><idNumber>A1</idNumber></id></idList>`
    const xml = ofacXml([{ id: 7, name: 'TESTOV, Qadir' }]).replace('<akaList>', `${ids}<akaList>`)
    expect((await read(xml)).entries[0]?.names).toEqual(['Qadir TESTOV', other])
  })

  it('in CSV has aliases with apostrophes whole', async () => {
    const remarks =
      "DOB 1967; a.k.a. 'AL-RAS, Ra'i'; a.k.a. 'Abu Sa'd'; POB Basra; a.k.a. 'AL-MAGRABI, Abu Isma'il'."
    const text = ofacCsv([{ id: 7, name: 'TESTOV, Qadir' }]).replace('DOB 10 Mar 1957.', remarks)
    expect((await read(text)).entries[0]?.names).toEqual([
      'TESTOV, Qadir',
      "AL-RAS, Ra'i",
      "Abu Sa'd",
      "AL-MAGRABI, Abu Isma'il",
    ])
  })

  const half = (text: string) => text.slice(0, Math.floor(text.length * 0.6))
  test.each([
    ['half an XML file', half(euXml(listed)), /not complete XML/],
    ['half a CSV file', half(ofacCsv(listed)), /not complete CSV|columns/],
    ['fewer entries than the file says', ofacXml([{ id: 7, name: 'X' }], { count: 2 }), /says that it has 2/],
    ['a document type', `<!DOCTYPE a [<!ENTITY b "c">]>${euXml(listed)}`, /document type/],
    ['another XML', '<sanctions/>', /no list that can be read/],
    ['another CSV', 'a,b\n1,2\n', /Row 1/],
    ['JSON', '{"a":"b"}', /not complete CSV/],
    ['no entries', euXml([]), /no entries/],
    ['an entry twice', unXml([...listed, ...listed]), /twice/],
    ['deep elements', `<export>${'<a>'.repeat(30)}${'</a>'.repeat(30)}</export>`, /too deeply/],
    [
      'an entry without end',
      `<export><sanctionEntity logicalId="1">${'<nameAlias/>'.repeat(20_001)}</sanctionEntity></export>`,
      /too many elements/,
    ],
  ])('with %s is refused', async (_, text, why) => {
    await expect(read(text)).rejects.toThrow(why)
  })

  it('of other bytes than UTF-8 is refused', async () => {
    await expect(readList(Buffer.from([0xff, 0xfe, 0x00]))).rejects.toThrow(/UTF-8/)
  })
})
