import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { receiveRailPayment } from '../../payments/receive-rail-payment.ts'
import { settleOrder } from '../../payments/settle-order.ts'
import { plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import { BankAnchor } from '../../testing/bank-anchor.ts'
import { afterExchange } from './positions.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
  const { plan } = anchor.deps.config.anchor
  const planned = plannedSettings({ ...plan, fees: { fixed: '0', percentage: '0' } })
  const spread = { deposit: '0.02', withdrawal: '0.02' }
  await anchor.rows("insert into business_settings (settings, by) values ($1, 'operator:one')", [
    JSON.stringify({ ...planned, fees: { ...planned.fees, spread } }),
  ])
})
afterAll(() => anchor.close())

const period = async (day: string) => (await anchor.get(`/journal/period?kind=month&day=${day}`)).json()
const month = () => anchor.deps.clock.now().toISOString().slice(0, 10)

it('the income from the spread is booked when it is earned, and a round trip leaves nothing in exchange', async () => {
  const { id, reference, money } = await anchor.deposit('neft', '100')
  expect(money).toBe('9027.00')
  await receiveRailPayment(anchor.deps, 'NEFT', {
    ...{ kind: 'received', paymentId: randomUUID(), reference, amount: money, currency: 'INR' },
  })
  expect(await anchor.balances()).toMatchObject({
    ...{ 'rail:NEFT INR': '9027', 'exchange INR': '-8850', 'fx-income INR': '-177', 'exchange asset': '100' },
  })
  const transaction = (await anchor.get(`/transactions/${id}`)).json()
  const exchange = { mid: '88.5', spread: '0.02', source: 'configured', at: expect.any(String) }
  expect(transaction.exchange).toEqual({ rate: '90.27', ...exchange })
  const [entry] = (await anchor.get(`/journal?transactionId=${id}`)).json()
  expect(entry).toMatchObject({ kind: 'deposit', exchange })
  const fields = { dest: '50100012345678', dest_extra: 'HDFC0001234', dest_name: 'Asha Rao' }
  const withdrawal = await anchor.withdrawal('neft', fields)
  const [order] = await anchor.rows<{ id: string; amount: string }>(
    'select id, amount::text from rail_orders where transfer_id = $1',
    [withdrawal.id],
  )
  // 20 units at 88.50 less 2 %.
  expect(order?.amount).toBe('1734.6000000')
  await settleOrder(anchor.deps, { kind: 'paid', orderId: order?.id ?? '', paymentId: 'UTR1' })
  expect(await anchor.balances()).toMatchObject({
    ...{ 'exchange INR': '-7080', 'fx-income INR': '-212.4', 'exchange asset': '80' },
  })
  const { positions } = await period(month())
  expect(positions).toEqual([
    {
      ...{ unit: 'asset', currency: 'INR', money: '7080', cost: '80', rate: '88.5', source: 'configured' },
      ...{ value: '80', unrealised: '0', realised: '0' },
    },
  ])
})

it('a rate that moves is unrealised until the money is exchanged back', async () => {
  const { fx } = anchor.deps.config as unknown as { fx: Record<string, string> }
  fx.INR = '80'
  expect((await period(month())).positions).toMatchObject([
    { money: '7080', value: '88.5', unrealised: '8.5' },
  ])
})

const none = { money: 0n, cost: 0n, realised: 0n }

it('exchanges back realise the difference to the mean cost, whatever their order', () => {
  // 100 and 300 for 1 and 5 units, so 400 for 6; 200 of it are paid out for 4 units: a unit earned.
  const [bought, more] = [
    { money: 100n, units: 1_000n },
    { money: 300n, units: 5_000n },
  ]
  const there = afterExchange(afterExchange(none, bought), more)
  expect(afterExchange(there, { money: -200n, units: -4_000n })).toEqual({
    ...{ money: 200n, cost: 3_000n, realised: 1_000n },
  })
  // Beyond what is there: the rest opens the other way, at its own rate.
  expect(afterExchange(there, { money: -800n, units: -16_000n })).toEqual({
    ...{ money: -400n, cost: -8_000n, realised: 2_000n },
  })
  const amounts = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n })
  fc.assert(
    fc.property(
      fc.array(fc.tuple(amounts, fc.bigInt({ min: 1n, max: 10n ** 6n })), { maxLength: 20 }),
      all => {
        let position = none
        let units = 0n
        for (const [money, rate] of all) {
          position = afterExchange(position, { money, units: money * rate })
          units += money * rate
        }
        // What the journal has in exchange is the cost of what is there, less what was realised.
        expect(position.cost - position.realised).toBe(units)
        if (position.money === 0n) expect(position.cost).toBe(0n)
      },
    ),
  )
})
