import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BankAnchor, camt053, IBAN } from '../testing/bank-anchor.ts'
import { realFile } from '../testing/real-files.ts'
import { codesIn } from './statement.ts'
import { sealLine } from './lines.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const NEW_ACCOUNT =
  'truncate bank_line_places, bank_statement_days, bank_statement_parts, bank_lines, bank_statements cascade'
/** Each case begins with an account of which nothing was read. */
async function fresh(count: number) {
  await anchor.rows(NEW_ACCOUNT)
  return Promise.all(Array.from({ length: count }, () => anchor.deposit()))
}
const states = (deposits: readonly { id: string }[]) =>
  Promise.all(deposits.map(({ id }) => anchor.state(id)))
const read = async (name: string, deposits: Awaited<ReturnType<typeof fresh>> = []) =>
  (await anchor.read('SEPA', name, realFile(name, deposits))).json()
const review = async () => (await anchor.get('/statement-lines?status=review')).json()

describe('two deposits of equal size on two days both count', () => {
  it.each([
    ['where the bank’s reference is a placeholder', 'B01-day1.xml', 'B01-day2.xml'],
    ['where it is one in MT940', 'B01b-mt940-day1.sta', 'B01b-mt940-day2.sta'],
    ['where it counts from 1 in each statement', 'B01c-counter-day1.xml', 'B01c-counter-day2.xml'],
  ])('%s', async (_, monday, tuesday) => {
    const deposits = await fresh(2)
    expect(await read(monday, deposits)).toMatchObject({ lines: 1, newLines: 1 })
    expect(await read(tuesday, deposits)).toMatchObject({ lines: 1, newLines: 1, possibleDuplicates: 0 })
    expect(await states(deposits)).toEqual(['funded', 'funded'])
  })
})

describe('a booking counts once', () => {
  it('where camt.054 has its transactions and camt.053 their sum', async () => {
    const deposits = await fresh(2)
    expect(await read('B27-camt054.xml', deposits)).toMatchObject({ lines: 2, newLines: 2 })
    expect(await read('B27-camt053.xml', deposits)).toMatchObject({ lines: 1, newLines: 0 })
    expect(await states(deposits)).toEqual(['funded', 'funded'])
  })

  it('where camt.054 comes later: its transactions wait as possible duplicates of the sum', async () => {
    const deposits = await fresh(2)
    await read('B27-camt053.xml', deposits)
    const [sum] = await review()
    expect(await read('B27-camt054.xml', deposits)).toMatchObject({ newLines: 2, possibleDuplicates: 2 })
    expect(await states(deposits)).toEqual(['awaiting_funds', 'awaiting_funds'])
    expect(await review()).toMatchObject([
      { possibleDuplicateOf: { id: sum.id, fileName: 'B27-camt053.xml', bankReference: 'COLL1' } },
      { possibleDuplicateOf: { id: sum.id } },
      { possibleDuplicateOf: null },
    ])
  })

  it('in a file with other line ends', async () => {
    await fresh(0)
    expect(await read('B52b-unix.sta')).toMatchObject({ newLines: 1 })
    expect(await read('B52b-dos.sta')).toMatchObject({ lines: 1, newLines: 0 })
  })

  it('in MT940 and in camt.053, with different references of the bank', async () => {
    await fresh(0)
    expect(await read('B52c-statement.sta')).toMatchObject({ newLines: 1 })
    expect(await read('B52c-statement.xml')).toMatchObject({ lines: 1, newLines: 0 })
  })

  it('on each page of a statement', async () => {
    await fresh(0)
    expect(await read('B33-page1.xml')).toMatchObject({ newLines: 1, possibleDuplicates: 0 })
    expect(await read('B33-page2.xml')).toMatchObject({ newLines: 1, possibleDuplicates: 0 })
    const balances = await anchor.rows(
      'select number, page, opening::float, closing::float, closing_day from bank_statement_parts order by page',
    )
    expect(balances).toEqual([
      { number: 'P', page: '1', opening: 1000, closing: 1025, closing_day: '2026-11-20' },
      { number: 'P', page: '2', opening: 1025, closing: 1051, closing_day: '2026-11-20' },
    ])
  })
})

