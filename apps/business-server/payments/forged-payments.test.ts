import type { OperatorAction } from '@windlass/contracts/anchor/operator-actions.ts'
import { readScalar } from '@windlass/service/postgres/scalars.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { LedgerPayment, Transfer } from '../tables.ts'
import { asPlatform } from '../testing/as-platform.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { withNewerKey } from '../testing/newer-key.ts'
import { receiveUnits } from '../testing/receive-units.ts'
import { reportedBy } from '../testing/reported-by.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { bindTermsAgain, bindTermsOfUpgrade, isAgreed } from '../transfers/bound-terms.ts'
import { confirm } from '../transfers/confirm.ts'
import { findTransfer } from '../transfers/find.ts'
import { unboundOrders } from './bound-orders.ts'
import { bindEarlierPayments, bindPaymentsAgain, isPaymentBound, paymentRow } from './bound-payments.ts'
import { redeliver } from './claimable-balances.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'
import { sendGathered } from './refunds.ts'
import { settleOrder } from './settle-order.ts'
import { changeTreasurySettings, sweepExcess } from './sweep.ts'

let anchor: LedgerAnchor
let customer: AccountKey
let thief: AccountKey
beforeAll(async () => {
  anchor = await LedgerAnchor.start()
  await anchor.issue()
  const known = { customerId: 'cus_1', status: 'ACCEPTED' as const, walletVerified: true }
  anchor.deps.customerRegistry.byWallet = async () => known
  ;[customer, thief] = [await anchor.customerWithAsset(), await anchor.customerWithAsset()]
})
afterAll(() => anchor.stop())
beforeEach(() => anchor.rows("update ledger_payments set state = 'canceled' where state = 'queued'"))

const told = () => readScalar(anchor.deps.database.db, unboundOrders)
const paymentOf = async (where: string) => {
  const [payment] = await anchor.rows<LedgerPayment>(`select * from ledger_payments where ${where}`)
  if (!payment) throw new Error('nothing is queued')
  return payment
}
const transferOf = async (id: string): Promise<Transfer> => {
  const found = await findTransfer(anchor.deps.database.db, id)
  if (!found) throw new Error('there is no transfer')
  return found
}
/** It was not paid, waits for people, and the team learns of it. */
async function expectHeld(where: string, before = '1000.0000000'): Promise<void> {
  expect([await anchor.held(thief), await paymentOf(where)]).toMatchObject([
    before,
    { state: 'queued', wait_code: 'unbound', hash: null },
  ])
  expect(await told()).toBeGreaterThan(0)
}

async function deposit(over = {}): Promise<Transfer> {
  const { id } = await acceptTransaction(
    anchor.deps,
    reportedBy(customer.publicKey, { type: 'upi', ...over }),
  )
  return confirm(anchor.deps, id)
}
async function withdrawal(): Promise<Transfer> {
  const of = { kind: 'withdrawal', type: 'upi', fields: { dest: 'asha@okbank' } } as const
  const { id } = await acceptTransaction(anchor.deps, reportedBy(customer.publicKey, of))
  return confirm(anchor.deps, id)
}
async function come({ rail, reference, fiat_amount, currency }: Transfer): Promise<void> {
  const paid = { paymentId: randomUUID(), reference: reference ?? '', amount: fiat_amount ?? '', currency }
  await receiveRailPayment(anchor.deps, rail, { kind: 'received', ...paid })
}
const call = (url: string, payload: object) =>
  anchor.app.server.app.inject({
    method: 'POST',
    url,
    headers: asPlatform(anchor.deps.config.secrets),
    payload,
  })
const act = async (id: string, kind: string) =>
  (
    await call(`/admin/transactions/${id}/actions`, { kind, reason: 'x', by: 'operator:asha' })
  ).json<OperatorAction>()
const decide = async ({ id }: OperatorAction, approve = true) =>
  (await call(`/admin/operator-actions/${id}/decision`, { approve, by: 'operator:mira' })).json()

