import { journalChart } from '@windlass/contracts/anchor/journal.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordEntry, type Line } from '../../money/journal/journal.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'

let anchor: BankAnchor
const numbers = new Map<string, string>()
beforeAll(async () => {
  anchor = await BankAnchor.start()
  anchor.deps.config.anchor.plan.asset.anchoredTo = 'EUR'
  // What was recorded in the last seconds is in no export yet.
  anchor.deps.clock = { now: () => new Date(Date.now() + 60_000) }
  await record('deposit', '2025-10-05', [
    ['rail:SEPA', 'EUR', parseAmount('108.60')],
    ['exchange', 'EUR', -parseAmount('108.60')],
    ['exchange', 'asset', parseAmount('108.60')],
    ['customers', 'asset', -parseAmount('108')],
    ['fees', 'asset', -parseAmount('0.5966667')],
    ['rounding', 'asset', -parseAmount('0.0033333')],
  ])
  for (let number = 0; number < 30; number += 1)
    await record(`parts of a cent ${number}`, '2025-10-06', [
      ['fees', 'asset', -parseAmount('0.0033333')],
      ['customers', 'asset', parseAmount('0.0033333')],
    ])
  await record('charges; "Ü" of the bank', '2025-10-31', [
    ['charges', 'EUR', parseAmount('7.90')],
    ['rail:SEPA', 'EUR', -parseAmount('7.90')],
  ])
  await record('dollars', '2025-10-31', [
    ['rail:ACH', 'USD', parseAmount('50')],
    ['capital', 'USD', -parseAmount('50')],
  ])
  await record('of the next month', '2025-11-01', [
    ['rail:SEPA', 'EUR', parseAmount('1')],
    ['capital', 'EUR', -parseAmount('1')],
  ])
})
afterAll(() => anchor.close())

function record(kind: string, bookedOn: string, lines: Line[]): Promise<void> {
  const { db } = anchor.deps.database
  return db.transaction().execute(tx => recordEntry(tx, { cause: kind, kind, bookedOn, lines }))
}
const OCTOBER = 'from=2025-10-01&to=2025-10-31'
const download = (name: string, query = OCTOBER) => anchor.get(`/exports/${name}?${query}`)
const setNumber = async (account: string, code: string, taxKey: string | null = null) => {
  numbers.set(code, account)
  const path = `/journal/accounts/${encodeURIComponent(account)}`
  expect((await anchor.asOperator('PUT', path, { code, taxKey, by: 'operator:one' })).statusCode).toBe(200)
}

/** A reader of separated values, as the programs have one. */
function cellsOf(text: string, separator: string): string[][] {
  return text
    .split('\r\n')
    .filter(line => line !== '')
    .map(line => {
      const cells: string[] = []
      let [cell, isQuoted] = ['', false]
      for (let at = 0; at < line.length; at += 1) {
        const letter = line[at] ?? ''
        if (isQuoted && letter === '"' && line[at + 1] === '"') [cell, at] = [`${cell}"`, at + 1]
        else if (letter === '"') isQuoted = !isQuoted
        else if (letter === separator && !isQuoted) {
          cells.push(cell)
          cell = ''
        } else cell += letter
      }
      expect(isQuoted).toBe(false)
      return [...cells, cell]
    })
}

/** What each account comes to in hundredths, by what a program read. */
function sumsOf(postings: readonly (readonly [number: string, cents: number])[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [number, cents] of postings) {
    const account = numbers.get(number) ?? number
    sums[account] = (sums[account] ?? 0) + cents
  }
  return Object.fromEntries(Object.entries(sums).filter(([, cents]) => cents !== 0))
}
const cents = (text: string) => Math.round(Number(text.replace(',', '.')) * 100)
/** By the journal: 108 less thirty thirds of a cent, and so on. */
const EXPECTED = {
  ...{ 'rail:SEPA': 10_070, exchange: 0, customers: -10_790, fees: -70, rounding: 0, charges: 790 },
}
const expected = Object.fromEntries(Object.entries(EXPECTED).filter(([, sum]) => sum !== 0))

