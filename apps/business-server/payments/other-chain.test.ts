import { Memo } from '@stellar/stellar-sdk/base'
import { startLocalNetwork } from '@windlass/local-network/local-network.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { PUBLIC_NETWORK } from '@windlass/stellar/network.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import fc from 'fast-check'
import { createHash, randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Deps } from '../deps.ts'
import { startWithCustomer } from '../testing/known-customer.ts'
import { startWithdrawal } from '../testing/invented-payment.ts'
import type { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { startLiar, type Lie } from '../testing/liar.ts'
import { observePayments } from './observe.ts'
import { sendOrders } from './rail-orders.ts'
import { settleOrder } from './settle-order.ts'

let anchor: LedgerAnchor
let customer: AccountKey
beforeEach(async () => {
  ;({ anchor, customer } = await startWithCustomer())
})
afterEach(() => anchor.stop())

/** A customer's withdrawal that the bank has paid. */
async function paidWithdrawal(): Promise<void> {
  const { id, memo } = await startWithdrawal(anchor, customer)
  await anchor.sendBack(customer, '20', Memo.id(memo))
  await observePayments(anchor.deps)
  await sendOrders(anchor.deps)
  const [order] = await anchor.rows<{ id: string }>(
    `select id from rail_orders where transfer_id = '${id}' and kind = 'payout'`,
  )
  await settleOrder(anchor.deps, { kind: 'paid', orderId: order?.id ?? '', paymentId: randomUUID() })
}

/** Everything that says where money is. */
const books = async () => ({
  states: await anchor.rows('select state from transfers order by id'),
  orders: await anchor.rows('select kind, state from rail_orders order by id'),
  payments: await anchor.rows('select purpose, state from ledger_payments order by id'),
  receipts: await anchor.rows('select id, outcome from ledger_receipts order by id'),
  entries: await anchor.rows('select id from journal_entries order by id'),
  balances: await anchor.rows(
    'select account, unit, sum(amount)::text from journal_lines group by 1, 2 order by 1, 2',
  ),
})

/** A server's life: it reads, pays what is due, and sends payouts, a few times. */
async function run(deps: Deps, rounds = 3): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await observePayments(deps).catch(() => undefined)
    await anchor.pay({ horizon: deps.horizon, routineHorizon: deps.routineHorizon }).catch(() => undefined)
    await sendOrders(deps)
  }
}

/** As after a start at this address. */
const startedAt = (url: string): Deps => {
  const horizon = createHorizon({ ...anchor.network, url })
  return { ...anchor.deps, horizon, routineHorizon: horizon }
}

/** Another header, and its hash: an answer that does not contradict itself. */
const otherHash = (body: string) => {
  const ledger = JSON.parse(body) as { header_xdr: string }
  const header = Buffer.from(ledger.header_xdr, 'base64')
  // The hash of the ledger before.
  header[10] = (header[10] ?? 0) ^ 1
  const hash = createHash('sha256').update(header).digest('hex')
  return JSON.stringify({ ...ledger, header_xdr: header.toString('base64'), hash })
}

describe('one wrong answer of Horizon', () => {
  it('about the hash of a ledger refunds and books nothing, whichever answer it is, and an incident tells', async () => {
    await anchor.deps.database.pool.query(
      "insert into webhook_endpoints (url, secret, events) values ('http://localhost:1', 'whsec_x', '{ledger.other_chain}')",
    )
    for (let n = 0; n < 4; n++) await paidWithdrawal()
    await observePayments(anchor.deps)
    const before = await books()
    expect(before.states).toEqual(Array.from({ length: 4 }, () => ({ state: 'completed' })))
    await fc.assert(
      fc.asyncProperty(fc.nat(3), async nth => {
        let asked = 0
        const lie: Lie = {
          told: 0,
          tell: (path, body) => (/^\/ledgers\/\d+$/.test(path) && asked++ === nth ? otherHash(body) : null),
        }
        await run(startedAt(await startLiar(anchor.network.url, lie)), 4)
        expect(await books()).toEqual(before)
        const open = (await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)
        expect(open).toEqual([])
      }),
      { numRuns: 6, examples: [[0]] },
    )
    const told = (await anchor.incidents()).filter(({ kind }) => kind === 'other-chain')
    expect(told[0]).toMatchObject({
      details: { reason: 'ledger-differs', lastLedger: expect.any(Number) },
      endedAs: 'ledger-found-again',
    })
    expect(
      await anchor.rows("select 1 from webhook_deliveries where event = 'ledger.other_chain'"),
    ).toHaveLength(told.length)
  })

  it('is no reset, though a person says so: what the anchor did is still on the ledger', async () => {
    await paidWithdrawal()
    await observePayments(anchor.deps)
    const before = await books()
    const lie: Lie = {
      told: 0,
      tell: (path, body) => (/^\/ledgers\/\d+$/.test(path) ? otherHash(body) : null),
    }
    const url = await startLiar(anchor.network.url, lie)
    await run(startedAt(url))
    Object.assign(anchor.deps, { horizon: createHorizon({ ...anchor.network, url }) })
    const answer = await anchor.sayOfOtherChain('applied')
    expect([answer.statusCode, answer.json()]).toMatchObject([409, { code: 'reset-not-proven' }])
    expect(answer.json<{ detail: string }>().detail).toContain('still has a transaction of this anchor')
    expect(await books()).toEqual(before)
    // The answers were wrong: it asks again, and the same is found again.
    expect((await anchor.sayOfOtherChain('not-applied')).statusCode).toBe(200)
    await run(startedAt(url))
    expect((await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)).toHaveLength(1)
    await run(startedAt(anchor.network.url))
    expect((await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)).toEqual([])
    await paidWithdrawal()
    expect(await anchor.rows('select state from transfers')).toEqual([
      { state: 'completed' },
      { state: 'completed' },
    ])
  })
})

