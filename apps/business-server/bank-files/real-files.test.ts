import type { CsvColumns } from '@windlass/contracts/anchor/bank-files.ts'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../people/customers/customers.ts'
import { BankAnchor, IBAN } from '../testing/bank-anchor.ts'
import { realFile } from '../testing/real-files.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
  const { id } = await ensureCustomer(anchor.deps, anchor.wallet, null)
  const fields = { first_name: 'Asha', last_name: 'Rao' }
  await changeCustomer(anchor.deps, id, { centralId: 'cus_1', fields })
})
afterAll(() => anchor.close())

interface Case {
  file: string
  rail?: string
  account?: string
  columns?: Partial<CsvColumns>
  /** `in 12.50 2026-11-20`, perhaps with what the line has too. */
  lines: (string | [money: string, has: object])[]
  /** Which of the open deposits are funded. */
  funded?: boolean[]
  has?: object
}

const csv = {
  ...{ delimiter: ',', skipLines: 0, encoding: 'utf-8', decimal: '.', dateFormat: 'day-month-year' },
  ...{ date: 'Date', amount: 'Amount', text: ['Description'] },
} as const satisfies CsvColumns
const inTwo = { amount: undefined, amountIn: 'Credit', amountOut: 'Debit' }
const named = (name: string) => ({ party: expect.objectContaining({ name }) })
const saying = (text: string) => ({ text: expect.stringContaining(text) })
const triodos = 'NL49TRIO0390123456'
const abn = 'NL20ABNA0517852257'

