import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { payQueued } from '../payments/pay.ts'
import { BankAnchor } from '../testing/bank-anchor.ts'
import { nachaReturns, type ReturnedEntry } from '../testing/nacha-returns.ts'

let anchor: BankAnchor
beforeEach(async () => {
  anchor = await BankAnchor.start()
})
afterEach(() => anchor.close())

const PAYEE = { dest: '9876543210', dest_extra: '011401533', dest_name: 'Asha Rao' }
const cents = (money: string) => Math.round(Number(money) * 100)

/** A withdrawal whose payout is in an approved file, and the code of that file. */
async function paidOut() {
  const payout = await anchor.withdrawal('ach', PAYEE)
  const made = await anchor.asOperator('POST', '/rails/ACH/payout-files', { by: 'operator:one' })
  const { id, code: fileCode } = made.json<{ id: string; code: string }>()
  expect((await anchor.approve(id, 'operator:other')).statusCode).toBe(200)
  return { ...payout, fileCode }
}

const read = (entries: readonly ReturnedEntry[], over?: Parameters<typeof nachaReturns>[1]) =>
  anchor.read('ACH', 'returns.ach', nachaReturns(entries, over))
const lines = () =>
  anchor.rows<{ state: string; why: string; direction: string; booked_on: string }>(
    'select state, why, direction, booked_on::text from bank_lines order by created_at desc, id',
  )
const failureOf = (id: string) =>
  anchor.rows("select state, failure from rail_orders where kind = 'payout' and transfer_id = $1", [id])
let bookings = 0
const ofx = (text: string, amount: string, day: string) =>
  '<?OFX OFXHEADER="200" VERSION="220"?><OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD</CURDEF><BANKACCTFROM>' +
  '<BANKID>021000021</BANKID><ACCTID>12345678</ACCTID></BANKACCTFROM><BANKTRANLIST><STMTTRN><TRNTYPE>OTHER</TRNTYPE>' +
  `<DTPOSTED>${day}</DTPOSTED><TRNAMT>${amount}</TRNAMT><FITID>T${(bookings += 1)}</FITID><NAME>${text}</NAME></STMTTRN>` +
  '</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>'

describe('a payout that a NACHA file returns', () => {
  it('is found by its reference, and the customer is refunded with the reason', async () => {
    const { id, code, fileCode, money } = await paidOut()
    const returned = { code: 'R03', cents: cents(money), individualId: code }
    const answer = await read([returned], { settled: '325', fileCode })
    expect(answer.json()).toMatchObject({ format: 'nacha', lines: 1, newLines: 1, bookedTo: '2026-11-21' })
    expect(await lines()).toMatchObject([{ state: 'matched', direction: 'in', booked_on: '2026-11-21' }])
    expect(await failureOf(id)).toEqual([
      { state: 'failed', failure: 'R03 No account, or none of this name' },
    ])
    expect(await anchor.state(id)).toBe('returning')
    // The account's own statement has it too, and it is one booking.
    await anchor.read('ACH', 'x.ofx', ofx(`ACH RETURN ${code}`, money, '20261121'))
    expect(await lines()).toHaveLength(1)
  })

  it('is found by its trace number, account and amount where the bank leaves our reference out', async () => {
    const { id, money } = await paidOut()
    const entry = { code: 'R02', cents: cents(money), original: '021000020000001' }
    // Another account's entry, which has the same trace number in another file.
    await read([{ ...entry, account: '1111111111' }])
    expect((await lines())[0]).toMatchObject({ state: 'review' })
    expect(await anchor.state(id)).toBe('paying_out')
    await read([entry])
    expect(await failureOf(id)).toEqual([{ state: 'failed', failure: 'R02 Account closed' }])
  })

  it('waits for people, as every returned payment does, where a statement had confirmed it', async () => {
    const { id, code, fileCode, money } = await paidOut()
    await anchor.read('ACH', 'x.ofx', ofx(fileCode, `-${money}`, '20261120'))
    expect(await anchor.state(id)).toBe('completed')
    await read([{ code: 'R23', cents: cents(money), individualId: code }], { fileCode })
    expect(await anchor.state(id)).toBe('sent_back')
  })
})

