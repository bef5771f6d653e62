import type { OperatorAction } from '@windlass/contracts/anchor/operator-actions.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, type MockInstance } from 'vitest'
import { bindOrdersAgain, isOrderBound } from '../payments/bound-orders.ts'
import { sendOrders } from '../payments/rail-orders.ts'
import { waitForTreasury } from '../payments/payment-waits.ts'
import { receiveRailPayment } from '../payments/receive-rail-payment.ts'
import { settleOrder } from '../payments/settle-order.ts'
import type { Rail } from '../rails/rail.ts'
import type { LedgerPayment, RailOrder, Transfer } from '../tables.ts'
import { asPlatform } from '../testing/as-platform.ts'
import type { BusinessApp } from '../testing/business-app.ts'
import { startWithInstantRail } from '../testing/instant-rail.ts'
import { rotate, withNewerKey } from '../testing/newer-key.ts'
import { acceptTransaction } from './accept.ts'
import { areTermsBound, bindListedTerms, bindTermsAgain, isPaidBound } from './bound-terms.ts'
import { confirm } from './confirm.ts'
import { sealedDestinations } from './destination.ts'
import { findTransfer } from './find.ts'
import { receiveUnits } from '../testing/receive-units.ts'
import { reportedBy } from '../testing/reported-by.ts'

let app: BusinessApp
let pay: MockInstance<Rail['pay']>
beforeAll(async () => {
  ;({ app, pay } = await startWithInstantRail())
})
afterAll(() => app.close())
beforeEach(() => void pay.mockClear())

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await app.deps.database.pool.query<Row>(text, values)).rows
const isBound = (id: string) => areTermsBound(app.deps, app.deps.database.db, id)
const stateOf = async (id: string) => (await findTransfer(app.deps.database.db, id))?.state

async function begun(
  quote_id?: string,
  account = generateKey().publicKey,
  kind: 'withdrawal' | 'deposit' = 'withdrawal',
): Promise<string> {
  const over = { kind, type: 'upi', fields: { dest: 'asha@okbank' }, ...(quote_id ? { quote_id } : {}) }
  return (await acceptTransaction(app.deps, reportedBy(account, over))).id
}
const agreed = async () => confirm(app.deps, await begun())

/** Its units come, and what is ordered for them is handed to its rail. */
async function come(transfer: Transfer): Promise<void> {
  await receiveUnits(app.deps, transfer)
  await sendOrders(app.deps)
}

async function sentBack(): Promise<Transfer> {
  const own = await agreed()
  await come(own)
  const { id: orderId } = await orderOf(own.id)
  await settleOrder(app.deps, { kind: 'paid', orderId, paymentId: 'UTR1' })
  await settleOrder(app.deps, { kind: 'failed', orderId, reason: 'closed' })
  pay.mockClear()
  return own
}

async function orderOf(id: string): Promise<RailOrder> {
  const text = 'select * from rail_orders where transfer_id = $1 order by created_at desc'
  const [order] = await query<RailOrder>(text, [id])
  if (!order) throw new Error('nothing is ordered')
  return order
}
const call = (url: string, payload: object) =>
  app.server.app.inject({ method: 'POST', url, headers: asPlatform(app.deps.config.secrets), payload })
const act = async (id: string, kind: string, by = 'operator:asha') =>
  (await call(`/admin/transactions/${id}/actions`, { kind, reason: 'x', by })).json<OperatorAction>()
const decide = async (id: string, approve = true) =>
  (await call(`/admin/operator-actions/${id}/decision`, { approve, by: 'operator:mira' })).json()
const refund = async (id: string) => decide((await act(id, 'refund')).id)

/** What its rail was asked to pay. A rail is asked again about what it has. */
const paidFor = (id: string) => {
  const asked = pay.mock.calls.filter(([{ reference }]) => reference === id)
  return [...new Set(asked.map(([{ destination, amount }]) => `${Number(amount)} ${destination.dest}`))]
}
const refundsOf = (id: string) =>
  query('select amount, destination from ledger_payments where transfer_id = $1', [id])

