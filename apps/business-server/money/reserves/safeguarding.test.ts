import type { Safeguarding } from '@windlass/contracts/anchor/reserves.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordEntry, type Line } from '../journal/journal.ts'
import { evaluateConditions } from '../../workspace/notifications/conditions.ts'
import { reconcile } from '../../workspace/reconciliation/reconcile.ts'
import { BankAnchor, camt053 } from '../../testing/bank-anchor.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
  anchor.deps.config.anchor.plan.asset.anchoredTo = 'EUR'
})
afterAll(() => anchor.close())

const read = async (query = '') => (await anchor.get(`/safeguarding${query}`)).json<Safeguarding>()
const record = (cause: string, lines: Line[]) =>
  anchor.deps.database.db.transaction().execute(tx => recordEntry(tx, { cause, kind: 'test', lines }))
const notices = async () =>
  (await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })).conditions.filter(
    ({ kind }) => kind === 'safeguarding-shortfall',
  )
/** What the bank states. */
let stated = 16_510
const own = async (amount: string, account: string, direction: 'in' | 'out' = 'out') => {
  const text = `${account} ${amount}`
  const opening = stated
  stated += (direction === 'out' ? -1 : 1) * Number(amount)
  const booking = { amount, direction, text, bankReference: text }
  await anchor.read('SEPA', `${text}.xml`, camt053([booking], { opening, closing: stated }))
  const [line] = await anchor.rows<{ id: string }>('select id from bank_lines where bank_reference = $1', [
    text,
  ])
  const decision = { decision: 'ignore', as: 'own', account, reason: text, by: 'operator:one' }
  const answer = await anchor.asOperator('POST', `/statement-lines/${line?.id}/decide`, decision)
  expect(answer.statusCode).toBe(200)
}

it('what is owed to customers is compared with what is there, part by part', async () => {
  const [units, money] = [parseAmount('10996'), parseAmount('16505')]
  await record('business', [
    ['issued', 'asset', -parseAmount('1000000')],
    ['treasury', 'asset', parseAmount('1000000') - units],
    ['exchange', 'asset', units],
    ['rail:SEPA', 'EUR', money],
    ['exchange', 'EUR', -money],
  ])
  await record('waiting', [
    ['suspense', 'EUR', -parseAmount('4')],
    ['unclaimed', 'EUR', -parseAmount('1')],
    ['rail:SEPA', 'EUR', parseAmount('5')],
  ])
  expect(await read()).toMatchObject({
    currencies: [{ currency: 'EUR', owed: '11001', there: '16510' }],
    parts: expect.arrayContaining([
      { currency: 'EUR', side: 'owed', account: 'circulating', unit: 'asset', amount: '10996' },
      { currency: 'EUR', side: 'owed', account: 'suspense', unit: 'EUR', amount: '4' },
      { currency: 'EUR', side: 'owed', account: 'unclaimed', unit: 'EUR', amount: '1' },
    ]),
    total: { currency: 'EUR', difference: '5509' },
    isShort: false,
  })
  expect(await notices()).toEqual([])
})

it('a dividend that takes customers’ money is a shortfall at once, in what is signed too, and ends when it is paid in', async () => {
  await own('12000.00', 'dividends')
  expect(await read()).toMatchObject({ total: { difference: '-6491' }, isShort: true })
  expect(await notices()).toMatchObject([
    { subject: 'safeguarding', detail: expect.stringContaining('-6491 EUR') },
  ])
  const { reserves } = (await anchor.get('/reserves')).json()
  expect(reserves.safeguarding).toMatchObject({ isShort: true, total: { difference: '-6491' } })
  const metrics = (await anchor.app.server.app.inject('/metrics')).body
  expect(metrics).toMatch(/windlass_safeguarding_shortfall\{[^}]*currency="EUR"[^}]*\} 6491/)
  await reconcile(anchor.deps, 'schedule')
  const [today] = (await anchor.get('/safeguarding/days')).json<Safeguarding[]>()
  expect(today).toMatchObject({ isShort: true, total: { difference: '-6491' } })
  await expect(anchor.rows('delete from safeguarding_days')).rejects.toThrow('kept')
})

it('new deposits stop while money is short, where the anchor wants that', async () => {
  const set = (stopDepositsWhenShort: boolean) =>
    anchor.asOperator('PUT', '/journal/settings', {
      timeZone: 'UTC',
      stopDepositsWhenShort,
      by: 'operator:one',
    })
  await anchor.deposit()
  await set(true)
  await expect(anchor.deposit()).rejects.toThrow('Deposits are not available')
  await own('7000.00', 'capital', 'in')
  expect(await notices()).toEqual([])
  await anchor.deposit()
  await set(false)
})

it('what left without an explanation pays no debt, and the business’s own account is no cover', async () => {
  await record('theft', [
    ['rail:SEPA', 'EUR', -parseAmount('509')],
    ['suspense', 'EUR', parseAmount('509')],
  ])
  const { currencies } = await read()
  expect(currencies[0]).toMatchObject({ owed: '10997', there: '11001' })
  const held = { code: null, taxKey: null, heldFor: 'business', by: 'operator:one' }
  await anchor.asOperator('PUT', '/journal/accounts/rail%3ASEPA', held)
  expect(await read()).toMatchObject({ currencies: [{ owed: '10997', there: '0' }], isShort: true })
  await anchor.asOperator('PUT', '/journal/accounts/rail%3ASEPA', { ...held, heldFor: 'customers' })
})

it('other currencies count at present rates, and one without a rate only for itself', async () => {
  await record('dollars', [
    ['rail:ACH', 'USD', parseAmount('100')],
    ['exchange', 'USD', -parseAmount('100')],
  ])
  const { total } = await read()
  expect(total).toEqual({ currency: 'EUR', difference: '96' })
  await record('yen', [
    ['suspense', 'JPY', -1n],
    ['exchange', 'JPY', 1n],
  ])
  expect(await read()).toMatchObject({ withoutRate: ['JPY'], isShort: true, total: { difference: '96' } })
  expect((await anchor.get('/safeguarding?at=2020-02-31')).statusCode).toBe(400)
  expect(await read('?at=2020-01-01')).toMatchObject({ currencies: [], isShort: false, day: '2020-01-01' })
})
