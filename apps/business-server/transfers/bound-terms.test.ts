import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { receiveRailPayment } from '../payments/receive-rail-payment.ts'
import type { LedgerPayment, RailOrder } from '../tables.ts'
import { BankAnchor } from '../testing/bank-anchor.ts'
import { withNewerKey } from '../testing/newer-key.ts'
import { evaluateConditions } from '../workspace/notifications/conditions.ts'
import { acceptTransaction } from './accept.ts'
import { areTermsBound, bindEarlierTerms, bindTermsAgain, bindTermsOfUpgrade } from './bound-terms.ts'
import { confirm } from './confirm.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

const ASHA = { dest: 'DE02120300000000202051', dest_name: 'Asha Rao' }
const MALLORY = { dest: 'NL91ABNA0417164300', dest_name: 'Mallory' }
const STRANGER = 'GBRPYHIL2CI3FNQ4BXLFMNDLFJUNPU2HY3ZMFSHONUCEOASW7QC7OX2H'
const change = (set: string, values: unknown[] = []) =>
  anchor.rows(
    `update transfers set ${set} where id = (select id from transfers order by created_at desc limit 1)`,
    values,
  )
const create = () => anchor.asOperator('POST', '/rails/SEPA/payout-files', { by: 'operator:one' })
const orderOf = async (id: string) =>
  (await anchor.rows<RailOrder>('select * from rail_orders where transfer_id = $1', [id]))[0]
const alerts = async () => {
  const { conditions } = await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })
  return conditions.filter(({ subject }) => subject === 'unbound-orders').length
}
const isBound = (id: string) => areTermsBound(anchor.deps, anchor.deps.database.db, id)
const pay = ({ reference, money }: { reference: string; money: string }) =>
  receiveRailPayment(anchor.deps, 'SEPA', {
    ...{ kind: 'received', paymentId: `pay-${reference}`, reference, amount: money, currency: 'EUR' },
  })
const paymentOf = async (id: string) =>
  (await anchor.rows<LedgerPayment>('select * from ledger_payments where transfer_id = $1', [id]))[0]

describe('a login to the database alone, before the payment comes,', () => {
  it.each([
    ['raises what a withdrawal pays out', "fiat_amount = '9000000'"],
    ['pays another account, in plain text', 'sealed_destination = null, destination = $1'],
    ['pays in another currency', "currency = 'USD'"],
    ['pays over another rail', "rail = 'ACH'"],
    ['has other terms when the payment arrives', `terms = terms || '{"spread": "0.001"}'::jsonb`],
    ['takes the proof away too', "fiat_amount = '9000000', bound = null"],
  ])('%s: no money leaves', async (_, set) => {
    const before = await alerts()
    const values = set.includes('$1') ? [JSON.stringify(MALLORY)] : []
    const { id } = await anchor.withdrawal('sepa', ASHA, () => change(set, values))
    expect(await orderOf(id)).toMatchObject({ state: 'queued', wait_code: 'unbound' })
    expect(await anchor.rows('select from bank_payouts where transfer_id = $1', [id])).toEqual([])
    expect((await create()).json()).toMatchObject({ code: 'no-payouts-waiting' })
    expect([before, await alerts()]).toEqual([before, 1])
  })

  it('lets a stranger’s payment pay its own withdrawal: no money leaves', async () => {
    const given = anchor.transaction({ kind: 'withdrawal', type: 'sepa', fields: MALLORY })
    const own = await confirm(anchor.deps, (await acceptTransaction(anchor.deps, given)).id)
    const memo = 'update transfers set ledger_memo = $2 where id = $1'
    const { id } = await anchor.withdrawal('sepa', ASHA, async () => {
      const [theirs] = await anchor.rows<{ id: string; ledger_memo: string }>(
        'select id, ledger_memo from transfers order by created_at desc limit 1',
      )
      await anchor.rows(memo, [theirs?.id, '1'])
      await anchor.rows(memo, [own.id, theirs?.ledger_memo])
    })
    expect([await orderOf(id), (await orderOf(own.id))?.wait_code]).toEqual([undefined, 'unbound'])
    expect((await create()).json()).toMatchObject({ code: 'no-payouts-waiting' })
  })

  it.each([
    ['sends a stranger’s deposit to itself', `stellar_account = '${STRANGER}'`],
    ['raises what a deposit brings', "amount = '90000'"],
    ['gives its deposit a stranger’s memo', "memo = '7', memo_type = 'id'"],
  ])('%s: it waits', async (_, set) => {
    const deposit = await anchor.deposit()
    await change(set)
    await pay(deposit)
    expect(await paymentOf(deposit.id)).toMatchObject({ state: 'queued', wait_code: 'unbound' })
    expect(await alerts()).toBe(1)
  })
})