it('a payout’s debit counts beside one of equal size the day before', async () => {
  await fresh(0)
  const account = { dest: 'DE02120300000000202051', dest_name: 'Asha Rao', dest_extra: 'BYLADEM1001' }
  const paid = [await anchor.withdrawal('sepa', account), await anchor.withdrawal('sepa', account)]
  for (const [index, { code, money }] of paid.entries()) {
    const day = `2026-11-${19 + index}`
    const booking = { amount: money, direction: 'out', text: code, bankReference: 'NONREF', day } as const
    const opening = 1000 - index * Number(money)
    const answer = await anchor.read(
      'SEPA',
      `${day}.xml`,
      camt053([booking], { opening, closing: opening - Number(money) }),
    )
    expect(answer.json()).toMatchObject({ newLines: 1, possibleDuplicates: 0 })
  }
  const ended = await anchor.rows('select 1 from bank_payouts where ended_at is not null')
  expect(ended).toHaveLength(2)
})

describe('a file that an older release read, by the bank’s reference alone, is read again', () => {
  const ID = 'f'.repeat(32)
  /** As it recorded Monday's file with its line, and Tuesday's without one. */
  async function readBefore(deposits: Awaited<ReturnType<typeof fresh>>) {
    const [monday] = deposits
    const text = `Deposit ${monday?.reference}`
    const sealed = sealLine(anchor.deps.sealer, ID, {
      ...{ text, name: 'Asha Rao', account: 'DE75512108001245126199', bank: null, returnReason: null },
    })
    for (const [name, added] of [
      ['B01-day1.xml', 1],
      ['B01-day2.xml', 0],
    ] as const) {
      const digest = createHash('sha256').update(realFile(name, deposits)).digest()
      const [statement] = await anchor.rows<{ id: string }>(
        `insert into bank_statements (account, rail, currency, format, file_name, digest, lines, new_lines, by, rule)
         values ($1, 'SEPA', 'EUR', 'camt.053', $2, $3, 1, $4, 'folder', 1) returning id`,
        [IBAN, name, digest, added],
      )
      if (added === 1)
        await anchor.rows(
          `insert into bank_lines
             (id, statement_id, position, account, rail, booked_on, direction, amount, currency, bank_reference, codes, sealed)
           values ($1, $2, 1, $3, 'SEPA', '2026-11-19', 'in', $4, 'EUR', 'NONREF', $5, $6)`,
          [ID, statement?.id, IBAN, monday?.money, codesIn({ text, bankReference: null }), sealed],
        )
    }
  }

  it('and what was left out is added', async () => {
    const deposits = await fresh(2)
    await readBefore(deposits)
    expect(await read('B01-day1.xml', deposits)).toMatchObject({
      lines: 1,
      newLines: 1,
      possibleDuplicates: 0,
    })
    expect(await read('B01-day2.xml', deposits)).toMatchObject({
      lines: 1,
      newLines: 1,
      possibleDuplicates: 0,
    })
    expect(await states(deposits)).toEqual(['funded', 'funded'])
    expect(
      await anchor.rows('select position, line_id = $1 as old from bank_line_places order by part_id', [ID]),
    ).toEqual([
      { position: 1, old: true },
      { position: 1, old: false },
    ])
    expect(await read('B01-day2.xml', deposits)).toMatchObject({ code: 'statement-already-read' })
  })

  it('and a later file that overlaps with it finds its lines', async () => {
    const deposits = await fresh(2)
    await readBefore(deposits)
    const monday = realFile('B01-day1.xml', deposits).toString().replace('M2026-11-19', 'another')
    const answer = await anchor.read('SEPA', 'again.xml', monday)
    expect(answer.json()).toMatchObject({ lines: 1, newLines: 0 })
  })
})
