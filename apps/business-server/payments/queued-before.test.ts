import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { randomUUID } from 'node:crypto'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import { startWithCustomer } from '../testing/known-customer.ts'
import type { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { reportedBy } from '../testing/reported-by.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { findUnboundPayment } from './release-unbound.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'

let anchor: LedgerAnchor
let customer: AccountKey
beforeAll(async () => {
  ;({ anchor, customer } = await startWithCustomer())
})
afterAll(() => anchor.stop())
beforeEach(() => anchor.rows("update ledger_payments set state = 'canceled' where state = 'queued'"))

/** A deposit whose money came to a server of the release before, which queued its payment. */
async function queuedBefore(amount = '20'): Promise<string> {
  const asked = reportedBy(customer.publicKey, { type: 'upi', amount_expected: { amount } })
  const { id } = await acceptTransaction(anchor.deps, asked)
  const { rail, reference, fiat_amount, currency } = await confirm(anchor.deps, id)
  const paid = { paymentId: randomUUID(), reference: reference ?? '', amount: fiat_amount ?? '', currency }
  await receiveRailPayment(anchor.deps, rail, { kind: 'received', ...paid })
  await anchor.rows(`update transfers set bound = null where id = '${id}'`)
  await anchor.rows(`update ledger_payments set bound = null where transfer_id = '${id}'`)
  return id
}
const list = async (table: string, values: string) => {
  await anchor.rows(`alter table ${table} disable trigger filled_once`)
  await anchor.rows(`insert into ${table} ${values}`)
  await anchor.rows(`alter table ${table} enable trigger filled_once`)
}
const stateOf = async (id: string) => {
  const [row] = await anchor.rows<{ state: string; wait_code: string | null }>(
    `select state, wait_code from ledger_payments where transfer_id = '${id}'`,
  )
  return row?.wait_code ?? row?.state
}

describe('a deposit’s payment that a server of the release before queued', () => {
  it('leaves while an upgrade lasts where its transaction says it and its money came, and not after', async () => {
    const [cleared, good] = [await queuedBefore(), await queuedBefore()]
    const [unpaid, other] = [await queuedBefore(), await queuedBefore()]
    await anchor.rows(`update rail_receipts set outcome = 'unmatched' where transfer_id = '${unpaid}'`)
    await anchor.rows(`update transfers set amount = 90 where id = '${other}'`)
    await list('terms_binding', "values (now() + interval '15 minutes')")
    await anchor.rows(`update ledger_payments set bound = '' where transfer_id = '${cleared}'`)
    await anchor.pay()
    expect([
      await stateOf(cleared),
      await stateOf(good),
      await stateOf(unpaid),
      await stateOf(other),
    ]).toEqual([...['unbound', 'paid', 'unbound', 'unbound']])
    await anchor.rows('delete from terms_binding')
    const after = await queuedBefore()
    await anchor.pay()
    expect(await stateOf(after)).toBe('unbound')
  })

  it('leaves at once where the migration lists it, and it is met before its turn', async () => {
    const id = await queuedBefore()
    await list('payments_to_bind', `select id from ledger_payments where transfer_id = '${id}'`)
    await anchor.pay()
    expect(await stateOf(id)).toBe('paid')
  })
})

it('people are asked about no balance that is taken back, which pays nobody, before what they can resend', async () => {
  const id = await queuedBefore()
  await anchor.rows(`insert into ledger_payments (cause, purpose, transfer_id, destination, amount, wait_code, created_at)
    values ('reclaim:x', 'reclaim', '${id}', '${customer.publicKey}', 20, 'unbound', now() - interval '1 day')`)
  const { db } = anchor.deps.database
  expect(await findUnboundPayment(db, id)).toBeNull()
  await anchor.rows(`update ledger_payments set wait_code = 'unbound' where cause = 'deposit:${id}'`)
  expect(await findUnboundPayment(db, id)).toMatchObject({ purpose: 'deposit' })
})