describe('a quote', () => {
  const quoted = async (account: string, sides: Record<string, string>) => {
    const { rate } = (
      await app.server.app.inject({
        url: `/rate?${new URLSearchParams({ type: 'firm', client_id: account, ...sides })}`,
        headers: { 'x-api-key': app.deps.config.secrets.link },
      })
    ).json<{ rate: { id: string } }>()
    return rate.id
  }

  it('of a deposit, or of another rail, counts as expired for a withdrawal; its own is taken', async () => {
    const account = generateKey().publicKey
    const units = `stellar:MUMBAI:${app.deps.config.anchor.accounts.issuer}`
    const buys = { sell_asset: 'iso4217:INR', buy_asset: units, buy_amount: '20' }
    const sells = { sell_asset: units, buy_asset: 'iso4217:INR', sell_amount: '20' }
    const ofDeposit = await begun(await quoted(account, buys), account)
    await expect(confirm(app.deps, ofDeposit)).rejects.toThrow('the quote has expired')
    expect(await stateOf(ofDeposit)).toBe('new')
    const byUpi = await quoted(account, { ...sells, buy_delivery_method: 'upi' })
    const own = await begun(byUpi, account)
    const rail = 'update transfers set rail = $2 where id = $1'
    await query(rail, [own, 'IMPS'])
    await expect(confirm(app.deps, own)).rejects.toThrow('the quote has expired')
    await query(rail, [own, 'UPI'])
    expect(await confirm(app.deps, own)).toMatchObject({ state: 'awaiting_funds', rail: 'UPI' })
    const any = await begun(await quoted(account, sells), account)
    expect(await confirm(app.deps, any)).toMatchObject({ state: 'awaiting_funds', rail: 'UPI' })
  })
})

describe('the proof of what one person saw', () => {
  it('proves no withdrawal, nor what another person asked for, nor anything else of the same person', async () => {
    const own = await agreed()
    await query("update transfers set fiat_amount = '9000000', priced_at_arrival = false where id = $1", [
      own.id,
    ])
    await come(own)
    const asked = await act(own.id, 'resend')
    await query(
      `update transfers set bound = (select decode(details ->> 'seen', 'hex') from operator_actions where id = $2)
       where id = $1`,
      [own.id, asked.id],
    )
    expect(await isBound(own.id)).toBe(false)
    await decide(asked.id, false)
    const copy = `insert into operator_actions (id, transfer_id, kind, reason, state, requested_by, two_people, details)
      select $2, transfer_id, $3, reason, 'waiting', $4, true, details from operator_actions where id = $1`
    const copied = randomUUID()
    await query(copy, [asked.id, copied, 'resend', 'operator:other'])
    expect(await decide(copied)).toMatchObject({ code: 'action-not-possible' })
    await decide(copied, false)
    await sendOrders(app.deps)
    expect(paidFor(own.id)).toEqual([])
    await refund(own.id)
  })
})

