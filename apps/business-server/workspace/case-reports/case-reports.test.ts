import type { Case, CaseFile, CaseReport } from '@windlass/contracts/anchor/cases.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { payQueued } from '../../payments/pay.ts'
import { changeCustomer, ensureCustomer } from '../../people/customers/customers.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'

const OPERATOR = 'operator:asha'
let bank: BankAnchor
let subject = ''
let found: Case
beforeAll(async () => {
  bank = await BankAnchor.start()
  bank.deps.config.anchor.plan.regions.push('AE', 'DE', 'TR', 'US')
  const rules = [{ kind: 'customer-count', hours: 24, count: 1, amount: null }]
  await bank.asOperator('PUT', '/velocity-rules', { rules, version: 0, by: OPERATOR })
  await customer({
    ...{ first_name: 'Asha & Söhne <b>', last_name: 'Rao', birth_date: '1980-02-03', city: ' New\nYork ' },
    ...{
      address: '1 Main Street',
      address_country_code: 'USA',
      state_or_province: 'NY',
      postal_code: '10001-1',
    },
  })
  await pay()
  subject = await pay()
  found = (await bank.get('/cases')).json<Case[]>()[0] as Case
  await bank.asOperator('POST', `/cases/${found.id}/notes`, {
    text: `Why: ${'x'.repeat(3_900)}`,
    by: OPERATOR,
  })
  await bank.asOperator('POST', `/cases/${found.id}/notes`, {
    text: 'Asked & "waits" <soon>',
    by: OPERATOR,
  })
})
afterAll(() => bank.close())

async function customer(fields: Record<string, string>): Promise<string> {
  Object.assign(bank, { wallet: generateKey().publicKey })
  const { id } = await ensureCustomer(bank.deps, bank.wallet, null)
  await changeCustomer(bank.deps, id, { centralId: `cus_${id}`, fields })
  return id
}
async function pay(): Promise<string> {
  const { id, reference, money } = await bank.deposit()
  const line = { amount: money, text: reference, name: 'Asha Rao', account: 'DE02120300000000202051' }
  await bank.read('SEPA', `${id}.xml`, camt053([{ ...line, bankReference: randomUUID() }]))
  await payQueued(bank.deps)
  return id
}
const report = async (id: string, format: string, more = '') => {
  const answer = await bank.get(`/cases/${id}/report?format=${format}${more}`)
  expect(answer.statusCode).toBe(200)
  return answer.json<{ xml: string; fileName: string }>()
}
async function check(contents: string) {
  const path = new URL('../../testing/schemas/fincen-sar-parts.xsd', import.meta.url)
  const schema = { fileName: 'sar.xsd', contents: await readFile(path, 'utf8') }
  return validateXML({ xml: [{ fileName: 'file.xml', contents }], schema: [schema] })
}
const openCase = async (id: string) => {
  const body = { subject: { kind: 'customer', id }, reason: 'Seen', by: OPERATOR }
  return (await bank.asOperator('POST', '/cases', body)).json<CaseFile>().case.id
}

describe('a draft for FinCEN', () => {
  it('has the customer, what they moved and what people wrote, in the order of the form', async () => {
    const { xml, fileName } = await report(found.id, 'fincen-sar')
    expect(await check(xml)).toMatchObject({ valid: true, errors: [] })
    expect(fileName).toMatch(/fincen-sar.*\.xml$/)
    for (const part of [
      '>Asha &amp; Söhne &lt;b&gt;<',
      '>19800203<',
      '>New York<',
      '<fc2:RawStateCodeText>NY<',
      '<fc2:SuspiciousActivitySubtypeID>812<',
      '<fc2:TotalSuspiciousAmountText>',
      'Rule customer-count within 24 hours: 2 transfers',
      '&lt;soon&gt;',
    ])
      expect(xml).toContain(part)
    expect(xml.match(/<fc2:ActivityNarrativeText>/g)).toHaveLength(2)
  })

  it('says what is unknown of a customer who told nothing, and of one who is nobody’s', async () => {
    const nobody = await customer({})
    const { xml } = await report(await openCase(nobody), 'fincen-sar')
    expect(await check(xml)).toMatchObject({ valid: true })
    expect(xml).toContain('<fc2:EntityLastNameUnknownIndicator>Y')
    expect(xml).toContain('<fc2:AmountUnknownIndicator>Y')
    const firm = await customer({ 'organization.name': 'Rao Ltd', 'organization.city': 'Pune' })
    const ofFirm = await report(await openCase(firm), 'fincen-sar')
    expect(await check(ofFirm.xml)).toMatchObject({ valid: true })
    expect(ofFirm.xml).toContain('PartyAsEntityOrganizationIndicator')
  })
})

