import { expect, it } from 'vitest'
import { latestMonth } from './latest-month.ts'

const NOW = new Date('2027-01-12T10:00:00Z')

it.each([
  ['the last whole month', '2026-12-31T23:59:59.999Z', '2026-12-01', '2026-12-31'],
  [
    'this month until today for an anchor that began in it',
    '2027-01-01T00:00:00Z',
    '2027-01-01',
    '2027-01-12',
  ],
])('a period begins as %s', (_, createdAt, from, to) => {
  expect(latestMonth({ createdAt }, NOW)).toEqual({ from, to })
})