describe('the journal for accounting programs', () => {
  it('needs the number of each account that it uses', async () => {
    const refused = await download('datev.csv')
    expect([refused.statusCode, refused.json().detail]).toEqual([
      400,
      expect.stringContaining('charges, customers, exchange, fees, rail:SEPA, rounding'),
    ])
    await setNumber('fees', 'F-8400')
    expect((await download('datev.csv')).json().detail).toContain('fees')
    let number = 1_000
    for (const account of ['rail:SEPA', 'rail:ACH', ...Object.keys(journalChart)])
      await setNumber(account, String((number += 10)), account === 'charges' ? '9' : null)
  })

  it('is a booking batch that DATEV reads, exact to a cent', async () => {
    const settings = { timeZone: 'Europe/Berlin', datev: { consultant: 29_098, client: 55_003 } }
    await anchor.asOperator('PUT', '/journal/settings', { ...settings, by: 'operator:one' })
    const file = await download('datev.csv')
    const [head = [], names = [], ...rows] = cellsOf(file.rawPayload.toString('latin1'), ';')
    expect(head.slice(0, 5)).toEqual(['EXTF', '700', '21', 'Buchungsstapel', '13'])
    expect(head[5]).toMatch(/^20\d{15}$/)
    expect(head.slice(10, 16)).toEqual(['29098', '55003', '20250101', '4', '20251001', '20251031'])
    expect([head.length, head[20], head[21]]).toEqual([31, '0', 'EUR'])
    expect(names.slice(6, 10)).toEqual([
      ...['Konto', 'Gegenkonto (ohne BU-Schlüssel)', 'BU-Schlüssel', 'Belegdatum'],
    ])
    for (const row of rows) {
      expect(row).toHaveLength(names.length)
      expect(row[0]).toMatch(/^\d{1,10},\d\d$/)
      expect([row[1], row[2], row[9]]).toEqual(['S', 'EUR', expect.stringMatching(/^[0-3]\d10$/)])
      expect([row[10]?.length, (row[13] ?? '').length <= 60]).toEqual([36, true])
    }
    const postings = rows.flatMap(([amount = '', , , , , , debit = '', credit = '']) => [
      [debit, cents(amount)] as const,
      [credit, -cents(amount)] as const,
    ])
    expect(sumsOf(postings)).toEqual(expected)
    const charge = rows.find(([, , , , , , debit]) => numbers.get(debit ?? '') === 'charges')
    expect([charge?.[8], charge?.[9], charge?.[13]]).toEqual(['9', '3110', 'charges; "Ü" of the bank'])
    expect((await download('datev.csv', 'from=2025-12-01&to=2026-01-31')).statusCode).toBe(400)
  })

  it('is manual journals of Xero, each of which comes to zero', async () => {
    const [names = [], ...rows] = cellsOf((await download('xero-journal.csv')).body, ',')
    expect(names).toEqual(['*Narration', '*Date', 'Description', '*AccountCode', '*TaxRate', '*Amount'])
    const journals = Map.groupBy(rows, ([narration]) => narration)
    for (const lines of journals.values())
      expect(lines.reduce((sum, line) => sum + cents(line[5] ?? ''), 0)).toBe(0)
    expect(sumsOf(rows.map(row => [row[3] ?? '', cents(row[5] ?? '')] as const))).toEqual(expected)
    expect(new Set(rows.map(([, date]) => date))).toEqual(new Set(['05/10/2025', '06/10/2025', '31/10/2025']))
  })

  it('is journal entries of QuickBooks, whose debits are its credits', async () => {
    const [names = [], ...rows] = cellsOf((await download('quickbooks-journal.csv')).body, ',')
    expect(names.slice(0, 5)).toEqual(['*JournalNo', '*JournalDate', '*AccountName', '*Debits', '*Credits'])
    const amount = (row: string[]) => cents(row[3] || '0') - cents(row[4] || '0')
    for (const lines of Map.groupBy(rows, ([number]) => number).values())
      expect(lines.reduce((sum, line) => sum + amount(line), 0)).toBe(0)
    expect(sumsOf(rows.map(row => [row[2] ?? '', amount(row)] as const))).toEqual(expected)
    for (const [number = '', date] of rows) {
      expect(number.length).toBeLessThanOrEqual(21)
      expect(date).toMatch(/^10\/\d\d\/2025$/)
    }
    const dollars = cellsOf((await download('quickbooks-journal.csv', `${OCTOBER}&currency=USD`)).body, ',')
    expect(dollars.slice(1).map(row => [numbers.get(row[2] ?? ''), amount(row), row[6]])).toEqual([
      ['rail:ACH', 5_000, 'USD'],
      ['capital', -5_000, 'USD'],
    ])
  })

  it('is a bank statement for both, with each booking once', async () => {
    const booking = {
      amount: '12.34',
      name: 'Müller, "Co"',
      text: 'Rent',
      bankReference: 'R-1',
      day: '2025-10-10',
    }
    await anchor.read('SEPA', 'bank.xml', camt053([booking]))
    const query = `${OCTOBER}&rail=SEPA`
    const xero = cellsOf((await download('xero-bank.csv', query)).body, ',')
    expect(xero[0]).toEqual(['*Date', '*Amount', 'Payee', 'Description', 'Reference'])
    expect(xero.filter(row => row[1] === '12.34')).toEqual([
      ['10/10/2025', '12.34', 'Müller, "Co"', 'Rent', 'R-1'],
    ])
    const quickBooks = cellsOf((await download('quickbooks-bank.csv', query)).body, ',')
    expect(quickBooks[0]).toEqual(['Date', 'Description', 'Amount'])
    expect(quickBooks.filter(row => row[2] === '12.34')).toEqual([
      ['10/10/2025', 'Müller, "Co" Rent R-1', '12.34'],
    ])
    expect((await download('xero-bank.csv')).statusCode).toBe(400)
  })
})

it('income, costs and what owners brought are stated by month', async () => {
  const rows = cellsOf((await download('income.csv', 'from=2025-10-01&to=2025-11-30')).body, ',')
  expect(rows[0]).toEqual(['month', 'kind', 'account', 'number', 'amount', 'unit'])
  const of = (month: string, account: string) => rows.find(row => row[0] === month && row[2] === account)
  expect(of('2025-10', 'fees')?.slice(4)).toEqual(['0.6966657', 'MUMBAI'])
  expect(of('2025-10', 'charges')?.slice(4)).toEqual(['-7.9', 'EUR'])
  expect(of('2025-11', 'capital')?.slice(1)).toMatchObject(['equity', 'capital', '1140', '1', 'EUR'])
})

it('volumes are stated by month, country, asset, rail and direction', async () => {
  const { reference, money } = await anchor.deposit()
  await anchor.read(
    'SEPA',
    'volume.xml',
    camt053([{ amount: money, text: reference, bankReference: 'V1', day: '2025-11-20' }]),
  )
  const rows = cellsOf((await download('volumes.csv', 'from=2025-11-01&to=2025-11-30')).body, ',')
  expect(rows).toEqual([
    ['month', 'country', 'asset', 'rail', 'direction', 'transactions', 'units', 'money', 'currency'],
    ['2025-11', '', 'MUMBAI', 'SEPA', 'deposit', '1', '20', String(Number(money)), 'EUR'],
  ])
})
