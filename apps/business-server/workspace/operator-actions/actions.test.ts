import type { PlatformTransaction } from '@windlass/contracts/anchor/anchor-platform.ts'
import { plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { OperatorAction } from '@windlass/contracts/anchor/operator-actions.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { evaluateConditions } from '../notifications/conditions.ts'
import { sendOrders } from '../../payments/rail-orders.ts'
import { receiveRailPayment } from '../../payments/receive-rail-payment.ts'
import { settleOrder } from '../../payments/settle-order.ts'
import type { Deps } from '../../deps.ts'
import type { Transfer } from '../../tables.ts'
import { asPlatform } from '../../testing/as-platform.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'
import { acceptTransaction } from '../../transfers/accept.ts'
import { confirm } from '../../transfers/confirm.ts'
import { findTransfer } from '../../transfers/find.ts'
import { requestAction } from './actions.ts'
import { receiveUnits } from '../../testing/receive-units.ts'
import { reportedBy } from '../../testing/reported-by.ts'

let app: BusinessApp
beforeAll(async () => {
  const ledger: UnreliableNetwork = new UnreliableNetwork({
    asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`,
  })
  app = await startBusinessApp({ horizon: ledger })
  app.deps.customerRegistry.byWallet = async () => ({
    customerId: 'cus_1',
    status: 'ACCEPTED',
    walletVerified: true,
  })
})
afterAll(() => app.close())
beforeEach(() => secondPersonAbove(null))

const call = (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) =>
  app.server.app.inject({
    method,
    url,
    headers: asPlatform(app.deps.config.secrets),
    ...(payload ? { payload } : {}),
  })

async function secondPersonAbove(above: string | null): Promise<void> {
  const { history } = (await call('GET', '/admin/settings')).json<{ history: { version: number }[] }>()
  const settings = { ...plannedSettings(app.deps.config.anchor.plan), approvals: { above } }
  await call('PUT', '/admin/settings', { settings, version: history[0]?.version, by: 'operator:x' })
}

async function agreed(over: Partial<PlatformTransaction> = {}): Promise<Transfer> {
  const given = reportedBy(generateKey().publicKey, { fields: { dest: 'asha@okbank' }, ...over })
  const { id } = await acceptTransaction(app.deps, given)
  return confirm(app.deps, id)
}

const pay = ({ reference, fiat_amount, rail, currency }: Transfer, paymentId: string = randomUUID()) =>
  receiveRailPayment(app.deps, rail, {
    kind: 'received',
    paymentId,
    reference: reference ?? '',
    amount: fiat_amount ?? '',
    currency,
  })

const payLedger = (transfer: Transfer) => receiveUnits(app.deps, { ...transfer, amount: '20' })

const act = (transfer: Transfer, kind: string, over: object = {}) =>
  call('POST', `/admin/transactions/${transfer.id}/actions`, {
    ...{ kind, reason: 'The customer wrote to us.', by: 'operator:asha' },
    ...over,
  })

const decide = (id: string, by: string, approve = true) =>
  call('POST', `/admin/operator-actions/${id}/decision`, { approve, by })

const stateOf = async ({ id }: Transfer) => (await findTransfer(app.deps.database.db, id))?.state

const query = async <Row extends object>(sql: string, id: string) =>
  (await app.deps.database.pool.query<Row>(sql, [id])).rows

const orders = ({ id }: Transfer) =>
  query<{ id: string; kind: string; state: string }>(
    'select id, kind, state from rail_orders where transfer_id = $1',
    id,
  )

const payments = ({ id }: Transfer) =>
  query<{ state: string }>('select state from ledger_payments where transfer_id = $1', id)

async function expectBalanced(): Promise<void> {
  const sql =
    'select entry_id, unit from journal_lines where $1::text is not null group by 1, 2 having sum(amount) <> 0'
  expect(await query(sql, '')).toEqual([])
}

describe('an operator', () => {
  it('cancels what nobody paid, once; money that still comes goes back', async () => {
    const deposit = await agreed()
    const answer = await act(deposit, 'cancel')
    expect(answer.json<OperatorAction>()).toMatchObject({
      ...{ kind: 'cancel', status: 'done', requestedBy: 'operator:asha', decidedBy: 'operator:asha' },
    })
    expect(await stateOf(deposit)).toBe('failed')
    expect((await act(deposit, 'cancel')).json()).toMatchObject({ code: 'action-not-possible' })
    await pay(deposit)
    expect(
      await query('select kind from rail_orders where destination ->> $1 is not null', 'paymentId'),
    ).toEqual([{ kind: 'return' }])
    const withdrawal = await agreed({ kind: 'withdrawal' })
    await act(withdrawal, 'cancel')
    await payLedger(withdrawal)
    const receipt = await query<{ outcome: string; why: string }>(
      'select outcome, why from ledger_receipts where sender = $1',
      withdrawal.stellar_account,
    )
    expect(receipt).toEqual([{ outcome: 'returned', why: 'the withdrawal was canceled' }])
    expect(await stateOf(withdrawal)).toBe('failed')
    await expectBalanced()
  })

  it('refunds a deposit before its asset is paid, also where two ask at once', async () => {
    const deposit = await agreed()
    await pay(deposit)
    const answers = await Promise.all([act(deposit, 'refund'), act(deposit, 'refund')])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409])
    expect(await stateOf(deposit)).toBe('returning')
    expect(await payments(deposit)).toEqual([{ state: 'canceled' }])
    expect(await orders(deposit)).toMatchObject([{ kind: 'return', state: 'queued' }])
    await expectBalanced()
  })

  it('refunds nothing whose payment on the ledger is signed', async () => {
    const deposit = await agreed()
    await pay(deposit)
    await app.deps.database.pool.query(
      `insert into ledger_envelopes (hash, payment_id, xdr, source, sequence, max_time, ledger_sequence, ledger_hash)
       select $2, id, 'x', 'G', 1, 1, 1, 'h' from ledger_payments where transfer_id = $1`,
      [deposit.id, randomUUID().replaceAll('-', '').repeat(2)],
    )
    expect((await act(deposit, 'refund')).json()).toMatchObject({ code: 'action-not-possible' })
    expect(await stateOf(deposit)).toBe('funded')
    expect(await orders(deposit)).toEqual([])
  })

  it('resends what waits under the same id, and takes nothing from who handles it now', async () => {
    const deposit = await agreed()
    await pay(deposit)
    const wait = (seconds: number) =>
      query(
        `update ledger_payments set next_try_at = now() + ${seconds} * interval '1 second' where transfer_id = $1`,
        deposit.id,
      )
    const due = async () =>
      (
        await query<{ due: boolean }>(
          'select next_try_at <= now() as due from ledger_payments where transfer_id = $1',
          deposit.id,
        )
      )[0]?.due
    await wait(10)
    await act(deposit, 'resend')
    expect(await due()).toBe(false)
    await wait(3600)
    expect((await act(deposit, 'resend')).statusCode).toBe(201)
    expect(await due()).toBe(true)
    expect(await payments(deposit)).toHaveLength(1)
  })

  it('marks a deposit as paid with the payment’s id; a later report of it pays nothing more', async () => {
    const deposit = await agreed()
    expect((await act(deposit, 'mark-paid')).statusCode).toBe(400)
    const paymentId = randomUUID()
    expect((await act(deposit, 'mark-paid', { paymentId })).json()).toMatchObject({
      status: 'done',
      paymentId,
    })
    expect(await stateOf(deposit)).toBe('funded')
    const unconfirmed = () =>
      query('select 1 from rail_receipts where payment_id = $1 and confirmed_at is null', paymentId)
    expect(await unconfirmed()).toHaveLength(1)
    await pay(deposit, paymentId)
    expect(await payments(deposit)).toHaveLength(1)
    expect(await unconfirmed()).toEqual([])
    // Under another id it may be the same money: an operator decides, and the journal counts it once.
    const received = () =>
      query('select sum(amount) from journal_lines where account = $1', `rail:${deposit.rail}`)
    const counted = await received()
    await pay(deposit)
    expect(await orders(deposit)).toEqual([])
    const [held, ...others] = await query<{ id: string; reason: string }>(
      `select id, details->>'reason' as reason from ledger_incidents where kind = $1 and details ->> 'reference' = '${deposit.reference}'`,
      'held-receipt',
    )
    expect([held?.reason, others]).toEqual(['marked', []])
    const resolution = { resolution: 'It is the same.', outcome: 'applied', by: 'operator:asha' }
    await call('POST', `/admin/ledger-incidents/${held?.id}/resolve`, resolution)
    expect(await received()).toEqual(counted)
    const other = await agreed()
    expect((await act(other, 'mark-paid', { paymentId })).json()).toMatchObject({
      code: 'action-not-possible',
    })
    expect(await stateOf(other)).toBe('awaiting_funds')
    await expectBalanced()
  })

  it('marks a payout as paid once its rail has it, and the rail’s own report changes nothing', async () => {
    const withdrawal = await agreed({ kind: 'withdrawal' })
    await payLedger(withdrawal)
    expect((await act(withdrawal, 'mark-paid', { paymentId: 'UTR1' })).statusCode).toBe(409)
    await sendOrders(app.deps)
    expect((await act(withdrawal, 'mark-paid', { paymentId: 'UTR1' })).statusCode).toBe(201)
    const [order] = await orders(withdrawal)
    await settleOrder(app.deps, { kind: 'paid', orderId: order?.id ?? '', paymentId: 'UTR1' })
    expect([await stateOf(withdrawal), order?.state]).toEqual(['completed', 'paid'])
    await sendOrders(app.deps)
    expect(await orders(withdrawal)).toHaveLength(1)
    await expectBalanced()
  })

  it('is killed before the end of an action, and nothing of it is there; afterwards it is done once', async () => {
    const acts: [string, (transfer: Transfer) => Promise<unknown>, object][] = [
      ['cancel', async () => undefined, {}],
      ['refund', pay, {}],
      ['resend', pay, {}],
      ['mark-paid', async () => undefined, { paymentId: randomUUID() }],
    ]
    for (const [kind, prepare, over] of acts) {
      const deposit = await agreed()
      await prepare(deposit)
      const before = [await stateOf(deposit), await orders(deposit), await payments(deposit)]
      const faults: Deps['faults'] = {
        at: point => {
          if (point === 'operator-action:written') throw new Error('the process died')
        },
      }
      const action = { kind, reason: 'x', by: 'operator:asha', ...over } as Parameters<
        typeof requestAction
      >[2]
      await expect(requestAction({ ...app.deps, faults }, deposit.id, action)).rejects.toThrow('died')
      expect([await stateOf(deposit), await orders(deposit), await payments(deposit)]).toEqual(before)
      expect((await act(deposit, kind, over)).statusCode).toBe(201)
      expect((await orders(deposit)).length + (await payments(deposit)).length).toBeLessThanOrEqual(2)
    }
    await expectBalanced()
  })
})

describe('above the limit of the settings', () => {
  it('a second person approves, never the one who asked, and once', async () => {
    const deposit = await agreed()
    await pay(deposit)
    await secondPersonAbove('19.9')
    const asked = (await act(deposit, 'refund')).json<OperatorAction>()
    expect(asked).toMatchObject({ status: 'waiting', decidedBy: null })
    expect(await stateOf(deposit)).toBe('funded')
    expect((await act(deposit, 'refund')).json()).toMatchObject({ code: 'action-not-possible' })
    expect((await decide(asked.id, 'operator:asha')).json()).toMatchObject({ code: 'second-person-needed' })
    const own = `update operator_actions set state = 'done', decided_by = requested_by where id = $1`
    await expect(query(own, asked.id)).rejects.toThrow('check constraint')
    const answers = await Promise.all([decide(asked.id, 'operator:mira'), decide(asked.id, 'operator:ravi')])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409])
    expect(await stateOf(deposit)).toBe('returning')
    expect(await orders(deposit)).toHaveLength(1)
    expect((await decide(randomUUID(), 'operator:mira')).statusCode).toBe(404)
    const read = await app.server.app.inject({
      url: `/api/v1/transactions/${deposit.id}`,
      headers: asPlatform(app.deps.config.secrets),
    })
    expect(read.json()).toMatchObject({
      actions: [{ kind: 'refund', status: 'done' }],
      possibleActions: ['resend'],
    })
  })

  it('a rejected action changes nothing, and one that came too late is not done', async () => {
    const deposit = await agreed()
    await secondPersonAbove('1')
    const first = (await act(deposit, 'cancel')).json<OperatorAction>()
    expect((await decide(first.id, 'operator:asha', false)).json()).toMatchObject({ status: 'rejected' })
    expect((await decide(first.id, 'operator:mira')).json()).toMatchObject({ code: 'action-decided' })
    const second = (await act(deposit, 'cancel')).json<OperatorAction>()
    await pay(deposit)
    expect((await decide(second.id, 'operator:mira')).json()).toMatchObject({ code: 'action-not-possible' })
    expect(await stateOf(deposit)).toBe('funded')
  })

  it('raising the limit counts after a day, so that nobody raises it and acts alone', async () => {
    await secondPersonAbove('1')
    await secondPersonAbove(null)
    const [first, second] = [await agreed(), await agreed()]
    expect((await act(first, 'cancel')).json()).toMatchObject({ status: 'waiting' })
    const clock = { ...app.deps.clock, now: () => new Date(Date.now() + 25 * 60 * 60 * 1_000) }
    const action = { kind: 'cancel', reason: 'x', by: 'operator:asha' } as const
    expect(await requestAction({ ...app.deps, clock }, second.id, action)).toMatchObject({ status: 'done' })
  })

  it('what waits is a review that the team is notified of', async () => {
    const { conditions } = await evaluateConditions(app.deps, { conditions: [], differences: new Map() })
    const detail = expect.stringMatching(/waits? for a second person who may do it/)
    expect(conditions).toContainEqual({
      kind: 'review-waiting',
      subject: 'operator-actions',
      detail,
      spanish: expect.any(String),
    })
  })
})