describe('a payment on the ledger that someone writes into the database', () => {
  const insert = (columns: string, values: string) =>
    anchor.rows(
      `insert into ledger_payments (destination, amount, ${columns}) values ('${thief.publicKey}', 50, ${values})`,
    )

  it.each(['refund', 'sweep', 'redelivery', 'deposit'])(
    'does not leave, and the team learns of it: %s',
    async purpose => {
      await insert('cause, purpose', `'forged:${purpose}', '${purpose}'`)
      await anchor.pay()
      await expectHeld(`cause = 'forged:${purpose}'`)
      await anchor.pay()
      await expectHeld(`cause = 'forged:${purpose}'`)
    },
  )

  it('does not leave for the deposit of someone who paid nothing, and two people cannot send it', async () => {
    const { id } = await deposit({ destination_account: thief.publicKey })
    await insert('cause, purpose, transfer_id', `'deposit:${id}', 'deposit', '${id}'`)
    await anchor.rows(`update transfers set state = 'funded', amount = 50 where id = '${id}'`)
    await anchor.pay()
    await expectHeld(`transfer_id = '${id}'`)
    const asked = await act(id, 'resend')
    expect(asked).toMatchObject({ status: 'waiting', account: { dest: thief.publicKey } })
    expect(await decide(asked)).toMatchObject({ code: 'action-not-possible' })
    await anchor.pay()
    await expectHeld(`transfer_id = '${id}'`)
  })

  it('has no proof by that of another payment, of its own that was canceled, or of one that was paid', async () => {
    await anchor.queue(thief.publicKey, { cause: 'test:paid' })
    await anchor.pay()
    expect(await anchor.held(thief)).toBe('1010.0000000')
    await insert(
      'cause, purpose, bound',
      "'test:again', 'refund', (select bound from ledger_payments where cause = 'test:paid')",
    )
    await expect(
      anchor.rows("update ledger_payments set state = 'queued' where cause = 'test:paid'"),
    ).rejects.toThrow('cannot be queued')
    await anchor.queue(thief.publicKey, { cause: 'test:canceled' })
    const reopen = (more: number) =>
      anchor.rows(
        `update ledger_payments set state = 'queued', reopened = reopened + ${more} where cause = 'test:canceled'`,
      )
    await anchor.rows("update ledger_payments set state = 'canceled' where cause = 'test:canceled'")
    await expect(reopen(0)).rejects.toThrow('cannot be queued')
    await expect(reopen(-1)).rejects.toThrow('cannot be queued')
    await expect(
      anchor.rows("update ledger_payments set reopened = -1 where cause = 'test:canceled'"),
    ).rejects.toThrow('cannot be queued')
    await reopen(1)
    await anchor.pay()
    for (const cause of ['test:again', 'test:canceled'])
      await expectHeld(`cause = '${cause}'`, '1010.0000000')
    // What people really take back and decide again leaves.
    await anchor.rows("update ledger_payments set state = 'canceled' where cause = 'test:canceled'")
    await anchor.queue(thief.publicKey, { cause: 'test:canceled', amount: '5' })
    await anchor.pay()
    expect([await anchor.held(thief), (await paymentOf("cause = 'test:canceled'")).state]).toEqual([
      '1015.0000000',
      'paid',
    ])
    await anchor.sendBack(thief, '15')
  })

  it('is not made twice since someone writes that its transaction is over', async () => {
    const before = Number(await anchor.held(customer))
    await anchor.queue(customer.publicKey, { cause: 'test:once', amount: '4' })
    await expect(anchor.payUntil('envelope:applied')).resolves.toBeUndefined()
    expect(Number(await anchor.held(customer)) - before).toBe(4)
    await anchor.rows("update ledger_envelopes set state = 'dead' where state = 'open'")
    await anchor.pay()
    await anchor.pay()
    expect(Number(await anchor.held(customer)) - before).toBe(4)
    expect(await paymentOf("cause = 'test:once'")).toMatchObject({ state: 'paid' })
  })

  it('keeps no other payment waiting', async () => {
    await insert('cause, purpose', "'forged:first', 'refund'")
    await anchor.queue(customer.publicKey, { cause: 'test:own' })
    await anchor.pay()
    expect((await paymentOf("cause = 'test:own'")).state).toBe('paid')
    await expectHeld("cause = 'forged:first'")
  })
})

