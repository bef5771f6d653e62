import { formatAmount } from '@windlass/money/amount.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import type { HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { type BusinessApp, startBusinessApp } from '../testing/business-app.ts'
import type { Transfer } from '../tables.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { expireOverdue } from '../transfers/expire.ts'
import { findTransfer } from '../transfers/find.ts'
import { readTreasury } from '../money/treasury/treasury.ts'
import { payQueued } from './pay.ts'
import { sendOrders } from './rail-orders.ts'
import { settleOrder } from './settle-order.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'
import { reportedBy } from '../testing/reported-by.ts'

let app: BusinessApp
let ledger: UnreliableNetwork
beforeEach(async () => {
  ledger = new UnreliableNetwork({ asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}` })
  app = await startBusinessApp({ horizon: ledger })
  // As of an anchor with default limits: up to what is issued.
  app.deps.config.anchor.plan.limits.max = '1000000'
})
afterEach(() => app.close())

const wallet = () => generateKey().publicKey
const sql = (text: string) => app.deps.database.pool.query(text)

async function confirmed(account: string, amount: string, client_domain?: string): Promise<Transfer> {
  const over = { amount_expected: { amount }, ...(client_domain ? { client_domain } : {}) }
  const { id } = await acceptTransaction(app.deps, reportedBy(account, over))
  return confirm(app.deps, id)
}

const capacity = async () => formatAmount((await readTreasury(app.deps, null)).capacity)
const pay = ({ rail, reference, fiat_amount, currency }: Transfer) =>
  receiveRailPayment(app.deps, rail, {
    kind: 'received',
    paymentId: randomUUID(),
    reference: reference ?? '',
    amount: fiat_amount ?? '',
    currency,
  })
const lapse = () => sql('update reservations set expires_at = now() where expires_at is not null')

describe('a customer who confirms deposits and never pays', () => {
  it('holds the treasury for a quarter of an hour, and a tenth of it beyond the first', async () => {
    const [attacker, honest] = [wallet(), wallet()]
    await confirmed(attacker, '900000')
    expect(await capacity()).toBe('100000')
    const { rows } = await sql(
      "select expires_at - now() <= interval '15 minutes' as short from reservations",
    )
    expect(rows).toEqual([{ short: true }])
    await lapse()
    expect(await capacity()).toBe('1000000')
    // Again at once, after the first has expired, and in small parts.
    await expect(confirmed(attacker, '900000')).rejects.toThrow('unpaid deposits of this account')
    await sql("update transfers set expires_at = now() - interval '1 hour' where state = 'awaiting_funds'")
    await expireOverdue(app.deps)
    await expect(confirmed(attacker, '100001')).rejects.toThrow('unpaid deposits of this account')
    for (let count = 0; count < 2; count++) await confirmed(attacker, '50000')
    await expect(confirmed(attacker, '1')).rejects.toThrow('unpaid deposits of this account')
    expect(await capacity()).toBe('900000')
    expect((await confirmed(honest, '800000')).state).toBe('awaiting_funds')
  })

  it('does not get further with accounts of one wallet application', async () => {
    await confirmed(wallet(), '240000', 'wallet.example')
    await confirmed(wallet(), '10000', 'wallet.example')
    await expect(confirmed(wallet(), '1', 'wallet.example')).rejects.toThrow('unpaid deposits of this wallet')
    expect((await confirmed(wallet(), '1', 'other.example')).state).toBe('awaiting_funds')
  })
})

describe('a deposit that is paid after its reservation has ended', () => {
  it('is honoured and reserved again', async () => {
    const transfer = await confirmed(wallet(), '1000')
    await lapse()
    await pay(transfer)
    expect(await capacity()).toBe('999000')
    await payQueued(app.deps)
    expect(await findTransfer(app.deps.database.db, transfer.id)).toMatchObject({ state: 'completed' })
    expect(await capacity()).toBe('1000000')
  })

  it('waits while the treasury cannot cover it, says so, and is refunded after a day', async () => {
    const transfer = await confirmed(wallet(), '1000')
    await pay(transfer)
    const deps: Deps = { ...app.deps, horizon: withLines(ledger, { balance: '5' }) }
    await payQueued(deps)
    await sql('update ledger_payments set next_try_at = now()')
    await payQueued(deps)
    const messages = await sql(
      "select params->>'message' as message from platform_calls where method = 'notify_amounts_updated'",
    )
    expect(messages.rows).toEqual([
      { message: expect.stringContaining('cannot pay out this amount at the moment') },
    ])
    expect(await findTransfer(app.deps.database.db, transfer.id)).toMatchObject({ state: 'funded' })

    await sql("update ledger_payments set next_try_at = now(), created_at = now() - interval '25 hours'")
    await payQueued(deps)
    expect(await findTransfer(app.deps.database.db, transfer.id)).toMatchObject({ state: 'returning' })
    await sendOrders(app.deps)
    const orders = await sql('select id, kind, amount, currency from rail_orders')
    expect(orders.rows).toMatchObject([{ kind: 'return', amount: transfer.fiat_amount, currency: 'INR' }])
    await settleOrder(app.deps, { kind: 'paid', orderId: orders.rows[0].id, paymentId: 'p' })
    expect(await findTransfer(app.deps.database.db, transfer.id)).toMatchObject({ state: 'returned' })
    await sql('update ledger_payments set next_try_at = now()')
    await payQueued(app.deps)
    expect(ledger.applied).toEqual([])
    await expect(sql("update ledger_payments set state = 'queued'")).rejects.toThrow('cannot be queued again')
  })
})

it.each([
  [
    'an open offer to buy takes its room',
    { buyingLiabilities: '899998999990' },
    'Raise its limit or cancel offers to buy',
  ],
  ['the issuer has not authorized it', { authorized: false }, 'The issuer has not authorized the trustline'],
])(
  'a deposit waits in pending_trust with the reason where %s, and continues by itself',
  async (_why, change, reason) => {
    const transfer = await confirmed(wallet(), '1000')
    await pay(transfer)
    const deps: Deps = { ...app.deps, horizon: withLines(ledger, change, transfer.account) }
    for (let round = 0; round < 3; round++) {
      await sql('update ledger_payments set next_try_at = now()')
      await payQueued(deps)
    }
    expect(ledger.applied).toEqual([])
    expect(await findTransfer(app.deps.database.db, transfer.id)).toMatchObject({ state: 'awaiting_trust' })
    const transfers = await sql(
      "select params->>'message' as message from platform_calls where method = 'request_trust'",
    )
    expect(transfers.rows).toEqual([{ message: expect.stringContaining(reason) }])
    await sql('update ledger_payments set next_try_at = now()')
    await payQueued(app.deps)
    expect(await findTransfer(app.deps.database.db, transfer.id)).toMatchObject({ state: 'completed' })
  },
)

type LineChange = Partial<HorizonAccount['balances'][number]>

/** The same ledger, where accounts (or one) have other lines. */
function withLines(network: UnreliableNetwork, change: LineChange, only?: string): UnreliableNetwork {
  const changed = Object.create(network) as UnreliableNetwork
  changed.account = async id => {
    const account = await network.account(id)
    if (only !== undefined && id !== only) return account
    return { ...account, balances: account.balances.map(line => ({ ...line, ...change })) }
  }
  return changed
}
