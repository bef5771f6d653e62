import type { ReturnedPayment } from '@windlass/contracts/anchor/returned-payments.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { payQueued } from '../../payments/pay.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const ASHA = { dest: 'DE02120300000000202051', dest_name: 'Asha Rao' }
const [one, other] = ['operator:one', 'operator:other']

let bookings = 0
type Booking = Parameters<typeof camt053>[0][number]
async function book(booking: Booking): Promise<{ id: string; state: string }> {
  const bankReference = `B${(bookings += 1)}`
  await anchor.read('SEPA', 'x.xml', camt053([{ bankReference, ...booking }]))
  const [line] = await anchor.rows<{ id: string; state: string }>(
    'select id, state from bank_lines where bank_reference = $1',
    [bankReference],
  )
  return line ?? { id: '', state: 'missing' }
}

async function file(): Promise<void> {
  await anchor.sendOrders()
  const { id } = (await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: one })).json()
  expect((await anchor.approve(id, other)).statusCode).toBe(200)
}

/** Decides that a line is the payment of a transaction, with a second person where one is needed. */
async function match(line: string, transactionId?: string): Promise<{ status: string; twoPeople: boolean }> {
  const path = `/statement-lines/${line}`
  const asked = await anchor.asOperator('POST', `${path}/decide`, {
    ...{ decision: 'match', reason: 'the bank called', by: one },
    ...(transactionId && { transactionId }),
  })
  expect([asked.statusCode, asked.body]).toEqual([200, expect.any(String)])
  if (asked.json().status === 'matched') return { status: 'matched', twoPeople: false }
  const approved = await anchor.asOperator('POST', `${path}/approval`, { approve: true, by: other })
  return { status: approved.json().status, twoPeople: true }
}

const act = async (id: string, kind: string) => {
  const body = { kind, reason: 'The customer called.', by: one }
  expect((await anchor.asOperator('POST', `/transactions/${id}/actions`, body)).statusCode).toBe(201)
}
const queue = async () => (await anchor.get('/returned-payments')).json<ReturnedPayment[]>()
const calls = async (id: string) =>
  anchor.rows<{ method: string; params: Record<string, unknown> }>(
    'select method, params from platform_calls where transfer_id = $1 order by id',
    [id],
  )
const numbers = async () => {
  const balances = await anchor.balances()
  return (account: string) => Number(balances[account] ?? 0)
}

/** A withdrawal that the bank paid, and sent back less 1.00. */
async function backLess(): Promise<{ id: string; money: string; less: string }> {
  const payout = await anchor.withdrawal('sepa', ASHA)
  await file()
  await book({ amount: payout.money, direction: 'out', text: payout.code })
  const less = (Number(payout.money) - 1).toFixed(2)
  const line = await book({ amount: less, text: payout.code, returnReason: 'AC04', day: '2026-11-22' })
  expect(await match(line.id)).toMatchObject({ status: 'matched' })
  expect(await anchor.state(payout.id)).toBe('sent_back')
  return { ...payout, less }
}
const newestCode = async (id: string) =>
  (
    await anchor.rows<{ code: string }>(
      'select code from bank_payouts where transfer_id = $1 order by created_at desc',
      [id],
    )
  )[0]?.code ?? ''

describe('what the bank keeps of a payout that it sends back, where the settings say that customers bear it', () => {
  beforeAll(async () => {
    const charges = { tolerance: '0', returnsBorneBy: 'customer' }
    await anchor.asOperator('PUT', '/journal/settings', { timeZone: 'UTC', by: one, charges })
  })
  afterAll(async () => {
    await anchor.asOperator('PUT', '/journal/settings', { timeZone: 'UTC', by: one })
  })

  it('is missing in what is paid again, and nothing is left in charges or suspense', async () => {
    const before = await numbers()
    const { id, money, less } = await backLess()
    expect((await numbers())('charges EUR') - before('charges EUR')).toBe(1)
    await act(id, 'pay-again')
    await file()
    const debit = await book({
      amount: less,
      direction: 'out',
      text: await newestCode(id),
      day: '2026-11-24',
    })
    expect([debit.state, await anchor.state(id)]).toEqual(['matched', 'completed'])
    const after = await numbers()
    for (const account of ['charges EUR', 'suspense EUR', 'customers asset'])
      expect([account, after(account)]).toEqual([account, before(account)])
    expect(after('rail:SEPA EUR') - before('rail:SEPA EUR')).toBeCloseTo(-Number(money), 7)
    expect((await anchor.get(`/transactions/${id}`)).json().message).toContain('kept 1 EUR')
  })

  it('is missing in the units of a refund, which tells the wallet the fee', async () => {
    const before = await numbers()
    const { id } = await backLess()
    await act(id, 'refund')
    await payQueued(anchor.deps)
    expect(await anchor.state(id)).toBe('returned')
    const after = await numbers()
    for (const account of ['charges EUR', 'suspense EUR', 'suspense asset', 'customers asset'])
      expect([account, after(account)]).toEqual([account, before(account)])
    const told = (await calls(id)).at(-1)
    const { refund } = told?.params as { refund: Record<string, { amount: string }> }
    const [paid, fee] = [Number(refund['amount']?.amount), Number(refund['amount_fee']?.amount)]
    expect(paid + fee).toBeCloseTo(20, 7)
    // 1.00 EUR at the rate of the withdrawal.
    expect(fee).toBeGreaterThan(1)
    expect(after('treasury asset') - before('treasury asset')).toBeCloseTo(20 - paid, 7)
  })
})

