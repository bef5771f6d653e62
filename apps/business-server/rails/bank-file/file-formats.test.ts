import { hasAchkit } from '@windlass/testing/installed.ts'
import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { asIndianCsv, asNacha, asPain001, hasLatinForm } from './file-formats.ts'

const payments = [
  {
    code: 'P0123456789ABCD',
    amount: '1234.56',
    destination: { dest: '9876543210', dest_extra: '021000021', dest_name: 'Zoë "O\'Hara" <x>' },
  },
  {
    code: 'PFFFFFFFFFFFFFF',
    amount: '0.01',
    destination: { dest: '12345', dest_extra: '011401533', dest_name: '=cmd|calc' },
  },
]
const from = { account: '12345678', bank: '021000021', holder: 'Mumbai Pay Inc', companyId: '1234567890' }
// A Friday.
const content = {
  code: 'F0123456789ABCD',
  currency: 'USD',
  from,
  at: new Date('2026-11-20T22:30:00Z'),
  payments,
}

const atSepa = (all: typeof payments) => ({
  ...content,
  currency: 'EUR',
  from: { ...from, account: 'DE89370400440532013000', bank: 'COBADEFFXXX' },
  payments: all.map(each => ({
    ...each,
    destination: { ...each.destination, dest: 'DE02120300000000202051', dest_extra: 'COBADEFFXXX' },
  })),
})

async function check(contents: string) {
  const schema = await readFile(new URL('../../testing/schemas/pain.001.001.09.xsd', import.meta.url), 'utf8')
  return validateXML({
    xml: [{ fileName: 'file.xml', contents }],
    schema: [{ fileName: 'pain.xsd', contents: schema }],
  })
}

const paidTo = (name: string) => {
  const [first] = payments
  if (!first) throw new Error('no payment')
  return { ...first, destination: { ...first.destination, dest_name: name } }
}
const namesIn = (name: string) => {
  const made = { ...content, payments: [paidTo(name)] }
  const entry = asNacha(made).split('\r\n')[2] ?? ''
  return {
    sepa: /<Cdtr><Nm>(.*?)<\/Nm>/.exec(asPain001(atSepa(made.payments)))?.[1],
    nacha: entry.slice(54, 76).trim(),
    neft: /^"NEFT","(.*?)"/m.exec(asIndianCsv('neft', made))?.[1],
  }
}

it.each([
  ['Asha Rao', 'Asha Rao'],
  ['Иван Тестов', 'Ivan Testov'],
  ['Γιώργος Δοκιμής', 'Giorgos Dokimis'],
  ['كريم تجربة', 'krym tjrbh'],
  ['测试人', 'CeShiRen'],
  ['Łukasz Żółtek', 'Lukasz Zoltek'],
  ['Þóra Æsudóttir', 'Thora Aesudottir'],
  ['Nguyễn Đình Đăng', 'Nguyen Dinh Dang'],
  ['Søren Østerby', 'Soren Osterby'],
  ['Jürgen Müßig', 'Jurgen Mussig'],
  ['Şükrü Ağaoğlu', 'Sukru Agaoglu'],
])('%s is %s in every format', (name, written) => {
  expect(namesIn(name)).toEqual({ sepa: written, nacha: written.toUpperCase(), neft: written })
})

it('anyone who can be named has a name in each format, in the letters that banks take', async () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 })
  const names = fc.sample(name, { numRuns: 200, seed: 1 }).filter(hasLatinForm)
  expect(await check(asPain001(atSepa(names.map(paidTo))))).toMatchObject({ valid: true, errors: [] })
  fc.assert(
    fc.property(name.filter(hasLatinForm), each => {
      const { sepa, nacha, neft } = namesIn(each)
      expect(nacha).toMatch(/[A-Z]/)
      for (const written of [sepa, neft]) expect(written).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]{2,70}$/)
    }),
  )
  for (const nobody of ['', ' ', '123', '***', '🙂🙂', '—']) expect(hasLatinForm(nobody)).toBe(false)
})

