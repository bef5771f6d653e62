import type { ScreeningHit } from '@windlass/contracts/anchor/compliance.ts'
import type { CountryRules, CountryRulesHistory } from '@windlass/contracts/anchor/country-rules.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { payQueued } from '../../payments/pay.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { findTransfer } from '../../transfers/find.ts'
import { missingTravelData } from '../../transfers/travel-data.ts'
import { changeCustomer, ensureCustomer } from '../customers/customers.ts'
import { countryOfAccount } from './country-rules.ts'

const OPERATOR = 'operator:asha'
const GERMAN = 'DE02120300000000202051'
const IRANIAN = 'IR062960000000100324200001'
const NIGHTLY: CountryRules = { prohibited: ['IR', 'KP'], highRisk: ['VN'], asksResidence: false }

let bank: BankAnchor
let customerId = ''
beforeAll(async () => {
  bank = await BankAnchor.start()
  bank.deps.config.anchor.plan.regions = ['IN', 'DE', 'VN', 'KP']
  customerId = (await ensureCustomer(bank.deps, bank.wallet, null)).id
})
afterAll(() => bank.close())
beforeEach(() => tell({ address_country_code: 'IND', id_country_code: 'IND' }))

const tell = (fields: Record<string, string>) =>
  changeCustomer(bank.deps, customerId, { fields: { first_name: 'Asha', last_name: 'Rao', ...fields } })
const history = async () => (await bank.get('/country-rules')).json<CountryRulesHistory>().history
const set = async (rules: CountryRules, version?: number) =>
  bank.asOperator('PUT', '/country-rules', {
    ...{ rules, version: version ?? (await history())[0]?.version, by: OPERATOR },
  })
const sep12 = async (type?: string) => {
  const answer = await bank.app.server.app.inject({
    url: `/customer?${new URLSearchParams({ id: customerId, ...(type && { type }) })}`,
    headers: { 'x-api-key': bank.deps.config.secrets.link },
  })
  return answer.json<{ status: string; message?: string }>()
}
async function paidFrom(account: string): Promise<string> {
  const { id, reference, money } = await bank.deposit()
  const line = { amount: money, text: reference, name: 'Asha Rao', account, bankReference: randomUUID() }
  await bank.read('SEPA', `${id}.xml`, camt053([line]))
  await payQueued(bank.deps)
  return id
}
const paymentOf = async (id: string) =>
  (await bank.rows('select state, wait_code from ledger_payments where transfer_id = $1', [id]))[0]
const HELD = { state: 'queued', wait_code: 'screening' }
const PAID = { state: 'paid', wait_code: null }
const waiting = async () => (await bank.get('/screening-hits?status=waiting')).json<ScreeningHit[]>()
const clear = (id: string, by = OPERATOR) =>
  bank.asOperator('POST', `/screening-hits/${id}/decision`, { decision: 'clear', reason: 'A branch.', by })

it('who lives where the anchor does not serve is refused by SEP-12 and at each beginning', async () => {
  for (const country of ['PRK', 'FRA']) {
    await tell({ address_country_code: country })
    const message = 'The anchor does not serve customers of this country.'
    expect(await sep12()).toMatchObject({ status: 'REJECTED', message })
    await expect(bank.deposit()).rejects.toThrow(message)
    await expect(
      bank.withdrawal('sepa', { dest: GERMAN, dest_extra: 'BYLADEM1001', dest_name: 'Asha Rao' }),
    ).rejects.toThrow(message)
  }
  await tell({ address_country_code: 'DEU' })
  expect(await sep12()).toMatchObject({ status: 'ACCEPTED' })
  await tell({ id_country_code: 'IRN' })
  expect(await sep12()).toMatchObject({ status: 'REJECTED' })
})

