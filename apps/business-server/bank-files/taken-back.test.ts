import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { payQueued } from '../payments/pay.ts'
import { BankAnchor, camt053 } from '../testing/bank-anchor.ts'
import { reconcile } from '../workspace/reconciliation/reconcile.ts'

let anchor: BankAnchor
beforeEach(async () => {
  anchor = await BankAnchor.start()
})
afterEach(() => anchor.close())

const ASHA = { name: 'Asha Rao', account: 'DE02120300000000202051' }
const [one, other] = ['operator:one', 'operator:other']
type Booking = Parameters<typeof camt053>[0][number]
let bookings = 0
const book = (booking: Booking) =>
  anchor.read('SEPA', 'x.xml', camt053([{ bankReference: `R${(bookings += 1)}`, ...ASHA, ...booking }]))
/** The bank takes a payment back, as with a recall. */
const takeBack = (text: string, amount: string) =>
  book({ text, amount, direction: 'out', returnReason: 'FOCR', day: '2026-11-22' })

async function paidDeposit() {
  const deposit = await anchor.deposit()
  await book({ amount: deposit.money, text: deposit.reference })
  await payQueued(anchor.deps)
  expect(await anchor.state(deposit.id)).toBe('completed')
  return deposit
}

const lines = () =>
  anchor.rows<{ id: string; state: string; why: string }>(
    'select id, state, why from bank_lines order by created_at desc, id',
  )
const act = (id: string, kind: string) =>
  anchor.asOperator('POST', `/transactions/${id}/actions`, { kind, reason: 'They do not answer.', by: one })
const shown = async (id: string) => (await anchor.get(`/transactions/${id}`)).json()
const differences = async () =>
  anchor.rows<{ subject: string; amount: string }>(
    "select subject, amount::float::text as amount from reconciliation_differences where kind = 'deposit-taken-back' and state = 'open'",
  )