describe('what did not come back, whatever the database says', () => {
  it.each(['pay-again', 'refund'])(
    'is not paid a second time because one person wants to: %s',
    async kind => {
      const own = await agreed()
      await come(own)
      const { id: orderId } = await orderOf(own.id)
      await settleOrder(app.deps, { kind: 'paid', orderId, paymentId: 'UTR1' })
      pay.mockClear()
      await query("update rail_orders set came_back_at = now(), failure = 'account closed' where id = $1", [
        orderId,
      ])
      const asked = await act(own.id, kind)
      await sendOrders(app.deps)
      expect([asked.status, paidFor(own.id), await refundsOf(own.id)]).toEqual(['waiting', [], []])
      await decide(asked.id, false)
    },
  )

  it('is not paid again with the proof of another payment that did', async () => {
    const [real, own] = [await sentBack(), await agreed()]
    await come(own)
    const [other, { id: orderId }] = [await orderOf(real.id), await orderOf(own.id)]
    await settleOrder(app.deps, { kind: 'paid', orderId, paymentId: 'UTR1' })
    pay.mockClear()
    await query(
      `update rail_orders o set came_back_at = r.came_back_at, failure = r.failure
       from rail_orders r where o.id = $1 and r.id = $2`,
      [orderId, other.id],
    )
    await query(
      "insert into bound_facts select kind, $1, bound from bound_facts where kind = 'came-back' and id = $2",
      [orderId, other.id],
    )
    const asked = await act(own.id, 'pay-again')
    expect([asked.status, paidFor(own.id)]).toEqual(['waiting', []])
    await decide(asked.id, false)
    await act(real.id, 'refund')
  })

  it('is paid again by one person once, where the bank did send it back', async () => {
    const { id } = await sentBack()
    expect((await act(id, 'pay-again')).status).toBe('done')
    await sendOrders(app.deps)
    expect(paidFor(id)).toEqual(['1716.9 asha@okbank'])
  })
})

describe('what came back', () => {
  const raised = (id: string, amount: string) =>
    query('update rail_orders set amount = $2 where transfer_id = $1', [id, amount])

  it('is not paid again as a changed order says: two people see it, and never more than was agreed', async () => {
    const { id } = await sentBack()
    await raised(id, '9000000')
    const asked = await act(id, 'pay-again')
    expect(asked.status).toBe('waiting')
    expect(await decide(asked.id)).toMatchObject({ code: 'action-not-possible' })
    await sendOrders(app.deps)
    expect([paidFor(id), await stateOf(id)]).toEqual([[], 'sent_back'])
    await decide(asked.id, false)
    await refund(id)
  })

  it('is paid by two people as the first one saw it, and not where it was changed since', async () => {
    const { id } = await sentBack()
    await raised(id, '5')
    const asked = await act(id, 'pay-again')
    await raised(id, '6')
    expect(await decide(asked.id)).toMatchObject({ code: 'action-not-possible' })
    await raised(id, '5')
    expect(await decide(asked.id)).toMatchObject({ status: 'done' })
    await sendOrders(app.deps)
    expect(paidFor(id)).toEqual(['5 asha@okbank'])
  })

  it('is paid by two people to the account that the second one saw, and to no other one', async () => {
    const { id } = await sentBack()
    await query('update transfers set sealed_destination = null, destination = $2 where id = $1', [
      id,
      JSON.stringify({ dest: 'mallory@okbank' }),
    ])
    const payload = {
      kind: 'pay-again',
      reason: 'x',
      by: 'operator:asha',
      account: { dest: 'asha@otherbank' },
    }
    const asked = (await call(`/admin/transactions/${id}/actions`, payload)).json<OperatorAction>()
    expect(asked).toMatchObject({ status: 'waiting', account: { dest: 'asha@otherbank' } })
    const [row] = await query<{ sealed: Buffer }>('select sealed from operator_actions where id = $1', [
      asked.id,
    ])
    const seal = 'update operator_actions set sealed = $2 where id = $1'
    await query(seal, [asked.id, null])
    expect(await decide(asked.id)).toMatchObject({ code: 'action-not-possible' })
    await query(seal, [asked.id, row?.sealed])
    expect(await decide(asked.id)).toMatchObject({ status: 'done' })
    await sendOrders(app.deps)
    expect(paidFor(id)).toEqual(['1716.9 asha@otherbank'])
  })

  it('is what the server ordered, not what someone writes beside it', async () => {
    const own = await agreed()
    await come(own)
    await settleOrder(app.deps, { kind: 'paid', orderId: (await orderOf(own.id)).id, paymentId: 'UTR1' })
    pay.mockClear()
    await query(
      `insert into rail_orders (id, cause, transfer_id, kind, rail, amount, currency, destination, state, bound, came_back_at)
       select gen_random_uuid(), 'x:' || cause, transfer_id, kind, rail, amount, currency, destination, 'paid', bound, now()
       from rail_orders where transfer_id = $1`,
      [own.id],
    )
    const asked = await act(own.id, 'pay-again')
    expect([asked.status, paidFor(own.id)]).toEqual(['waiting', []])
    await decide(asked.id, false)
  })

  it('keeps its proof under a newer key', async () => {
    const { id } = await sentBack()
    const { rotating, newOnly } = withNewerKey(app.deps)
    await bindOrdersAgain(rotating)
    await rotate(rotating, sealedDestinations)
    expect(await isOrderBound(newOnly, app.deps.database.db, await orderOf(id))).toBe(true)
  })
})