describe('a deposit that someone changes after its customer agreed', () => {
  it.each([
    ['where it goes', () => `stellar_account = '${thief.publicKey}'`],
    ['how much it brings', () => 'amount = 900'],
    ['its terms', () => `terms = jsonb_set(terms, '{spread}', '"0"')`],
    ['how it is found', () => `reference = 'W${randomUUID()}'`],
  ])('is paid by nobody alone, and given back by two people: %s', async (_, change) => {
    const own = await deposit()
    await anchor.rows(`update transfers set ${change()} where id = '${own.id}'`)
    await come(await transferOf(own.id))
    await anchor.pay()
    await expectHeld(`transfer_id = '${own.id}'`)
    const asked = await act(own.id, 'refund')
    expect(asked.status).toBe('waiting')
    expect(await decide(asked)).toMatchObject({ status: 'done' })
    expect([await anchor.held(thief), (await transferOf(own.id)).state]).toEqual([
      '1000.0000000',
      'returning',
    ])
  })

  it('is paid as two people saw it, who were shown the account', async () => {
    const own = await deposit()
    await anchor.rows(`update transfers set bound = null where id = '${own.id}'`)
    await come(own)
    await anchor.pay()
    await expectHeld(`transfer_id = '${own.id}'`)
    const asked = await act(own.id, 'resend')
    expect(asked).toMatchObject({ status: 'waiting', account: { dest: customer.publicKey } })
    await anchor.rows(`update transfers set stellar_account = '${thief.publicKey}' where id = '${own.id}'`)
    expect(await decide(asked)).toMatchObject({ code: 'action-not-possible' })
    await anchor.rows(`update transfers set stellar_account = '${customer.publicKey}' where id = '${own.id}'`)
    expect(await decide(asked)).toMatchObject({ status: 'done' })
    await anchor.pay()
    expect((await transferOf(own.id)).state).toBe('completed')
  })
})