it('a draft says what a rule counted', async () => {
  const rules = [{ kind: 'account-customers', hours: 24, count: 1, amount: null }]
  expect(
    (await bank.asOperator('PUT', '/velocity-rules', { rules, version: 1, by: OPERATOR })).statusCode,
  ).toBe(200)
  await customer({ first_name: 'Asha', last_name: 'Rao' })
  const id = await pay()
  const ofPayment = (await bank.get('/cases')).json<Case[]>().find(each => each.subject.id === id)
  const { xml } = await report(ofPayment?.id ?? '', 'fincen-sar')
  expect(xml).toContain('Rule account-customers within 24 hours: 2 customers, ')
})

it('a draft about a transaction has whose it is', async () => {
  await customer({ first_name: 'Meera', last_name: 'Iyer' })
  const body = { subject: { kind: 'transaction', id: await pay() }, reason: 'Seen', by: OPERATOR }
  const { id } = (await bank.asOperator('POST', '/cases', body)).json<CaseFile>().case
  expect((await report(id, 'fincen-sar')).xml).toContain('>Iyer<')
})

describe('a draft for goAML', () => {
  it('has each transaction between the customer’s account here and the other side', async () => {
    const { xml } = await report(found.id, 'goaml', '&currency=EUR')
    expect(
      await validateXML({ xml: [{ fileName: 'x.xml', contents: xml }], normalization: 'format' }),
    ).toBeDefined()
    const order = ['rentity_id', 'submission_code', 'report_code', 'submission_date', 'currency_code_local']
    const rest = ['reporting_person', 'reason', 'action', 'transaction', 'report_indicators']
    const places = [...order, ...rest].map(name => xml.indexOf(`<${name}>`))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBeGreaterThan(0)
    expect(xml).toContain(`<transactionnumber>${subject}<`)
    expect(xml.match(/<t_to_my_client>/g)).toHaveLength(2)
    expect(xml).toContain('<birthdate>1980-02-03T00:00:00<')
  })

  it('of a case without transactions reports an activity', async () => {
    const { xml } = await report(await openCase(await customer({ last_name: 'Rao' })), 'goaml')
    expect(xml).toContain('<report_code>SAR<')
    expect(xml).toContain('<report_party>')
  })
})

