import type { CsvColumns } from '@windlass/contracts/anchor/bank-files.ts'
import { expect, it } from 'vitest'
import { isStateHead, usualState } from './csv-states.ts'
import { readCsv } from './csv.ts'

const columns: CsvColumns = {
  ...({ delimiter: ';', skipLines: 0, encoding: 'utf-8', decimal: ',' } as const),
  ...({ date: 'Date', dateFormat: 'year-month-day', text: ['Text'], amount: 'Amount' } as const),
}

async function read(rows: readonly string[], more: Partial<CsvColumns> = {}, head = 'Info') {
  const text = [`Date;Text;Amount;${head}`, ...rows.map(row => `2026-11-20;a;1,00;${row}`)].join('\n')
  const kinds: string[] = []
  for await (const item of readCsv([Buffer.from(text)], { ...columns, ...more }, 'EUR')) kinds.push(item.kind)
  return kinds
}

it.each([
  ['Umsatz vorgemerkt', 'pending'],
  ['Pending', 'pending'],
  ['Pendiente', 'pending'],
  ['REVERTED', 'failed'],
  ['Declined.', 'failed'],
  ['Rechazado', 'failed'],
  ['Échoué', 'failed'],
  ['Ausgeführt', 'booked'],
  ['Rent for November', undefined],
])('“%s” is usually %s', (word, state) => {
  expect(usualState(word)).toBe(state)
})

it('knows columns that are named as a state', () => {
  expect(['State', 'Transaction status', 'Buchungsstatus', 'Estado', 'État'].every(isStateHead)).toBe(true)
  expect(['Statement', 'Estadio', 'Text', 'Amount'].some(isStateHead)).toBe(false)
})

it('without an assigned column, refuses the first row that may be no money, in whichever column', async () => {
  expect(await read(['Umsatz gebucht', 'Umsatz gebucht'])).toEqual(['line', 'line'])
  await expect(read(['Umsatz gebucht', 'Umsatz vorgemerkt'])).rejects.toThrow('Row 3 has “Umsatz vorgemerkt”')
  await expect(read(['', 'Pending'])).rejects.toThrow('Row 3')
  // A column with other words is none of states, whatever a payer writes into it.
  expect(await read(['Rent', 'Pending'])).toEqual(['line', 'line'])
  // A column with the name of one is, and a word in it that nobody knows is not guessed.
  await expect(read(['Booked', 'Frozen'], {}, 'Status')).rejects.toThrow('Row 3 has “Frozen”')
  // The operator has said what the column is.
  expect(await read(['Pending'], { text: ['Text', 'Info'] })).toEqual(['line'])
})

it('reads the assigned words only, also that of an empty cell', async () => {
  const state = { column: 'Info', booked: [''], pending: ['Vorgemerkt'], failed: [] }
  expect(await read(['', 'VORGEMERKT'], { state })).toEqual(['line', 'no-money'])
  await expect(read(['', 'Pending'], { state })).rejects.toThrow('Row 3 has “Pending” in the column “Info”')
  await expect(read([''], { state: { ...state, column: 'Other' } })).rejects.toThrow('no column “Other”')
})
