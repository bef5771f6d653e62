import type { Case, CaseFile } from '@windlass/contracts/anchor/cases.ts'
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

it('is for those who may read cases', async () => {
  const headers = { authorization: 'Bearer default' }
  const url = `/api/v1/cases/${found.id}/report?format=goaml`
  expect((await bank.app.server.app.inject({ url, headers })).statusCode).toBe(403)
  expect((await bank.get('/cases/none/report?format=goaml')).statusCode).toBe(404)
})