it('an account in a prohibited country is not paid, and what comes from one is held until two people clear it', async () => {
  await expect(
    bank.withdrawal('sepa', { dest: IRANIAN, dest_extra: 'BYLADEM1001', dest_name: 'Asha Rao' }),
  ).rejects.toThrow('does not serve')
  const id = await paidFrom(IRANIAN)
  expect(await paymentOf(id)).toEqual(HELD)
  const [hit, ...others] = await waiting()
  expect(others).toEqual([])
  expect(hit).toMatchObject({
    ...{ match: null, velocity: null, subject: { kind: 'transaction', id } },
    country: { of: 'payer-account', country: 'IR', list: 'prohibited' },
  })
  expect((await clear(hit?.id ?? '')).json()).toMatchObject({ status: 'waiting' })
  await payQueued(bank.deps)
  expect(await paymentOf(id)).toEqual(HELD)
  expect((await clear(hit?.id ?? '', 'operator:ben')).json()).toMatchObject({ status: 'cleared' })
  await payQueued(bank.deps)
  expect(await paymentOf(id)).toEqual(PAID)
  expect(await paymentOf(await paidFrom(GERMAN))).toEqual(PAID)
})

it('a customer of a country with high risk is looked at once', async () => {
  await tell({ address_country_code: 'VNM' })
  const [first, second] = [await paidFrom(GERMAN), await paidFrom(GERMAN)]
  expect(await Promise.all([first, second].map(paymentOf))).toEqual([HELD, HELD])
  const [hit, ...others] = await waiting()
  expect(others).toEqual([])
  expect(hit).toMatchObject({
    country: { of: 'residence', country: 'VN', list: 'high-risk' },
    transactions: [first, second],
  })
  await clear(hit?.id ?? '')
  await payQueued(bank.deps)
  expect(await Promise.all([first, second].map(paymentOf))).toEqual([PAID, PAID])
  expect(await paymentOf(await paidFrom(GERMAN))).toEqual(PAID)
})

it('a country that becomes prohibited holds what is on its way', async () => {
  await tell({ address_country_code: 'DEU' })
  const { id, reference, money } = await bank.deposit()
  await bank.read(
    'SEPA',
    `${id}.xml`,
    camt053([{ amount: money, text: reference, name: 'Asha Rao', account: GERMAN }]),
  )
  expect((await set({ ...NIGHTLY, prohibited: ['DE'] })).statusCode).toBe(200)
  await payQueued(bank.deps)
  expect(await paymentOf(id)).toEqual(HELD)
  expect((await waiting()).map(({ country }) => country?.of).toSorted()).toEqual([
    'payer-account',
    'residence',
  ])
  await set(NIGHTLY)
})

it('rules are versions, have defaults, and name countries that exist', async () => {
  expect((await history()).at(-1)).toEqual({
    ...{ version: 0, by: null, at: null },
    rules: {
      prohibited: ['IR', 'KP'],
      highRisk: expect.arrayContaining(['MM', 'SY']),
      asksResidence: false,
    },
  })
  expect((await set(NIGHTLY, 0)).json()).toMatchObject({ code: 'settings-changed' })
  expect((await set({ ...NIGHTLY, highRisk: ['XX'] })).json()).toMatchObject({
    code: 'validation-failed',
    detail: expect.stringContaining('XX'),
  })
})

it('customers say where they live before they pay, where it is asked for', async () => {
  const other = await ensureCustomer(bank.deps, bank.wallet, '7')
  expect(other.fields.address_country_code).toBeUndefined()
  const { id } = await bank.deposit()
  const transfer = await findTransfer(bank.deps.database.db, id)
  if (!transfer) throw new Error('it is gone')
  const unknown = { ...transfer, customer_id: other.id }
  expect(await missingTravelData(bank.deps, unknown)).toEqual([])
  await set({ ...NIGHTLY, asksResidence: true })
  expect(await missingTravelData(bank.deps, unknown)).toEqual(['address_country_code'])
  expect(await missingTravelData(bank.deps, transfer)).toEqual([])
  await set(NIGHTLY)
})

it.each([
  [IRANIAN, 'IR'],
  ['ir06 2960 0000 0010 0324 2000 01', 'IR'],
  ['MELIIRTH', 'IR'],
  ['MELIIRTHXXX', 'IR'],
  ['50100012345678', null],
  ['HDFC0001234', null],
  ['021000021', null],
  ['', null],
])('the country of %s is %s', (text, country) => {
  expect(countryOfAccount(text)).toBe(country)
})
