import { Asset, AuthClawbackEnabledFlag, AuthRevocableFlag, Memo, Operation } from '@stellar/stellar-sdk/base'
import type { RateRequest } from '@windlass/contracts/anchor/anchor-platform.ts'
import { assetName, servedAsset, type AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, parseAmount } from '@windlass/money/amount.ts'
import { openDatabase } from '@windlass/service/postgres/database.ts'
import { generateKey, type AccountKey } from '@windlass/stellar/keys.ts'
import { copyDatabase } from '@windlass/testing/database.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listBalances } from '../money/journal/journal.ts'
import { evaluateConditions, type Earlier } from '../workspace/notifications/conditions.ts'
import { answerRate } from '../transfers/quotes/answer-rate.ts'
import { reconcile } from '../workspace/reconciliation/reconcile.ts'
import { addSettings, currentSettings } from '../money/settings/settings.ts'
import { LedgerAnchor, type FurtherAsset } from '../testing/ledger-anchor.ts'
import type { Tables } from '../tables.ts'
import { recordFurtherAssets } from '../money/treasury/further-assets.ts'
import { readTreasuries, reserve } from '../money/treasury/treasury.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { findTransfer } from '../transfers/find.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'
import { reclaimUnclaimed } from './claimable-balances.ts'
import { queuePayment } from './ledger-payments.ts'
import { observePayments } from './observe.ts'
import { payQueued } from './pay.ts'
import { sendOrders } from './rail-orders.ts'
import { settleOrder } from './settle-order.ts'
import { changeTreasurySettings, sweepExcess } from './sweep.ts'
import { reportedBy } from '../testing/reported-by.ts'

let anchor: LedgerAnchor
let usdc: FurtherAsset
beforeEach(async () => {
  anchor = await LedgerAnchor.start()
  usdc = await anchor.addAsset('USDC', AuthRevocableFlag | AuthClawbackEnabledFlag)
  await anchor.issue()
  anchor.deps.customerRegistry.byWallet = () =>
    Promise.resolve({ customerId: 'cus_1', status: 'ACCEPTED', walletVerified: true })
  await observePayments(anchor.deps)
})
afterEach(() => anchor.stop())

const nameOf = (key: AssetKey) => assetName(servedAsset(anchor.deps.config.anchor, key))

async function send(from: AccountKey, asset: Asset, amount: string, memo: Memo): Promise<void> {
  const destination = anchor.distribution.publicKey
  await anchor.apply(from, [Operation.payment({ asset, amount, destination })], memo)
  await observePayments(anchor.deps)
}

async function topUp(amount: string): Promise<AccountKey> {
  const owner = await anchor.customerWith(usdc)
  await send(owner, usdc.asset, amount, Memo.text('top-up'))
  return owner
}

async function agreed(
  kind: 'deposit' | 'withdrawal',
  asset: AssetKey,
  { account, amount = '20', quoteId }: { account: string; amount?: string; quoteId?: string },
) {
  const reported = reportedBy(account, {
    ...{ kind, asset: nameOf(asset), amount_expected: { amount }, fields: { dest: 'asha@okbank' } },
    ...(quoteId ? { quote_id: quoteId } : {}),
  })
  const { id } = await acceptTransaction(anchor.deps, reported)
  return confirm(anchor.deps, id)
}

const stateOf = async ({ id }: { id: string }) => (await findTransfer(anchor.deps.database.db, id))?.state
const receipts = () =>
  anchor.rows<{ outcome: string; asset: string | null; why: string }>(
    "select outcome, asset, why from ledger_receipts where why not in ('a top-up', 'the anchor''s own') order by id::bigint",
  )
const heldOf = async ({ publicKey }: AccountKey, key: string) =>
  (await anchor.horizon.account(publicKey))?.balances.find(({ asset }) => asset === key)?.balance
const balancesIn = async (unit: string) =>
  (await listBalances(anchor.deps.database.db))
    .filter(each => each.unit === unit)
    .map(({ account, amount }) => [account, amount])
const treasuries = async () =>
  (await readTreasuries(anchor.deps)).map(({ balance, reserved, capacity }) => [balance, reserved, capacity])
const units = (...amounts: string[]) => amounts.map(parseAmount)