describe('what goes back on the ledger', () => {
  it('is not sent to an account that someone writes into the withdrawal: two people decide', async () => {
    const own = await withdrawal()
    await receiveUnits(anchor.deps, own)
    await anchor.rows(`update transfers set stellar_account = '${thief.publicKey}' where id = '${own.id}'`)
    const [order] = await anchor.rows<{ id: string }>(
      `select id from rail_orders where transfer_id = '${own.id}'`,
    )
    await settleOrder(anchor.deps, { kind: 'failed', orderId: order?.id ?? '', reason: 'closed' })
    await anchor.pay()
    await expectHeld(`transfer_id = '${own.id}'`)
    const asked = await act(own.id, 'resend')
    expect(asked).toMatchObject({ status: 'waiting', account: { dest: thief.publicKey } })
    expect(await decide(asked)).toMatchObject({ code: 'action-not-possible' })
  })

  it('leaves by itself where the payout failed of a withdrawal that nobody changed', async () => {
    const own = await withdrawal()
    await receiveUnits(anchor.deps, own)
    const [order] = await anchor.rows<{ id: string }>(
      `select id from rail_orders where transfer_id = '${own.id}'`,
    )
    await settleOrder(anchor.deps, { kind: 'failed', orderId: order?.id ?? '', reason: 'closed' })
    await anchor.pay()
    expect((await transferOf(own.id)).state).toBe('returned')
  })

  it('is no stranger’s refund that someone writes beside those that wait', async () => {
    await anchor.rows(`insert into gathered_refunds (cause, return_to, amount, leave_at)
      values ('refund:receipt:x:1', '${thief.publicKey}', 50, now())`)
    await sendGathered(anchor.deps)
    await anchor.pay()
    await expectHeld(`destination = '${thief.publicKey}' and cause like 'refund:receipt:gathered:%'`)
    await expect(anchor.rows('update gathered_refunds set paid_by = null')).rejects.toThrow(
      'cannot be queued',
    )
    await expect(anchor.rows('delete from gathered_refunds')).rejects.toThrow('cannot be queued')
  })

  it('is no payment that someone writes as held', async () => {
    const record = {
      ledger: {
        hash: 'a'.repeat(64),
        id: '1',
        returnTo: thief.publicKey,
        amount: '50',
        asset: null,
        muxedId: null,
        memo: null,
        memoType: 'none',
      },
    }
    const [incident] = await anchor.rows<{ id: string }>(
      `insert into ledger_incidents (kind, subject, details, record)
       values ('held-receipt', 'ledger:x:1', '{"reason": "restored"}', '${JSON.stringify(record)}') returning id`,
    )
    const answer = await call(`/admin/ledger-incidents/${incident?.id}/resolve`, {
      ...{ outcome: 'not-applied', resolution: 'x', by: 'operator:asha' },
    })
    expect(answer.json()).toMatchObject({ code: 'validation-failed' })
    expect(await anchor.rows(`select from ledger_payments where state = 'queued'`)).toEqual([])
  })

  it('is no deposit again by a claimable balance that someone names', async () => {
    await anchor.queue(thief.publicKey, { cause: 'test:became', amount: '3' })
    await anchor.pay()
    const { id } = await paymentOf("cause = 'test:became'")
    await anchor.rows(`insert into claimable_balances (id, payment_id, reclaim_at, next_look_at)
      values ('forged', '${id}', now(), 'infinity')`)
    const { db } = anchor.deps.database
    await db.transaction().execute(tx => redeliver(anchor.deps, tx, 'forged'))
    await anchor.pay()
    await expectHeld("cause = 'redelivery:forged'", '1003.0000000')
  })
})

it('what exceeds the ceiling goes to no cold account that someone writes, until people set it again', async () => {
  await anchor.rows(`insert into treasury_settings (low, ceiling, cold_account, xlm_low, by)
    values (1000, 5000, '${thief.publicKey}', 1, 'operator:asha')`)
  const before = (await anchor.held(thief)) ?? ''
  await sweepExcess(anchor.deps)
  await anchor.pay()
  await expectHeld("purpose = 'sweep' and state = 'queued'", before)
  const { publicKey: coldAccount } = customer
  const of = { asset: null, by: 'operator:mira' }
  await changeTreasurySettings(anchor.deps, of, { low: '1000', ceiling: '5000', coldAccount, xlmLow: '1' })
  await sweepExcess(anchor.deps)
  await anchor.pay()
  expect(
    await anchor.rows("select destination from ledger_payments where purpose = 'sweep' and state = 'paid'"),
  ).toEqual([{ destination: coldAccount }])
  await anchor.rows(`insert into treasury_settings (low, ceiling, cold_account, xlm_low, by)
    select 500, 1000, cold_account, xlm_low, by from treasury_settings where cold_account = '${coldAccount}'`)
  await anchor.rows("update ledger_payments set paid_at = paid_at - interval '1 hour'")
  await sweepExcess(anchor.deps)
  await anchor.pay()
  await expectHeld("purpose = 'sweep' and state = 'queued'", before)
  await changeTreasurySettings(anchor.deps, of, {
    low: '1000',
    ceiling: null,
    coldAccount: null,
    xlmLow: '1',
  })
})