describe('a draft for goAML in the form of a unit’s own schema', () => {
  const path = new URL('../../testing/schemas/goaml-parts.xsd', import.meta.url)
  const settings = (over: object = {}) => ({
    ...{ rentityId: 4711, currency: 'EUR', submissionCode: 'E', fundsCode: 'VASP', transmodeCode: 'ONLN' },
    reportCodes: { transactions: 'STR-X', activity: 'SAR-X' },
    ...{ accountType: 'B', accountStatus: 'A1', swift: 'BYLADEM1001', indicators: ['V7', 'V9'] },
    person: { firstName: 'Asha', lastName: 'Verstappen' },
    unknown: {
      schema_version: '5.9',
      gender: '-',
      occupation: 'unknown',
      residence: '-',
      to_country: '-',
      from_country: '-',
    },
    ...over,
  })
  let version = 0
  const set = async (body: object) => {
    const answer = await bank.asOperator('PUT', '/report-settings', { version, ...body, by: OPERATOR })
    if (answer.statusCode === 200) version += 1
    return answer
  }
  const valid = async (xml: string) => {
    const schema = [{ fileName: 'unit.xsd', contents: await readFile(path, 'utf8') }]
    return (await validateXML({ xml: [{ fileName: 'file.xml', contents: xml }], schema })).valid
  }
  const draft = async (id: string) => {
    const { xml, schema } = (await bank.get(`/cases/${id}/report?format=goaml`)).json<CaseReport>()
    return { xml, findings: schema?.findings, isValid: await valid(xml) }
  }

  it('is valid by it once the settings say what the unit gave, and says what is missing until then', async () => {
    const text = await readFile(path, 'utf8')
    expect((await bank.get('/report-settings')).json()).toMatchObject({ version: 0, goaml: null })
    const schema = { fileName: 'unit.xsd', text }
    for (const wrong of ['no schema', '<a/>', text.replaceAll('"report"', '"other"'), `<!DOCTYPE a>${text}`])
      expect((await set({ goaml: settings(), schema: { ...schema, text: wrong } })).statusCode).toBe(400)
    expect(
      (await set({ goaml: settings({ unknown: {}, indicators: ['V1'] }), schema })).json(),
    ).toMatchObject({
      ...{ version: 1, schema: { fileName: 'unit.xsd' }, by: OPERATOR },
    })
    const lacking = await draft(found.id)
    expect(lacking.isValid).toBe(false)
    expect(lacking.findings).toEqual(
      expect.arrayContaining([
        { kind: 'missing', path: 'report/schema_version', value: null },
        { kind: 'not-listed', path: 'report/report_indicators/indicator', value: 'V1' },
        { kind: 'left-out', path: 'report/reporting_person/email', value: expect.any(String) },
        {
          ...{ kind: 'missing', value: null },
          path: 'report/transaction/t_to_my_client/to_account/signatory/t_person/occupation',
        },
      ]),
    )
    // The schema stays where a change does not say one.
    expect((await set({ goaml: settings() })).json()).toMatchObject({ schema: { fileName: 'unit.xsd' } })
    const { xml, findings, isValid } = await draft(found.id)
    expect([isValid, findings?.filter(({ kind }) => kind !== 'left-out')]).toEqual([true, []])
    for (const part of [
      ...['<schema_version>5.9<', '<rentity_id>4711<', '<report_code>STR-X<', '<indicator>V9<'],
      ...['<swift>BYLADEM1001<', '<status_code>A1<', '<gender>-<', '<first_name>Asha &amp; Söhne'],
      `<transactionnumber>${subject}<`,
    ])
      expect(xml).toContain(part)
    expect(xml).not.toContain('transaction_location')
    expect(xml.match(/<transaction>/g)).toHaveLength(2)
  })

  it('is valid of a person without transactions, and of a withdrawal to a bank account', async () => {
    const person = await openCase(await customer({ last_name: 'Rao', sex: 'female' }))
    const activity = await draft(person)
    expect(activity).toMatchObject({ isValid: true })
    expect(activity.xml).toContain('<report_code>SAR-X<')
    expect(activity.xml).toContain('<gender>F<')
    const given = { dest: 'DE89370400440532013000', dest_extra: 'BYLADEM1001', dest_name: 'Asha Rao' }
    const { id } = await bank.withdrawal('sepa', given)
    const body = { subject: { kind: 'transaction', id }, reason: 'Seen', by: OPERATOR }
    const of = (await bank.asOperator('POST', '/cases', body)).json<CaseFile>().case.id
    const payout = await draft(of)
    expect(payout.xml).toContain('<account>DE89370400440532013000<')
    expect(payout.findings).toContainEqual({
      ...{ kind: 'left-out', path: 'report/transaction/t_to/to_account/institution_code', value: 'UNKNOWN' },
    })
    expect(payout.isValid).toBe(true)
  })

  it('takes no schema that would keep the server busy without end, and fails at once on one that was saved before', async () => {
    const xsd = (parts: string, report = '<xs:sequence><xs:group ref="g"/></xs:sequence>') =>
      `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${parts}<xs:element name="report"><xs:complexType>${report}</xs:complexType></xs:element></xs:schema>`
    const group = (name: string, inner: string) =>
      `<xs:group name="${name}"><xs:sequence>${inner}</xs:sequence></xs:group>`
    const doubled = (ref: string) => `<xs:group ref="${ref}" minOccurs="0"/>`.repeat(2)
    const nested = Array.from({ length: 40 }, (_, depth) =>
      group(
        depth === 0 ? 'g' : `g${depth}`,
        depth === 39 ? '<xs:element name="a"/>' : doubled(`g${depth + 1}`),
      ),
    ).join('')
    const chosen = Array.from(
      { length: 40 },
      (_, depth) =>
        `<xs:complexType name="t${depth}"><xs:choice>${`<xs:element name="a${depth}" type="t${depth + 1}"/>`.repeat(2)}</xs:choice></xs:complexType>`,
    ).join('')
    const half =
      '<xs:sequence maxOccurs="unbounded"><xs:element name="rentity_id" maxOccurs="0.5"/></xs:sequence>'
    const extended =
      '<xs:complexContent><xs:extension base="t"><xs:sequence/></xs:extension></xs:complexContent>'
    const attacks = [
      xsd(nested),
      xsd(chosen, '<xs:sequence><xs:element name="b" type="t0"/></xs:sequence>'),
      xsd(group('g', half)),
      xsd(group('g', '<xs:element name="a" minOccurs="-1"/>')),
      xsd(group('g', '<xs:group ref="g"/>')),
      xsd(
        group('g', '<xs:group ref="h" minOccurs="0"/>') +
          group('h', '<xs:choice><xs:group ref="g"/></xs:choice>'),
      ),
      xsd(`<xs:complexType name="t">${extended}</xs:complexType>`, extended),
      xsd(
        `<xs:complexType name="t">${'<xs:a/>'.repeat(20_000)}</xs:complexType>`,
        `<xs:sequence>${Array.from({ length: 5_000 }, (_, n) => `<xs:element name="e${n}" type="t"/>`).join('')}</xs:sequence>`,
      ),
    ]
    const before = performance.now()
    for (const text of attacks) {
      const answer = await set({ goaml: settings(), schema: { fileName: 'unit.xsd', text } })
      expect([answer.statusCode, answer.json()], text.slice(0, 200)).toMatchObject([
        400,
        { errors: [{ path: 'schema' }] },
      ])
      await bank.rows('update report_settings set schema = $1 where version = $2', [text, version])
      const draftOf = await bank.get(`/cases/${found.id}/report?format=goaml`)
      expect([draftOf.statusCode, draftOf.json()]).toMatchObject([400, { code: 'validation-failed' }])
    }
    expect(performance.now() - before).toBeLessThan(20_000)
    // An element may hold itself.
    const tree = xsd(
      group(
        'g',
        '<xs:element name="a" minOccurs="0"><xs:complexType><xs:group ref="g"/></xs:complexType></xs:element>',
      ),
    )
    const schema = { fileName: 'unit.xsd', text: tree }
    expect((await set({ goaml: settings(), schema })).statusCode).toBe(200)
  })

  it('takes no settings of an older version, and without a schema keeps the order of goAML 4', async () => {
    expect((await set({ goaml: settings(), version: 0 })).json()).toMatchObject({ code: 'settings-changed' })
    await set({ goaml: settings(), schema: null })
    const { xml, schema } = (await bank.get(`/cases/${found.id}/report?format=goaml`)).json<CaseReport>()
    expect(schema).toBeNull()
    expect(xml).toContain('<rentity_id>4711<')
    expect(xml).toContain('transaction_location')
  })
})

it('is for those who may read cases', async () => {
  const headers = { authorization: 'Bearer default' }
  const url = `/api/v1/cases/${found.id}/report?format=goaml`
  expect((await bank.app.server.app.inject({ url, headers })).statusCode).toBe(403)
  expect((await bank.get('/cases/none/report?format=goaml')).statusCode).toBe(404)
})
