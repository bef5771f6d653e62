import { parseAmount } from '@windlass/money/amount.ts'
import { SaxesParser } from 'saxes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Line, recordEntry } from '../../money/journal/journal.ts'
import { BankAnchor, camt053, IBAN } from '../../testing/bank-anchor.ts'
import { journalCsv } from './formats.ts'

let anchor: BankAnchor
const day = '2026-10-15'
beforeAll(async () => {
  anchor = await BankAnchor.start()
  await record('deposit', '2026-09-30T23:59:59Z', deposit('100', '108', '0.5'))
  await record('deposit', `${day}T10:00:00Z`, deposit('20', '22.6', '0.6'))
  await record('payout', `${day}T11:00:00Z`, deposit('-10', '-9.4', '0.4'))
  await record('deposit', '2026-11-01T00:00:00Z', deposit('1', '2', '0.5'))
})
afterAll(() => anchor.close())

const deposit = (units: string, money: string, fee: string): Line[] => [
  ['rail:SEPA', 'EUR', parseAmount(money)],
  ['exchange', 'EUR', -parseAmount(money)],
  ['exchange', 'asset', parseAmount(units) + parseAmount(fee)],
  ['customers', 'asset', -parseAmount(units)],
  ['fees', 'asset', -parseAmount(fee)],
]
/** An entry of that time. */
async function record(kind: string, at: string, lines: Line[]): Promise<void> {
  const { db, pool } = anchor.deps.database
  await pool.query(`alter table journal_entries alter created_at set default '${at}'`)
  await db.transaction().execute(tx => recordEntry(tx, { cause: `${kind} ${at}`, kind, lines }))
  await pool.query('alter table journal_entries alter created_at set default clock_timestamp()')
}
const download = (name: string, query = `from=2026-10-01&to=2026-10-31`) =>
  anchor.get(`/exports/${name}?${query}`)