describe('a further asset', () => {
  it('is topped up by itself, and reserved by itself: the first one lends it nothing', async () => {
    await topUp('700')
    expect(await treasuries()).toEqual([units('1000000', '0', '1000000'), units('700', '0', '700')])
    expect(await balancesIn(usdc.key)).toEqual([
      ['capital', '-700'],
      ['treasury', '700'],
    ])
    const promise = (amount: bigint) =>
      anchor.deps.database.db.transaction().execute(tx =>
        reserve(anchor.deps, tx, {
          ...{ id: 'quote:1', asset: usdc.key, amount: amountOf(amount), expiresAt: null },
        }),
      )
    await expect(promise(7_000_000_001n)).rejects.toThrow('cannot pay out that much')
    await promise(7_000_000_000n)
    expect(await treasuries()).toEqual([units('1000000', '0', '1000000'), units('700', '700', '0')])
  })

  it('goes back to who sold it where the payout fails', async () => {
    const customer = await topUp('700')
    const before = await heldOf(customer, usdc.key)
    const withdrawal = await agreed('withdrawal', usdc.key, { account: customer.publicKey })
    await send(customer, usdc.asset, '20', Memo.id(withdrawal.ledger_memo ?? ''))
    await sendOrders(anchor.deps)
    const [order] = await anchor.rows<{ id: string }>('select id from rail_orders')
    await settleOrder(anchor.deps, { kind: 'failed', orderId: order?.id ?? '', reason: 'account closed' })
    await anchor.pay()
    expect(await heldOf(customer, usdc.key)).toBe(before)
    expect(await heldOf(customer, `MUMBAI:${anchor.issuer.publicKey}`)).toBe('1000.0000000')
    expect(await balancesIn(usdc.key)).toEqual([
      ['capital', '-700'],
      ['treasury', '700'],
    ])
    expect(await stateOf(withdrawal)).toBe('returned')
  })

  it('that was claimed back after a backup is delivered again after its restore', async () => {
    await topUp('700')
    const customer = generateKey()
    await anchor.fund(customer)
    await queuePayment(anchor.deps, anchor.deps.database.db, {
      ...{ cause: 'test:1', transfer_id: null, purpose: 'refund', destination: customer.publicKey },
      ...{ amount: '10', asset: usdc.key, memo: null, memo_type: null, claimable: true },
    })
    await anchor.pay()
    anchor.network.advance(31 * 86_400_000)
    anchor.network.close()
    const backup = await copyDatabase({ url: anchor.deps.database.url })
    const name = new URL(backup.url).pathname.slice(1)
    const due = 'update claimable_balances set next_look_at = now()'
    await anchor.rows(due)
    await reclaimUnclaimed(anchor.deps)
    await anchor.pay()
    await anchor.rows(`alter database ${name} set windlass.restored_at = '${new Date().toISOString()}'`)
    const database = openDatabase<Tables>(backup.url, { name: 'restored', max: 3 })
    const restored = { ...anchor.deps, database }
    try {
      await observePayments(restored)
      await database.pool.query(due)
      await reclaimUnclaimed(restored)
      await payQueued(restored)
      await database.pool.query(due)
      await reclaimUnclaimed(restored)
      const { rows } = await database.pool.query(
        'select purpose, state, asset from ledger_payments order by created_at',
      )
      expect(rows).toEqual([
        { purpose: 'refund', state: 'paid', asset: usdc.key },
        { purpose: 'reclaim', state: 'paid', asset: usdc.key },
        { purpose: 'redelivery', state: 'queued', asset: usdc.key },
      ])
    } finally {
      await database.close()
      await backup.drop()
    }
  })

  it('is sold for money: quoted, reserved, paid and recorded in its own units', async () => {
    const customer = await topUp('700')
    const request: RateRequest = {
      ...{ type: 'firm', sell_asset: 'iso4217:INR', buy_asset: nameOf(usdc.key), buy_amount: '20' },
      client_id: customer.publicKey,
    }
    const { rate } = await answerRate(anchor.deps, request)
    expect((await treasuries())[1]).toEqual(units('700', '20', '680'))
    await anchor.rows(
      `insert into firm_rates select (r).* from (select jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid())) as r
       from firm_rates f, generate_series(1, 19)) copies`,
    )
    const ofFirst = { ...request, buy_asset: nameOf(null) }
    await expect(answerRate(anchor.deps, ofFirst)).rejects.toThrow('open quotes of this account')
    await anchor.rows(`delete from firm_rates where id <> '${rate.id}'`)
    const deposit = await agreed('deposit', usdc.key, {
      account: customer.publicKey,
      ...(rate.id ? { quoteId: rate.id } : {}),
    })
    expect(await treasuries()).toEqual([units('1000000', '0', '1000000'), units('700', '20', '680')])
    await receiveRailPayment(anchor.deps, 'UPI', {
      ...{ kind: 'received', paymentId: 'pay_1', reference: deposit.reference ?? '' },
      ...{ amount: deposit.fiat_amount ?? '', currency: 'INR' },
    })
    await anchor.pay()
    expect(await stateOf(deposit)).toBe('completed')
    expect(await heldOf(customer, usdc.key)).toBe('320.0000000')
    expect(await heldOf(customer, `MUMBAI:${anchor.issuer.publicKey}`)).toBe('1000.0000000')
    expect(await balancesIn(usdc.key)).toEqual([
      ['capital', '-700'],
      ['exchange', '20.6'],
      ['fees', '-0.6'],
      ['treasury', '680'],
    ])
    expect(await treasuries()).toEqual([units('1000000', '0', '1000000'), units('680', '0', '680')])
    const calls = await anchor.rows<{ params: { amount_out?: { asset: string } } }>(
      "select params from platform_calls where method = 'notify_offchain_funds_received'",
    )
    expect(calls).toMatchObject([{ params: { amount_out: { asset: nameOf(usdc.key) } } }])
  })

  it('pays its own withdrawals only: another asset goes back as it came, and a look-alike is not read', async () => {
    const customer = await anchor.customerWith(usdc)
    const ofUsdc = await agreed('withdrawal', usdc.key, { account: customer.publicKey })
    const ofFirst = await agreed('withdrawal', null, { account: customer.publicKey })
    await send(customer, anchor.asset, '20', Memo.id(ofUsdc.ledger_memo ?? ''))
    await send(customer, usdc.asset, '20', Memo.id(ofFirst.ledger_memo ?? ''))
    const counterfeiter = generateKey()
    await anchor.fund(counterfeiter)
    const fake = new Asset('USDC', counterfeiter.publicKey)
    await anchor.apply(anchor.distribution, [Operation.changeTrust({ asset: fake })])
    await send(counterfeiter, fake, '20', Memo.id(ofUsdc.ledger_memo ?? ''))
    expect(await receipts()).toEqual([
      {
        outcome: 'returned',
        asset: null,
        why: `the withdrawal is not of MUMBAI:${anchor.issuer.publicKey}`,
      },
      { outcome: 'returned', asset: usdc.key, why: `the withdrawal is not of ${usdc.key}` },
    ])
    expect([await stateOf(ofUsdc), await stateOf(ofFirst)]).toEqual(['awaiting_funds', 'awaiting_funds'])
    await anchor.pay()
    expect(await heldOf(customer, usdc.key)).toBe('1000.0000000')
    expect(await heldOf(customer, `MUMBAI:${anchor.issuer.publicKey}`)).toBe('1000.0000000')
    expect(await balancesIn(usdc.key)).toEqual([])
    await send(customer, usdc.asset, '20', Memo.id(ofUsdc.ledger_memo ?? ''))
    await send(customer, anchor.asset, '20', Memo.id(ofFirst.ledger_memo ?? ''))
    expect([await stateOf(ofUsdc), await stateOf(ofFirst)]).toEqual(['funded', 'funded'])
    expect(await balancesIn(usdc.key)).toEqual([
      ['customers', '-20'],
      ['treasury', '20'],
    ])
  })

  it('is swept to its own cold account, whose payments of another asset are no top-up', async () => {
    await topUp('900')
    const cold = await anchor.customerWith(usdc)
    const of = { asset: usdc.key, by: 'operator:1' }
    const settings = { low: '10', ceiling: '500', coldAccount: cold.publicKey, xlmLow: '1' }
    const toIssuer = { ...settings, coldAccount: usdc.issuer.publicKey }
    await expect(changeTreasurySettings(anchor.deps, of, toIssuer)).rejects.toThrow('issuer of the asset')
    await changeTreasurySettings(anchor.deps, of, settings)
    await sweepExcess(anchor.deps)
    await anchor.pay()
    expect(await heldOf(cold, usdc.key)).toBe('1400.0000000')
    expect(await balancesIn(usdc.key)).toEqual([
      ['capital', '-900'],
      ['cold', '400'],
      ['treasury', '500'],
    ])
    await send(cold, usdc.asset, '100', Memo.text('back'))
    await send(cold, anchor.asset, '5', Memo.text('back'))
    expect(await receipts()).toMatchObject([{ outcome: 'returned', asset: null }])
    expect(await balancesIn(usdc.key)).toContainEqual(['cold', '300'])
  })

  it('that its issuer takes back is a difference of this asset alone', async () => {
    await topUp('700')
    const from = anchor.distribution.publicKey
    await anchor.apply(usdc.issuer, [Operation.clawback({ asset: usdc.asset, amount: '200', from })])
    const earlier: Earlier = { conditions: [], differences: new Map() }
    await evaluateConditions(anchor.deps, earlier)
    for (const each of earlier.differences.values()) each.at -= 3_600_000
    const { conditions } = await evaluateConditions(anchor.deps, earlier)
    expect(conditions.filter(({ kind }) => kind === 'reconciliation-difference')).toEqual([
      {
        kind: 'reconciliation-difference',
        subject: `treasury:${usdc.key}`,
        detail: 'The distribution account holds 200 USDC less than the journal.',
        spanish: 'La cuenta de distribución tiene 200 USDC menos que el diario.',
      },
    ])
    await reconcile(anchor.deps, 'schedule')
    const found = await anchor.rows(
      'select kind, subject, unit, amount::float from reconciliation_differences',
    )
    expect(found).toEqual([
      { kind: 'treasury', subject: `treasury:${usdc.key}`, unit: usdc.key, amount: -200 },
    ])
  })

  it('counts towards a customer’s limits in its own units', async () => {
    const customer = await topUp('700')
    const { settings, version } = await currentSettings(anchor.deps, anchor.deps.database.db)
    const standard = { transaction: null, day: '30', month: null }
    const limits = { ...settings.limits, tiers: { ...settings.limits.tiers, standard } }
    await addSettings(anchor.deps, { settings: { ...settings, limits }, version, by: 'test' })
    const deposit = (asset: AssetKey) => agreed('deposit', asset, { account: customer.publicKey })
    await deposit(null)
    await deposit(usdc.key)
    await expect(deposit(usdc.key)).rejects.toThrow('10 is left')
  })

  it('has a treasury of its own in what the anchor reports', async () => {
    await topUp('700')
    const { secrets } = anchor.deps.config
    const get = async (url: string) => {
      const headers = { 'x-service-secret': secrets.summary }
      return (await anchor.app.server.app.inject({ url, headers })).json()
    }
    expect(await get('/admin/summary')).toMatchObject({
      treasury_capacity: '1000000',
      assets: [
        { code: 'MUMBAI', capacity: '1000000' },
        { code: 'USDC', issuer: usdc.issuer.publicKey, capacity: '700', treasury: { low: '10000' } },
      ],
    })
    const { body } = await anchor.app.server.app.inject('/metrics')
    expect(body).toMatch(new RegExp(`windlass_treasury_balance\\{.*asset="${usdc.key}".*\\} 700`))
    expect((await get('/api/v1/reserves')).reserves).toMatchObject({
      asset: { code: 'MUMBAI' },
      further: [{ asset: { code: 'USDC' }, units: { issued: '0', held: '700', owed: '0' } }],
    })
    expect(await get(`/admin/treasury-settings?asset=${usdc.key}`)).toMatchObject({
      settings: { low: '10000' },
    })
    expect((await get('/admin/treasury-settings?asset=USDC:nobody')).errors).toMatchObject([
      { path: 'asset' },
    ])
  })

  it('stays configured: a server that is given another configuration does not start', async () => {
    const { config, database } = anchor.deps
    await recordFurtherAssets(anchor.deps)
    await recordFurtherAssets(anchor.deps)
    const { furtherAssets: _, ...plan } = config.anchor.plan
    const single = { ...config, anchor: { ...config.anchor, plan } }
    await expect(recordFurtherAssets({ config: single, database })).rejects.toThrow(
      `ANCHOR_CONFIG does not name ${usdc.key}`,
    )
  })
})