it('what came back and people paid at the bank by hand is paid, by two people, and is not paid again by a file', async () => {
  const payout = await anchor.withdrawal('sepa', ASHA)
  await file()
  await book({ amount: payout.money, direction: 'out', text: payout.code })
  const paid = await numbers()
  await book({ amount: payout.money, text: payout.code, returnReason: 'AC04', day: '2026-11-22' })
  const line = await book({ amount: payout.money, direction: 'out', text: 'to Asha', day: '2026-11-23' })
  expect(await match(line.id, payout.id)).toEqual({ status: 'matched', twoPeople: true })
  expect([await anchor.state(payout.id), await queue()]).toEqual(['completed', []])
  const after = await numbers()
  for (const account of ['rail:SEPA EUR', 'suspense EUR', 'customers asset', 'fees asset'])
    expect([account, after(account)]).toEqual([account, paid(account)])
  expect((await calls(payout.id)).at(-1)?.method).toBe('notify_offchain_funds_sent')
  await anchor.sendOrders()
  expect((await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: one })).statusCode).toBe(409)
  // It was another payment after all: it waits as before, and can be refunded.
  const path = `/statement-lines/${line.id}`
  await anchor.asOperator('POST', `${path}/reversal`, { reason: 'another payment', by: one })
  await anchor.asOperator('POST', `${path}/approval`, { approve: true, by: other })
  expect([await anchor.state(payout.id), (await queue()).length]).toEqual(['sent_back', 1])
  expect((await numbers())('rail:SEPA EUR')).toBe(paid('rail:SEPA EUR'))
  await act(payout.id, 'refund')
  await payQueued(anchor.deps)
  expect(await anchor.state(payout.id)).toBe('returned')
})

it('a return that came back and was paid by hand is named by its code alone', async () => {
  await book({ amount: '44.00', text: 'nothing', name: 'Xaver Huber', account: ASHA.dest })
  const [line] = await anchor.rows<{ id: string }>('select id from bank_lines where amount = 44')
  await anchor.asOperator('POST', `/statement-lines/${line?.id}/decide`, {
    ...{ decision: 'return', reason: 'unknown', by: one },
  })
  await file()
  const [payout] = await anchor.rows<{ code: string }>('select code from bank_payouts where line_id = $1', [
    line?.id,
  ])
  const code = payout?.code ?? ''
  await book({ amount: '44.00', direction: 'out', text: code })
  const paid = await anchor.balances()
  await book({ amount: '44.00', text: code, returnReason: 'AC04', day: '2026-11-22' })
  expect(await queue()).toMatchObject([{ kind: 'return', amount: '44' }])
  const byHand = await book({ amount: '44.00', direction: 'out', text: code, day: '2026-11-23' })
  expect([byHand.state, await match(byHand.id)]).toEqual(['review', { status: 'matched', twoPeople: true }])
  expect([await queue(), await anchor.balances()]).toEqual([[], paid])
})

describe('money of a deposit that goes back', () => {
  /** A deposit of 1.00 that was not agreed, whose money people send back. */
  async function returning(): Promise<{ id: string; reference: string; code: string }> {
    const { id, reference } = await anchor.deposit()
    const line = await book({ amount: '1.00', text: reference, name: 'Asha Rao', account: ASHA.dest })
    await anchor.asOperator('POST', `/statement-lines/${line.id}/decide`, {
      ...{ decision: 'return', reason: 'wrong amount', by: one },
    })
    await anchor.sendOrders()
    const [payout] = await anchor.rows<{ code: string }>('select code from bank_payouts where line_id = $1', [
      line.id,
    ])
    return { id, reference, code: payout?.code ?? '' }
  }

  it('and that the bank takes back itself is returned, and is in no file', async () => {
    const before = await anchor.balances()
    const { id, reference } = await returning()
    const recall = await book({ amount: '1.00', direction: 'out', text: reference, returnReason: 'FOCR' })
    expect([recall.state, await match(recall.id, id)]).toMatchObject(['review', { status: 'matched' }])
    expect([await anchor.state(id), await anchor.balances()]).toEqual(['returned', before])
    expect((await anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: one })).statusCode).toBe(409)
  })

  it('and that a file returned already is owed where the bank takes it back too', async () => {
    const { id, reference, code } = await returning()
    await file()
    await book({ amount: '1.00', direction: 'out', text: code })
    const before = await numbers()
    const recall = await book({ amount: '1.00', direction: 'out', text: reference, returnReason: 'FOCR' })
    expect([recall.state, await match(recall.id, id)]).toMatchObject(['review', { status: 'matched' }])
    const after = await numbers()
    expect([after('debts EUR') - before('debts EUR'), after('suspense EUR')]).toEqual([
      1,
      before('suspense EUR'),
    ])
    expect((await anchor.get(`/transactions/${id}`)).json().possibleActions).toEqual(['write-off'])
  })
})