describe('records of a period', () => {
  it('are the journal’s entries of these days, oldest first, as CSV and JSON', async () => {
    const csv = await download('journal.csv')
    expect(csv.headers['content-disposition']).toBe(
      'attachment; filename="mumbai-2026-10-01-2026-10-31-journal.csv"',
    )
    const rows = csv.body.trimEnd().split('\r\n')
    expect(rows[0]).toBe('at,entry,kind,transaction,account,unit,amount,booked_on,valued_on,counted_on')
    expect(rows).toHaveLength(11)
    expect(rows.filter(line => line.includes('rail:SEPA')).map(line => line.split(',')[6])).toEqual([
      '22.6',
      '-9.4',
    ])
    const json = (await download('journal.json')).json<{ kind: string; lines: { amount: string }[] }[]>()
    expect(json.map(({ kind }) => kind)).toEqual(['deposit', 'payout'])
    expect((await download('journal.json', 'from=2020-01-01&to=2020-01-02')).json()).toEqual([])
  })

  it('are what was earned, by day, rail and direction', async () => {
    expect((await download('fees.csv')).body).toBe(
      'day,rail,direction,transactions,fees,rounding,unit\r\n' +
        `${day},SEPA,deposit,1,0.6,0,MUMBAI\r\n${day},SEPA,withdrawal,1,0.4,0,MUMBAI\r\n`,
    )
  })

  it('are a statement of a bank account: its own bookings, on the bank’s days, each once', async () => {
    const before = { amount: '8', bankReference: 'R0', day: '2026-09-30' }
    const first = {
      ...{ amount: '22.60', bankReference: 'R1', day: '2026-10-14', text: 'Invoice 7' },
      ...{ name: 'Asha Rao', account: 'NL20ABNA0517852257' },
    }
    const second = { amount: '9.40', direction: 'out', bankReference: 'R2', day: '2026-10-31' } as const
    const after = { amount: '1', bankReference: 'R3', day: '2026-11-01' }
    const file = camt053([before, first, second, after])
    expect((await anchor.read('SEPA', 'october.xml', file)).json()).toMatchObject({ newLines: 4 })
    const again = file.replace(/<MsgId>[^<]*/, '<MsgId>again')
    expect((await anchor.read('SEPA', 'again.xml', again)).json()).toMatchObject({ newLines: 0 })

    const query = 'from=2026-10-01&to=2026-10-31&rail=SEPA'
    const camt = (await download('rail.camt.053.xml', query)).body
    new SaxesParser().write(camt).close()
    const amounts = [...camt.matchAll(/<Amt Ccy="EUR">([\d.]+)<\/Amt><CdtDbtInd>(\w+)/g)]
    expect(amounts.map(([, amount, side]) => `${side} ${amount}`)).toEqual([
      ...['CRDT 8.00', 'CRDT 21.20', 'CRDT 22.60', 'DBIT 9.40'],
    ])
    expect(
      [...camt.matchAll(/<BookgDt><Dt>(.*?)<\/Dt><\/BookgDt><AcctSvcrRef>(\w+)/g)].map(each => each.slice(1)),
    ).toEqual([
      ['2026-10-14', 'R1'],
      ['2026-10-31', 'R2'],
    ])
    expect(camt).toContain(`<IBAN>${IBAN}</IBAN>`)
    expect(camt).toContain('<Nm>Asha Rao</Nm>')
    expect(camt).toContain('<Ustrd>Invoice 7</Ustrd>')
    const ofx = (await download('rail.ofx', query)).body
    expect([...ofx.matchAll(/<TRNAMT>([-\d.]+)/g)].map(([, amount]) => amount)).toEqual(['22.60', '-9.40'])
    expect(ofx).toContain('<BALAMT>21.20</BALAMT>')
    expect(ofx).toContain('<DTPOSTED>20261014</DTPOSTED>')
    expect((await download('rail.ofx')).statusCode).toBe(400)
    expect((await download('rail.ofx', 'from=2026-10-01&to=2026-10-31&rail=GIRO')).statusCode).toBe(404)
  })

  it.each([...['journal.csv', 'journal.json', 'fees.csv', 'rail.camt.053.xml', 'rail.ofx', 'statement.pdf']])(
    'are no statement of a bank: %s is refused as one',
    async name => {
      const made = await download(name, 'from=2026-10-01&to=2026-10-31&rail=SEPA')
      const lines = await anchor.rows('select 1 from bank_lines')
      const answer = await anchor.read('SEPA', name, made.rawPayload)
      const why = /json|pdf/.test(name) ? /The file is (JSON|a PDF)/ : /an export of Windlass/
      expect([answer.statusCode, answer.json().detail]).toEqual([422, expect.stringMatching(why)])
      expect(await anchor.rows('select 1 from bank_lines')).toHaveLength(lines.length)
    },
  )

  it('are what their entries moved, where no bank keeps the account', async () => {
    const rail = anchor.deps.rails.get('SEPA')
    const bankAccount = rail?.bankAccount
    if (!rail || !bankAccount) throw new Error('no bank account')
    Object.assign(rail, { bankAccount: undefined })
    const camt = (await download('rail.camt.053.xml', 'from=2026-10-01&to=2026-10-31&rail=SEPA')).body
    Object.assign(rail, { bankAccount })
    const amounts = [...camt.matchAll(/<Amt Ccy="EUR">([\d.]+)<\/Amt>/g)].map(([, amount]) => amount)
    expect(amounts).toEqual(['108.00', '121.20', '22.60', '9.40'])
  })

  it('are a statement to print', async () => {
    const pdf = await download('statement.pdf')
    expect(pdf.rawPayload.subarray(0, 5).toString()).toBe('%PDF-')
    const { PDFDocument } = await import('@cantoo/pdf-lib')
    const document = await PDFDocument.load(pdf.rawPayload)
    expect(document.getTitle()).toContain('2026-10-01 to 2026-10-31')
  })

  it.each([
    'from=2026-10-32&to=2026-10-31',
    'from=2026-02-30&to=2026-03-01',
    'from=2026-10-02&to=2026-10-01',
    'from=2024-01-01&to=2026-10-01',
    'from=x&to=y',
    '',
  ])('are not those of %s', async query => {
    expect((await download('journal.csv', query)).statusCode).toBe(400)
  })

  it.each([
    ['=HYPERLINK("https://evil.example")', `"'=HYPERLINK(""https://evil.example"")"`],
    ['+1+cmd', `'+1+cmd`],
    ['-1+1', `'-1+1`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['-1.5', '-1.5'],
  ])('computes nothing in a spreadsheet: %s', async (kind, cell) => {
    const entries = async function* () {
      const lines = [{ account: 'customers', unit: 'asset', amount: '1' }]
      const days = { bookedOn: day, valuedOn: day, countedOn: day }
      yield { id: 'e', kind, transactionId: null, at: day, ...days, lines }
    }
    const [, line] = await Array.fromAsync(journalCsv(entries()))
    expect(line).toBe(`${day},e,${cell},,customers,asset,1,${day},${day},${day}\r\n`)
  })

  it('are read page by page: a thousand entries come whole and once', async () => {
    const { pool } = anchor.deps.database
    await pool.query(
      `with e as (insert into journal_entries (cause, kind, created_at)
         select 'many ' || n, 'many', '2026-08-01' from generate_series(1, 1001) n returning id)
       insert into journal_lines (entry_id, account, unit, amount)
         select id, account, 'EUR', amount from e, (values ('kept', 1), ('lost', -1)) l (account, amount)`,
    )
    const rows = (await download('journal.csv', 'from=2026-08-01&to=2026-08-01')).body.trimEnd().split('\r\n')
    expect(rows).toHaveLength(2003)
    expect(new Set(rows).size).toBe(2003)
  })
})