it('a payout goes where its proof says, although the account is changed before it is handed over', async () => {
  const own = await agreed()
  const set = `sealed_destination = null, destination = '{"dest": "adam@okbank"}'`
  await query(`create function change_account() returns trigger language plpgsql as $$ begin
    update transfers set ${set} where id = new.transfer_id; return new; end $$`)
  await query(`create trigger change_account after update of handed on rail_orders for each row
    when (new.handed) execute function change_account()`)
  await come(own)
  await query('drop function change_account cascade')
  expect((await findTransfer(app.deps.database.db, own.id))?.destination).toEqual({ dest: 'adam@okbank' })
  expect(pay.mock.calls.map(([{ destination }]) => destination.dest)).toEqual(['asha@okbank'])
})

it('a payment for a withdrawal whose account cannot be read is recorded, and two people refund it', async () => {
  const own = await agreed()
  await query("update transfers set sealed_destination = '\\x00' where id = $1", [own.id])
  await come(own)
  expect(await orderOf(own.id)).toMatchObject({ state: 'queued', wait_code: 'unbound' })
  const asked = await act(own.id, 'refund')
  expect(asked.status).toBe('waiting')
  expect(await decide(asked.id)).toMatchObject({ status: 'done' })
  expect(await refundsOf(own.id)).toEqual([{ amount: own.amount, destination: own.stellar_account }])
})

it('what was not agreed is refunded as it was paid, whatever its row says', async () => {
  const own = await agreed()
  await query('update transfers set bound = null where id = $1', [own.id])
  await come(own)
  const change = "update transfers set amount = '9000', stellar_account = $2 where id = $1"
  await query(change, [own.id, generateKey().publicKey])
  await refund(own.id)
  expect(await refundsOf(own.id)).toEqual([{ amount: own.amount, destination: own.stellar_account }])
})

describe('a withdrawal of an earlier release that is not bound', () => {
  const listed = async (...more: string[]) => {
    const own = await agreed()
    await query('update transfers set bound = null where id = $1', [own.id])
    await query('alter table transfers_to_bind disable trigger filled_once')
    for (const id of [...more, own.id]) await query('insert into transfers_to_bind values ($1)', [id])
    await query('alter table transfers_to_bind enable trigger filled_once')
    return own.id
  }

  it('since it is gone does not keep the others from being bound', async () => {
    const id = await listed(randomUUID())
    await bindListedTerms(app.deps)
    expect(await isBound(id)).toBe(true)
    expect(await query('select from transfers_to_bind')).toEqual([])
  })

  it('since its transaction failed stays on the list, does not keep the others from it, and is bound later', async () => {
    const failing = await listed()
    await query(`create function fail_once() returns trigger language plpgsql as $$ begin
      raise exception using errcode = '40P01', message = 'deadlock detected'; end $$`)
    await query(`create trigger fail_once before update on transfers for each row
      when (old.id = '${failing}') execute function fail_once()`)
    const other = await listed()
    await expect(bindListedTerms(app.deps)).rejects.toThrow('1 rows are not bound yet')
    expect(await query('select transfer_id as id from transfers_to_bind')).toEqual([{ id: failing }])
    await query('drop function fail_once cascade')
    await bindListedTerms(app.deps)
    for (const id of [failing, other]) expect(await isBound(id)).toBe(true)
    expect(await query('select from transfers_to_bind')).toEqual([])
  })
})

