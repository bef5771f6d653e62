import fc from 'fast-check'
import { expect, it } from 'vitest'
import { proposeColumns } from './propose-columns.ts'

const propose = (text: string | Buffer, currency = 'EUR') => proposeColumns(Buffer.from(text), currency)

it('sees separator, head, signs, dates and columns in a German file with lines before its head', () => {
  const text = [
    'Kontoauszug;',
    '',
    'Buchungstag;Verwendungszweck;Betrag;Währung;Saldo',
    '20.11.2026;Miete;-1.500,00;EUR;500,00',
    '21.11.2026;Eingang;20,00;EUR;520,00',
    '',
  ].join('\r\n')
  const { columns, heads, states } = propose(text)
  expect(columns).toEqual({
    ...{ delimiter: ';', skipLines: 2, encoding: 'utf-8', decimal: ',', dateFormat: 'day-month-year' },
    ...{ date: 'Buchungstag', amount: 'Betrag', text: ['Verwendungszweck'] },
    ...{ currency: 'Währung', balance: 'Saldo' },
  })
  expect([heads.length, states]).toEqual([5, null])
})

it('sees two columns of money, the sign of money out, and Indian groups', () => {
  const text =
    'Txn Date,Narration,Withdrawal,Deposit,Balance\n20/11/26,A,,"1,00,000.00","2,00,000.00"\n21/11/26,B,-5.90,,"1,99,994.10"\n'
  expect(propose(text, 'INR').columns).toMatchObject({
    ...{ delimiter: ',', decimal: '.', amountIn: 'Deposit', amountOut: 'Withdrawal', amountOutSign: '-' },
    ...{ date: 'Txn Date', dateFormat: 'day-month-year', text: ['Narration'], balance: 'Balance' },
  })
})

it('sees columns whose heads name the currency of the rail', () => {
  const text = (heads: string) =>
    `Posting date,${heads},Details\n20/11/2026,,"1,000.50","2,000.00",A\n21/11/2026,5.25,,"1,994.75",B\n`
  const columns = propose(text('Withdrawals (SGD),Deposits (SGD),Balance SGD'), 'SGD').columns
  expect(columns).toMatchObject({
    ...{ amountIn: 'Deposits (SGD)', amountOut: 'Withdrawals (SGD)', balance: 'Balance SGD' },
  })
  expect(
    propose(text('Withdrawals (USD),Deposits (USD),Balance USD'), 'SGD').columns.amountIn,
  ).toBeUndefined()
})

it('names the column of the state, and what its usual words mean', () => {
  const text =
    'Date;Text;Amount;State\n2026-11-19;a;1,50;REVERTED\n2026-11-20;b;2;Completed\n2026-11-20;c;3;Frozen\n'
  expect(propose(text).states).toEqual({
    column: 'State',
    words: [
      { word: 'REVERTED', usual: 'failed' },
      { word: 'Completed', usual: 'booked' },
      { word: 'Frozen', usual: null },
    ],
  })
  const german =
    'Datum;Text;Betrag;Info\n19.11.2026;a;1,50;Umsatz vorgemerkt\n20.11.2026;b;2,00;Umsatz gebucht\n'
  expect(propose(german).states?.column).toBe('Info')
})

it.each([
  ['1.50', '.'],
  ['1,50', ','],
  ['1.234', ','],
  ['1,234.50', '.'],
  // Nothing to see: no sign, or signs that disagree.
  ['150', undefined],
  ['1.50;x\n2026-11-20;1,50', undefined],
])('of the amount %s the decimal sign is %s', (amount, decimal) => {
  expect(propose(`Date;Amount;Text\n2026-11-20;${amount};x\n`).columns.decimal).toBe(decimal)
})

it('leaves out an order of dates that the file does not show, and reads ISO 8859-1', () => {
  const { columns } = propose(Buffer.from('Fecha;Importe;Descripción\n01/02/2026;5,00;Jos\xe9\n', 'latin1'))
  expect(columns).toMatchObject({
    encoding: 'iso-8859-1',
    date: 'Fecha',
    amount: 'Importe',
    text: ['Descripción'],
  })
  expect(columns.dateFormat).toBeUndefined()
  expect(propose('Date,Amount\n02/13/2026,1.50\n').columns.dateFormat).toBe('month-day-year')
})

it('proposes nothing for what is no table', () => {
  expect(propose('%PDF-1.7').columns.delimiter).toBeUndefined()
  expect(propose(Buffer.from([0x50, 0x4b, 3, 4, 255, 254])).columns.date).toBeUndefined()
})

it('takes any bytes', () => {
  const text = fc.string({ unit: fc.constantFrom(...'a1,;|"\n\t. -') })
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        text.map(each => Buffer.from(each)),
      ),
      bytes => void propose(Buffer.from(bytes)),
    ),
  )
})
