import type { CsvColumns } from '@windlass/contracts/anchor/bank-files.ts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { numberIn } from './csv-amounts.ts'
import { readCsv } from './csv.ts'
import { StatementError } from './statement.ts'

const plain: CsvColumns = {
  ...({ delimiter: ';', skipLines: 0, encoding: 'utf-8', decimal: ',' } as const),
  ...({ date: 'Date', dateFormat: 'year-month-day', text: ['Text'] } as const),
}
const one = { ...plain, amount: 'Amount' }
const two = { ...plain, amountIn: 'In', amountOut: 'Out' }

async function read(columns: CsvColumns, head: string, rows: readonly string[], currency = 'EUR') {
  const text = [`Date;Text;${head}`, ...rows.map(row => `2026-11-20;a;${row}`)].join('\n')
  const lines: string[] = []
  for await (const item of readCsv([Buffer.from(text)], columns, currency))
    if (item.kind === 'line') lines.push(`${item.line.direction} ${item.line.amount}`)
  return lines
}

const signs = [',', '.'] as const
const groups = ['', ',', '.', ' ', '\u00a0', '\u202f', '’', "'"] as const

/** A number as a bank writes it; a group is never written with the decimal sign. */
const written = fc
  .record({
    whole: fc.oneof(fc.bigInt(0n, 9_999n), fc.bigInt(0n, 999_999_999_999n)),
    cents: fc.option(fc.integer({ min: 0, max: 99 })),
    decimal: fc.constantFrom(...signs),
    group: fc.constantFrom(...groups),
    isIndian: fc.boolean(),
    sign: fc.constantFrom('', '-', '+'),
  })
  .map(({ whole, cents, decimal, group, isIndian, sign }) => {
    const mark = group === decimal ? '' : group
    const [, head = '', tail = ''] = /^(\d*?)(\d{1,3})$/.exec(String(whole)) ?? []
    const ends = isIndian ? /\B(?=(\d\d)+$)/g : /\B(?=(\d{3})+$)/g
    const grouped = head === '' ? tail : `${head.replaceAll(ends, mark)}${mark}${tail}`
    const fraction = cents === null ? '' : String(cents).padStart(2, '0')
    const hundredths = (whole * 100n + BigInt(cents ?? 0)) * (sign === '-' ? -1n : 1n)
    return { text: `${sign}${grouped}${fraction && decimal}${fraction}`, decimal, hundredths }
  })

const hundredthsOf = (number: string): bigint => {
  const [, sign, whole = '', fraction = ''] = /^([+-]?)(\d+)\.?(\d*)$/.exec(number) ?? []
  return BigInt(`${whole}${fraction.padEnd(2, '0')}`) * (sign === '-' ? -1n : 1n)
}

it('reads a number as its bank means it, or not at all: never as another number', () => {
  fc.assert(
    fc.property(written, fc.constantFrom(...signs), ({ text, decimal, hundredths }, configured) => {
      const reading = () => hundredthsOf(numberIn(text, configured, 'EUR', 'Row 2'))
      try {
        expect(reading()).toBe(hundredths)
      } catch (error) {
        expect([configured === decimal, error instanceof StatementError]).toEqual([false, true])
        expect((error as Error).message).toContain('Row 2')
      }
    }),
    { numRuns: 3_000 },
  )
})

it('refuses a file whose decimal sign is not the one that the columns say, naming the row', async () => {
  await expect(read(one, 'Amount', ['1.234', '12.50'])).rejects.toThrow('Row 3: “12.50” is no number')
  const points = { ...one, decimal: '.' as const }
  await expect(read(points, 'Amount', ['7.00', '12,50'])).rejects.toThrow('Row 3: “12,50” is no number')
  await expect(read(points, 'Amount', ['12.500'])).rejects.toThrow('Row 2: “12.500” may be thousands')
  await expect(read(points, 'Amount', ['12.5001'])).rejects.toThrow('at most 2 decimals, as EUR has')
  expect(await read(one, 'Amount', ['1.234', '-12,50', '1234,5000'])).toEqual([
    'in 1234',
    'out 12.5',
    'in 1234.5',
  ])
  expect(await read(points, 'Amount', ['12,34,567.50'], 'INR')).toEqual(['in 1234567.5'])
  expect(await read(points, 'Amount', ['12.500'], 'KWD')).toEqual(['in 12.5'])
  await expect(read(points, 'Amount', ['5.'])).rejects.toThrow('Row 2')
  await expect(read(points, 'Amount', ['$5'])).rejects.toThrow('Row 2')
})

it('refuses a balance that is written with another decimal sign', async () => {
  const columns = { ...one, balance: 'Balance' }
  await expect(read(columns, 'Amount;Balance', ['5,00;12.50'])).rejects.toThrow('Row 2: “12.50” is no number')
})

it('refuses a row whose sign, column or word disagree', async () => {
  expect(await read(two, 'In;Out', ['20,00;0,00', ';-33,50', ';-1'])).toEqual(['in 20', 'out 33.5', 'out 1'])
  await expect(read(two, 'In;Out', [';33,50', ';-7,00'])).rejects.toThrow('Row 3 has -7 as money out')
  await expect(read(two, 'In;Out', [';-33,50', ';7,00'])).rejects.toThrow('Row 3 has 7 as money out')
  await expect(read(two, 'In;Out', ['-13,50;'])).rejects.toThrow('Row 2 has -13.5 as money in')
  await expect(read(two, 'In;Out', ['1;1'])).rejects.toThrow('Row 2 needs either')
  const unsigned = { ...two, amountOutSign: '+' as const }
  await expect(read(unsigned, 'In;Out', [';-7,00'])).rejects.toThrow('the columns of this CSV have no minus')
  const marked = { ...one, direction: 'Mark' }
  const words = ['5;CR', '-5;Dr.', '5;Soll', '5;H', '5;Cargo', '+5;Crédito', '5;Débit', '5;abono', '5;Af']
  expect(await read(marked, 'Amount;Mark', words)).toEqual(
    ['in', 'out', 'out', 'in', 'out', 'in', 'out', 'in', 'out'].map(way => `${way} 5`),
  )
  await expect(read(marked, 'Amount;Mark', ['-5;CR'])).rejects.toThrow('Row 2 has the amount -5')
  await expect(read(marked, 'Amount;Mark', ['+5;D'])).rejects.toThrow('which disagree')
  for (const word of ['Card payment', 'Direct credit', 'Canceled', ''])
    await expect(read(marked, 'Amount;Mark', [`5;${word}`])).rejects.toThrow('neither a credit nor a debit')
  const balance = { ...one, decimal: '.' as const, balance: 'Balance' }
  await expect(read(balance, 'Amount;Balance', ['5;-5 Cr'])).rejects.toThrow('disagree')
})