describe('the money of a deposit', () => {
  const deposit = async () => confirm(app.deps, await begun(undefined, generateKey().publicKey, 'deposit'))
  const paid = async () => {
    const own = await deposit()
    const { rail, reference, fiat_amount, currency } = own
    const report = {
      paymentId: randomUUID(),
      reference: reference ?? '',
      amount: fiat_amount ?? '',
      currency,
    }
    await receiveRailPayment(app.deps, rail, { kind: 'received', ...report })
    return own
  }
  const transferOf = async (id: string) => {
    const found = await findTransfer(app.deps.database.db, id)
    if (!found) throw new Error('there is no transfer')
    return found
  }
  /** Its units cannot be paid for more than a day. */
  async function lapse(id: string): Promise<void> {
    await query(
      "update ledger_payments set created_at = now() - interval '25 hours' where transfer_id = $1",
      [id],
    )
    const [payment] = await query<LedgerPayment>('select * from ledger_payments where transfer_id = $1', [id])
    if (payment) await waitForTreasury(app.deps, payment, 'treasury-short')
  }
  const returnsOf = async (id: string) => {
    const text =
      "select destination ->> 'paymentId' as id from rail_orders where transfer_id = $1 and kind = 'return'"
    return (await query<{ id: string }>(text, [id])).map(order => order.id)
  }

  it('goes back by itself where this server accepted it, and its proof is kept under a newer key', async () => {
    const [own, kept] = [await paid(), await paid()]
    await lapse(own.id)
    const { rail_payment_id } = await transferOf(own.id)
    expect([await stateOf(own.id), await returnsOf(own.id)]).toEqual(['returning', [rail_payment_id]])
    const { rotating, newOnly } = withNewerKey(app.deps)
    await bindTermsAgain(rotating)
    expect(isPaidBound(newOnly, await transferOf(kept.id))).toBe(true)
    expect(isPaidBound(newOnly, await transferOf(own.id))).toBe(true)
  })

  it('is not another payment that someone writes into an unpaid one: it waits, and two people decide', async () => {
    const [earlier, own] = [await paid(), await deposit()]
    await query(
      `update transfers own set state = 'funded', rail_payment_id = e.rail_payment_id, bound = e.bound,
         fiat_amount = e.fiat_amount from transfers e where own.id = $1 and e.id = $2`,
      [own.id, earlier.id],
    )
    await query(
      `insert into ledger_payments (cause, transfer_id, purpose, destination, amount, claimable)
       select 'deposit:' || $1::text, $1::uuid, purpose, destination, amount, claimable from ledger_payments where transfer_id = $2`,
      [own.id, earlier.id],
    )
    await lapse(own.id)
    expect([await stateOf(own.id), await returnsOf(own.id)]).toEqual(['funded', []])
    const asked = await act(own.id, 'refund')
    expect(asked.status).toBe('waiting')
    await query("update transfers set rail_payment_id = 'other' where id = $1", [own.id])
    expect(await decide(asked.id)).toMatchObject({ code: 'action-not-possible' })
    const { rail_payment_id } = await transferOf(earlier.id)
    await query('update transfers set rail_payment_id = $2 where id = $1', [own.id, rail_payment_id])
    expect(await decide(asked.id)).toMatchObject({ status: 'done' })
    expect(await returnsOf(own.id)).toEqual([rail_payment_id])
  })

  it('does not go back by itself where its units were ever paid, as the journal has it', async () => {
    const { id } = await paid()
    await query(
      `insert into journal_entries (cause, kind, transfer_id, booked_on, valued_on)
       select 'payment:deposit:' || $1::text, 'ledger-deposit', $1::uuid, booked_on, valued_on from journal_entries limit 1`,
      [id],
    )
    await lapse(id)
    expect([await stateOf(id), await returnsOf(id)]).toEqual(['funded', []])
    expect((await act(id, 'refund')).status).toBe('waiting')
  })
})