const read: Case[] = [
  {
    file: 'B03-iso-8859-1.xml',
    lines: [['in 12.5 2026-11-20', { ...named('Jörg Müßig'), ...saying('Überweisung für Möbel') }]],
  },
  { file: 'B03b-iso-8859-15-euro.xml', lines: [['in 13.5 2026-11-20', { ...named('Zoë'), ...saying('€') }]] },
  { file: 'B03d-bom-crlf.xml', lines: [['in 15.5 2026-11-20', named('Zoë')]] },
  { file: 'B04-zero-entry.xml', lines: ['in 20.01 2026-11-20', 'out 5 2026-11-20'] },
  { file: 'B05-zero-booking.sta', lines: ['in 21.01 2026-11-20'] },
  { file: 'B06b-february-29-2027.sta', lines: ['out 7 2027-03-01'] },
  { file: 'B06c-turn-of-year.sta', lines: ['in 8 2027-01-05', 'in 9 2026-12-30'] },
  { file: 'B06d-leap-day.sta', lines: ['in 8.5 2028-02-29'] },
  { file: 'B06e-balance-date-000000.sta', lines: ['in 10.25 2026-11-20'] },
  {
    file: 'B07b-abn-amro-iban-account.sta',
    account: abn,
    lines: [['in 10.5 2026-11-20', named('HR K DE VRIES EN/OF MW H DE VRIES')], 'out 2 2026-11-20'],
  },
  { file: 'B08-ing-old-head.sta', account: 'NL20INGB0001234567', lines: ['in 25.03 2026-11-20'] },
  { file: 'B10-account-not-padded.sta', account: 'DE90123456780000445566', lines: ['in 11.11 2026-11-20'] },
  { file: 'B10c-account-with-bank-name.sta', account: triodos, lines: ['in 11.11 2026-11-20'] },
  { file: 'B10d-iban-slash-currency.sta', lines: ['in 11.11 2026-11-20'] },
  { file: 'B11-type-with-space.sta', account: triodos, lines: ['out 10 2026-11-20', 'in 150 2026-11-20'] },
  {
    file: 'B12-amount-without-comma.sta',
    account: abn,
    lines: [['in 500 2026-11-20', { bankReference: 'B4G29PGDCK1QFV3E' }]],
  },
  {
    file: 'B16-ns-fields.sta',
    lines: [['in 12.34 2026-11-20', { ...named('Asha Rao'), ...saying('Rechnung 9') }]],
  },
  { file: 'B17-no-type.sta', lines: ['in 11.25 2026-11-20'] },
  { file: 'B17b-no-type-reference.sta', lines: [['in 220 2026-11-20', { bankReference: '19239782213' }]] },
  {
    file: 'B18-wrapped-timestamp.sta',
    lines: [['in {1} 2026-11-20', saying('T16:26:37 Folgenr. 007')]],
    funded: [true],
  },
  { file: 'B19-question-mark.sta', lines: [['in {1} 2026-11-20', saying('Rechnung? Ja')]], funded: [true] },
  { file: 'B20-cp437-umlaut.sta', lines: [['in 80 2026-11-20', named('MÜLLER, GRETEL')]] },
  { file: 'B23-ebics-c53.zip', lines: ['in 18 2026-11-20'], has: { format: 'camt.053' } },
  { file: 'B25-batch.xml', lines: ['in 329.56 2026-11-20', 'in 100 2026-11-20'] },
  {
    file: 'B26b-batch-instructed-amounts.xml',
    lines: ['in {1} 2026-11-20', 'in {2} 2026-11-20'],
    funded: [true, true],
  },
  { file: 'B28-five-decimals.xml', lines: ['in 550 2026-11-20'] },
  { file: 'B28c-no-fraction.xml', lines: ['in 10 2026-11-20', 'in 0.5 2026-11-20', 'in 3.25 2026-11-20'] },
  { file: 'B30-no-entries.xml', lines: [], has: { bookedTo: '2026-11-20' } },
  { file: 'B30b-no-entries-mt940.sta', lines: [] },
  { file: 'B31b-no-namespace.xml', lines: ['in 23 2026-11-20'] },
  { file: 'B31c-envelope.xml', lines: ['in 24 2026-11-20'] },
  { file: 'B34-pending.xml', lines: ['in 33 2026-11-20'], funded: [false] },
  { file: 'B35-reversal.xml', lines: ['out 40 2026-11-20', 'in 41 2026-11-20'] },
  { file: 'B36-charges-fx.xml', lines: ['in 98.5 2026-11-20'] },
  {
    file: 'B38-month-names.csv',
    columns: { balance: 'Balance' },
    lines: ['in 9.99 2026-09-30', 'in 10.01 2026-10-01', 'out 1 2026-11-02'],
  },
  {
    file: 'B38b-month-names-spaces.csv',
    rail: 'NEFT',
    columns: { ...inTwo, date: 'Txn Date', balance: 'Balance' },
    lines: ['out 1000 2026-09-01', 'in 2500 2026-10-10', 'in 500 2026-11-01'],
  },
  {
    file: 'B39-hdfc.csv',
    rail: 'NEFT',
    columns: {
      ...{ skipLines: 1, amount: undefined, amountIn: 'Credit Amount', amountOut: 'Debit Amount' },
      ...{ text: ['Narration'], bankReference: 'Chq/Ref Number', balance: 'Closing Balance' },
    },
    lines: [['in 500 2026-11-20', { bankReference: '0000N326261120001' }], 'out 10 2026-11-20'],
  },
  {
    file: 'B41b-footer-same-width.csv',
    columns: { ...inTwo, decimal: ',', text: ['Label'] },
    lines: ['out 50 2026-11-01', 'in 1300 2026-11-02'],
  },
  {
    file: 'B42b-stray-quote.csv',
    columns: { delimiter: ';', decimal: ',', dateFormat: 'year-month-day', text: ['Text'] },
    lines: [['out 80 2026-11-20', saying('Hotel "Adler" Berlin')], 'in 12 2026-11-20'],
  },
  {
    file: 'B42c-windows-1252.csv',
    columns: {
      ...{ delimiter: ';', decimal: ',', dateFormat: 'year-month-day', text: ['Text'] },
      encoding: 'iso-8859-1',
    },
    lines: [['in 12.5 2026-11-20', saying('Müller – Straße „Köln“ €')]],
  },
  {
    file: 'B44-two-date-styles.csv',
    rail: 'NEFT',
    columns: {
      ...{ date: 'Tran Date', amount: undefined, amountIn: 'CR', amountOut: 'DR' },
      ...{ text: ['PARTICULARS'], balance: 'BAL' },
    },
    lines: ['in 500 2026-11-20', 'out 10 2026-11-21'],
  },
  {
    file: 'B45-trailing-delimiter.csv',
    columns: { delimiter: ';', decimal: ',', date: 'Buchungstag', amount: 'Betrag', text: ['Text'] },
    lines: ['out 500 2026-11-20', 'in 20 2026-11-20'],
  },
  {
    file: 'B46b-amount-with-currency.csv',
    columns: { delimiter: ';', decimal: ',', date: 'Datum', amount: 'Betrag', text: ['Text'] },
    lines: ['out 500 2026-11-20', 'in 20 2026-11-20', 'out 5 2026-11-20'],
  },
  {
    file: 'B46d-parentheses.csv',
    rail: 'ACH',
    columns: { dateFormat: 'month-day-year', text: ['Text'] },
    lines: ['out 12.5 2026-11-20', 'in 1000 2026-11-20'],
  },
  { file: 'B54-axis-inr.sta', rail: 'NEFT', lines: ['in 338474.92 2026-11-20', 'out 90000 2026-11-20'] },
  { file: 'B55d-bom.sta', lines: [['in 74 2026-11-20', named('Zoë')]] },
]

