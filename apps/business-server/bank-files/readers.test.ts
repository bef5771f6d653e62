import type { CsvColumns } from '@windlass/contracts/anchor/bank-files.ts'
import { describe, expect, it } from 'vitest'
import { camt053, IBAN, mt940 } from '../testing/bank-anchor.ts'
import { isOwnAccount, isSameName } from './accounts.ts'
import { readCamt } from './camt.ts'
import { readCsv } from './csv.ts'
import { readMt940 } from './mt940.ts'
import { detailsOf } from './mt940-details.ts'

const withBalance = {
  ...{ delimiter: ',', skipLines: 0, encoding: 'utf-8', decimal: '.', dateFormat: 'year-month-day' },
  ...{ date: 'Date', amount: 'Amount', text: ['Text'], balance: 'Balance' },
} as const satisfies CsvColumns

it('in CSV leads from balance to balance, in either order, or is refused: half a file, a lost row, a cut amount', async () => {
  const read = async (rows: readonly string[]) => {
    const items = readCsv([Buffer.from(['Date,Text,Amount,Balance', ...rows].join('\n'))], withBalance, 'EUR')
    let count = 0
    for await (const { kind } of items) count += Number(kind === 'line')
    return count
  }
  const rows = [
    '2026-11-19,A,10.00,"1,010.00 Cr"',
    '2026-11-19,B,-1020.50,10.50Dr',
    '2026-11-20,C,-4,',
    '2026-11-20,D,5,-9.50',
    '2026-11-21,E,20.25,10.75',
  ]
  const [a = '', b = '', , d = '', e = ''] = rows
  expect(await read(rows)).toBe(5)
  expect(await read(rows.toReversed())).toBe(5)
  for (const broken of [
    [a, b, d, e],
    [a, e],
    [...rows.slice(0, 4), e.slice(0, -1)],
    [e, b],
    [b, a, e],
  ])
    await expect(read(broken)).rejects.toThrow('does not follow from the rows before it')
  await expect(read([...rows, '2026-11-22,F,1,none'])).rejects.toThrow('has no balance')
  await expect(read([...rows, '2026-11-22,F,1'])).rejects.toThrow('not complete CSV')
})

it('in camt gives a booking without a day that of its statement, where that has one day alone', async () => {
  const daysIn = async (opens: string, closes: string) => {
    const balance = (code: string, day: string) =>
      `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">5</Amt><Dt><Dt>${day}</Dt></Dt></Bal>`
    const entries = ['CRDT', 'DBIT'].map(
      way => `<Ntry><Amt Ccy="EUR">7</Amt><CdtDbtInd>${way}</CdtDbtInd></Ntry>`,
    )
    const content = `<Acct/>${balance('OPBD', opens)}${balance('CLBD', closes)}${entries.join('')}`
    const file = `<Document><BkToCstmrStmt><Stmt>${content}</Stmt></BkToCstmrStmt></Document>`
    const days: string[] = []
    for await (const item of readCamt([Buffer.from(file)], 'camt.053', 'utf-8')) {
      if (item.kind === 'line') days.push(item.line.bookedOn)
      if (item.kind === 'unread') days.push(item.error.message)
    }
    return days
  }
  expect(await daysIn('2026-11-20', '2026-11-20')).toEqual(['2026-11-20', '2026-11-20'])
  const [first] = await daysIn('2026-11-19', '2026-11-20')
  expect(first).toMatch('Booking 1 has no date')
})

it.each([
  ['Asha Rao', 'RAO ASHA', true],
  ['Asha Rao', 'Ms. A Rao', true],
  ['José Núñez', 'JOSE NUNEZ GARCIA', true],
  ['Asha Rao', 'Asha Mehta', false],
  ['Asha Rao', 'A R', false],
  ['Asha Rao', '', null],
])('the names “%s” and “%s” are one person’s: %s', (one, other, same) => {
  expect(isSameName(one, other)).toBe(same)
})