it('what nobody else changed is paid, also where the payment is near what was asked for', async () => {
  const deposit = await anchor.deposit()
  await pay(deposit)
  expect(await paymentOf(deposit.id)).toMatchObject({ state: 'queued', wait_code: null })
  expect(await isBound(deposit.id)).toBe(true)
  const { id } = await anchor.withdrawal('sepa', ASHA)
  expect(await isBound(id)).toBe(true)
  expect((await create()).statusCode).toBe(201)
})

it('any change of what was agreed ends the proof, and putting it back brings it again', async () => {
  const { id } = await anchor.deposit()
  const [row] = await anchor.rows<Record<string, unknown>>('select * from transfers where id = $1', [id])
  const set = (column: string, value: unknown) =>
    anchor.rows(`update transfers set ${column} = $2 where id = $1`, [id, value])
  const amount = fc.integer({ min: 1, max: 1e9 }).map(cents => (cents / 100).toFixed(7))
  const text = fc.stringMatching(/^[a-z0-9]{1,20}$/)
  const one = fc.oneof(
    fc.tuple(fc.constantFrom('amount', 'fee', 'fiat_amount'), amount),
    fc.tuple(
      fc.constantFrom('rail', 'currency', 'reference', 'account', 'account_memo', 'person', 'memo'),
      text,
    ),
    fc.tuple(fc.constantFrom('stellar_account', 'memo_type', 'refund_memo', 'refund_memo_type'), text),
    fc.tuple(fc.constantFrom('claimable', 'priced_at_arrival'), fc.boolean()),
    fc.tuple(
      fc.constantFrom('terms', 'exchange'),
      text.map(value => JSON.stringify({ value })),
    ),
  )
  await fc.assert(
    fc.asyncProperty(one, async ([column, value]) => {
      const was = row?.[column]
      const isSame = was === value || (column.endsWith('amount') && Number(was) === Number(value))
      await set(column, value)
      expect([column, await isBound(id)]).toEqual([column, isSame])
      await set(column, was && typeof was === 'object' ? JSON.stringify(was) : was)
      expect([column, await isBound(id)]).toEqual([column, true])
    }),
    { numRuns: 100 },
  )
})

describe('what earlier releases agreed', () => {
  const list = async (table: string, values: string) => {
    await anchor.rows(`alter table ${table} disable trigger filled_once`)
    await anchor.rows(`insert into ${table} values (${values})`)
    await anchor.rows(`alter table ${table} enable trigger filled_once`)
  }
  const unbind = (id: string) => anchor.rows('update transfers set bound = null where id = $1', [id])

  it('is bound once, by the list of the migration, to which nobody adds', async () => {
    const deposit = await anchor.deposit()
    await unbind(deposit.id)
    const add = 'insert into transfers_to_bind values ($1)'
    await expect(anchor.rows(add, [deposit.id])).rejects.toThrow('listed by the migration')
    const longer = "insert into terms_binding values (now() + interval '1 day')"
    await expect(anchor.rows(longer)).rejects.toThrow('listed by the migration')
    await bindEarlierTerms(anchor.deps)
    expect(await isBound(deposit.id)).toBe(false)
    await list('transfers_to_bind', `'${deposit.id}'`)
    await bindEarlierTerms(anchor.deps)
    expect(await anchor.rows('select from transfers_to_bind')).toEqual([])
    await pay(deposit)
    expect(await paymentOf(deposit.id)).toMatchObject({ wait_code: null })
  })

  it('is bound when it is met while an upgrade lasts, and before that ends, and not after', async () => {
    const [late, met, unmet] = [await anchor.deposit(), await anchor.deposit(), await anchor.deposit()]
    for (const { id } of [late, met, unmet]) await unbind(id)
    await list('terms_binding', "now() - interval '1 minute'")
    await bindTermsOfUpgrade(anchor.deps)
    await pay(late)
    expect(await paymentOf(late.id)).toMatchObject({ wait_code: 'unbound' })
    await list('terms_binding', "now() + interval '15 minutes'")
    await pay(met)
    await bindTermsOfUpgrade(anchor.deps)
    await anchor.rows('delete from terms_binding')
    await pay(unmet)
    for (const { id } of [met, unmet]) expect(await paymentOf(id)).toMatchObject({ wait_code: null })
  })

  it('is bound again under a newer key, and nothing else is', async () => {
    const [agreed, forged] = [await anchor.deposit(), await anchor.deposit()]
    await anchor.rows("update transfers set amount = '90000' where id = $1", [forged.id])
    const { rotating, newOnly } = withNewerKey(anchor.deps)
    await bindTermsAgain(rotating)
    const { db } = anchor.deps.database
    expect(await areTermsBound(newOnly, db, agreed.id)).toBe(true)
    expect(await areTermsBound(rotating, db, forged.id)).toBe(false)
  })
})
