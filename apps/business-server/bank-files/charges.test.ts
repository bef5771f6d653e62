import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { payQueued } from '../payments/pay.ts'
import { BankAnchor, camt053 } from '../testing/bank-anchor.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
  anchor.deps.config.anchor.plan.asset.anchoredTo = 'EUR'
})
afterAll(() => anchor.close())
beforeEach(() => charges({ tolerance: '0.50', returnsBorneBy: 'anchor' }))

const ASHA = { dest: 'DE02120300000000202051', dest_name: 'Asha Rao' }
const [one, other] = ['operator:one', 'operator:other']

async function charges(given: object | null): Promise<void> {
  const body = { timeZone: 'UTC', by: one, ...(given && { charges: given }) }
  expect((await anchor.asOperator('PUT', '/journal/settings', body)).statusCode).toBe(200)
}

let bookings = 0
type Booking = Parameters<typeof camt053>[0][number]

/** Reads a statement with this booking; the line, as it is then. */
async function book(booking: Booking): Promise<{ id: string; state: string; why: string }> {
  const bankReference = `C${(bookings += 1)}`
  await anchor.read('SEPA', 'x.xml', camt053([{ bankReference, ...booking }]))
  const [line] = await anchor.rows<{ id: string; state: string; why: string }>(
    'select id, state, why from bank_lines where bank_reference = $1',
    [bankReference],
  )
  if (!line) throw new Error('the line is missing')
  return line
}
const plus = (money: string, more: number): string => (Number(money) + more).toFixed(2)

/** Puts all that waits into a file that the bank gets. */
async function file(): Promise<{ id: string; code: string; total: string; statusCode: number }> {
  await anchor.sendOrders()
  const answer = await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: one })
  const made = answer.json<{ id: string; code: string; total: string }>()
  if (answer.statusCode === 201) await anchor.approve(made.id, other)
  return { ...made, statusCode: answer.statusCode }
}
const paidOut = async () => {
  const payout = await anchor.withdrawal('sepa', ASHA)
  return { ...payout, file: await file() }
}
const decide = (line: string, over: object = {}) =>
  anchor.asOperator('POST', `/statement-lines/${line}/decide`, {
    ...{ decision: 'match', reason: 'the bank took a charge', by: one },
    ...over,
  })
const approve = (line: string) =>
  anchor.asOperator('POST', `/statement-lines/${line}/approval`, { approve: true, by: other })
const reverse = (line: string) =>
  anchor.asOperator('POST', `/statement-lines/${line}/reversal`, { reason: 'wrong', by: one })
const act = (id: string, kind: string) =>
  anchor.asOperator('POST', `/transactions/${id}/actions`, { kind, reason: 'x', by: one })

/** By how much accounts of the journal change, of those that do. */
async function changes(what: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await anchor.balances()
  await what()
  const after = await anchor.balances()
  const of = (name: string) => Math.round((Number(after[name] ?? 0) - Number(before[name] ?? 0)) * 1e7) / 1e7
  const names = Object.keys({ ...before, ...after }).filter(name => of(name) !== 0)
  return Object.fromEntries(names.map(name => [name, of(name)]))
}