it('an account is recognized as banks write it, and no other', () => {
  for (const own of [IBAN, 'DE89 3704 0044 0532 0130 00', '37040044/0532013000', `${IBAN}EUR`, '532013000'])
    expect(isOwnAccount(own, IBAN)).toBe(true)
  for (const own of ['COBADEFFXXX/0532013000', `COBADEFF/${IBAN}`, '37040044/532013000EUR', `${IBAN}/EUR`])
    expect(isOwnAccount(own, IBAN)).toBe(true)
  for (const other of ['', '0', '/', '13000', '12030000/0532013000', 'DE02120300000000202051'])
    expect(isOwnAccount(other, IBAN)).toBe(false)
  expect(isOwnAccount('HDFC0001234/050100012345678', '50100012345678')).toBe(true)
})

it('a file of one endless number, or of slashes alone, is read or refused in one pass', async () => {
  const long = `${'0'.repeat(500_000)}1`
  const rows = `Date,Text,Amount,Balance\n2026-11-19,A,1.${long},1.00\n`
  const csv = readCsv([Buffer.from(rows)], withBalance, 'EUR')
  await expect(Array.fromAsync(csv)).rejects.toThrow()
  const camt = readCamt([Buffer.from(camt053([{ amount: `1.${long}` }]))], 'camt.053')
  await expect(Array.fromAsync(camt)).rejects.toThrow()
  const slashes = `${'/'.repeat(1_990)}\r\n`.repeat(58)
  expect(detailsOf(['/EREF/x', slashes, 'x'], 'in')).toBeDefined()
})

/** A source of the same piece many times, that notes how far ahead of its reader it was asked. */
class Source {
  read = 0
  mostAhead = 0
  readonly #parts: [start: string, piece: string, end: string]
  readonly #pieces: number
  readonly #linesOfPiece: number

  constructor(parts: [start: string, piece: string, end: string], pieces: number, linesOfPiece: number) {
    this.#parts = parts
    this.#pieces = pieces
    this.#linesOfPiece = linesOfPiece
  }

  *chunks() {
    const [start, piece, end] = this.#parts.map(part => Buffer.from(part))
    yield start ?? Buffer.alloc(0)
    for (let pulled = 0; pulled < this.#pieces; pulled++) {
      this.mostAhead = Math.max(this.mostAhead, pulled * this.#linesOfPiece - this.read)
      yield piece ?? Buffer.alloc(0)
    }
    yield end ?? Buffer.alloc(0)
  }
}

describe('a long statement is read piece by piece: at most one piece is in memory', () => {
  it('in camt.053', async () => {
    const text = camt053([{ amount: '1.00', text: 'x' }])
    const [start, end] = [text.indexOf('<Ntry>'), text.indexOf('</Stmt>')]
    const piece = text.slice(start, end).repeat(100)
    const source = new Source([text.slice(0, start), piece, text.slice(end)], 100, 100)
    for await (const { kind } of readCamt(source.chunks(), 'camt.053')) if (kind === 'line') source.read += 1
    expect([source.read, source.mostAhead <= 100]).toEqual([10_000, true])
  })

  it('in camt.053, also a booking of 150,000 transactions', async () => {
    const text = camt053([{ amount: '1500.00' }])
    const parts = '<TxDtls><Amt>0.01</Amt></TxDtls>'.repeat(150_000)
    let count = 0
    const chunks = [Buffer.from(text.replace('<TxDtls></TxDtls>', parts))]
    for await (const { kind } of readCamt(chunks, 'camt.053')) if (kind === 'line') count += 1
    expect(count).toBe(150_000)
  })

  it('in MT940, of 100,000 lines', async () => {
    const booking = ':61:261120C1,00NTRFNONREF//B1\r\n:86:x\r\n'
    const [start = '', end = ''] = mt940(['BOOKINGS'], '101000,00').split('BOOKINGS\r\n')
    const source = new Source([start, booking.repeat(1_000), end], 100, 1_000)
    for await (const { kind } of readMt940(source.chunks(), 'utf-8')) if (kind === 'line') source.read += 1
    expect([source.read, source.mostAhead <= 1_001]).toEqual([100_000, true])
  })
})
