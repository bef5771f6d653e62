import type { OperatorAction } from '@windlass/contracts/anchor/operator-actions.ts'
import type { ReturnedPayment } from '@windlass/contracts/anchor/returned-payments.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { orderIdOf } from '../../payments/rail-orders.ts'
import { payoutCode } from '../../rails/bank-file/payouts.ts'
import type { RailOrder } from '../../tables.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const [one, other] = ['operator:one', 'operator:other']
type Answer = Awaited<ReturnType<BankAnchor['asOperator']>>
const codeOf = (answer: Answer) => [answer.statusCode, answer.json().code]
const queue = async () => (await anchor.get('/returned-payments')).json<ReturnedPayment[]>()
const file = () => anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: one })

let bookings = 0
type Booking = Parameters<typeof camt053>[0][number]
async function book(booking: Booking): Promise<string> {
  const bankReference = `U${(bookings += 1)}`
  await anchor.read('SEPA', 'x.xml', camt053([{ bankReference, ...booking }]))
  const text = 'select id from bank_lines where bank_reference = $1'
  return (await anchor.rows<{ id: string }>(text, [bankReference]))[0]?.id ?? ''
}

/** The return of a line, ordered; its proof is then as lost as with the key that it was made under. */
async function unproven(line: string): Promise<RailOrder> {
  const returned = { decision: 'return', reason: 'unknown', by: one }
  expect((await anchor.asOperator('POST', `/statement-lines/${line}/decide`, returned)).statusCode).toBe(200)
  const lost = `update rail_orders set bound = null where destination ->> 'paymentId' = $1 returning *`
  const [order] = await anchor.rows<RailOrder>(lost, [line])
  if (!order) throw new Error('nothing is ordered')
  return order
}
const orderOf = async ({ id }: { id: string }) =>
  (await anchor.rows<RailOrder>('select * from rail_orders where id = $1', [id]))[0]

describe('a return to nobody of the anchor’s that waits without a proof', () => {
  const toStranger = async (amount: string) =>
    unproven(await book({ amount, text: 'nothing', name: 'Xaver Huber', account: 'DE02120300000000202051' }))
  const pay = ({ id }: RailOrder) =>
    anchor.asOperator('POST', `/returned-payments/${id}/payment`, { reason: 'we owe it', by: one })
  const decide = ({ id }: RailOrder, by: string, approve = true) =>
    anchor.asOperator('POST', `/returned-payments/${id}/approval`, { approve, by })

  it('is listed, and leaves once two people say so, as one payment', async () => {
    const order = await toStranger('61.00')
    await anchor.sendOrders()
    expect(await orderOf(order)).toMatchObject({ state: 'queued', wait_code: 'unbound' })
    expect(codeOf(await file())).toEqual([409, 'no-payouts-waiting'])
    expect(await queue()).toMatchObject([{ id: order.id, kind: 'return', amount: '61', hasLeft: false }])
    expect((await pay(order)).json()).toMatchObject({ pending: { requestedBy: one } })
    expect(codeOf(await decide(order, one))).toEqual([409, 'second-person-needed'])
    await anchor.sendOrders()
    expect(await orderOf(order)).toMatchObject({ wait_code: 'unbound' })
    expect((await decide(order, other)).json()).toMatchObject({ pending: null })
    await anchor.sendOrders()
    expect([await queue(), (await orderOf(order))?.state]).toEqual([[], 'sent'])
    expect((await file()).json()).toMatchObject({ payouts: 1, total: '61' })
    expect(await anchor.rows('select 1 from rail_orders where amount = 61')).toHaveLength(1)
  })

  it('leaves as well where it waited for a file already', async () => {
    const order = await toStranger('62.00')
    await anchor.rows(
      `insert into bank_payouts (id, code, kind, rail, amount, currency, line_id)
       values ($1, $2, 'return', 'SEPA', 62, 'EUR', $3)`,
      [order.id, payoutCode(order.id), order.destination.paymentId],
    )
    await anchor.rows("update rail_orders set state = 'sent', next_try_at = 'infinity' where id = $1", [
      order.id,
    ])
    expect(codeOf(await file())).toEqual([409, 'no-payouts-waiting'])
    await pay(order)
    expect((await decide(order, other)).statusCode).toBe(200)
    expect((await file()).json()).toMatchObject({ payouts: 1, total: '62' })
  })

  it('does not leave as someone changed it meanwhile, nor for more than came', async () => {
    const order = await toStranger('63.00')
    await anchor.sendOrders()
    await pay(order)
    await anchor.rows('update rail_orders set amount = 9000 where id = $1', [order.id])
    expect(codeOf(await decide(order, other))).toEqual([409, 'action-not-possible'])
    expect((await decide(order, other, false)).statusCode).toBe(200)
    await pay(order)
    expect(codeOf(await decide(order, other))).toEqual([409, 'action-not-possible'])
    expect(await orderOf(order)).toMatchObject({ wait_code: 'unbound' })
    await decide(order, other, false)
  })

  it('does not leave under a cause of its own where its money was sent back', async () => {
    const line = await book({
      amount: '64.00',
      text: 'nothing',
      name: 'Xaver',
      account: 'DE02120300000000202051',
    })
    const returned = { decision: 'return', reason: 'unknown', by: one }
    await anchor.asOperator('POST', `/statement-lines/${line}/decide`, returned)
    await anchor.sendOrders()
    const [paid] = await anchor.rows<RailOrder>('select * from rail_orders where amount = 64')
    await anchor.approve((await file()).json().id, other)
    const [payout] = await anchor.rows<{ code: string }>('select code from bank_payouts where id = $1', [
      paid?.id,
    ])
    await book({ amount: '64.00', direction: 'out', text: payout?.code ?? '' })
    expect((await orderOf({ id: paid?.id ?? '' }))?.state).toBe('paid')
    for (const [cause, of] of [
      [`return:SEPA:${line}:more`, null],
      [`again:${paid?.id}`, paid?.id],
    ])
      await anchor.rows(
        `insert into rail_orders (id, cause, transfer_id, kind, rail, amount, currency, destination, again_of)
         values ($1, $2, null, 'return', 'SEPA', 64, 'EUR', $3, $4)`,
        [orderIdOf(cause ?? ''), cause, JSON.stringify({ paymentId: line }), of],
      )
    await anchor.sendOrders()
    const waiting = await anchor.rows<RailOrder>(
      "select * from rail_orders where amount = 64 and wait_code = 'unbound'",
    )
    expect(waiting).toHaveLength(2)
    for (const order of waiting) {
      await pay(order)
      expect(codeOf(await decide(order, other))).toEqual([409, 'action-not-possible'])
    }
  })
})