describe('a debit that takes more than its payout', () => {
  it('settles it within the tolerance, with the difference as a charge', async () => {
    const { id, code, money } = await paidOut()
    const changed = await changes(async () => {
      const line = await book({ amount: plus(money, 0.35), direction: 'out', text: code })
      expect(line.state).toBe('matched')
    })
    expect(await anchor.state(id)).toBe('completed')
    expect(changed).toMatchObject({ 'charges EUR': 0.35, 'rail:SEPA EUR': -Number(plus(money, 0.35)) })
    expect(changed).not.toHaveProperty('suspense EUR')
    // The bank gives the whole back, with its charge.
    const back = await changes(() =>
      book({ amount: plus(money, 0.35), text: code, returnReason: 'AC04', day: '2026-11-22' }),
    )
    expect([await anchor.state(id), back['charges EUR'], back['suspense EUR']]).toEqual([
      'sent_back',
      -0.35,
      undefined,
    ])
  })

  it('waits beyond it, is never paid twice by a rejected file, and ends by a person', async () => {
    const { id, code, money, file: first } = await paidOut()
    const line = await book({ amount: plus(money, 0.6), direction: 'out', text: code })
    expect(line).toMatchObject({ state: 'review', why: expect.stringContaining('names a payout of') })
    await anchor.asOperator('POST', `/payout-files/${first.id}/rejection`, { reason: 'AM05', by: one })
    const path = `/payout-files/${first.id}/rejection/decision`
    expect((await anchor.asOperator('POST', path, { approve: true, by: other })).json().status).toBe(
      'rejected',
    )
    expect((await file()).statusCode).toBe(409)
    expect((await act(id, 'refund')).statusCode).toBe(409)
    const changed = await changes(async () => {
      expect((await decide(line.id)).json()).toMatchObject({ status: 'matched' })
    })
    expect(await anchor.state(id)).toBe('completed')
    expect([changed['charges EUR'], changed['suspense EUR']]).toEqual([0.6, -Number(plus(money, 0.6))])
    expect((await file()).statusCode).toBe(409)
  })

  it('is the whole of a file too, and a decision about it can be reversed', async () => {
    await charges(null)
    const { id, file: made } = await paidOut()
    const line = await book({ amount: plus(made.total, 0.4), direction: 'out', text: made.code })
    expect(line.state).toBe('review')
    const changed = await changes(async () => {
      expect((await decide(line.id)).json()).toMatchObject({ status: 'matched' })
      expect(await anchor.state(id)).toBe('completed')
      await reverse(line.id)
      expect(await anchor.state(id)).toBe('paying_out')
    })
    expect(changed).toEqual({})
    expect((await decide(line.id)).json()).toMatchObject({ status: 'matched' })
    await charges({ tolerance: '0.50', returnsBorneBy: 'anchor' })
    const next = await paidOut()
    await book({ amount: plus(next.file.total, 0.4), direction: 'out', text: next.file.code })
    expect(await anchor.state(next.id)).toBe('completed')
  })

  it('of more than a fifth needs two people, and one of a fifth less is another payment', async () => {
    const { id, code, money } = await paidOut()
    const less = await book({ amount: plus(money, -8), direction: 'out', text: code })
    expect((await decide(less.id, { transactionId: id })).statusCode).toBe(400)
    await decide(less.id, { decision: 'ignore', as: 'own' })
    const line = await book({ amount: plus(money, 8), direction: 'out', text: code })
    expect((await decide(line.id)).json()).toMatchObject({ status: 'review', pending: { requestedBy: one } })
    expect((await approve(line.id)).json()).toMatchObject({ status: 'matched' })
    expect(await anchor.state(id)).toBe('completed')
  })
})

describe('a debit that takes less than its payout', () => {
  it('settles it, and what comes back then is less by nothing that the customer bears', async () => {
    await charges({ tolerance: '0.50', returnsBorneBy: 'customer' })
    const { id, code, money } = await paidOut()
    const changed = await changes(() => book({ amount: plus(money, -0.3), direction: 'out', text: code }))
    expect([await anchor.state(id), changed['charges EUR']]).toEqual(['completed', -0.3])
    await book({ amount: plus(money, -0.3), text: code, returnReason: 'AC04', day: '2026-11-22' })
    expect(await anchor.state(id)).toBe('sent_back')
    const [order] = await anchor.rows('select bank_kept::float from rail_orders where transfer_id = $1', [id])
    expect(order).toEqual({ bank_kept: 0 })
  })

  it('is of another file where it books several at once: one of them may be missing', async () => {
    const [first, second] = [await anchor.withdrawal('sepa', ASHA), await anchor.withdrawal('sepa', ASHA)]
    const made = await file()
    const line = await book({ amount: plus(made.total, -0.1), direction: 'out', text: made.code })
    expect(line.state).toBe('review')
    expect((await decide(line.id)).statusCode).toBe(400)
    expect([await anchor.state(first.id), await anchor.state(second.id)]).toEqual([
      'paying_out',
      'paying_out',
    ])
  })
})

