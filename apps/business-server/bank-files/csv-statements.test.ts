import { afterAll, beforeAll, expect, it } from 'vitest'
import { BankAnchor } from '../testing/bank-anchor.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const columns = {
  ...{ delimiter: ';', skipLines: 0, encoding: 'utf-8', decimal: ',', dateFormat: 'year-month-day' },
  ...{ date: 'Date', amount: 'Amount', text: ['Text'] },
}
const setColumns = (more: object = {}) =>
  anchor.send('PUT', '/rails/SEPA/csv-columns', { ...columns, ...more })
const lines = () =>
  anchor.rows<{ direction: string; amount: string }>(
    'select direction, amount from bank_lines order by created_at, position',
  )

it('whose decimal sign is not the one that the columns say is refused at its row, and nothing of it counts', async () => {
  await setColumns()
  const points = 'Date;Text;Amount\n2026-11-20;a;1.234\n2026-11-20;b;12.50\n'
  const refused = await anchor.read('SEPA', 'points.csv', points)
  expect([refused.statusCode, refused.json()]).toMatchObject([
    422,
    { code: 'statement-refused', detail: expect.stringContaining('Row 3: “12.50” is no number') },
  ])
  expect(await lines()).toEqual([])
  await setColumns({ decimal: '.' })
  const read = await anchor.read('SEPA', 'points.csv', points.replace('1.234', '1,234.00'))
  expect(read.json()).toMatchObject({ lines: 2 })
  expect((await lines()).map(({ amount }) => Number(amount))).toEqual([1234, 12.5])
})

const revolut = {
  ...{ delimiter: ',', decimal: '.', date: 'Started Date', text: ['Description'] },
  ...{ currency: 'Currency', balance: 'Balance' },
}
const head = 'Type,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance'
const words = {
  column: 'State',
  booked: ['COMPLETED', 'Abgeschlossen'],
  pending: ['Pending'],
  failed: ['reverted'],
}

it('counts no row that is pending or was reverted, and funds no deposit by it', async () => {
  const { id, reference, money } = await anchor.deposit()
  const reverted = `TOPUP,2026-11-19 09:00:00,,Payment ${reference},${money},0.00,EUR,REVERTED,`
  const file = (...rows: string[]) => `${[head, ...rows].join('\n')}\n`
  const before = await lines()

  await setColumns(revolut)
  const unassigned = await anchor.read('SEPA', 'a.csv', file(reverted))
  expect([unassigned.statusCode, unassigned.json().detail]).toEqual([
    422,
    expect.stringContaining('Row 2 has “REVERTED” in the column “State”, so it may be no money'),
  ])

  await setColumns({ ...revolut, state: words })
  const unknown = `TRANSFER,2026-11-20 09:00:00,,Outgoing,-5.00,0.00,EUR,Frozen,`
  const refused = await anchor.read('SEPA', 'b.csv', file(reverted, unknown))
  expect(refused.json().detail).toContain('Row 3 has “Frozen” in the column “State”')
  expect(await lines()).toEqual(before)

  const pending = unknown.replace('Frozen', 'PENDING')
  const none = await anchor.read('SEPA', 'c.csv', file(reverted, pending))
  expect([none.statusCode, none.json()]).toMatchObject([201, { lines: 0, newLines: 0, notBooked: 2 }])
  expect([await lines(), await anchor.state(id)]).toEqual([before, 'awaiting_funds'])

  const booked = reverted.replace('REVERTED,', `Completed,${money}`)
  const read = await anchor.read('SEPA', 'd.csv', file(pending, booked))
  expect(read.json()).toMatchObject({ lines: 1, newLines: 1, notBooked: 1 })
  expect(await anchor.state(id)).toBe('funded')
})

it('refuses columns that assign a word to two states', async () => {
  const twice = await setColumns({ state: { ...words, failed: ['pending', 'reverted'] } })
  expect([twice.statusCode, twice.json().errors]).toEqual([
    400,
    [{ path: 'state', message: 'assigns “PENDING” to more than one state' }],
  ])
})

it('shows a file as an upload would read it, with its sums, and records nothing', async () => {
  const text = 'Date;Text;Amount\n2026-11-20;a;1.234\n2026-11-20;b;-2,50\n'
  const preview = (given: object) =>
    anchor.send('POST', '/rails/SEPA/csv-columns/preview', {
      data: Buffer.from(text).toString('base64'),
      ...given,
    })
  const before = await lines()
  const right = (await preview({ columns })).json()
  expect(right.reading).toEqual({
    ...{ lines: 2, notBooked: 0, currency: 'EUR', refused: null, sums: { in: '1234', out: '2.5' } },
    first: [
      { bookedOn: '2026-11-20', direction: 'in', amount: '1234', text: 'a', party: null },
      { bookedOn: '2026-11-20', direction: 'out', amount: '2.5', text: 'b', party: null },
    ],
  })
  expect(right.proposal.columns).toMatchObject({ decimal: ',', delimiter: ';', amount: 'Amount' })
  const wrong = (await preview({ columns: { ...columns, decimal: '.' } })).json()
  expect(wrong.reading.refused).toContain('Row 2: “1.234” may be thousands')
  await setColumns()
  expect((await preview({})).json().reading).toMatchObject({ lines: 2, refused: null })
  expect(await lines()).toEqual(before)
  const none = await anchor.send('POST', '/rails/UPI/csv-columns/preview', { data: 'YQ==' })
  expect([none.statusCode, (await preview({ data: 'no base64!' })).statusCode]).toEqual([404, 400])
})