it('what was accepted for a deposit whose units were paid does not leave by two people either', async () => {
  const { id, reference, money } = await anchor.deposit()
  const line = await book({
    amount: money,
    text: reference,
    name: 'Asha Rao',
    account: 'DE02120300000000202051',
  })
  expect(await anchor.state(id)).toBe('funded')
  await anchor.rows(
    `insert into journal_entries (cause, kind, transfer_id, booked_on, valued_on)
     select 'payment:deposit:' || $1::text, 'ledger-deposit', $1::uuid, booked_on, valued_on from journal_entries limit 1`,
    [id],
  )
  const cause = `return:SEPA:${line}`
  await anchor.rows(
    `insert into rail_orders (id, cause, transfer_id, kind, rail, amount, currency, destination)
     values ($1, $2, null, 'return', 'SEPA', $4, 'EUR', $3)`,
    [orderIdOf(cause), cause, JSON.stringify({ paymentId: line }), money],
  )
  await anchor.sendOrders()
  const [order] = await anchor.rows<RailOrder>('select * from rail_orders where cause = $1', [cause])
  for (const hidden of [
    'update rail_receipts set transfer_id = transfer_id where payment_id = $1',
    "update rail_receipts set transfer_id = null, outcome = 'returned' where payment_id = $1",
    'update transfers set rail_payment_id = null where rail_payment_id = $1',
  ]) {
    await anchor.rows(hidden, [line])
    await anchor.asOperator('POST', `/returned-payments/${order?.id}/payment`, {
      reason: 'we owe it',
      by: one,
    })
    const path = `/returned-payments/${order?.id}/approval`
    const said = { approve: true, by: other }
    expect(codeOf(await anchor.asOperator('POST', path, said))).toEqual([409, 'action-not-possible'])
    await anchor.asOperator('POST', path, { ...said, approve: false })
  }
  expect(await orderOf({ id: order?.id ?? '' })).toMatchObject({ state: 'queued', wait_code: 'unbound' })
})

it('a deposit’s return that waits without a proof leaves once two people resend it', async () => {
  const { id, reference } = await anchor.deposit()
  const line = await book({
    amount: '1.00',
    text: reference,
    name: 'Asha Rao',
    account: 'DE02120300000000202051',
  })
  const order = await unproven(line)
  await anchor.sendOrders()
  expect(await orderOf(order)).toMatchObject({ transfer_id: id, wait_code: 'unbound' })
  const resend = () =>
    anchor.asOperator('POST', `/transactions/${id}/actions`, { kind: 'resend', reason: 'we owe it', by: one })
  const decide = (action: OperatorAction, by: string, approve = true) =>
    anchor.asOperator('POST', `/operator-actions/${action.id}/decision`, { approve, by })
  const changed = (await resend()).json<OperatorAction>()
  expect(changed).toMatchObject({ status: 'waiting' })
  await anchor.rows('update rail_orders set amount = 0.5 where id = $1', [order.id])
  expect(codeOf(await decide(changed, other))).toEqual([409, 'action-not-possible'])
  await anchor.rows('update rail_orders set amount = 1 where id = $1', [order.id])
  expect(codeOf(await decide(changed, one))).toEqual([409, 'second-person-needed'])
  expect((await decide(changed, other)).json()).toMatchObject({ status: 'done' })
  await anchor.sendOrders()
  expect(await orderOf(order)).toMatchObject({ state: 'sent', wait_code: null })
  expect(await anchor.state(id)).toBe('returning')
})
