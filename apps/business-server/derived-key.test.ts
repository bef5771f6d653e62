import { createBinder } from '@windlass/service/seals/binding.ts'
import { createSealer, derivedKeys } from '@windlass/service/seals/seal.ts'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { detailsKeys } from './details-keys.ts'
import { bindOrder, bindOrdersAgain, isOrderBound } from './payments/bound-orders.ts'
import { orderIdOf, queueOrder } from './payments/rail-orders.ts'
import { sealDerived } from './sealed-columns.ts'
import type { RailOrder, Transfer } from './tables.ts'
import { BankAnchor } from './testing/bank-anchor.ts'
import { openDestination, sealDestination } from './transfers/destination.ts'

const link = 'l'.repeat(32)
const derived = derivedKeys.business.derive(link)
const text = (version: number, key: Buffer) => `v${version}:${key.toString('base64')}`
/** What the SEP server can make: it has the link secret. */
const stolen = new Map([[0, derived]])
const MALLORY = { dest: 'NL91ABNA0417164300', dest_name: 'Mallory' }

describe('the keys of a business server', () => {
  it('are those of its key file alone, whatever follows from the link secret of now or before', () => {
    const own = randomBytes(32)
    for (const file of [
      text(1, own),
      `${text(1, own)},${text(0, derived)}`,
      `${text(0, derived)},${text(1, own)}`,
    ]) {
      const keys = detailsKeys({ DETAILS_KEY: file }, link)
      expect([...keys.detailsKeys]).toEqual([[1, own]])
      expect(keys.derivedKeys).toEqual(stolen)
      const forged = createBinder(stolen).bind(['an order'])
      expect(createBinder(keys.detailsKeys).isBound(forged, ['an order'])).toBe(false)
      expect(() => createSealer(keys.detailsKeys).open(createSealer(stolen).seal('x', 'y'), 'y')).toThrow(
        'v0',
      )
    }
  })

  it('without a key file are the one that follows from the link secret', () => {
    expect(detailsKeys({}, link)).toEqual({ detailsKeys: stolen, derivedKeys: stolen })
  })
})

describe('who has the link secret and a login to the database', () => {
  let anchor: BankAnchor
  beforeAll(async () => {
    anchor = await BankAnchor.start()
  })
  afterAll(() => anchor.close())

  const forge = () => createSealer(stolen)
  const transferOf = async (id: string) =>
    (await anchor.rows<Transfer>('select * from transfers where id = $1', [id]))[0] as Transfer
  const setDestination = (id: string) =>
    anchor.rows('update transfers set sealed_destination = $2 where id = $1', [
      id,
      sealDestination(forge(), id, MALLORY),
    ])

  it('binds no order and no account that it is paid to', async () => {
    const { deps } = anchor
    const { id } = await anchor.withdrawal('sepa', { ...MALLORY, dest_name: 'Asha Rao' })
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
    await setDestination(id)
    const transfer = await transferOf(id)
    expect(() => openDestination(deps.sealer, transfer)).toThrow('v0')
    // Neither does the next start.
    await sealDerived(deps)
    expect((await transferOf(id)).sealed_destination?.[0]).toBe(0)
    await expect(anchor.rows('insert into sealed_by_derived_key values (true)')).rejects.toThrow(
      'listed by the migration',
    )
  })

  it('had what an earlier release encrypted encrypted again, once', async () => {
    const { deps } = anchor
    const { id } = await anchor.withdrawal('sepa', MALLORY)
    await anchor.rows(
      'update transfers set sealed_destination = null where get_byte(sealed_destination, 0) = 0',
    )
    await setDestination(id)
    // As the migration does.
    const migration = readFileSync(new URL('migrations/0281-derived-key.sql', import.meta.url), 'utf8')
    await anchor.rows('alter table sealed_by_derived_key disable trigger filled_once')
    await anchor.rows(migration.slice(migration.indexOf('do $$'), migration.indexOf('create trigger')))
    await anchor.rows('alter table sealed_by_derived_key enable trigger filled_once')
    expect(await anchor.rows('select one from sealed_by_derived_key')).toEqual([{ one: true }])
    await sealDerived(deps)
    expect(openDestination(deps.sealer, await transferOf(id))).toEqual(MALLORY)
    expect(await anchor.rows('select from sealed_by_derived_key')).toEqual([])
  })
})