const refused: [file: string, why: RegExp, columns?: Partial<CsvColumns>][] = [
  ['B10f-other-account.sta', /of the account DE02120300000000202051/],
  ['B22-camt052.xml', /camt\.052, a report within the day.*camt\.053/],
  ['B51-mt942.sta', /MT942, a report within the day/],
  ['B51c-page.pdf', /PDF.*camt\.053, camt\.054, MT940, OFX and CSV/],
  ['B51d-table.xlsx', /archive|spreadsheet/],
  ['B55b-no-closing.sta', /cut off/],
  [
    'B40b-state-column.csv',
    /may be no money/,
    { date: 'Started Date', dateFormat: 'year-month-day', currency: 'Currency', balance: 'Balance' },
  ],
  [
    'B43b-negative-in-columns.csv',
    /Row 3 has -13\.5 as money in/,
    { ...inTwo, dateFormat: 'year-month-day', text: ['Label'] },
  ],
  [
    'B46c-wrong-decimal.csv',
    /Row 3: “12\.50”/,
    { delimiter: ';', decimal: ',', dateFormat: 'year-month-day', text: ['Text'] },
  ],
]

async function start({ rail = 'SEPA', account = IBAN, columns, funded = [] }: Partial<Case>) {
  await anchor.forgetStatements()
  const own = anchor.deps.rails.get('SEPA')?.bankAccount
  if (!own) throw new Error('no bank account')
  own.account = account
  const format = { dateFormat: columns?.dateFormat ?? 'day-month-year' }
  if (columns) {
    const saved = await anchor.send('PUT', `/rails/${rail}/csv-columns`, { ...csv, ...format, ...columns })
    expect([saved.statusCode, saved.body]).toEqual([200, saved.body])
  }
  return Promise.all(funded.map(() => anchor.deposit()))
}

describe('a file as a bank sends it', () => {
  it.each(read)('$file gives its right value', async given => {
    const deposits = await start(given)
    const answer = await anchor.read(given.rail ?? 'SEPA', given.file, realFile(given.file, deposits))
    expect(answer.json()).toMatchObject({ lines: given.lines.length, ...given.has })
    const lines = (await anchor.get('/statement-lines?limit=50')).json<
      { direction: string; amount: string; bookedOn: string }[]
    >()
    const money = (text: string) =>
      text.replace(/\{(\d)\}/, (_, at) => String(Number(deposits[Number(at) - 1]?.money)))
    const expected = given.lines.map(each => (typeof each === 'string' ? ([each, {}] as const) : each))
    const order = (a: string, b: string) => a.localeCompare(b)
    const textOf = (line: (typeof lines)[number]) => `${line.direction} ${line.amount} ${line.bookedOn}`
    expect(lines.map(textOf).sort(order)).toEqual(expected.map(([each]) => money(each)).sort(order))
    for (const [each, has] of expected)
      expect(lines.find(line => textOf(line) === money(each))).toMatchObject(has)
    const states = await Promise.all(deposits.map(({ id }) => anchor.state(id)))
    expect(states.map(state => state === 'funded')).toEqual(given.funded ?? [])
  })

  it('a statement that names no account is read once a person says that it is of the rail’s', async () => {
    await start({})
    const [name, bytes] = ['B50-statement.ofx', realFile('B50-statement.ofx')]
    const answer = await anchor.read('SEPA', name, bytes)
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'statement-without-account'])
    expect(await anchor.rows('select 1 from bank_statements')).toEqual([])
    const confirmed = await anchor.upload('SEPA', name, bytes, { accountConfirmed: 'true' })
    expect(confirmed.json()).toMatchObject({ format: 'ofx', lines: 1, newLines: 1, bookedTo: '2026-11-20' })
  })

  it.each(refused)('%s is refused in words', async (file, why, columns) => {
    await start({ columns })
    const answer = await anchor.read('SEPA', file, realFile(file))
    expect([answer.statusCode, answer.json().detail]).toEqual([422, expect.stringMatching(why)])
    expect(await anchor.rows('select 1 from bank_statements')).toEqual([])
  })
})

it('every file has a test of its value', () => {
  const tested = new Set([...read.map(({ file }) => file), ...refused.map(([file]) => file)])
  const others = /^(B50|B01|B01b|B01c|B27|B33|B52b|B52c|B57)-/
  const files = readdirSync(join(import.meta.dirname, '../testing/real-files'))
  expect(files.filter(file => !tested.has(file) && !others.test(file))).toEqual([])
})