describe('a deposit that the bank takes back after its units left', () => {
  it('is the customer’s debt: in the journal, in the reconciliation, and nothing new is agreed with them', async () => {
    const { id, reference, money } = await paidDeposit()
    await takeBack(reference, money)
    expect((await lines())[0]).toMatchObject({ state: 'matched', why: expect.stringContaining('owes it') })
    const after = await anchor.balances()
    expect(after).toMatchObject({ 'debts EUR': String(Number(money)) })
    expect(after).not.toHaveProperty('rail:SEPA EUR')
    expect(after).not.toHaveProperty('suspense EUR')
    expect(await shown(id)).toMatchObject({
      ...{ status: 'completed', possibleActions: ['write-off'] },
      message: expect.stringContaining('FOCR'),
    })
    await reconcile(anchor.deps, 'schedule')
    expect(await differences()).toEqual([{ subject: id, amount: String(-Number(money)) }])
    await expect(anchor.deposit()).rejects.toThrow('your bank took back a payment')
    // Read again, or booked twice by mistake: the debt is there once, and a person looks.
    await takeBack(reference, money)
    expect((await lines())[0]).toMatchObject({ state: 'review' })
    expect(await anchor.balances()).toMatchObject({ 'debts EUR': String(Number(money)) })
  })

  it('holds the payout of a withdrawal under way, and lets it leave once it is paid again', async () => {
    const { reference, money } = await paidDeposit()
    const given = { dest: 'DE89370400440532013000', dest_name: 'Asha Rao' }
    const { id: next } = await anchor.withdrawal('sepa', given, () => takeBack(reference, money))
    expect(await shown(next)).toMatchObject({ status: 'funded', possibleActions: ['resend', 'refund'] })
    const waits = () => anchor.rows('select wait_code, state from rail_orders')
    expect(await waits()).toEqual([{ wait_code: 'debt', state: 'queued' }])
    // In two parts, with the reference of the deposit.
    const first = (Number(money) - 5).toFixed(2)
    await book({ amount: first, text: reference, day: '2026-11-23' })
    expect(await anchor.balances()).toMatchObject({ 'debts EUR': '5' })
    await book({ amount: '5.00', text: reference, day: '2026-11-24' })
    expect(await anchor.balances()).not.toHaveProperty('debts EUR')
    await reconcile(anchor.deps, 'schedule')
    expect(await differences()).toEqual([])
    await anchor.rows("update rail_orders set next_try_at = now() where state = 'queued'")
    await anchor.sendOrders()
    expect(await waits()).toEqual([{ wait_code: null, state: 'sent' }])
    expect((await anchor.deposit()).reference).not.toBe('')
    // More than is owed is a person's to decide.
    await book({ amount: '5.00', text: reference, day: '2026-11-25' })
    expect((await lines())[0]).toMatchObject({ state: 'review' })
  })

  it('is written off by two people, as a loss', async () => {
    const { id, reference, money } = await paidDeposit()
    expect((await act(id, 'write-off')).statusCode).toBe(409)
    await takeBack(reference, money)
    const asked = (await act(id, 'write-off')).json<{ id: string; status: string }>()
    expect(asked.status).toBe('waiting')
    const decide = (by: string) =>
      anchor.asOperator('POST', `/operator-actions/${asked.id}/decision`, { approve: true, by })
    expect((await decide(one)).statusCode).toBe(409)
    expect((await decide(other)).json()).toMatchObject({ status: 'done' })
    const after = await anchor.balances()
    expect(after).toMatchObject({ 'losses EUR': String(Number(money)) })
    expect(after).not.toHaveProperty('debts EUR')
    expect((await shown(id)).possibleActions).toEqual([])
    expect((await anchor.deposit()).reference).not.toBe('')
  })

  it('is matched with a charge by people where another amount left, and the decision can be reversed', async () => {
    const { id, reference, money } = await paidDeposit()
    const before = await anchor.balances()
    await takeBack(reference, (Number(money) + 5).toFixed(2))
    const [line] = await lines()
    expect(line).toMatchObject({ state: 'review', why: expect.stringContaining('names a deposit of') })
    const body = { decision: 'match', transactionId: id, reason: 'the recall and its fee', by: one }
    const answer = await anchor.asOperator('POST', `/statement-lines/${line?.id}/decide`, body)
    expect(answer.json()).toMatchObject({ pending: { requestedBy: one } })
    await anchor.asOperator('POST', `/statement-lines/${line?.id}/approval`, { approve: true, by: other })
    expect(await anchor.balances()).toMatchObject({ 'debts EUR': String(Number(money)), 'charges EUR': '5' })
    const reversal = { reason: 'wrong', by: one }
    const path = `/statement-lines/${line?.id}`
    const asked = (await anchor.asOperator('POST', `${path}/reversal`, reversal)).json<{ pending?: object }>()
    if (asked.pending) await anchor.asOperator('POST', `${path}/approval`, { approve: true, by: other })
    const after = await anchor.balances()
    expect(after).not.toHaveProperty('debts EUR')
    expect(after['charges EUR']).toBe(before['charges EUR'])
  })

  it('in a part is matched by two people and owed in that part, and the decision can be reversed', async () => {
    const { id, reference, money } = await paidDeposit()
    const before = await anchor.balances()
    const part = (Number(money) / 2).toFixed(2)
    await takeBack(reference, part)
    const [line] = await lines()
    expect(line).toMatchObject({ state: 'review', why: expect.stringContaining('names a deposit of') })
    const path = `/statement-lines/${line?.id}`
    const body = { decision: 'match', transactionId: id, reason: 'half was recalled', by: one }
    expect((await anchor.asOperator('POST', `${path}/decide`, body)).json()).toMatchObject({
      pending: { requestedBy: one },
    })
    await anchor.asOperator('POST', `${path}/approval`, { approve: true, by: other })
    const owed = await anchor.balances()
    expect(owed).toMatchObject({ 'debts EUR': String(Number(part)) })
    expect(owed['charges EUR']).toBe(before['charges EUR'])
    expect((await shown(id)).message).toContain('a part of the payment')
    await anchor.asOperator('POST', `${path}/reversal`, { reason: 'another deposit', by: one })
    await anchor.asOperator('POST', `${path}/approval`, { approve: true, by: other })
    expect(await anchor.balances()).not.toHaveProperty('debts EUR')
    await anchor.asOperator('POST', `${path}/decide`, body)
    await anchor.asOperator('POST', `${path}/approval`, { approve: true, by: other })
    expect(await anchor.balances()).toEqual(owed)
  })

  it('is matched by a person where the line has no reference, and the decision can be reversed', async () => {
    const { id, money } = await paidDeposit()
    const before = await anchor.balances()
    await takeBack('RECALL', money)
    const [line] = await lines()
    expect(line?.state).toBe('review')
    const decide = (transactionId: string) =>
      anchor.asOperator('POST', `/statement-lines/${line?.id}/decide`, {
        ...{ decision: 'match', transactionId, reason: 'the bank called', by: one },
      })
    const pending = (await decide(id)).json()
    expect(pending).toMatchObject({ pending: { requestedBy: one } })
    const approved = await anchor.asOperator('POST', `/statement-lines/${line?.id}/approval`, {
      ...{ approve: true, by: other },
    })
    expect(approved.json()).toMatchObject({ status: 'matched', transactionId: id })
    expect(await anchor.balances()).toMatchObject({ 'debts EUR': String(Number(money)) })
    const path = `/statement-lines/${line?.id}`
    await anchor.asOperator('POST', `${path}/reversal`, { reason: 'another deposit', by: one })
    await anchor.asOperator('POST', `${path}/approval`, { approve: true, by: other })
    const after = await anchor.balances()
    expect([after['debts EUR'], after['rail:SEPA EUR'], after['suspense EUR']]).toEqual([
      undefined,
      undefined,
      before['rail:SEPA EUR'],
    ])
  })
})

it('a part that the bank takes back before the units leave holds them until it is paid again', async () => {
  const { id, reference, money } = await anchor.deposit()
  await book({ amount: money, text: reference })
  const part = (Number(money) / 2).toFixed(2)
  await takeBack(reference, part)
  const [line] = await lines()
  const body = { decision: 'match', transactionId: id, reason: 'half was recalled', by: one }
  await anchor.asOperator('POST', `/statement-lines/${line?.id}/decide`, body)
  await anchor.asOperator('POST', `/statement-lines/${line?.id}/approval`, { approve: true, by: other })
  await payQueued(anchor.deps)
  expect(await anchor.state(id)).toBe('funded')
  await book({ amount: part, text: reference })
  await anchor.rows("update ledger_payments set next_try_at = now() where state = 'queued'")
  await payQueued(anchor.deps)
  expect(await anchor.state(id)).toBe('completed')
  expect(await anchor.balances()).not.toHaveProperty('debts EUR')
})

it('a deposit that the bank takes back before its units leave waits for its money again, and nothing is paid', async () => {
  const { id, reference, money } = await anchor.deposit()
  await book({ amount: money, text: reference })
  await takeBack(reference, money)
  expect(await anchor.state(id)).toBe('awaiting_funds')
  await payQueued(anchor.deps)
  expect(await anchor.state(id)).toBe('awaiting_funds')
  expect(await anchor.balances()).toEqual({})
  await book({ amount: money, text: reference, day: '2026-11-23' })
  await payQueued(anchor.deps)
  expect(await anchor.state(id)).toBe('completed')
})