it('pain.001 is valid under the schema of ISO 20022', async () => {
  const made = atSepa(payments)
  const text = asPain001(made)
  expect(await check(text)).toMatchObject({ valid: true, errors: [] })
  expect((await check(text.replace('<PmtMtd>TRF', '<PmtMtd>CASH'))).valid).toBe(false)
  expect(text).toContain("<Nm>Zoe O'Hara x</Nm>")
  expect(text).toContain('<CtrlSum>1234.57</CtrlSum>')
  expect(text).toContain('<Dt>2026-11-23</Dt>')
})

it('a NACHA file has records of 94 characters in blocks of ten, whose sums agree', () => {
  const records = asNacha(content).split('\r\n').slice(0, -1)
  expect(records.map(({ length }) => length)).toEqual(Array(10).fill(94))
  expect(records.map(record => record[0]).join('')).toBe('1566899999')
  const [file = '', batch = '', first = '', second = '', batchEnd = '', fileEnd = ''] = records
  expect(file.slice(0, 40)).toBe('101 021000021123456789026112022 30A094101'.replace('22 30', '2230'))
  expect([
    batch.slice(0, 4),
    batch.slice(20, 40).trim(),
    batch.slice(40, 53),
    batch.slice(69, 75),
    batch.slice(79),
  ]).toEqual(['5220', content.code, '1234567890PPD', '261123', '021000020000001'])
  expect([
    first.slice(0, 12),
    first.slice(12, 29).trim(),
    first.slice(29, 39),
    first.slice(39, 54),
    first.slice(79),
  ]).toEqual(['622021000021', '9876543210', '0000123456', 'P0123456789ABCD', '021000020000001'])
  expect(second.slice(54, 76).trim()).toBe('CMD CALC')
  const sums = `${String(2100002 + 1140153).padStart(10, '0')}000000000000000000123457`
  expect([batchEnd.slice(0, 44), fileEnd.slice(0, 55)]).toEqual([
    `8220000002${sums}`,
    `900000100000100000002${sums}`,
  ])
})

it('a CSV for Indian bulk transfers has nothing that a spreadsheet computes', () => {
  expect(asIndianCsv('neft', content).split('\r\n').slice(1)).toEqual([
    '"NEFT","Zoe O\'Hara x","9876543210","021000021","1234.56","12345678","P0123456789ABCD"',
    '"NEFT","cmd calc","12345","011401533","0.01","12345678","PFFFFFFFFFFFFFF"',
    '',
  ])
})

/** Reads a file from its input as a bank's program does: what is wrong with it, and its payments. */
const READ = `
import json, sys, achkit
text = sys.stdin.buffer.read().decode('ascii')
found = achkit.parse(text)['batches']
entries = [[e['id_number'], e['name'], e['routing'], e['account'], e['amount_cents']] for b in found for e in b['entries']]
print(json.dumps({'errors': achkit.validate(text)['errors'], 'entries': entries}))`

it.skipIf(!hasAchkit())('a NACHA file is right for another reader (Python’s achkit), for any name', () => {
  const read = (input: string): { errors: { code: string }[]; entries: unknown[] } =>
    JSON.parse(execFileSync('python3', ['-c', READ], { input, encoding: 'utf8' }))
  expect(read(asNacha(content))).toEqual({
    errors: [],
    entries: [
      ['P0123456789ABCD', "ZOE O'HARA X", '021000021', '9876543210', 123456],
      ['PFFFFFFFFFFFFFF', 'CMD CALC', '011401533', '12345', 1],
    ],
  })
  const names = fc.sample(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), {
    numRuns: 300,
    seed: 2,
  })
  const many = names.filter(hasLatinForm).map(paidTo)
  const found = read(asNacha({ ...content, payments: many }))
  expect([found.errors, found.entries.length]).toEqual([[], many.length])
  const wrong = asNacha(content).replace('0000123456', '0000123457')
  expect(read(wrong).errors.map(({ code }) => code)).toContain('BAD_BATCH_CREDIT')
})
