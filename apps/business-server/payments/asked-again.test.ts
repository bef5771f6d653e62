import { type AnchorSettings, plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import { signWebhook } from '@windlass/service/outbound/webhooks.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import { Memo } from '@stellar/stellar-sdk/base'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../people/customers/customers.ts'
import type { Transfer } from '../tables.ts'
import { asPlatform } from '../testing/as-platform.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { expireOverdue } from '../transfers/expire.ts'
import { findTransfer } from '../transfers/find.ts'
import { observePayments } from './observe.ts'
import { sendOrders } from './rail-orders.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'

let anchor: LedgerAnchor
let customer: AccountKey
let centralId: string
beforeEach(async () => {
  anchor = await LedgerAnchor.start()
  await anchor.issue()
  customer = await anchor.customerWithAsset()
  centralId = `cus_${randomUUID()}`
  const { id } = await ensureCustomer(anchor.deps, customer.publicKey, null)
  await changeCustomer(anchor.deps, id, { centralId })
  await reported('ACCEPTED')
})
afterEach(() => anchor.stop())

/** The identity provider reports a decision to the anchor's webhook. */
async function reported(status: 'ACCEPTED' | 'REJECTED'): Promise<void> {
  const now = new Date()
  const report = { sessionId: 's', customerId: centralId, status, provider: 'mock' }
  anchor.deps.customerRegistry.passReport = async () => ({ ...report, completedAt: now.toISOString() })
  const body = JSON.stringify(report)
  const headers = { 'content-type': 'application/json', ...signWebhook('secret', randomUUID(), body, now) }
  const url = '/api/v1/customer/kyc/webhook'
  const answer = await anchor.app.server.app.inject({ method: 'POST', url, payload: body, headers })
  expect(answer.statusCode).toBe(200)
}

const asOperator = (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) =>
  anchor.app.server.app.inject({
    method,
    url,
    headers: asPlatform(anchor.deps.config.secrets),
    ...(payload ? { payload } : {}),
  })

async function setSettings(change: Partial<AnchorSettings>): Promise<void> {
  const settings = { ...plannedSettings(anchor.deps.config.anchor.plan), ...change }
  const { history } = (await asOperator('GET', '/admin/settings')).json<{ history: { version: number }[] }>()
  const payload = { settings, version: history[0]?.version, by: 'operator:asha' }
  expect((await asOperator('PUT', '/admin/settings', payload)).statusCode).toBe(200)
}

async function agreed(kind: 'deposit' | 'withdrawal', amount: string | null = '20'): Promise<Transfer> {
  const account = customer.publicKey
  const { id } = await acceptTransaction(anchor.deps, {
    ...{ id: randomUUID(), sep: '24', kind, status: 'incomplete', started_at: '', updated_at: '' },
    ...(amount === null ? {} : { amount_expected: { amount } }),
    ...{ destination_account: account, source_account: account, creator: { account }, type: 'upi' },
    customers: { sender: { account } },
    claimable_balance_supported: false,
    fields: { dest: 'asha@okbank' },
  })
  return confirm(anchor.deps, id)
}

/** The time to pay ended so many days ago. */
async function expiredFor({ id }: Transfer, days: number): Promise<void> {
  const { pool } = anchor.deps.database
  await pool.query('update transfers set expires_at = now() - make_interval(days => $2) where id = $1', [
    id,
    days,
  ])
  await expireOverdue(anchor.deps)
  expect((await now({ id }))?.state).toBe('expired')
}

const now = ({ id }: Pick<Transfer, 'id'>) => findTransfer(anchor.deps.database.db, id)

async function payMemo({ ledger_memo }: Transfer): Promise<void> {
  await anchor.sendBack(customer, '20', Memo.id(ledger_memo ?? ''))
  await observePayments(anchor.deps)
}

async function payMoney({ rail, reference, fiat_amount, currency }: Transfer): Promise<void> {
  await receiveRailPayment(anchor.deps, rail, {
    ...{ kind: 'received', paymentId: randomUUID(), reference: reference ?? '', currency },
    amount: fiat_amount ?? '',
  })
}

async function send(): Promise<void> {
  await anchor.rows("update rail_orders set next_try_at = now() where state = 'queued'")
  await sendOrders(anchor.deps)
}

/** What the bank paid to customers. */
const paidOut = async (): Promise<string[]> =>
  (
    await anchor.rows<{ id: string }>(
      "select id from rail_orders where kind = 'payout' and state in ('sent', 'paid')",
    )
  )
    .map(({ id }) => id)
    .sort()

const waits = async () =>
  (
    await anchor.rows<{ wait_code: string | null }>(
      "select wait_code from rail_orders where state = 'queued' union all select wait_code from ledger_payments where state = 'queued'",
    )
  ).map(({ wait_code }) => wait_code)

/** Every unit is with the customer again, and no bank money left. */
async function isRefunded(transfer: Transfer): Promise<void> {
  await send()
  await anchor.pay()
  expect(await now(transfer)).toMatchObject({ state: 'returned' })
  expect(await anchor.held(customer)).toBe('1000.0000000')
  expect(await paidOut()).toEqual([])
}

const refund = (transfer: Transfer) =>
  asOperator('POST', `/admin/transactions/${transfer.id}/actions`, {
    ...{ kind: 'refund', reason: 'The customer was rejected.', by: 'operator:asha' },
  })

describe('a customer whom the provider rejects', () => {
  it('is not paid out: what comes with the memos of their withdrawals goes back, in time or late', async () => {
    const [open, late] = [await agreed('withdrawal'), await agreed('withdrawal')]
    await expiredFor(late, 1)
    await reported('REJECTED')
    for (const transfer of [open, late]) await payMemo(transfer)
    expect(await anchor.rows("select 1 from rail_orders where kind = 'payout'")).toEqual([])
    for (const transfer of [open, late]) await isRefunded(transfer)
  })

  it('is not paid out where the units came before: a person refunds them', async () => {
    const transfer = await agreed('withdrawal')
    await payMemo(transfer)
    expect((await refund(transfer)).statusCode).toBe(409)
    await reported('REJECTED')
    for (let round = 0; round < 2; round++) await send()
    expect([await paidOut(), await waits()]).toEqual([[], ['identity']])
    const shown = await asOperator('GET', `/api/v1/transactions/${transfer.id}`)
    expect(shown.json()).toMatchObject({ status: 'funded', possibleActions: ['resend', 'refund'] })
    expect((await refund(transfer)).statusCode).toBeLessThan(300)
    await reported('ACCEPTED')
    await isRefunded(transfer)
  })

  it('is paid once, where they are accepted after all, and not refunded then', async () => {
    const transfer = await agreed('withdrawal')
    await payMemo(transfer)
    await reported('REJECTED')
    await send()
    expect(await waits()).toEqual(['identity'])
    await reported('ACCEPTED')
    await send()
    expect(await paidOut()).toHaveLength(1)
    expect((await refund(transfer)).statusCode).toBe(409)
    expect((await now(transfer))?.state).toBe('paying_out')
  })

  it('is not refunded what their bank may have: the server died after it had ordered the payout', async () => {
    const transfer = await agreed('withdrawal')
    await payMemo(transfer)
    const faults = { at: (point: string) => expect(point).not.toBe('order:handed') }
    await sendOrders({ ...anchor.deps, faults })
    expect(await anchor.rows("select 1 from rail_orders where state = 'queued' and handed")).toHaveLength(1)
    await reported('REJECTED')
    await send()
    expect(await waits()).toEqual(['identity'])
    expect((await refund(transfer)).statusCode).toBe(409)
  })

  it('gets their money back, and no units for it', async () => {
    const [before, after] = [await agreed('deposit'), await agreed('deposit')]
    await payMoney(before)
    await reported('REJECTED')
    await payMoney(after)
    expect((await now(after))?.state).toBe('returning')
    await anchor.pay()
    expect((await now(before))?.state).toBe('funded')
    expect(await waits()).toContain('identity')
    expect((await refund(before)).statusCode).toBeLessThan(300)
    await reported('ACCEPTED')
    await anchor.pay()
    expect((await now(before))?.state).toBe('returning')
    expect(await anchor.held(customer)).toBe('1000.0000000')
    expect(await anchor.rows("select 1 from rail_orders where kind = 'return'")).toHaveLength(2)
  })
})

describe('the memo of an expired withdrawal', () => {
  const fee = { fixed: '0.5', percentage: '0.1' }
  const dearer = () => {
    const { fees } = plannedSettings(anchor.deps.config.anchor.plan)
    return { fees: { ...fees, withdrawal: fee } }
  }

  it('ends after 30 days: what comes then goes back', async () => {
    const [whole, open] = [await agreed('withdrawal'), await agreed('withdrawal', null)]
    for (const transfer of [whole, open]) {
      await expiredFor(transfer, 31)
      await payMemo(transfer)
      expect((await now(transfer))?.message).toContain('more than 30 days ago')
    }
    for (const transfer of [whole, open]) await isRefunded(transfer)
  })

  it('has the fees of the day, and in time those that were agreed', async () => {
    const [late, open, inTime] = [
      await agreed('withdrawal'),
      await agreed('withdrawal', null),
      await agreed('withdrawal'),
    ]
    await setSettings(dearer())
    for (const transfer of [late, open]) await expiredFor(transfer, 29)
    for (const transfer of [late, open, inTime]) await payMemo(transfer)
    for (const transfer of [late, open])
      expect(await now(transfer)).toMatchObject({ state: 'funded', fee: '2.5000000', terms: { fee } })
    expect(await now(inTime)).toMatchObject({ state: 'funded', fee: inTime.fee, terms: inTime.terms })
  })

  it('has the limits of the day', async () => {
    const late = await agreed('withdrawal')
    const { limits } = plannedSettings(anchor.deps.config.anchor.plan)
    await setSettings({ limits: { ...limits, min: '21' } })
    await expiredFor(late, 1)
    await payMemo(late)
    await isRefunded(late)
  })

  it('gets round no pause, as the reference of an expired deposit does not', async () => {
    const [late, inTime, deposit] = [
      await agreed('withdrawal'),
      await agreed('withdrawal'),
      await agreed('deposit'),
    ]
    await setSettings({ paused: { withdrawals: 'Closed for good.', deposits: 'Closed for good.' } })
    for (const transfer of [late, deposit]) await expiredFor(transfer, 1)
    for (const transfer of [late, inTime]) await payMemo(transfer)
    await payMoney(deposit)
    const states = await Promise.all([late, inTime, deposit].map(each => now(each)))
    expect(states.map(each => each?.state)).toEqual(['returning', 'funded', 'returning'])
    expect(states[0]?.message).toContain('Closed for good')
  })
})
