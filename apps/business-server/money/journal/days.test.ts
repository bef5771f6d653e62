import { parseAmount } from '@windlass/money/amount.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BankAnchor, camt053, mt940 } from '../../testing/bank-anchor.ts'
import { recordEntry } from './journal.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

interface Entry {
  kind: string
  bookedOn: string
  valuedOn: string
  countedOn: string
}
const newest = async (limit = 1) => (await anchor.get(`/journal?limit=${limit}`)).json<Entry[]>()
const balanceAt = async (at: string, account: string, unit = 'EUR') => {
  const all = (await anchor.get(`/journal/balances?at=${at}`)).json<
    { account: string; unit: string; amount: string }[]
  >()
  return all.find(each => each.account === account && each.unit === unit)?.amount ?? '0'
}
const days = (bookedOn: string, valuedOn = bookedOn) => ({ bookedOn, valuedOn, countedOn: bookedOn })

it('a statement of October that is read in November is October’s, also what was decided and reversed about it', async () => {
  const { reference, money } = await anchor.deposit()
  await anchor.read(
    'SEPA',
    'october.xml',
    camt053([
      { amount: money, text: reference, bankReference: 'O1', day: '2026-10-30' },
      { amount: '7.00', text: 'interest', bankReference: 'O2', day: '2026-10-31' },
    ]),
  )
  // Lines are matched in any order.
  expect((await newest(2)).toSorted((a, b) => (a.kind < b.kind ? -1 : 1))).toMatchObject([
    { kind: 'deposit', ...days('2026-10-30') },
    { kind: 'statement-line', ...days('2026-10-31') },
  ])
  const [line] = await anchor.rows<{ id: string }>("select id from bank_lines where bank_reference = 'O2'")
  const decide = (act: string, given: object) =>
    anchor.asOperator('POST', `/statement-lines/${line?.id}/${act}`, { by: 'operator:one', ...given })
  const own = { decision: 'ignore', as: 'own', account: 'interest', reason: 'interest of October' }
  await decide('decide', own)
  expect(await balanceAt('2026-10-31', 'interest')).toBe('-7')
  await decide('reversal', { reason: 'it is capital' })
  expect(await newest()).toMatchObject([{ kind: 'reversal', ...days('2026-10-31') }])
  await decide('decide', { ...own, account: 'capital', reason: 'it is capital' })
  expect([await balanceAt('2026-10-31', 'interest'), await balanceAt('2026-10-31', 'capital')]).toEqual([
    '0',
    '-7',
  ])
  expect(await balanceAt('2026-10-30', 'rail:SEPA')).toBe(String(Number(money)))
  expect(await balanceAt('2026-10-29', 'rail:SEPA')).toBe('0')
  const trial = (await anchor.get('/journal/balances?at=2026-10-31')).json<
    { unit: string; amount: string }[]
  >()
  const sums = Map.groupBy(trial, ({ unit }) => unit)
  for (const [unit, rows] of sums)
    expect([unit, rows.reduce((sum, { amount }) => sum + parseAmount(amount), 0n)]).toEqual([unit, 0n])
  expect((await anchor.get('/journal/balances?at=2026-02-30')).statusCode).toBe(400)
})

it('an entry has the day from which the bank counts its money, where the file says so', async () => {
  const booking = [':61:2611211120C5,00NTRFNONREF//V1', ':86:contribution']
  await anchor.read('SEPA', 'value.sta', mt940(booking, '1005,00'))
  expect(await newest()).toMatchObject([days('2026-11-20', '2026-11-21')])
})

it('what no bank booked has the day of the anchor’s time zone: a month in India ends at 18:30 UTC', async () => {
  const { db, pool } = anchor.deps.database
  const record = async (cause: string, at: string) => {
    await pool.query(`alter table journal_entries alter created_at set default '${at}'`)
    await db.transaction().execute(tx =>
      recordEntry(tx, {
        cause,
        kind: 'test',
        lines: [
          ['fees', 'INR', -1n],
          ['exchange', 'INR', 1n],
        ],
      }),
    )
    await pool.query('alter table journal_entries alter created_at set default clock_timestamp()')
  }
  await record('utc', '2027-10-31T18:30:00Z')
  expect(await newest()).toMatchObject([days('2027-10-31')])
  const set = (timeZone: string) =>
    anchor.asOperator('PUT', '/journal/settings', { timeZone, by: 'operator:one' })
  expect((await set('Asia/Calcutta/No')).statusCode).toBe(400)
  expect((await set('Asia/Kolkata')).json()).toEqual({ timeZone: 'Asia/Kolkata' })
  expect((await anchor.get('/journal/settings')).json()).toEqual({ timeZone: 'Asia/Kolkata' })
  await record('before', '2027-12-31T18:29:59Z')
  expect(await newest()).toMatchObject([days('2027-12-31')])
  await record('after', '2027-12-31T18:30:00Z')
  expect(await newest()).toMatchObject([days('2028-01-01')])
  expect([
    await balanceAt('2027-12-31', 'fees', 'INR'),
    await balanceAt('2028-01-01', 'fees', 'INR'),
  ]).toEqual(['-0.0000002', '-0.0000003'])
})

it('a payment on the ledger counts on the day on which its ledger closed', async () => {
  const received = await anchor.withdrawal('sepa', {
    ...{ dest: 'DE02120300000000202051', dest_name: 'Asha Rao' },
  })
  const [entry] = await anchor.rows<{ booked_on: string; closed: string }>(
    `select booked_on::text, (now() at time zone 'Asia/Kolkata')::date::text as closed
     from journal_entries where transfer_id = $1 and kind = 'ledger-receipt'`,
    [received.id],
  )
  expect(entry?.booked_on).toBe(entry?.closed)
})
