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
