import {
  deleteCustomerAccount,
  requestCustomerCode,
  withdrawAnchorAccess,
} from '@windlass/contracts/platform/customers.ts'
import { findMovementsElsewhere, reportMovement } from '@windlass/contracts/internal/internal.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anchorOf, comesTo, problemOf, startOutside, type TestAnchor } from '../testing/anchor-sign-ins.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { mailedCode, signInCustomer } from '../testing/sign-in.ts'
import { pruneMovements } from './movements.ts'

const EMAIL = 'asha@trips.example'
const DAY_MS = 86_400_000
let app: TestApp
let outside: Awaited<ReturnType<typeof startOutside>>
let london: TestAnchor
let paris: TestAnchor
let customerId: string
beforeAll(async () => {
  outside = await startOutside()
  app = await testApp({ env: { HORIZON_URL: outside.url } })
  london = await anchorOf(app, 'trips-london', outside.url)
  paris = await anchorOf(app, 'trips-paris', outside.url)
  customerId = (await comesTo(app, london, EMAIL)).customerId
  app.clock.advance(61_000)
  await comesTo(app, paris, EMAIL)
})
afterAll(async () => {
  await app.close()
  outside.stop()
})

const ago = (ms: number) => new Date(app.clock.now().getTime() - ms).toISOString()
const report = (anchor: TestAnchor, reference: string, over: object = {}) =>
  anchor.client.call(reportMovement, {
    body: {
      ...{ customerId, reference, direction: 'withdrawal' as const, currency: 'USD', amount: '900' },
      ...{ at: ago(0), ...over },
    },
  })
const seenBy = async (anchor: TestAnchor, ids = [customerId]) =>
  (
    await anchor.client.call(findMovementsElsewhere, {
      body: { customerIds: ids, since: ago(30 * DAY_MS) },
    })
  ).movements

it('an anchor hears what its customers moved at others, once each, and not where or when exactly', async () => {
  await report(london, 'transfer-1')
  await report(london, 'transfer-1')
  await report(london, 'transfer-2', { direction: 'deposit', amount: '12.5', at: ago(2 * DAY_MS) })
  expect(await seenBy(london)).toEqual([])
  const [newest, older, ...none] = await seenBy(paris)
  expect(none).toEqual([])
  expect(newest).toEqual({
    ...{ id: expect.any(String), customerId, direction: 'withdrawal', currency: 'USD', amount: '900' },
    at: `${ago(0).slice(0, 13)}:00:00.000Z`,
  })
  expect(older).toMatchObject({ direction: 'deposit', amount: '12.5' })
  expect(JSON.stringify([newest, older])).not.toMatch(/london|transfer-/)
})

it('hears nothing of those who never came to it, and reports nothing of them', async () => {
  const other = await anchorOf(app, 'trips-oslo', outside.url)
  expect(await seenBy(other)).toEqual([])
  expect(await problemOf(report(other, 'transfer-9'))).toBe('404 customer-not-found')
  for (const wrong of [{ at: ago(-DAY_MS) }, { amount: '0' }, { amount: '-1' }])
    expect(await problemOf(report(london, 'transfer-8', wrong))).toBe('400 validation-failed')
  expect(await seenBy(paris)).toHaveLength(2)
})

it('one anchor that reports without end pushes out nothing that another one says, and has to wait', async () => {
  const oslo = await anchorOf(app, 'trips-flood', outside.url)
  app.clock.advance(61_000)
  await comesTo(app, oslo, EMAIL)
  const before = await seenBy(paris)
  await app.database.pool.query(
    `insert into customer_movements (anchor_id, customer_id, reference, direction, currency, amount, at)
     select $1, $2, 'flood-' || n, 'withdrawal', 'USD', 0.0000001, $3 from generate_series(1, 11000) n`,
    [oslo.id, customerId, app.clock.now()],
  )
  const seen = await seenBy(paris)
  expect(seen).toEqual(expect.arrayContaining(before))
  expect(seen).toHaveLength(before.length + 200)
  await app.database.pool.query('delete from customer_movements where anchor_id = $1', [oslo.id])
  const over = { amount: '0.0000001' }
  for (let first = 0; first < 500; first += 50)
    await Promise.all(Array.from({ length: 50 }, (_, index) => report(oslo, `dust-${first + index}`, over)))
  expect(await problemOf(report(oslo, 'dust-500', over))).toBe('429 too-many-requests')
  expect(await problemOf(report(london, 'transfer-3'))).toBe('done')
  await app.database.pool.query(`delete from customer_movements where reference ~ '^dust|transfer-3'`)
})

it('hears nothing more once the customer withdrew its access, and nothing is left after 31 days or of who left', async () => {
  const customer = await signInCustomer(app, EMAIL)
  await customer.call(withdrawAnchorAccess, { params: { id: paris.id } })
  expect(await seenBy(paris)).toEqual([])
  const left = async () =>
    (await app.database.db.selectFrom('customer_movements').select('reference').execute()).map(
      ({ reference }) => reference,
    )
  await pruneMovements(app.database.db, new Date(app.clock.now().getTime() + 30 * DAY_MS))
  expect(await left()).toEqual(['transfer-1'])
  app.clock.advance(61_000)
  await customer.call(requestCustomerCode, { body: { email: EMAIL, purpose: 'deletion' } })
  await customer.call(deleteCustomerAccount, { body: { code: await mailedCode(app, EMAIL) } })
  expect(await left()).toEqual([])
})
