import { createBinder } from '@windlass/service/seals/binding.ts'
import { createSealer, derivedKeys } from '@windlass/service/seals/seal.ts'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { detailsKeys } from './details-keys.ts'
import { bindOrder, bindOrdersAgain, isOrderBound } from './payments/bound-orders.ts'
import { orderIdOf, queueOrder } from './payments/rail-orders.ts'
import type { RailOrder } from './tables.ts'
import { BankAnchor } from './testing/bank-anchor.ts'

const link = 'l'.repeat(32)
const derived = derivedKeys.business.derive(link)
const text = (version: number, key: Buffer) => `v${version}:${key.toString('base64')}`
/** What the SEP server can make: it has the link secret. */
const stolen = new Map([[0, derived]])

describe('the keys of a business server', () => {
  it('that prove are those of its key file alone, whatever follows from the link secret of now or before', () => {
    const own = randomBytes(32)
    for (const file of [
      text(1, own),
      `${text(1, own)},${text(0, derived)}`,
      `${text(0, derived)},${text(1, own)}`,
    ]) {
      const { bindingKeys, detailsKeys: all } = detailsKeys({ DETAILS_KEY: file }, link)
      expect([...bindingKeys]).toEqual([[1, own]])
      const forged = createBinder(stolen).bind(['an order'])
      expect(createBinder(bindingKeys).isBound(forged, ['an order'])).toBe(false)
      expect(createSealer(all).open(createSealer(stolen).seal('x', 'y'), 'y')).toBe('x')
    }
  })

  it('without a key file are the one that follows from the link secret', () => {
    expect(detailsKeys({}, link)).toEqual({ detailsKeys: stolen, bindingKeys: stolen })
  })
})

describe('who has the link secret and a login to the database', () => {
  let anchor: BankAnchor
  beforeAll(async () => {
    anchor = await BankAnchor.start()
  })
  afterAll(() => anchor.close())

  it('binds no order', async () => {
    const { deps } = anchor
    const cause = 'return:SEPA:forged'
    await deps.database.db.transaction().execute(tx =>
      queueOrder(deps, tx, {
        ...{ cause, transfer_id: null, kind: 'return', rail: 'SEPA' },
        ...{ amount: '12', currency: 'EUR', destination: { paymentId: 'l1' } },
      }),
    )
    const order = async () =>
      (
        await anchor.rows<RailOrder>('select * from rail_orders where id = $1', [orderIdOf(cause)])
      )[0] as RailOrder
    const { db } = deps.database
    const bound = await bindOrder({ ...deps, binder: createBinder(stolen) }, db, await order())
    expect(bound[0]).toBe(0)
    await anchor.rows('update rail_orders set bound = $2 where id = $1', [orderIdOf(cause), bound])
    expect(await isOrderBound(deps, db, await order())).toBe(false)
    await bindOrdersAgain(deps)
    expect((await order()).bound).toEqual(bound)
  })
})
