import fc from 'fast-check'
import { readFile } from 'node:fs/promises'
import { describe, expect, it, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import type { BankAccount } from '../rail.ts'
import { faultsOf, type PayoutFormat } from './check-file.ts'
import { asIndianCsv, asNacha, asPain001, hasLatinForm, type FilePayment } from './file-formats.ts'

const at = new Date('2026-11-20T22:30:00Z')
const code = 'F0123456789ABCD'
const accounts = {
  'pain.001': { dest: 'DE02120300000000202051', dest_extra: 'BYLADEM1001' },
  nacha: { dest: '9876543210', dest_extra: '021000021' },
  csv: { dest: '50100012345678', dest_extra: 'HDFC0001234' },
}
const from: Record<PayoutFormat, BankAccount> = {
  'pain.001': {
    account: 'DE89370400440532013000',
    bank: 'COBADEFFXXX',
    holder: 'Mumbai Pay GmbH',
    companyId: null,
  },
  nacha: { account: '12345678', bank: '021000021', holder: 'Mumbai Pay Inc', companyId: '1234567890' },
  csv: { account: '50100099999999', bank: 'HDFC0001234', holder: 'Mumbai Pay', companyId: null },
}
const formats: PayoutFormat[] = ['pain.001', 'nacha', 'csv']

const paymentsTo = (format: PayoutFormat, names: readonly string[], cents = 123_456): FilePayment[] =>
  names.map((dest_name, index) => ({
    code: `P${String(index).padStart(14, '0')}`,
    amount: `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`,
    destination: { ...accounts[format], dest_name },
  }))

function write(format: PayoutFormat, payments: readonly FilePayment[], over: object = {}): string {
  const content = { code, currency: 'EUR', at, payments, from: { ...from[format], ...over } }
  if (format === 'csv') return asIndianCsv('NEFT', content)
  return format === 'nacha' ? asNacha(content) : asPain001(content)
}

describe.each(formats)('a file of the format %s', format => {
  it('is right for anyone who can be named, and any amount', () => {
    const names = fc.array(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }).filter(hasLatinForm),
      {
        minLength: 1,
        maxLength: 25,
      },
    )
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 9_999_999_999 }), (all, cents) => {
        const payments = paymentsTo(format, all, cents)
        expect(faultsOf(format, write(format, payments), payments)).toEqual([])
      }),
    )
  })

  it('that pays another account, another amount, or one payout less or twice is refused', () => {
    const payments = paymentsTo(format, ['Asha Rao', 'Bruno Weber'])
    const [first, second] = payments
    if (!first || !second) throw new Error('no payments')
    const moved = { ...first, destination: { ...first.destination, dest: from[format].account } }
    for (const other of [
      [moved, second],
      [{ ...first, amount: '1.00' }, second],
      [first],
      [first, first, second],
    ])
      expect(faultsOf(format, write(format, other), payments)).not.toEqual([])
  })
})

it('what passes as pain.001 passes the official schema, whatever was changed in it', async () => {
  const schema = await readFile(new URL('../../testing/schemas/pain.001.001.09.xsd', import.meta.url), 'utf8')
  const payments = paymentsTo('pain.001', ['Asha Rao', 'Bruno Weber'])
  const text = write('pain.001', payments)
  const elements = [...text.matchAll(/<(\w+)>[^<]*<\/\1>/g)].map(([element]) => element)
  const changes = fc.sample(
    fc.tuple(fc.constantFrom(...elements), fc.constantFrom('', 'twice', '  ', 'x'.repeat(80), '-1', '12.3')),
    { numRuns: 150, seed: 3 },
  )
  const changed = changes.map(([element, how]) =>
    text.replace(
      element,
      how === 'twice' ? element + element : how && element.replace(/>[^<]*</, `>${how}<`),
    ),
  )
  const passes = changed.filter(each => faultsOf('pain.001', each, payments).length === 0)
  for (const contents of [text, ...passes]) {
    const xml = [{ fileName: 'file.xml', contents }]
    expect((await validateXML({ xml, schema: [{ fileName: 'pain.xsd', contents: schema }] })).errors).toEqual(
      [],
    )
  }
  expect(passes.length).toBeLessThan(changed.length / 2)
})

test.each([
  ['pain.001', 'an empty name', (text: string) => text.replace('<Nm>Asha Rao</Nm>', '<Nm></Nm>')],
  ['pain.001', 'letters that banks do not take', (text: string) => text.replace('Asha Rao', 'Ásha Rao')],
  ['pain.001', 'a wrong sum', (text: string) => text.replaceAll('<CtrlSum>1234.56', '<CtrlSum>1234.57')],
  ['pain.001', 'another currency', (text: string) => text.replace('Ccy="EUR"', 'Ccy="USD"')],
  ['pain.001', 'a document type', (text: string) => text.replace('<Document', '<!DOCTYPE a><Document')],
  ['nacha', 'a record that is too short', (text: string) => text.replace('ASHA RAO  ', 'ASHA RAO ')],
  ['nacha', 'no name', (text: string) => text.replace('ASHA RAO', '        ')],
  ['nacha', 'a wrong hash', (text: string) => text.replaceAll('0002100002', '0002100003')],
  ['nacha', 'a wrong total', (text: string) => text.replaceAll('000000123456', '000000123457')],
  ['nacha', 'a wrong check digit', (text: string) => text.replace('622021000021', '622021000022')],
  ['nacha', 'a block that is not full', (text: string) => text.replace(/9{94}\r\n$/, '')],
  ['csv', 'no name', (text: string) => text.replace('"Asha Rao"', '""')],
  ['csv', 'what a spreadsheet computes', (text: string) => text.replace('"Asha Rao"', '"=cmd"')],
  ['csv', 'a wrong IFSC', (text: string) => text.replace('HDFC0001234', 'HDFC1001234')],
] as const)('of the format %s with %s is refused', (format, _, change) => {
  const payments = paymentsTo(format, ['Asha Rao'])
  const text = write(format, payments)
  expect(faultsOf(format, text, payments)).toEqual([])
  expect(change(text)).not.toBe(text)
  expect(faultsOf(format, change(text), payments)).not.toEqual([])
})

it('an account of the rail without a company is found before a file is made', () => {
  const payments = paymentsTo('nacha', ['Asha Rao'])
  expect(faultsOf('nacha', write('nacha', payments, { companyId: '' }), payments)).toContain(
    'its company is not the same everywhere',
  )
})
