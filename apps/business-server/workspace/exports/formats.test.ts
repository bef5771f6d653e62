import { amountOf, parseAmount } from '@windlass/money/amount.ts'
import { hasOfxtools } from '@windlass/testing/installed.ts'
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { PDFDocument } from '@cantoo/pdf-lib'
import { inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { type Booking, camt053, ofx, type RailStatement } from './rail-statement.ts'
import { statementPdf } from './statement-pdf.ts'

const statement: RailStatement = {
  rail: 'SEPA',
  account: 'DE89370400440532013000',
  currency: 'EUR',
  holder: 'Zoë & "Söhne" <GmbH>',
  ...{ from: '2026-10-01', to: '2026-10-31' },
  opening: parseAmount('108'),
  closing: amountOf(-parseAmount('0.6')),
  at: new Date('2026-11-23T10:00:00.123Z'),
}
const moved = (number: number, kind: string, amount: string): Booking => ({
  ...{ id: `00000000-0000-4000-8000-00000000000${number}`, on: `2026-10-15T10:00:0${number}.000Z`, kind },
  ...{ amount: parseAmount(amount), transactionId: null, bank: null },
})
async function* entries() {
  yield {
    ...moved(1, 'matched', '22.6'),
    ...{ on: '2026-10-14', transactionId: 'b7c1e0a2-5d0e-4c56-8f0a-1f7a2c9d4e11' },
    bank: {
      ...{ reference: 'R&1', text: 'Überweisung '.repeat(20).trim() },
      party: { name: 'Zoë <Rao>', account: 'NL20ABNA0517852257', bank: 'ABNANL2A' },
    },
  }
  yield {
    ...moved(2, 'review', '-131.2'),
    bank: { reference: null, text: '', party: { name: null, account: '12345678', bank: '021000021' } },
  }
  yield moved(3, 'a kind & a <name> that is longer than any field for one', '0.01')
}
async function* nothing() {}
const text = async (parts: AsyncIterable<string>) => (await Array.fromAsync(parts)).join('')

it('camt.053 is valid under the schema of ISO 20022, whatever the names, also without entries', async () => {
  const schema = await readFile(new URL('../../testing/schemas/camt.053.001.08.xsd', import.meta.url), 'utf8')
  const check = (contents: string) =>
    validateXML({
      xml: [{ fileName: 'statement.xml', contents }],
      schema: [{ fileName: 'camt.xsd', contents: schema }],
    })
  const made = await text(camt053(statement, entries()))
  const odd = { ...statement, account: 'my account at the bank, far longer than any', rail: 'A rail & more' }
  for (const each of [made, await text(camt053(odd, nothing()))])
    expect(await check(each)).toMatchObject({ valid: true, errors: [] })
  expect((await check(made.replace('<Cd>OPBD', '<Cd>OPENING'))).valid).toBe(false)
  for (const part of [
    '<Acct><Id><IBAN>DE89370400440532013000</IBAN>',
    '<BookgDt><Dt>2026-10-14</Dt></BookgDt><AcctSvcrRef>R&amp;1</AcctSvcrRef>',
    '<Dbtr><Pty><Nm>Zoë &lt;Rao&gt;</Nm></Pty></Dbtr><DbtrAcct><Id><IBAN>NL20ABNA0517852257</IBAN>',
    '<CdtrAcct><Id><Othr><Id>12345678</Id></Othr></Id></CdtrAcct>',
  ])
    expect(made).toContain(part)
})

/** Reads a file from its input as a finance program does, and prints what it understood. */
const READ = `
import io, json, sys
from ofxtools.Parser import OFXTree
tree = OFXTree()
tree.parse(io.BytesIO(sys.stdin.buffer.read()))
found = tree.convert().statements[0]
print(json.dumps({
  'account': found.account.acctid, 'currency': found.curdef, 'balance': str(found.balance.balamt),
  'from': found.transactions.dtstart.isoformat(), 'to': found.transactions.dtend.isoformat(),
  'entries': [[each.fitid, each.trntype, str(each.trnamt), each.name, each.refnum] for each in found.transactions],
  'posted': found.transactions[0].dtposted.isoformat(), 'memo': found.transactions[0].memo,
}))`

it.skipIf(!hasOfxtools())(
  'OFX is read by a parser that checks its types and lengths (Python’s ofxtools)',
  async () => {
    const made = await text(ofx(statement, entries()))
    const read: unknown = JSON.parse(execFileSync('python3', ['-c', READ], { input: made, encoding: 'utf8' }))
    expect(read).toEqual({
      ...{ account: 'DE89370400440532013000', currency: 'EUR', balance: '-0.60' },
      ...{ from: '2026-10-01T00:00:00+00:00', to: '2026-10-31T00:00:00+00:00' },
      ...{ posted: '2026-10-14T00:00:00+00:00', memo: expect.stringMatching(/^Überweisung Überw/) },
      entries: [
        ['00000000-0000-4000-8000-000000000001', 'CREDIT', '22.60', 'Zoë <Rao>', 'R&1'],
        ['00000000-0000-4000-8000-000000000002', 'DEBIT', '-131.20', 'review', null],
        [
          ...['00000000-0000-4000-8000-000000000003', 'CREDIT', '0.01'],
          ...['a kind & a <name> that is longer', null],
        ],
      ],
    })
  },
)

/** What is drawn on the pages of a PDF, in order. */
function drawnIn(pdf: Buffer): string[] {
  const texts: string[] = []
  for (const { index } of pdf.toString('latin1').matchAll(/stream\r?\n/g)) {
    const start = pdf.indexOf('\n', index) + 1
    try {
      const content = inflateSync(pdf.subarray(start, pdf.indexOf('endstream', start))).toString('latin1')
      for (const [, hex = ''] of content.matchAll(/<([0-9A-F]+)> Tj/g))
        texts.push(Buffer.from(hex, 'hex').toString('latin1'))
    } catch {
      // Not a compressed stream, or the end of one.
    }
  }
  return texts
}

it('a printed statement has every figure, on as many pages as it needs, and names of any script in Latin letters', async () => {
  const asset = `LONGESTCODE1:${'G'.repeat(56)}`
  const balance = (account: string, amount: string) => ({ account, unit: asset, amount })
  const days = Array.from({ length: 60 }, (_, index) => `day-${index}`)
  const pdf = await statementPdf({
    ...{
      anchor: `Мумбаи Пэй 東京${'х'.repeat(100)}`,
      homeDomain: 'mumbai.example',
      codeOf: unit => unit,
      openDifferences: 2,
      resolvedDifferences: 1,
      state: 'provisional',
    },
    ...{ from: '2026-10-01', to: '2026-10-31', at: new Date('2026-11-01T00:00:00Z') },
    opening: [balance('customers', '-250.1234567')],
    closing: [balance('customers', '-300'), balance('treasury', '300')],
    earned: days.map(day => ({
      ...{ day, rail: 'UPI', direction: 'deposit' as const, transactions: 3, unit: asset },
      ...{ fees: '1.5', rounding: '0.0000001' },
    })),
  })
  const drawn = drawnIn(pdf)
  expect(drawn[0]).toMatch(/^[\x20-\x7e]+$/)
  expect(drawn[0]).toMatch(/^Mumbai P.*h\.\.\.$/)
  const fees = drawn.filter(text => text.startsWith('1.5 + 0.0000001'))
  expect(fees).toHaveLength(days.length)
  for (const text of ['-250.1234567', '-300', '300', ...days]) expect(drawn).toContain(text)
  expect(drawn).toContain('PROVISIONAL: the period is not over')
  expect(drawn).toContain('Differences that people resolved, and that are still there: 1')
  expect(drawn).toContain('customers (LONGESTCODE1:GGGG...GGGG)')
  expect((await PDFDocument.load(pdf)).getPageCount()).toBeGreaterThan(1)
})
