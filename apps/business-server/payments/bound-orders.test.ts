import type { BankPayout } from '@windlass/contracts/anchor/payout-files.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { evaluateConditions } from '../workspace/notifications/conditions.ts'
import { bindApprovalsAgain, bindEarlierApprovals, isApproved } from '../rails/bank-file/files.ts'
import { payoutCode } from '../rails/bank-file/payouts.ts'
import type { PayoutFile, RailOrder } from '../tables.ts'
import { BankAnchor } from '../testing/bank-anchor.ts'
import { bindEarlierOrders, bindOrdersAgain, isOrderBound } from './bound-orders.ts'
import { withNewerKey } from '../testing/newer-key.ts'
import { orderIdOf } from './rail-orders.ts'
import { queueOrder } from './rail-orders.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())
beforeEach(async () => {
  await anchor.rows('update bank_payouts set ended_at = now() where file_id is null and ended_at is null')
})

const ASHA = { dest: 'DE02120300000000202051', dest_name: 'Asha Rao' }
const MALLORY = { dest: 'NL91ABNA0417164300', dest_name: 'Mallory' }
const [one, other] = ['operator:one', 'operator:other']
const create = () => anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: one })
const waiting = async () => (await anchor.get('/payouts')).json<BankPayout[]>()
const orderOf = async (id: string) =>
  (await anchor.rows<RailOrder>('select * from rail_orders where id = $1', [id]))[0]
const alerts = async () => {
  const { conditions } = await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })
  return conditions.filter(({ subject }) => subject === 'unbound-orders')
}

/** What a login to the database alone can do: a payout of any amount to a withdrawal's account, here its own. */
async function forge({ id }: { id: string }, amount: string, state: 'queued' | 'sent'): Promise<string> {
  const cause = `payout:${id}:${Math.random()}`
  const orderId = orderIdOf(cause)
  await anchor.rows(
    `insert into rail_orders (id, cause, transfer_id, kind, rail, amount, currency, destination, state, next_try_at)
     values ($1, $2, $3, 'payout', 'SEPA', $4, 'EUR', $5, $6, case when $6 = 'sent' then 'infinity' else now() end)`,
    [orderId, cause, id, amount, JSON.stringify(MALLORY), state],
  )
  if (state === 'sent')
    await anchor.rows(
      `insert into bank_payouts (id, code, kind, rail, amount, currency, transfer_id)
       values ($1, $2, 'payout', 'SEPA', $3, 'EUR', $4)`,
      [orderId, payoutCode(orderId), amount, id],
    )
  return orderId
}

