import { expect, it } from 'vitest'
import { dayAtBank } from './bank-day.ts'

it.each([
  ['SEPA', '2026-11-20T22:59:00Z', '2026-11-20'],
  ['sepa', '2026-11-20T23:00:00Z', '2026-11-21'],
  ['SEPA', '2026-07-20T22:00:00Z', '2026-07-21'],
  ['NEFT', '2026-11-20T18:30:00Z', '2026-11-21'],
  ['ACH', '2026-11-21T04:59:00Z', '2026-11-20'],
  ['GIRO', '2026-11-20T23:59:00Z', '2026-11-20'],
])('the banks of %s have at %s the day %s', (rail, at, day) => {
  expect(dayAtBank(rail, new Date(at))).toBe(day)
})
