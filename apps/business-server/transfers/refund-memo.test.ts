import { generateKey } from '@windlass/stellar/keys.ts'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BusinessApp } from '../testing/business-app.ts'
import { startWithInstantRail } from '../testing/instant-rail.ts'
import { receiveUnits } from '../testing/receive-units.ts'
import { reportedBy } from '../testing/reported-by.ts'
import { settleOrder } from '../payments/settle-order.ts'
import { acceptTransaction } from './accept.ts'
import { areTermsBound, bindListedTerms, bindTerms } from './bound-terms.ts'
import { confirm } from './confirm.ts'
import { findTransfer } from './find.ts'

let app: BusinessApp
beforeAll(async () => {
  ;({ app } = await startWithInstantRail())
})
afterAll(() => app.close())

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await app.deps.database.pool.query<Row>(text, values)).rows
const isBound = (id: string) => areTermsBound(app.deps, app.deps.database.db, id)

async function agreed(refund_memo?: string) {
  const memo = refund_memo === undefined ? {} : { refund_memo, refund_memo_type: 'text' as const }
  const of = { kind: 'withdrawal', type: 'upi', fields: { dest: 'asha@okbank' }, ...memo } as const
  const { id } = await acceptTransaction(app.deps, reportedBy(generateKey().publicKey, of))
  return confirm(app.deps, id)
}

it('what was bound before refund memos were is bound again where the migration lists it', async () => {
  const { db } = app.deps.database
  const before = async () => {
    const own = await agreed('exchange-7')
    await bindTerms(app.deps, db, { ...own, refund_memo: null, refund_memo_type: null })
    return own.id
  }
  const [listed, forged] = [await before(), await before()]
  const { id: without } = await agreed()
  await query('update transfers set amount = amount + 1 where id = $1', [forged])
  const text = readFileSync(new URL('../migrations/0456-refund-memos-are-bound.sql', import.meta.url), 'utf8')
  await query(text)
  const ids = (await query<{ id: string }>('select transfer_id as id from transfers_to_bind')).map(
    ({ id }) => id,
  )
  expect(ids).toEqual(expect.arrayContaining([listed, forged]))
  expect(ids).not.toContain(without)
  const after = await before()
  await bindListedTerms(app.deps)
  expect([
    await isBound(listed),
    await isBound(forged),
    await isBound(after),
    await isBound(without),
  ]).toEqual([true, false, false, true])
  await query("update transfers set refund_memo = 'thief' where id = $1", [listed])
  expect(await isBound(listed)).toBe(false)
})

it.each([
  ['agreed', '', { memo: 'exchange-7', memo_type: 'text' }],
  [
    'written by someone',
    "refund_memo = 'thief'",
    { memo: expect.stringMatching(/^[0-9a-f]{64}$/), memo_type: 'return' },
  ],
])('a payout that failed is refunded with the memo of the wallet alone: %s', async (_, writes, memo) => {
  const own = await agreed('exchange-7')
  await receiveUnits(app.deps, own)
  if (writes) await query(`update transfers set ${writes} where id = $1`, [own.id])
  const [order] = await query<{ id: string }>('select id from rail_orders where transfer_id = $1', [own.id])
  await settleOrder(app.deps, { kind: 'failed', orderId: order?.id ?? '', reason: 'closed' })
  expect((await findTransfer(app.deps.database.db, own.id))?.state).toBe('returning')
  expect(await query('select memo, memo_type from ledger_payments where transfer_id = $1', [own.id])).toEqual(
    [memo],
  )
})
