import { parseAmount } from '@windlass/money/amount.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BankAnchor, camt053, IBAN } from '../testing/bank-anchor.ts'
import { realFile } from '../testing/real-files.ts'
import { evaluateConditions } from '../workspace/notifications/conditions.ts'
import { reconcile } from '../workspace/reconciliation/reconcile.ts'
import { findGaps } from './missing-statements.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const differences = async (status: string) =>
  (await anchor.get(`/reconciliation/differences?status=${status}`))
    .json<{ kind: string }[]>()
    .filter(({ kind }) => kind === 'statement-missing')
async function result() {
  const { last } = await reconcile(anchor.deps, 'operator:usr_1')
  return last?.checks.find(({ name }) => name === 'Missing statements')?.result
}

it('reconciliation names the statement that is missing, until it is read', async () => {
  await anchor.forgetStatements()
  const file = (name: string) => realFile(`B57-${name}.xml`).toString()
  await anchor.read('SEPA', 'wednesday', file('wednesday'))
  expect(await result()).toBe('equal')
  await anchor.read('SEPA', 'monday', file('monday'))
  expect(await result()).toBe('different')
  expect(await differences('open')).toMatchObject([
    {
      ...{ kind: 'statement-missing', subject: `${IBAN} 2026-11-25`, unit: 'EUR', amount: '990' },
      detail: `A statement of ${IBAN} is missing, of 2026-11-24: the account closed with 1010 EUR on 2026-11-23, and opened with 2000 EUR before 2026-11-25.`,
    },
  ])
  const { conditions } = await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })
  expect(conditions).toContainEqual(expect.objectContaining({ kind: 'reconciliation-difference' }))
  const tuesday = camt053([{ amount: '990.00', day: '2026-11-24' }], {
    ...{ opening: 1010, closing: 2000, closingDay: '2026-11-24' },
  })
  await anchor.read('SEPA', 'tuesday', tuesday)
  expect(await result()).toBe('equal')
  expect(await differences('gone')).toMatchObject([{ kind: 'statement-missing' }])
})

const dayOf = (index: number) => new Date(Date.UTC(2026, 10, 1 + index)).toISOString().slice(0, 10)
const short = (day: string) => day.slice(2).replaceAll('-', '')
const euros = (cents: number) => (cents / 100).toFixed(2).replace('.', ',')

/** What came on each day, in cents, as one statement of days from one to another. */
function statement(days: readonly number[], from: number, to: number): string {
  const balance = (end: number) => days.slice(0, end).reduce((sum, cents) => sum + cents, 100_000)
  const bookings = days.slice(from, to).map((cents, index) => {
    const day = short(dayOf(from + index))
    return `:61:${day}${day.slice(2)}C${euros(cents)}NTRFNONREF//R${from + index}\n:86:day ${from + index}`
  })
  return [
    ...[`:20:${from}-${to}`, ':25:37040044/0532013000', `:28C:${from + 1}/1`],
    `:60F:C${short(dayOf(from - 1))}EUR${euros(balance(from))}`,
    ...bookings,
    ...[`:62F:C${short(dayOf(to - 1))}EUR${euros(balance(to))}`, '-', ''],
  ].join('\n')
}

const history = fc.record({
  days: fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 4, maxLength: 8 }),
  cuts: fc.array(fc.nat(7), { maxLength: 4 }),
  wider: fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 2 }),
  order: fc.infiniteStream(fc.nat(100)),
  left: fc.nat(7),
})

it('a gap is what no statement has, however the others overlap and in whatever order they come', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ days, cuts, wider, order, left }) => {
      await anchor.forgetStatements()
      const edges = [...new Set([0, ...cuts.map(cut => cut % days.length), days.length])].sort(
        (a, b) => a - b,
      )
      const parts = edges.slice(1).map((to, index) => [edges[index] ?? 0, to] as const)
      const [missing] = parts.splice(left % parts.length, 1)
      const spans = wider.map(
        ([a, b]) => [Math.min(a, b) % days.length, (Math.max(a, b) % days.length) + 1] as const,
      )
      parts.push(...spans.filter(([from, to]) => from < to))
      const ranks = order[Symbol.iterator]()
      const files = parts
        .map(part => ({ part, rank: Number(ranks.next().value) }))
        .sort((a, b) => a.rank - b.rank)
      for (const { part } of files) {
        const [from, to] = part
        const answer = await anchor.upload('SEPA', `${from}-${to}`, statement(days, from, to))
        expect([201, 409]).toContain(answer.statusCode)
      }
      const covered = days.map((_, day) => parts.some(([from, to]) => from <= day && day < to))
      const [first, end] = [covered.indexOf(true), covered.lastIndexOf(true)]
      const lost = days.flatMap((cents, day) =>
        first < day && day < end && !covered[day] ? [{ cents, day }] : [],
      )
      const gaps = await findGaps(anchor.deps.database.db)
      const sum = gaps.reduce((all, { last, next }) => all + (next.balance - last.balance), 0n)
      expect([missing, sum]).toEqual([
        missing,
        parseAmount('0.01') * BigInt(lost.reduce((all, { cents }) => all + cents, 0)),
      ])
      expect(gaps.every(({ account }) => account === IBAN)).toBe(true)
      for (const { day } of lost.slice(0, 1)) expect(gaps[0]?.last.day).toBe(dayOf(day - 1))
    }),
    { numRuns: process.env.MODE === 'faults' ? 1_000 : 40 },
  )
})