describe('a start at another network', () => {
  it.each([
    ['of another passphrase', 'Another network', 'passphrase-differs'],
    ['of the same passphrase', undefined, 'ledger-differs'],
  ])(
    '%s refunds and books nothing, and an incident tells until the right one answers',
    async (_, passphrase, reason) => {
      for (let n = 0; n < 2; n++) await paidWithdrawal()
      await anchor.queue(customer.publicKey)
      await observePayments(anchor.deps)
      const before = await books()
      const other = await startLocalNetwork({ closeEvery: 'at-once', ...(passphrase ? { passphrase } : {}) })
      onTestFinished(() => other.stop())
      while (other.latestLedger < anchor.network.latestLedger + 5) other.close()
      await run(startedAt(other.url))
      expect(await books()).toEqual(before)
      expect(await anchor.incidents()).toMatchObject([
        { kind: 'other-chain', resolved_at: null, details: { reason } },
      ])
      await run(startedAt(anchor.network.url))
      expect(await anchor.incidents()).toMatchObject([{ kind: 'other-chain', endedAs: 'ledger-found-again' }])
      const after = await books()
      expect(after.payments).toEqual(before.payments.map(each => ({ ...each, state: 'paid' })))
      expect(after.receipts).toEqual(before.receipts)
    },
  )

  it('is never a reset of the public network, whatever a person says', async () => {
    await paidWithdrawal()
    await observePayments(anchor.deps)
    const before = await books()
    // As if its passphrase were the public one.
    const { network } = anchor.deps.config.anchor
    const { passphrase } = network
    network.passphrase = PUBLIC_NETWORK
    onTestFinished(() => void (network.passphrase = passphrase))
    const other = await startLocalNetwork({ closeEvery: 'at-once' })
    onTestFinished(() => other.stop())
    while (other.latestLedger < anchor.network.latestLedger + 5) other.close()
    const deps = startedAt(other.url)
    await run(deps)
    Object.assign(anchor.deps, { horizon: deps.horizon })
    const answer = await anchor.sayOfOtherChain('applied')
    expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([
      409,
      expect.stringContaining('The public network is never reset'),
    ])
    expect(await books()).toEqual(before)
  })

  it('pays nothing back that was recorded, even where a person wrongly said that it was reset', async () => {
    await paidWithdrawal()
    await observePayments(anchor.deps)
    const other = await startLocalNetwork({ closeEvery: 'at-once' })
    onTestFinished(() => other.stop())
    while (other.latestLedger < anchor.network.latestLedger + 5) other.close()
    const { horizon, routineHorizon } = anchor.deps
    const deps = startedAt(other.url)
    Object.assign(anchor.deps, { horizon: deps.horizon, routineHorizon: deps.routineHorizon })
    await anchor.recordReset()
    await run(deps)
    Object.assign(anchor.deps, { horizon, routineHorizon })
    while (anchor.network.latestLedger < other.latestLedger + 5) anchor.network.close()
    await run({ ...anchor.deps })
    expect((await anchor.sayOfOtherChain('applied')).statusCode).toBe(200)
    await run(anchor.deps)
    expect(await anchor.rows('select 1 from ledger_payments')).toEqual([])
    expect(await anchor.rows('select state from transfers')).toEqual([{ state: 'completed' }])
  })
})