describe('a login to the database alone', () => {
  it('writes no payout that goes into a file: it waits, is shown and alerts', async () => {
    const own = await anchor.withdrawal('sepa', MALLORY)
    expect((await create()).statusCode).toBe(201)
    const forged = await forge(own, '9000', 'sent')
    expect((await create()).json()).toMatchObject({ code: 'no-payouts-waiting' })
    expect(await waiting()).toMatchObject([{ id: forged, isOrdered: false }])
    expect((await orderOf(forged))?.wait_code).toBe('unbound')
    expect(await alerts()).toHaveLength(1)
    // Genuine ones beside it are paid.
    const { code } = await anchor.withdrawal('sepa', ASHA)
    const file = (await create()).json()
    expect(file.payouts).toBe(1)
    await anchor.approve(file.id, other)
    const { body } = await anchor.asOperator('POST', `/payout-files/${file.id}/download`)
    expect([body.includes(code), body.includes('9000')]).toEqual([true, false])
  })

  it('queues no order that reaches a rail', async () => {
    const own = await anchor.withdrawal('sepa', MALLORY)
    const forged = await forge(own, '7000', 'queued')
    await anchor.sendOrders()
    expect(await orderOf(forged)).toMatchObject({ state: 'queued', wait_code: 'unbound' })
    expect(await anchor.rows('select from bank_payouts where id = $1', [forged])).toEqual([])
  })

  it('opens no order again that ended', async () => {
    const own = await anchor.withdrawal('sepa', ASHA)
    await anchor.rows("update rail_orders set state = 'paid' where cause = $1", [`payout:${own.id}`])
    const open = (reopened: number) =>
      anchor.rows(
        `update rail_orders set state = 'queued', handed = false, next_try_at = now(), reopened = reopened + $2
         where cause = $1`,
        [`payout:${own.id}`, reopened],
      )
    await expect(open(0)).rejects.toThrow('cannot be queued again')
    await expect(anchor.rows('update rail_orders set reopened = -1')).rejects.toThrow(
      'cannot be queued again',
    )
    await open(1)
    await anchor.sendOrders()
    const [order] = await anchor.rows<RailOrder>('select * from rail_orders where cause = $1', [
      `payout:${own.id}`,
    ])
    expect(order).toMatchObject({ state: 'queued', wait_code: 'unbound' })
    await anchor.rows("update rail_orders set state = 'failed' where cause = $1", [`payout:${own.id}`])
  })

  it('changes no order and no payout, nor where a payout goes', async () => {
    const own = await anchor.withdrawal('sepa', MALLORY)
    const [row] = await waiting()
    const raised = 'update bank_payouts set amount = 9000 where id = $1'
    await expect(anchor.rows(raised, [row?.id])).rejects.toThrow('cannot be changed')
    // Where a release before kept the account in plain text, it is not taken from there.
    const plain = 'update transfers set sealed_destination = null, destination = $2 where id = $1'
    await anchor.rows(plain, [own.id, JSON.stringify(ASHA)])
    expect((await create()).json()).toMatchObject({ code: 'no-payouts-waiting' })
    const deleted = 'delete from bank_payouts where id = $1'
    await expect(anchor.rows(deleted, [row?.id])).rejects.toThrow('cannot be changed')
  })

  it('approves no file, and takes no other one’s approval', async () => {
    await anchor.withdrawal('sepa', ASHA)
    const file = (await create()).json()
    const approve =
      "update payout_files set state = 'approved', approved_by = $2, approved_at = now(), approval = $3 where id = $1"
    await anchor.withdrawal('sepa', ASHA)
    const seen = (await create()).json()
    await anchor.approve(seen.id, other)
    const [real] = await anchor.rows<{ approval: Buffer }>(
      'select approval from payout_files where id = $1',
      [seen.id],
    )
    await anchor.rows(approve, [file.id, other, real?.approval])
    const download = (id: string) => anchor.asOperator('POST', `/payout-files/${id}/download`)
    expect((await download(file.id)).json()).toMatchObject({ code: 'payout-file-changed' })
    expect((await download(seen.id)).statusCode).toBe(200)
    await anchor.rows('update payout_files set approved_by = $2 where id = $1', [seen.id, 'operator:x'])
    expect((await download(seen.id)).json()).toMatchObject({ code: 'payout-file-changed' })
  })
})

it('an order is bound with all that it says: a change of any part ends the proof', async () => {
  const { id, code } = await anchor.withdrawal('sepa', ASHA)
  const another = await anchor.withdrawal('sepa', MALLORY)
  const [payout] = await anchor.rows<{ id: string }>('select id from bank_payouts where code = $1', [code])
  const { deps } = anchor
  const { db } = deps.database
  await db.transaction().execute(tx =>
    queueOrder(deps, tx, {
      ...{ cause: 'return:SEPA:l1', transfer_id: null, kind: 'return', rail: 'SEPA' },
      ...{ amount: '12', currency: 'EUR', destination: { paymentId: 'l1' } },
    }),
  )
  const orders = [await orderOf(payout?.id ?? ''), await orderOf(orderIdOf('return:SEPA:l1'))]
  const known = orders.filter(order => order !== undefined)
  expect(known).toHaveLength(2)
  const ids = [id, another.id, null]
  const change = fc.oneof(
    fc.record({ id: fc.uuid() }),
    fc.record({ cause: fc.string({ minLength: 1 }) }),
    fc.record({ transfer_id: fc.constantFrom(...ids) }),
    fc.record({ kind: fc.constantFrom('payout' as const, 'return' as const) }),
    fc.record({ rail: fc.constantFrom('SEPA', 'ACH', 'NEFT') }),
    fc.record({ amount: fc.integer({ min: 1, max: 1e9 }).map(cents => (cents / 100).toFixed(7)) }),
    fc.record({ currency: fc.constantFrom('EUR', 'USD', 'INR') }),
    fc.record({ destination: fc.constantFrom({ paymentId: 'l1' }, { paymentId: 'l2' }, { ...MALLORY }) }),
    fc.record({ bound: fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes)) }),
    fc.constant({ bound: null }),
    fc.constant({}),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...known), change, async (order, over) => {
      const changed = { ...order, ...over } as RailOrder
      const same = (Object.keys(over) as (keyof RailOrder)[]).every(
        key => JSON.stringify(changed[key]) === JSON.stringify(order[key]),
      )
      expect(await isOrderBound(deps, db, changed)).toBe(same)
    }),
    { numRuns: 200 },
  )
})

