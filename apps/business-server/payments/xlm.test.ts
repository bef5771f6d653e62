import { Asset, Keypair, Memo, MuxedAccount, Account, Operation } from '@stellar/stellar-sdk/base'
import type { PlatformTransaction } from '@windlass/contracts/anchor/anchor-platform.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { openDatabase } from '@windlass/service/postgres/database.ts'
import { generateKey, type AccountKey } from '@windlass/stellar/keys.ts'
import { copyDatabase } from '@windlass/testing/database.ts'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listBalances } from '../money/journal/journal.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import type { Tables } from '../tables.ts'
import { readTreasuries } from '../money/treasury/treasury.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { findTransfer } from '../transfers/find.ts'
import { ledgerDifferences } from './chain.ts'
import { planChannels } from './channels.ts'
import { observePayments } from './observe.ts'
import { payQueued } from './pay.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'
import { sendOrders } from './rail-orders.ts'
import { settleOrder } from './settle-order.ts'
import { resolveByOperator } from './unproven.ts'

let anchor: LedgerAnchor
beforeEach(async () => {
  anchor = await LedgerAnchor.start()
  await anchor.serveXlm()
  anchor.deps.customerRegistry.byWallet = () =>
    Promise.resolve({ customerId: 'cus_1', status: 'ACCEPTED', walletVerified: true })
  await observePayments(anchor.deps)
})
afterEach(() => anchor.stop())

async function customer(): Promise<AccountKey> {
  const account = generateKey()
  await anchor.fund(account)
  return account
}

async function send(from: AccountKey, amount: string, memo: Memo = Memo.none()): Promise<void> {
  const destination = anchor.distribution.publicKey
  await anchor.apply(from, [Operation.payment({ asset: Asset.native(), amount, destination })], memo)
  await observePayments(anchor.deps)
}

const topUp = async (amount: string) => send(await customer(), amount, Memo.text('top-up'))

async function agreed(
  kind: 'deposit' | 'withdrawal',
  account: string,
  { amount = '20', claimable = false }: { amount?: string; claimable?: boolean } = {},
) {
  const reported: PlatformTransaction = {
    ...{ id: randomUUID(), sep: '24', kind, status: 'incomplete', asset: 'stellar:native' },
    ...{ amount_expected: { amount }, started_at: '', updated_at: '' },
    ...{ destination_account: account, source_account: account, creator: { account } },
    ...{ customers: { sender: { account } }, claimable_balance_supported: claimable },
    fields: { dest: 'asha@okbank' },
  }
  const { id } = await acceptTransaction(anchor.deps, reported)
  return confirm(anchor.deps, id)
}

async function paidDeposit(account: string, amount?: string) {
  const { id, reference, fiat_amount, currency, rail } = await agreed(
    'deposit',
    account,
    amount === undefined ? {} : { amount },
  )
  await receiveRailPayment(anchor.deps, rail, {
    ...{
      kind: 'received',
      paymentId: randomUUID(),
      reference: reference ?? '',
      amount: fiat_amount ?? '',
      currency,
    },
  })
  await anchor.pay()
  await observePayments(anchor.deps)
  return findTransfer(anchor.deps.database.db, id)
}

interface Walked {
  kind: 'deposit' | 'new' | 'withdrawal' | 'stranger' | 'top-up' | 'merge'
  amount: string
}

async function walk({ kind, amount }: Walked, seller: AccountKey, stranger: AccountKey): Promise<void> {
  if (kind === 'deposit') return void (await paidDeposit(seller.publicKey, amount))
  if (kind === 'new') return void (await paidDeposit(generateKey().publicKey, amount))
  if (kind === 'stranger') return send(stranger, amount, Memo.text('hello'))
  if (kind === 'top-up') return send(stranger, amount, Memo.text('top-up'))
  if (kind === 'merge') {
    const merge = Operation.accountMerge({ destination: anchor.distribution.publicKey })
    return anchor.apply(await customer(), [merge])
  }
  const { ledger_memo } = await agreed('withdrawal', seller.publicKey, { amount })
  await send(seller, amount, Memo.id(ledger_memo ?? ''))
  await sendOrders(anchor.deps)
  const orders = await anchor.rows<{ id: string }>("select id from rail_orders where state = 'sent'")
  for (const { id } of orders) await settleOrder(anchor.deps, { kind: 'paid', paymentId: id, orderId: id })
}

const xlmOf = async (account: string) =>
  (await anchor.horizon.account(account))?.balances.find(({ asset }) => asset === 'native')?.balance
const receipts = () =>
  anchor.rows<{ outcome: string; why: string }>(
    'select outcome, why from ledger_receipts order by id::bigint',
  )
const journal = async () =>
  Object.fromEntries(
    (await listBalances(anchor.deps.database.db))
      .filter(({ unit }) => unit === 'asset')
      .map(({ account, amount }) => [account, amount]),
  )

/** The journal has what the account has, to the stroop. */
async function requireAgreement(): Promise<void> {
  expect((await ledgerDifferences(anchor.deps))?.map(({ difference }) => difference)).toEqual([0n])
  const { treasury } = await journal()
  expect(treasury).toBe(formatAmount(parseAmount((await xlmOf(anchor.distribution.publicKey)) ?? '0')))
}

