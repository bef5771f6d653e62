import {
  Asset,
  AuthClawbackEnabledFlag,
  AuthRequiredFlag,
  AuthRevocableFlag,
  Memo,
  Operation,
} from '@stellar/stellar-sdk/base'
import { amountOf } from '@windlass/money/amount.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listBalances } from '../money/journal/journal.ts'
import { evaluateConditions, type Earlier } from '../workspace/notifications/conditions.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { reserve } from '../money/treasury/treasury.ts'
import { observePayments } from './observe.ts'

let anchor: LedgerAnchor
beforeEach(async () => {
  anchor = await LedgerAnchor.start()
})
afterEach(() => anchor.stop())

const get = async (url: string) => {
  const headers = { 'x-service-secret': anchor.deps.config.secrets.summary }
  return (await anchor.app.server.app.inject({ url, headers })).json()
}
const summary = () => get('/admin/summary')
const receipts = () =>
  anchor.rows<{ outcome: string; why: string }>(
    'select outcome, why from ledger_receipts order by id::bigint',
  )
const balances = () => listBalances(anchor.deps.database.db)
const treasuryOf = (amount: string, account: string) => [
  { account, unit: 'asset', amount: `-${amount}` },
  { account: 'treasury', unit: 'asset', amount },
]
const reserveNow = (amount: bigint) =>
  anchor.deps.database.db
    .transaction()
    .execute(tx =>
      reserve(anchor.deps, tx, { id: 'quote:1', asset: null, amount: amountOf(amount), expiresAt: null }),
    )
const authorize = (flag: Record<string, boolean>) =>
  anchor.apply(anchor.issuer, [
    Operation.setTrustLineFlags({ trustor: anchor.distribution.publicKey, asset: anchor.asset, flags: flag }),
  ])

async function topUp(amount: string): Promise<void> {
  await anchor.sendBack(await anchor.customerWithAsset(), amount, Memo.text('top-up'))
  await observePayments(anchor.deps)
}

describe('an anchor of an asset that exists', () => {
  it('has nothing until its operator tops the treasury up, by the memo that the summary names', async () => {
    await anchor.trust()
    expect(await summary()).toMatchObject({
      treasury_capacity: '0',
      assets: [{ code: 'MUMBAI', issuer: anchor.issuer.publicKey, balance: '0' }],
      treasury: { low: '10000', topUp: { account: anchor.distribution.publicKey, memo: 'top-up' } },
    })
    await expect(reserveNow(1n)).rejects.toThrow('its treasury is empty')
    await topUp('700')
    expect(await summary()).toMatchObject({ treasury_capacity: '700' })
    expect(await balances()).toEqual(treasuryOf('700', 'capital'))
    expect((await get('/api/v1/reserves')).reserves.units).toEqual({
      ...{ issued: '0', held: '700', cold: '0', circulating: '0', owed: '0' },
    })
  })

  it('treats its issuer as anyone: a payment without a withdrawal goes back', async () => {
    await anchor.trust()
    await anchor.apply(
      anchor.issuer,
      [Operation.payment({ asset: anchor.asset, amount: '50', destination: anchor.distribution.publicKey })],
      Memo.text('hello'),
    )
    await observePayments(anchor.deps)
    expect(await receipts()).toEqual([{ outcome: 'returned', why: 'no withdrawal has this memo' }])
    await anchor.pay()
    expect(await anchor.payments()).toMatchObject([{ state: 'paid' }])
    expect(await balances()).toEqual([])
  })

  it('credits nothing for an asset of the same code by another issuer', async () => {
    await anchor.trust()
    await topUp('100')
    const counterfeiter = generateKey()
    await anchor.fund(counterfeiter)
    const fake = new Asset('MUMBAI', counterfeiter.publicKey)
    await anchor.apply(anchor.distribution, [Operation.changeTrust({ asset: fake })])
    const payment = { asset: fake, amount: '5000', destination: anchor.distribution.publicKey }
    await anchor.apply(counterfeiter, [Operation.payment(payment)], Memo.text('top-up'))
    await observePayments(anchor.deps)
    expect(await receipts()).toHaveLength(1)
    expect(await summary()).toMatchObject({ treasury_capacity: '100', assets: [{ balance: '100' }] })
    expect(await balances()).toEqual(treasuryOf('100', 'capital'))
  })

  it('says that its issuer has not authorized it, and can reserve nothing until then', async () => {
    await anchor.trust(AuthRequiredFlag)
    expect(await summary()).toMatchObject({ treasury_capacity: '0', assets: [{ fault: 'not-authorized' }] })
    await expect(reserveNow(1n)).rejects.toThrow('the issuer has not authorized it')
    await authorize({ authorized: true })
    expect((await summary()).assets[0]).not.toHaveProperty('fault')
  })

  it('waits while the issuer has frozen its trustline, says why, and pays once when that ends', async () => {
    await anchor.trust(AuthRevocableFlag)
    await topUp('700')
    const customer = await anchor.customerWithAsset()
    await authorize({ authorized: false })
    await anchor.queue(customer.publicKey)
    const before = await anchor.transactions()
    await anchor.pay()
    await anchor.pay()
    expect(await anchor.transactions()).toBe(before)
    expect(await anchor.payments()).toMatchObject([{ state: 'queued', wait: { code: 'treasury-frozen' } }])
    expect(await summary()).toMatchObject({ treasury_capacity: '0', assets: [{ balance: '700' }] })
    const { conditions } = await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })
    expect(conditions).toMatchObject([{ kind: 'treasury-low', detail: expect.stringContaining('frozen') }])
    await authorize({ authorized: true })
    await anchor.pay()
    expect(await anchor.payments()).toMatchObject([{ state: 'paid' }])
    expect(await anchor.held(customer)).toBe('1010.0000000')
  })

  it('pays though Horizon has dropped the ledger in which the trustline was opened', async () => {
    await anchor.trust()
    await topUp('700')
    const customer = await anchor.customerWithAsset()
    // The observer keeps up, as it does while the server runs.
    for (let ledgers = 0; ledgers < 3; ledgers++) {
      for (let count = 0; count < 100; count++) anchor.network.close()
      await observePayments(anchor.deps)
    }
    await anchor.network.setFaults({ instances: { main: { retention: { ledgers: 250 } } } })
    await anchor.queue(customer.publicKey)
    await anchor.pay()
    expect(await anchor.payments()).toMatchObject([{ state: 'paid' }])
    expect(await anchor.incidents()).toEqual([])
    expect(await anchor.held(customer)).toBe('1010.0000000')
  })

  it('notices what its issuer takes back as a difference between ledger and journal', async () => {
    await anchor.trust(AuthRevocableFlag | AuthClawbackEnabledFlag)
    await topUp('700')
    const from = anchor.distribution.publicKey
    await anchor.apply(anchor.issuer, [Operation.clawback({ asset: anchor.asset, amount: '200', from })])
    const earlier: Earlier = { conditions: [], differences: new Map() }
    await evaluateConditions(anchor.deps, earlier)
    for (const each of earlier.differences.values()) each.at -= 3_600_000
    const { conditions } = await evaluateConditions(anchor.deps, earlier)
    expect(conditions).toContainEqual({
      kind: 'reconciliation-difference',
      subject: 'treasury',
      detail: 'The distribution account holds 200 MUMBAI less than the journal.',
      spanish: 'La cuenta de distribución tiene 200 MUMBAI menos que el diario.',
    })
  })
})