describe('what earlier releases wrote', () => {
  it('is bound once, by the list of the migration, to which nobody adds', async () => {
    const { code } = await anchor.withdrawal('sepa', ASHA)
    const [payout] = await anchor.rows<{ id: string }>('select id from bank_payouts where code = $1', [code])
    const id = payout?.id
    await anchor.rows('update rail_orders set bound = null where id = $1', [id])
    const add = 'insert into orders_to_bind (order_id) values ($1)'
    await expect(anchor.rows(add, [id])).rejects.toThrow('listed by the migration')
    const longer = "insert into terms_binding (until) values (now() + interval '1 day')"
    await expect(anchor.rows(longer)).rejects.toThrow('listed by the migration')
    await bindEarlierOrders(anchor.deps)
    expect((await create()).json()).toMatchObject({ code: 'no-payouts-waiting' })
    // As its owner, a migration adds to it before it closes it.
    await anchor.rows('alter table orders_to_bind disable trigger filled_once')
    await anchor.rows(add, [id])
    await anchor.rows('alter table orders_to_bind enable trigger filled_once')
    await bindEarlierOrders(anchor.deps)
    expect((await create()).json()).toMatchObject({ payouts: 1 })
    expect(await anchor.rows('select from orders_to_bind')).toEqual([])
  })

  it('an approval that the list has is bound, so that its file can be downloaded', async () => {
    await anchor.withdrawal('sepa', ASHA)
    const { id } = (await create()).json()
    await anchor.approve(id, other)
    await anchor.rows('update payout_files set approval = null where id = $1', [id])
    const download = async () => (await anchor.asOperator('POST', `/payout-files/${id}/download`)).statusCode
    expect(await download()).toBe(409)
    await anchor.rows('alter table files_to_bind disable trigger filled_once')
    await anchor.rows('insert into files_to_bind (file_id) values ($1)', [id])
    await anchor.rows('alter table files_to_bind enable trigger filled_once')
    await bindEarlierApprovals(anchor.deps)
    expect(await download()).toBe(200)
  })

  it('an approval and an open order are bound again under a newer key', async () => {
    const { code } = await anchor.withdrawal('sepa', ASHA)
    const { id } = (await create()).json()
    await anchor.approve(id, other)
    const { rotating, newOnly } = withNewerKey(anchor.deps)
    await bindApprovalsAgain(rotating)
    await bindOrdersAgain(rotating)
    const [file] = await anchor.rows<PayoutFile>('select * from payout_files where id = $1', [id])
    expect(file && isApproved(newOnly.binder, file)).toBe(true)
    const [order] = await anchor.rows<RailOrder>(
      'select o.* from rail_orders o join bank_payouts p on p.id = o.id where p.code = $1',
      [code],
    )
    expect(order && (await isOrderBound(rotating, anchor.deps.database.db, order))).toBe(true)
    expect(order?.bound?.[0]).toBe(file?.approval?.[0])
    // Nothing that this server did not bind is bound then.
    await anchor.rows('update payout_files set approval = $2 where id = $1', [id, Buffer.alloc(33, 1)])
    await bindApprovalsAgain(rotating)
    const [forged] = await anchor.rows<PayoutFile>('select * from payout_files where id = $1', [id])
    expect(forged && isApproved(rotating.binder, forged)).toBe(false)
  })

  it('is bound when it is met while an upgrade lasts, and not after', async () => {
    const window = (minutes: number) =>
      anchor.rows(`insert into terms_binding values (now() + ${minutes} * interval '1 minute')`)
    await anchor.rows('alter table terms_binding disable trigger filled_once')
    for (const [minutes, isTaken] of [
      [-1, false],
      [15, true],
    ] as const) {
      await window(minutes)
      const { code } = await anchor.withdrawal('sepa', ASHA)
      await anchor.rows(
        'update rail_orders set bound = null where id = (select id from bank_payouts where code = $1)',
        [code],
      )
      expect([minutes, (await create()).statusCode]).toEqual([minutes, isTaken ? 201 : 409])
    }
    await anchor.rows('delete from terms_binding')
    await anchor.rows('alter table terms_binding enable trigger filled_once')
  })
})