describe('what earlier releases queued', () => {
  const earlier = async (cause: string) => {
    await anchor.queue(customer.publicKey, { cause })
    await anchor.rows(`update ledger_payments set bound = null where cause = '${cause}'`)
  }

  it('is what the migration lists, and leaves; nobody adds to the list', async () => {
    await earlier('test:listed')
    await anchor.rows('drop table payments_to_bind')
    const text = readFileSync(new URL('../migrations/0451-payments-to-bind.sql', import.meta.url), 'utf8')
    const [lists = ''] = text.split('-- Deposits are')
    await anchor.rows(lists)
    await earlier('test:later')
    const { id } = await paymentOf("cause = 'test:later'")
    await expect(anchor.rows(`insert into payments_to_bind values ('${id}')`)).rejects.toThrow(
      'listed by the migration',
    )
    await bindEarlierPayments(anchor.deps)
    expect(await anchor.rows('select from payments_to_bind')).toEqual([])
    await anchor.pay()
    expect((await paymentOf("cause = 'test:listed'")).state).toBe('paid')
    expect(await paymentOf("cause = 'test:later'")).toMatchObject({ state: 'queued', wait_code: 'unbound' })
  })

  it('is a deposit that the migration lists, or that was agreed while it ran beside this one', async () => {
    const list = async (table: string, values: string) => {
      await anchor.rows(`alter table ${table} disable trigger filled_once`)
      await anchor.rows(`insert into ${table} values (${values})`)
      await anchor.rows(`alter table ${table} enable trigger filled_once`)
    }
    const [listed, beside] = [await deposit(), await deposit()]
    for (const { id } of [listed, beside])
      await anchor.rows(`update transfers set bound = null where id = '${id}'`)
    await list('transfers_to_bind', `'${listed.id}'`)
    await come(listed)
    await list('terms_binding', "now() + interval '15 minutes'")
    await bindTermsOfUpgrade(anchor.deps)
    await anchor.rows('delete from terms_binding')
    await come(beside)
    await anchor.pay()
    for (const { id } of [listed, beside]) expect((await transferOf(id)).state).toBe('completed')
  })
})

it('what waits is bound again under a newer key, and nothing else is', async () => {
  await anchor.queue(customer.publicKey, { cause: 'test:own-key' })
  await anchor.rows(`insert into ledger_payments (cause, purpose, destination, amount, bound)
    select 'test:copied', purpose, destination, amount, bound from ledger_payments where cause = 'test:own-key'`)
  const own = await deposit()
  const { rotating, newOnly } = withNewerKey(anchor.deps)
  await bindPaymentsAgain(rotating)
  await bindTermsAgain(rotating)
  const { db } = anchor.deps.database
  const isBound = async (cause: string) => isPaymentBound(newOnly, db, await paymentOf(`cause = '${cause}'`))
  expect([await isBound('test:own-key'), await isBound('test:copied')]).toEqual([true, false])
  expect(await isAgreed(newOnly, db, await transferOf(own.id))).toBe(true)
})

it('any change of a payment ends its proof', () => {
  const text = fc.stringMatching(/^[a-zA-Z0-9:]{1,20}$/)
  const payment: Parameters<typeof paymentRow>[0] = {
    ...{ cause: 'deposit:1', transfer_id: '1', purpose: 'deposit', destination: 'G', amount: '5' },
    ...{ asset: null, memo: null, memo_type: null, claimable: false, reopened: 0 },
  }
  const { binder } = anchor.deps
  const bound = binder.bind(paymentRow(payment))
  const change = fc.oneof(
    fc.tuple(fc.constantFrom('cause', 'transfer_id', 'destination', 'asset', 'memo', 'memo_type'), text),
    fc.tuple(fc.constant('purpose'), fc.constantFrom('refund', 'sweep', 'redelivery', 'reclaim')),
    fc.tuple(fc.constant('amount'), fc.integer({ min: 1, max: 1e9 }).map(String)),
    fc.tuple(fc.constant('claimable'), fc.constant(true)),
    fc.tuple(fc.constant('reopened'), fc.integer({ min: -5, max: 5 })),
  )
  fc.assert(
    fc.property(change, ([column, value]) => {
      const isSame = payment[column as keyof typeof payment] === value
      expect(binder.isBound(bound, paymentRow({ ...payment, [column]: value }))).toBe(isSame)
    }),
  )
  expect(binder.isBound(bound, paymentRow({ ...payment, amount: '5.0000000' }))).toBe(true)
})