describe('an anchor of XLM', () => {
  it('has what it was opened with as capital, less the network’s fees, and can pay none of it', async () => {
    expect(await journal()).toMatchObject({ capital: '-5', 'network-fees': expect.stringMatching(/^0\.0/) })
    await requireAgreement()
    // Reserves are 1.5 XLM: two for the account, one for its data entry.
    const [{ capacity }] = await readTreasuries(anchor.deps)
    const { treasury } = await journal()
    expect(capacity).toBe(parseAmount(treasury ?? '0') - parseAmount('3.5'))
  })

  it('pays a deposit to an account, and opens one that does not exist', async () => {
    await topUp('700')
    const there = await customer()
    expect(await paidDeposit(there.publicKey)).toMatchObject({ state: 'completed', amount: '20.0000000' })
    expect(await xlmOf(there.publicKey)).toBe('10020.0000000')
    const missing = generateKey().publicKey
    expect(await paidDeposit(missing)).toMatchObject({ state: 'completed' })
    expect(await xlmOf(missing)).toBe('20.0000000')
    expect(await journal()).toMatchObject({ capital: '-705' })
    await requireAgreement()
  })

  it('waits where a muxed address is of an account that does not exist', async () => {
    await topUp('700')
    const muxed = new MuxedAccount(new Account(Keypair.random().publicKey(), '0'), '7').accountId()
    expect(await paidDeposit(muxed)).toMatchObject({ state: 'awaiting_trust' })
    await requireAgreement()
  })

  it('pays a withdrawal out over the rail, and back in XLM where that fails', async () => {
    const seller = await customer()
    const withdrawal = await agreed('withdrawal', seller.publicKey)
    await send(seller, '20', Memo.id(withdrawal.ledger_memo ?? ''))
    expect(await findTransfer(anchor.deps.database.db, withdrawal.id)).toMatchObject({ state: 'funded' })
    await requireAgreement()
    await sendOrders(anchor.deps)
    const [order] = await anchor.rows<{ id: string; currency: string; amount: string }>(
      'select id, currency, amount from rail_orders',
    )
    // (20 XLM less a fee of 0.6) at 88.50 rupees for 8 XLM.
    expect(order).toMatchObject({ currency: 'INR', amount: expect.stringMatching(/^214\.61/) })
    await settleOrder(anchor.deps, { kind: 'failed', orderId: order?.id ?? '', reason: 'account closed' })
    await anchor.pay()
    await observePayments(anchor.deps)
    expect(await findTransfer(anchor.deps.database.db, withdrawal.id)).toMatchObject({ state: 'returned' })
    await requireAgreement()
  })

  it('takes a path payment that arrives as XLM', async () => {
    const seller = await customer()
    const withdrawal = await agreed('withdrawal', seller.publicKey)
    await anchor.apply(
      seller,
      [
        Operation.pathPaymentStrictReceive({
          ...{ sendAsset: Asset.native(), sendMax: '20', destAsset: Asset.native(), destAmount: '20' },
          ...{ destination: anchor.distribution.publicKey, path: [] },
        }),
      ],
      Memo.id(withdrawal.ledger_memo ?? ''),
    )
    await observePayments(anchor.deps)
    expect(await findTransfer(anchor.deps.database.db, withdrawal.id)).toMatchObject({ state: 'funded' })
    await requireAgreement()
  })

  it('sends XLM back that nobody asked for, and keeps what its operator tops up', async () => {
    const stranger = await customer()
    await send(stranger, '30')
    expect(await receipts()).toContainEqual({ outcome: 'returned', why: 'no withdrawal has this memo' })
    await anchor.pay()
    await observePayments(anchor.deps)
    expect(await xlmOf(stranger.publicKey)).toMatch(/^9999\.9/)
    await send(stranger, '4', Memo.text('top-up'))
    expect(await journal()).toMatchObject({ capital: '-9' })
    expect(await journal()).not.toHaveProperty('suspense')
    await requireAgreement()
  })

  it('holds what an account that ended in it had, until a person says whose it is', async () => {
    const stranger = await customer()
    const withdrawal = await agreed('withdrawal', stranger.publicKey)
    const merge = Operation.accountMerge({ destination: anchor.distribution.publicKey })
    await anchor.apply(stranger, [merge], Memo.id(withdrawal.ledger_memo ?? ''))
    await observePayments(anchor.deps)
    expect(await receipts()).toContainEqual(expect.objectContaining({ outcome: 'held' }))
    expect(await findTransfer(anchor.deps.database.db, withdrawal.id)).toMatchObject({
      state: 'awaiting_funds',
    })
    expect(await anchor.incidents()).toMatchObject([{ kind: 'held-receipt', details: { reason: 'merged' } }])
    expect(await journal()).toMatchObject({ suspense: '-9999.99999' })
    await requireAgreement()
  })

  it('takes one decision about many accounts that ended in it', async () => {
    const stranger = await customer()
    const ended: AccountKey[] = []
    for (let count = 0; count < 13; count++) {
      const key = generateKey()
      const opening = { destination: key.publicKey, startingBalance: '1.01' }
      await anchor.apply(stranger, [Operation.createAccount(opening)])
      await anchor.apply(key, [Operation.accountMerge({ destination: anchor.distribution.publicKey })])
      ended.push(key)
    }
    await observePayments(anchor.deps)
    const incidents = await anchor.incidents()
    expect(incidents).toHaveLength(11)
    const together = incidents.find(({ details }) => details.payments !== undefined)
    expect(together).toMatchObject({ kind: 'held-receipt', details: { reason: 'merged', payments: 3 } })
    await resolveByOperator(anchor.deps, together?.id ?? '', 'operator:asha', {
      ...{ resolution: 'Nobody knows them.', outcome: 'not-applied' },
    })
    await anchor.pay()
    for (const [place, { publicKey }] of ended.entries())
      expect((await anchor.horizon.account(publicKey)) !== null).toBe(place >= 10)
  })

  it('pays nothing out of its reserves, and says that the treasury is short', async () => {
    const holder = await customer()
    await anchor.queue(holder.publicKey, { amount: '3' })
    const before = await anchor.transactions()
    await anchor.pay()
    expect(await anchor.payments()).toMatchObject([{ state: 'queued', wait: { code: 'treasury-short' } }])
    expect(await anchor.transactions()).toBe(before)
    await expect(agreed('deposit', holder.publicKey, { amount: '3' })).rejects.toThrow(
      'cannot pay out that much',
    )
  })

  it('serves another asset beside it, each by itself', async () => {
    const usdc = await anchor.addAsset('USDC')
    const trust = Operation.changeTrust({ asset: usdc.asset })
    await anchor.apply(anchor.distribution, [trust])
    await topUp('50')
    const payment = { asset: usdc.asset, amount: '70', destination: anchor.distribution.publicKey }
    await anchor.apply(usdc.issuer, [Operation.payment(payment)], Memo.text('top-up'))
    await observePayments(anchor.deps)
    const differences = await ledgerDifferences(anchor.deps)
    expect(differences?.map(({ asset, difference }) => [asset.code, difference])).toEqual([
      ['XLM', 0n],
      ['USDC', 0n],
    ])
    const [xlm, other] = await readTreasuries(anchor.deps)
    expect(other?.capacity).toBe(parseAmount('70'))
    expect(formatAmount(xlm.capacity)).toMatch(/^50\.9/)
  })

  it('opens no channels with the XLM that it owes', async () => {
    await topUp('100')
    for (let count = 0; count < 12; count++) await anchor.queue((await customer()).publicKey, { amount: '8' })
    await planChannels(anchor.deps, 12)
    expect(await anchor.rows("select * from ledger_payments where purpose = 'open-channels'")).toEqual([])
  })

  it('opens an account once though an older state of the database is restored', async () => {
    await topUp('700')
    const missing = generateKey().publicKey
    await anchor.queue(missing, { amount: '20' })
    const copy = await copyDatabase({ url: anchor.deps.database.url })
    await anchor.pay()
    const name = new URL(copy.url).pathname.slice(1)
    const since = new Date().toISOString()
    await anchor.deps.database.pool.query(`alter database ${name} set windlass.restored_at = '${since}'`)
    const database = openDatabase<Tables>(copy.url, { name: 'restored', max: 3 })
    const restored = { ...anchor.deps, database }
    await observePayments(restored)
    await database.pool.query('update ledger_payments set next_try_at = now()')
    await payQueued(restored)
    await observePayments(restored)
    expect(await xlmOf(missing)).toBe('20.0000000')
    expect((await database.pool.query('select state from ledger_payments')).rows).toEqual([{ state: 'paid' }])
    expect((await ledgerDifferences(restored))?.map(({ difference }) => difference)).toEqual([0n])
    await database.close()
    await copy.drop()
  })

  it('agrees to the stroop after whatever comes and goes, and owes customers nothing in the end', async () => {
    await topUp('500')
    const [seller, stranger] = [await customer(), await customer()]
    const amount = fc.bigInt({ min: 15_000_000n, max: 60_000_000n }).map(each => formatAmount(amountOf(each)))
    const kinds = ['deposit', 'new', 'withdrawal', 'stranger', 'top-up', 'merge'] as const
    const step = fc.record({ kind: fc.constantFrom(...kinds), amount })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async steps => {
        for (const each of steps) await walk(each, seller, stranger)
        await anchor.pay()
        await observePayments(anchor.deps)
        await requireAgreement()
        expect(await journal()).not.toHaveProperty('customers')
      }),
      { numRuns: 4 },
    )
  }, 60_000)

  it('records the fee of a transaction that failed', async () => {
    await topUp('700')
    const missing = generateKey().publicKey
    await expect(
      anchor.apply(anchor.distribution, [
        Operation.payment({ asset: Asset.native(), amount: '1', destination: missing }),
      ]),
    ).rejects.toThrow()
    await requireAgreement()
  })
})