describe('a credit that names a payout of which no debit was read', () => {
  it('waits where the bank does not call it a return: anyone can write the code', async () => {
    await charges({ tolerance: '50', returnsBorneBy: 'anchor' })
    const { id, code, money } = await paidOut()
    for (const amount of [plus(money, -0.5), money]) {
      const line = await book({ amount, text: code })
      expect(line).toMatchObject({
        state: 'review',
        why: expect.stringContaining('does not call it a return'),
      })
      expect(await anchor.state(id)).toBe('paying_out')
      await decide(line.id, { decision: 'ignore', as: 'own' })
    }
    await book({ amount: money, direction: 'out', text: code, day: '2026-11-22' })
    expect(await anchor.state(id)).toBe('completed')
  })

  it('with the mark of a return gives the customer the units back, less what the bank kept', async () => {
    await charges({ tolerance: '0.50', returnsBorneBy: 'customer' })
    const { id, code, money } = await paidOut()
    await book({ amount: plus(money, -0.3), text: code, returnReason: 'AC04' })
    expect(await anchor.state(id)).toBe('returning')
    const [row] = await anchor.rows(
      `select (t.amount - p.amount)::float as less, (0.3 / t.rate::numeric)::float as kept
       from transfers t join ledger_payments p on p.transfer_id = t.id where t.id = $1`,
      [id],
    )
    const { less, kept } = row as { less: number; kept: number }
    expect(less).toBeCloseTo(kept, 5)
    expect(less).toBeGreaterThan(0)
  })
})

describe('a credit that brings less than its deposit', () => {
  it('is the deposit within the tolerance, with the difference as a charge', async () => {
    const { id, reference, money } = await anchor.deposit()
    const changed = await changes(() => book({ amount: plus(money, -0.5), text: reference }))
    expect(await anchor.state(id)).toBe('funded')
    expect(changed).toMatchObject({ 'charges EUR': 0.5, 'rail:SEPA EUR': Number(plus(money, -0.5)) })
    await payQueued(anchor.deps)
    expect(await anchor.state(id)).toBe('completed')
  })

  it('waits beyond it: a person accepts it, or takes that back', async () => {
    const { id, reference, money } = await anchor.deposit()
    const line = await book({ amount: plus(money, -0.51), text: reference })
    expect(line.state).toBe('review')
    const changed = await changes(async () => {
      expect((await decide(line.id, { transactionId: id })).json()).toMatchObject({ status: 'matched' })
      expect(await anchor.state(id)).toBe('funded')
      await reverse(line.id)
    })
    expect([await anchor.state(id), changed]).toEqual(['awaiting_funds', {}])
  })

  it('is no deposit where more is missing than banks take, whatever the tolerance', async () => {
    await charges({ tolerance: '1000', returnsBorneBy: 'anchor' })
    const { id, reference, money } = await anchor.deposit()
    const line = await book({ amount: (Number(money) * 0.9).toFixed(2), text: reference })
    expect(line.state).toBe('review')
    const least = await book({ amount: (Number(money) * 0.7).toFixed(2), text: reference })
    expect((await decide(least.id, { transactionId: id })).statusCode).toBe(400)
  })
})

it('a tolerance is not negative', async () => {
  const body = { timeZone: 'UTC', by: one, charges: { tolerance: '-1', returnsBorneBy: 'anchor' } }
  expect((await anchor.asOperator('PUT', '/journal/settings', body)).statusCode).toBe(400)
})
