import { plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { OperatorAction } from '@windlass/contracts/anchor/operator-actions.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { ACCOUNT, KEYS, RazorpayStandIn, WEBHOOK_SECRET } from '@windlass/testing/razorpay-stand-in.ts'
import { apiKeyScopes } from '@windlass/contracts/realm.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../people/customers/customers.ts'
import { readRailSettings } from '../rails/settings.ts'
import { asPlatform } from '../testing/as-platform.ts'
import { camt053, IBAN } from '../testing/bank-anchor.ts'
import { type BusinessApp, startBusinessApp } from '../testing/business-app.ts'
import { receiveUnits } from '../testing/receive-units.ts'
import { reportedBy } from '../testing/reported-by.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { evaluateConditions } from '../workspace/notifications/conditions.ts'
import { sendOrders } from './rail-orders.ts'

let app: BusinessApp
let razorpay: RazorpayStandIn
const credentials = {
  UPI: {
    ...{ provider: 'razorpay', ...KEYS, accountNumber: ACCOUNT, webhookSecret: WEBHOOK_SECRET },
    accountHolder: 'Mumbai Pay Pvt Ltd',
  },
  SEPA: { provider: 'bank-file', iban: IBAN, bic: 'COBADEFFXXX', accountHolder: 'Mumbai Pay GmbH' },
}

beforeAll(async () => {
  razorpay = await RazorpayStandIn.start()
  const ledger: UnreliableNetwork = new UnreliableNetwork({
    asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`,
  })
  const rails = readRailSettings(
    { RAIL_CREDENTIALS: JSON.stringify(credentials) },
    { rails: ['UPI', 'SEPA'], mainnet: false, fallbackSecret: 'f'.repeat(32) },
  )
  const keys = {
    verify: async () => ({ anchorId: 'mumbai00000000000000', keyId: 'k1', scopes: apiKeyScopes }),
  }
  app = await startBusinessApp({ horizon: ledger, keys }, { rails, railProviderUrl: razorpay.url })
  const known = { customerId: 'cus_1', status: 'ACCEPTED' as const, walletVerified: true }
  app.deps.customerRegistry.byWallet = async () => known
  await statement('asha@okbank', 'Bruno Weber')
})
afterAll(async () => {
  await app.close()
  await razorpay.stop()
})
beforeEach(() => secondPersonAbove(null))

const rows = async <Row extends object>(text: string, ...values: unknown[]) =>
  (await app.deps.database.pool.query<Row>(text, values)).rows
const admin = (method: 'GET' | 'POST' | 'PUT', path: string, payload?: object) =>
  app.server.app.inject({
    ...{ method, url: `/admin${path}`, headers: asPlatform(app.deps.config.secrets) },
    ...(payload ? { payload } : {}),
  })

/** A statement of the anchor's own account has a payment from this account, whose holder the bank names. */
async function statement(account: string, name: string): Promise<void> {
  const line = { amount: '5.00', text: 'x', bankReference: `H${Math.random()}`, name, account }
  const read = await app.server.app.inject({
    method: 'POST',
    url: `/api/v1/rails/SEPA/statements?fileName=${Math.random()}.xml`,
    headers: { authorization: 'Bearer key', 'content-type': 'application/octet-stream' },
    payload: camt053([line]),
  })
  expect(read.statusCode).toBe(201)
}

async function secondPersonAbove(above: string | null): Promise<void> {
  const { history } = (await admin('GET', '/settings')).json<{ history: { version: number }[] }>()
  const settings = { ...plannedSettings(app.deps.config.anchor.plan), approvals: { above } }
  await admin('PUT', '/settings', { settings, version: history[0]?.version, by: 'operator:x' })
}

/** A withdrawal of a customer of this name to a UPI ID, whose units came; it was tried to pay it. */
async function withdrawal(name: readonly [string, string] | null, dest: string) {
  const wallet = generateKey().publicKey
  const { sealer, database } = app.deps
  if (name) {
    const { id } = await ensureCustomer({ sealer, database }, wallet, null)
    const [first_name, last_name] = name
    await changeCustomer({ sealer, database }, id, { fields: { first_name, last_name } })
  }
  const { id } = await acceptTransaction(
    app.deps,
    reportedBy(wallet, { kind: 'withdrawal', fields: { dest } }),
  )
  await receiveUnits(app.deps, await confirm(app.deps, id), { sender: wallet })
  await sendDue()
  const [order] = await rows<{ id: string }>('select id from rail_orders where transfer_id = $1', id)
  return { id, orderId: order?.id ?? '' }
}

/** Sends what waits, as if the time of the next try had come. */
async function sendDue(): Promise<void> {
  await rows("update rail_orders set next_try_at = now() where state in ('queued', 'sent')")
  await sendOrders(app.deps)
}

const paid = (orderId: string) =>
  [...razorpay.payouts.values()].filter(each => each.reference_id === orderId).length
/** As the API answers it. */
const transactionOf = async (id: string) => {
  const headers = { authorization: 'Bearer key' }
  return (await app.server.app.inject({ url: `/api/v1/transactions/${id}`, headers })).body
}
const act = (id: string, kind: string, by = 'operator:one') =>
  admin('POST', `/transactions/${id}/actions`, { kind, reason: 'The customer showed us the account.', by })
const decide = (action: OperatorAction, by: string) =>
  admin('POST', `/operator-actions/${action.id}/decision`, { approve: true, by })

describe('a payout over a provider’s rail', () => {
  it('waits where the bank named another holder of its account, and is paid once after people release it', async () => {
    const { id, orderId } = await withdrawal(['Asha', 'Rao'], 'asha@okbank')
    await sendDue()
    expect(paid(orderId)).toBe(0)
    expect(await transactionOf(id)).toContain('"other-holder"')
    const { conditions } = await evaluateConditions(app.deps, { conditions: [], differences: new Map() })
    expect(conditions.map(({ subject }) => subject)).toContain('other-holders')
    expect((await act(id, 'resend')).json<OperatorAction>()).toMatchObject({
      ...{ status: 'done', requestedBy: 'operator:one', reason: 'The customer showed us the account.' },
    })
    for (let time = 0; time < 3; time++) await sendDue()
    expect(paid(orderId)).toBe(1)
    expect((await act(id, 'refund')).json()).toMatchObject({ code: 'action-not-possible' })
    razorpay.endPayout(orderId, 'processed')
    await sendDue()
    expect(await rows('select from bound_facts where id = $1', orderId)).toEqual([])
  })

  it('that waits so is refunded once, and never paid', async () => {
    const { id, orderId } = await withdrawal(['Asha', 'Rao'], 'ASHA@okbank')
    expect((await act(id, 'refund')).statusCode).toBe(201)
    expect((await act(id, 'refund')).json()).toMatchObject({ code: 'action-not-possible' })
    await act(id, 'resend')
    await sendDue()
    expect(paid(orderId)).toBe(0)
    expect(await rows('select state from rail_orders where id = $1', orderId)).toEqual([{ state: 'failed' }])
    const refunds = await rows('select purpose from ledger_payments where transfer_id = $1', id)
    expect(refunds).toEqual([{ purpose: 'refund' }])
  })

  it('is not released by who writes to the database alone', async () => {
    const { id, orderId } = await withdrawal(['Asha', 'Rao'], 'asha@okbank')
    const other = await withdrawal(['Asha', 'Rao'], 'asha@okbank')
    await act(other.id, 'resend')
    await rows(
      "insert into bound_facts (kind, id, bound) select kind, $1, bound from bound_facts where id = $2 and kind = 'released-payout'",
      orderId,
      other.orderId,
    )
    await rows('update rail_orders set wait_code = null, handed = true where id = $1', orderId)
    await sendDue()
    expect([paid(orderId), paid(other.orderId)]).toEqual([0, 1])
    expect(await transactionOf(id)).toContain('"other-holder"')
  })

  it('whose provider may have it already is not refunded, but released and paid once', async () => {
    razorpay.fail('POST /v1/payouts', 'lost')
    const { id, orderId } = await withdrawal(['Asha', 'Rao'], 'later@okbank')
    await statement('later@okbank', 'Bruno Weber')
    await sendDue()
    expect(await transactionOf(id)).toContain('"other-holder"')
    expect((await act(id, 'refund')).json()).toMatchObject({ code: 'action-not-possible' })
    await act(id, 'resend')
    for (let time = 0; time < 2; time++) await sendDue()
    expect([paid(orderId), await rows('select state from rail_orders where id = $1', orderId)]).toEqual([
      1,
      [{ state: 'sent' }],
    ])
  })

  it('waits too where nobody knows who is paid', async () => {
    expect(paid((await withdrawal(null, 'asha@okbank')).orderId)).toBe(0)
  })

  it('is made at once where the bank named its customer, among others or written otherwise, or nobody', async () => {
    await statement('weber@okbank', 'Carla Weber')
    await statement('weber@okbank', 'WEBER, BRUNO')
    for (const [name, dest] of [
      [['Bruno', 'Weber'], 'asha@okbank'],
      [['Bruno', 'Weber'], 'weber@okbank'],
      [['Carla', 'Weber'], 'weber@okbank'],
      [['Asha', 'Rao'], 'unseen@okbank'],
    ] as const)
      expect(paid((await withdrawal(name, dest)).orderId), `${name.join(' ')} at ${dest}`).toBe(1)
  })

  // A limit counts for a day after it is raised again.
  it('is released by two people above the limit, the second of whom sees the account', async () => {
    await secondPersonAbove('10')
    const { id, orderId } = await withdrawal(['Asha', 'Rao'], 'asha@okbank')
    const asked = (await act(id, 'resend')).json<OperatorAction>()
    expect(asked).toMatchObject({ status: 'waiting', account: { dest: 'asha@okbank' } })
    await sendDue()
    expect((await decide(asked, 'operator:one')).json()).toMatchObject({ code: 'second-person-needed' })
    await sendDue()
    expect(paid(orderId)).toBe(0)
    expect((await decide(asked, 'operator:other')).statusCode).toBe(200)
    for (let time = 0; time < 2; time++) await sendDue()
    expect(paid(orderId)).toBe(1)
  })
})