it('a deposit that a NACHA file takes back (R10) is the customer’s debt', async () => {
  const { id, reference, money } = await anchor.deposit('ach')
  await anchor.read('ACH', 'x.ofx', ofx(reference, money, '20261119'))
  const [line] = await anchor.rows<{ id: string; state: string }>('select id, state from bank_lines')
  if (line?.state === 'review')
    await anchor.asOperator('POST', `/statement-lines/${line.id}/decide`, {
      ...{ decision: 'match', transactionId: id, reason: 'the bank names no payer', by: 'operator:one' },
    })
  await payQueued(anchor.deps)
  expect(await anchor.state(id)).toBe('completed')
  await read([
    { code: 'R10', cents: cents(money), individualId: reference.slice(0, 15), kind: '26', text: reference },
  ])
  expect((await lines())[0]).toMatchObject({ state: 'matched', direction: 'out' })
  expect(await anchor.balances()).toMatchObject({ 'debts USD': String(Number(money)) })
})

it('a notice of change is shown, moves nothing, and keeps what is right out of the database', async () => {
  const { id, code } = await paidOut()
  const answer = await read([{ code: 'C01', cents: 0, individualId: code, text: '5550001112223' }])
  expect(answer.json()).toMatchObject({
    ...{ lines: 0, leftOut: [{ reason: 'notice-of-change', detail: `${code} C01: the account number` }] },
  })
  expect(await anchor.state(id)).toBe('paying_out')
  const [row] = await anchor.rows<{ left_out: object }>('select left_out from bank_statements')
  expect(JSON.stringify(row)).not.toContain('5550001112223')
})

it('a return of a return waits for a person, since it names our payment and is not what became of it', async () => {
  const { id, code, money } = await paidOut()
  await read([{ code: 'R68', cents: cents(money), individualId: code }])
  expect((await lines())[0]).toMatchObject({ state: 'review' })
  expect(await anchor.state(id)).toBe('paying_out')
})

const entries = [{ code: 'R03', cents: 500, individualId: 'P0123456789ABCD' }]
it.each([
  ['cut off', nachaReturns(entries).slice(0, 200), /cut off/],
  [
    'with an amount that was changed',
    nachaReturns(entries).replace('0000000500', '0000050000'),
    /other sums/,
  ],
  [
    'with a return taken out',
    nachaReturns([...entries, ...entries]).replace(/\n6[^]*?(?=\n6)/, ''),
    /other sums/,
  ],
  ['of another company', nachaReturns(entries, { company: '9999999999' }), /company 9999999999/],
  ['of payments', nachaReturns(entries).replace(/799[^]{93}/, ''), /other sums|payments/],
])('a file %s is refused, and nothing of it counts', async (_, file, why) => {
  const answer = await anchor.read('ACH', 'returns.ach', file)
  expect([answer.statusCode, answer.json().detail]).toEqual([422, expect.stringMatching(why)])
  expect(await anchor.rows('select 1 from bank_statements')).toEqual([])
})

it('our own payout file is no return', async () => {
  await paidOut()
  const [{ id } = { id: '' }] = await anchor.rows<{ id: string }>('select id from payout_files')
  const file = (await anchor.asOperator('POST', `/payout-files/${id}/download`)).rawPayload
  const answer = await anchor.read('ACH', 'payouts.ach', file)
  expect([answer.statusCode, answer.json().detail]).toEqual([
    422,
    expect.stringContaining('NACHA with payments'),
  ])
})

it('a batch that the bank’s statement has as one amount is asked about, and counts once', async () => {
  const [first, second] = [await paidOut(), await paidOut()]
  const returned = [first, second].map(({ code, money }) => ({
    ...{ code: 'R04', cents: cents(money), individualId: code },
  }))
  await read(returned, { settled: '325' })
  const total = (Number(first.money) + Number(second.money)).toFixed(2)
  await anchor.read('ACH', 'x.ofx', ofx('ACH RETURNS', total, '20261121'))
  const [last] = await lines()
  expect(last).toMatchObject({ state: 'review', why: 'It may be the same booking as another line.' })
})
