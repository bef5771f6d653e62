import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeCustomer } from '../../people/customers/customers.ts'
import { asPlatform } from '../../testing/as-platform.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'
import { findTransfer } from '../../transfers/find.ts'

let anchor: BankAnchor
let customer = ''
const of = { deposit: '', withdrawal: '' }
beforeAll(async () => {
  anchor = await BankAnchor.start()
  anchor.deps.config.anchor.plan.asset.anchoredTo = 'EUR'
  anchor.deps.config.anchor.plan.regions.push('US')
  anchor.deps.clock = { now: () => new Date(Date.now() + 60_000) }
  const deposit = await anchor.deposit('sepa', '100')
  of.deposit = deposit.id
  customer = (await findTransfer(anchor.deps.database.db, deposit.id))?.customer_id ?? ''
  const fields = {
    ...{ first_name: 'Asha', last_name: 'Rao, "Jr."', birth_date: '1990-02-28', tax_id: '123-45-6789' },
    ...{ address: '1 Main St', city: 'Austin', postal_code: '78701', address_country_code: 'USA' },
  }
  await changeCustomer(anchor.deps, customer, { fields })
  await book({ amount: deposit.money, text: deposit.reference, name: 'Asha Rao, "Jr."', day: '2025-11-03' })
  const payout = await anchor.withdrawal('sepa', { dest: 'DE02120300000000202051', dest_name: 'Asha Rao' })
  of.withdrawal = payout.id
  await anchor.sendOrders()
  const { id } = (await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: 'operator:one' })).json()
  await anchor.approve(id, 'operator:other')
  await book({ amount: payout.money, direction: 'out', text: payout.code, day: '2025-11-20' })
})
afterAll(() => anchor.close())

type Booking = Parameters<typeof camt053>[0][number]
let bookings = 0
const book = (booking: Booking) =>
  anchor.read('SEPA', 'x.xml', camt053([{ bankReference: `B${(bookings += 1)}`, ...booking }]))

/** Reads a file as another program does, by the names of its columns. */
function readCsv(text: string): Record<string, string>[] {
  const code = 'import csv, json, sys; print(json.dumps(list(csv.DictReader(sys.stdin, strict=True))))'
  const options = {
    input: text,
    encoding: 'utf8',
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  } as const
  return JSON.parse(execFileSync('python3', ['-c', code], options)) as Record<string, string>[]
}
const NOVEMBER = 'from=2025-11-01&to=2025-11-30'
const asKey = { authorization: 'Bearer key' }
async function download(name: string, more = '', headers: Record<string, string> = asKey) {
  const url = `/api/v1/exports/${name}?${NOVEMBER}${more}`
  return anchor.app.server.app.inject({ url, headers })
}
const asPerson = () => asPlatform(anchor.deps.config.secrets)

it('a customer gets a statement of what they exchanged, and of nobody else', async () => {
  const rows = readCsv((await download('customer.csv', `&customer=${customer}`)).body)
  expect(rows).toMatchObject([
    { day: '2025-11-03', transaction: of.deposit, direction: 'deposit', rail: 'SEPA', asset: 'MUMBAI' },
    { day: '2025-11-20', transaction: of.withdrawal, direction: 'withdrawal', currency: 'EUR' },
  ])
  for (const { units, fee, money, account } of rows) {
    expect([Number(units) > 0, Number(fee) > 0, Number(money) > 0]).toEqual([true, true, true])
    expect(account).toBe(anchor.wallet)
  }
  // At a rate of one, what the customer gives is what they get and the fee.
  const [deposit] = rows
  expect(Number(deposit?.['units']) + Number(deposit?.['fee'])).toBeCloseTo(Number(deposit?.['money']), 7)
  expect((await download('customer.csv')).statusCode).toBe(400)
  const nobody = '&customer=11111111-2222-4333-8444-555555555555'
  expect((await download('customer.csv', nobody)).statusCode).toBe(404)
})

it('facts for DAC8 and CARF are those of each person, by asset and direction', async () => {
  const rows = readCsv((await download('carf.csv', '', asPerson())).body)
  const person = {
    ...{ kind: 'individual', name: 'Asha Rao, "Jr."', birth_date: '1990-02-28', address: '1 Main St' },
    ...{ city: 'Austin', postal_code: '78701', country: 'USA', tax_id: '123-45-6789', asset: 'MUMBAI' },
  }
  expect(rows).toMatchObject([
    { ...person, relevant_transaction: 'acquisition-for-fiat', transactions: '1', currency: 'EUR' },
    { ...person, relevant_transaction: 'disposal-for-fiat', transactions: '1', currency: 'EUR' },
  ])
  const statement = readCsv((await download('customer.csv', `&customer=${customer}`)).body)
  expect(rows.map(({ units, money }) => [units, money])).toEqual(
    statement.map(({ units, money }) => [units, money]),
  )
})

it('facts for 1099-DA are the disposals of who lives in the United States', async () => {
  const rows = readCsv((await download('1099-da.csv', '', asPerson())).body)
  expect(rows).toMatchObject([
    { name: 'Asha Rao, "Jr."', tax_id: '123-45-6789', date_sold: '2025-11-20', transaction: of.withdrawal },
  ])
  await changeCustomer(anchor.deps, customer, { fields: { address_country_code: 'IND' } })
  expect(readCsv((await download('1099-da.csv', '', asPerson())).body)).toEqual([])
})

it('an API key gets the figures without names, addresses and tax numbers', async () => {
  const { body } = await download('carf.csv')
  for (const secret of ['Asha', '1990-02-28', 'Main St', '123-45-6789']) expect(body).not.toContain(secret)
  expect(readCsv(body)).toMatchObject([{ name: '', tax_id: '', transactions: '1' }, { name: '' }])
})
