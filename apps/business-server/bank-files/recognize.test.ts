import { expect, it } from 'vitest'
import { comparisonsOfAFile, type KnownLine, type ReadLine, recognize } from './recognize.ts'
import type { StatementDay } from './statement-days.ts'

const facts = (text: string) => ({
  ...{ bankReference: null, codes: [], name: null, account: null },
  ...{ facts: text, words: text },
})
const read = (position: number, amount: string, text: string): ReadLine => ({
  ...facts(text),
  position,
  line: {
    ...{ bookedOn: '2026-11-20', direction: 'in', amount, currency: 'EUR', bankReference: null, text },
    ...{ party: { name: null, account: null, bank: null }, returnReason: null, booking: null },
  },
})
const known = (position: number, amount: string, text: string): KnownLine => ({
  ...facts(text),
  ...{ id: text, statementId: 'before', position, format: 'camt.054', direction: 'in', amount },
  ...{ booking: null, isDoubtful: false, days: [] },
})
const says: StatementDay = {
  ...{ statementId: 'now', format: 'camt.053', number: null, page: null, opening: null, closing: null },
  ...{ starts: 0, ends: 0, turnover: 0n, bookings: '', isLonger: false },
}
const count = (verdicts: ReturnType<typeof recognize>, is: string) =>
  [...verdicts.values()].filter(verdict => verdict.is === is).length

it('too many lines of one amount are not compared one by one: each waits for a person, and others are compared', () => {
  const many = Array.from({ length: 501 }, (_, n) => n)
  const lines = [
    ...many.map(n => read(n + 1, '2', `now ${n}`)),
    read(2_000, '3', 'now'),
    read(2_001, '4', 'more'),
  ]
  const before = [...many.map(n => known(n + 1, '2', `before ${n}`)), known(2_000, '3', 'before')]
  const comparisons = comparisonsOfAFile()
  const verdicts = recognize(says, lines, before, comparisons)
  expect([count(verdicts, 'doubtful'), count(verdicts, 'new')]).toEqual([502, 1])
  expect(comparisons.left).toBe(999_999)
})

it('a file compares no more than its share, however many days and statements it has', () => {
  const comparisons = { left: 10 }
  const day = () =>
    recognize(
      says,
      [1, 2, 3].map(n => read(n, '2', `now ${n}`)),
      [1, 2, 3].map(n => known(n, '2', `before ${n}`)),
      comparisons,
    )
  for (const left of [1, 1, 1]) {
    expect(count(day(), 'doubtful')).toBe(3)
    expect(comparisons.left).toBe(left)
  }
})
