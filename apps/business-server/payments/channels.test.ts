import { Account, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { parseAmount } from '@windlass/money/amount.ts'
import { generateKey, signTransaction, type AccountKey } from '@windlass/stellar/keys.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { balanceOf } from '../money/journal/journal.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { randomUUID } from 'node:crypto'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { findTransfer } from '../transfers/find.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'
import { observePayments } from './observe.ts'
import { queuePayment } from './ledger-payments.ts'
import { payQueued } from './pay.ts'

const MANY = 12
/** By one transaction. */
const OPENED = 19

let anchor: LedgerAnchor
let customer: AccountKey
beforeEach(async () => {
  anchor = await LedgerAnchor.start()
  await anchor.issue()
  customer = await anchor.customerWithAsset()
  await observePayments(anchor.deps)
})
afterEach(() => anchor.stop())

async function queueMany(count = MANY, to = customer.publicKey): Promise<void> {
  for (let made = 0; made < count; made++) await anchor.queue(to, { amount: '1' })
}

const channels = (state = 'open') =>
  anchor.rows<{ account: string }>(`select account from ledger_channels where state = '${state}'`)
/** Payments of the anchor to the customer, each with the account whose sequence number it used. */
const sources = () =>
  anchor.rows<{ source: string }>(
    `select e.source from ledger_envelopes e join ledger_payments p on p.id = e.payment_id
     where e.state = 'applied' and p.purpose = 'refund'`,
  )
const states = async () => new Set((await anchor.payments()).map(({ state }) => state))

async function expectPaid(count: number): Promise<void> {
  expect(await states()).toEqual(new Set(['paid']))
  expect(Number(await anchor.held(customer))).toBe(1000 + count)
  await observePayments(anchor.deps)
  const treasury = await balanceOf(anchor.deps.database.db, 'treasury', 'asset')
  expect(treasury).toBe(parseAmount((await anchor.held(anchor.distribution)) ?? ''))
  expect(await anchor.incidents()).toEqual([])
}

/** So that the next payments go through channels. */
async function openChannels(): Promise<void> {
  await queueMany()
  await payQueued(anchor.deps)
  expect(await channels()).toHaveLength(OPENED)
}

describe('channels', () => {
  it('are opened where many payments wait, hold nothing, and obey the distribution account alone', async () => {
    await anchor.queue(customer.publicKey, { amount: '1' })
    await anchor.pay()
    expect(await channels()).toEqual([])
    await openChannels()
    for (const { account } of await channels()) {
      expect(await anchor.horizon.account(account)).toMatchObject({
        balances: [{ asset: 'native', balance: '0.0000000' }],
        sponsored: 3,
        thresholds: { low: 1, medium: 1, high: 1 },
        signers: expect.arrayContaining([
          { key: account, weight: 0 },
          { key: anchor.distribution.publicKey, weight: 1 },
        ]),
      })
    }
    await expectPaid(MANY + 1)
  })

  it('carry payments beside the distribution account, which pays the fees', async () => {
    await openChannels()
    await queueMany()
    await anchor.pay()
    await expectPaid(2 * MANY)
    const used = new Set((await sources()).map(({ source }) => source))
    expect(used.size).toBeGreaterThan(MANY / 2)
    for (const { account } of await channels())
      expect((await anchor.horizon.account(account))?.balances[0]?.balance).toBe('0.0000000')
  })

  it('are not opened for refunds of what strangers paid, which wait for customers’ payments', async () => {
    const refunds = Array.from({ length: MANY }, (_, made) => `refund:receipt:hash:${made}`)
    for (const cause of refunds) await anchor.queue(customer.publicKey, { amount: '1', cause })
    await anchor.queue(customer.publicKey, { amount: '2' })
    await anchor.pay()
    expect(await channels()).toEqual([])
    await expectPaid(MANY + 2)
    const paid = await anchor.rows<{ amount: string }>(
      `select p.amount::float::text as amount from ledger_envelopes e join ledger_payments p on p.id = e.payment_id
       order by e.sequence::numeric`,
    )
    expect(paid[0]).toEqual({ amount: '2' })
  })

  it('are no accounts for deposits: money for one goes back', async () => {
    await openChannels()
    const [channel] = await channels()
    const account = channel?.account ?? ''
    const { id } = await acceptTransaction(anchor.deps, {
      ...{
        id: randomUUID(),
        sep: '24',
        kind: 'deposit',
        status: 'incomplete',
        started_at: '',
        updated_at: '',
      },
      ...{ amount_expected: { amount: '20' }, destination_account: account, type: 'upi' },
      ...{ creator: { account: customer.publicKey }, customers: { sender: { account: customer.publicKey } } },
      claimable_balance_supported: true,
    })
    const { rail, reference, fiat_amount, currency } = await confirm(anchor.deps, id)
    await receiveRailPayment(anchor.deps, rail, {
      ...{ kind: 'received', paymentId: 'p1', reference: reference ?? '', currency },
      amount: fiat_amount ?? '',
    })
    expect((await findTransfer(anchor.deps.database.db, id))?.state).toBe('returning')
  })

  it('are not opened with XLM that payments need', async () => {
    const account = await anchor.horizon.account(anchor.distribution.publicKey)
    const balances = account?.balances.map(line =>
      line.asset === 'native' ? { ...line, balance: '13' } : line,
    )
    const poor = {
      ...anchor.horizon,
      account: async () => account && { ...account, balances: balances ?? [] },
    }
    await queueMany()
    await anchor.pay({ routineHorizon: poor })
    expect(await channels()).toEqual([])
    await expectPaid(MANY)
  })

  it('are not needed: payments go out while Horizon limits routine requests', async () => {
    const limited = { ...anchor.horizon, account: () => Promise.reject(new Error('429')) }
    await queueMany()
    await anchor.pay({ routineHorizon: limited })
    expect(await channels()).toEqual([])
    await expectPaid(MANY)
  })

  it('pay once where the process dies at any point of a payment, and a claimable balance is found again', async () => {
    await openChannels()
    const newcomer = generateKey()
    await anchor.fund(newcomer)
    await anchor.queue(newcomer.publicKey, { claimable: true, amount: '1' })
    await queueMany()
    const points = [
      'payment:taken',
      'envelope:stored',
      'envelope:applied',
      'envelope:confirmed',
      'payment:noted',
    ]
    for (const point of points) {
      let passed = 0
      const at = (name: string) => {
        if (name === point && ++passed % 3 === 1) throw new Error('the process died')
      }
      await anchor.pay({ faults: { at } })
    }
    for (let round = 0; round < 2; round++) await anchor.pay()
    await expectPaid(2 * MANY)
    const [balance] = await anchor.rows<{ id: string }>('select id from claimable_balances')
    expect(await anchor.horizon.claimableBalance(balance?.id ?? '')).toMatchObject({ exists: true })
  })

  it('pay once where answers to submissions are lost', async () => {
    await openChannels()
    await queueMany()
    let asked = 0
    const submit: typeof anchor.horizon.submit = async xdr => {
      if (++asked % 3 === 0) return { outcome: 'unknown', detail: 'no answer' }
      const answer = await anchor.horizon.submit(xdr)
      return asked % 3 === 1 ? { outcome: 'unknown', detail: 'no answer' } : answer
    }
    await anchor
      .pay({ horizon: { ...anchor.horizon, submit, transaction: async () => null } })
      .catch(() => undefined)
    for (let round = 0; round < 2; round++) await anchor.pay()
    await expectPaid(2 * MANY)
  })

  it('of another server are closed without those that Horizon does not show or that are gone', async () => {
    await openChannels()
    await anchor.rows('update ledger_channels set foreign_use = true')
    const [hidden, gone] = (await channels()).map(({ account }) => account)
    const payer = await anchor.horizon.account(customer.publicKey)
    const merge = new TransactionBuilder(new Account(customer.publicKey, payer?.sequence ?? ''), {
      fee: '100000',
      networkPassphrase: anchor.network.passphrase,
    })
      .setTimeout(0)
      .addOperation(
        Operation.accountMerge({ source: gone ?? '', destination: anchor.distribution.publicKey }),
      )
      .build()
    for (const { secret } of [customer, anchor.distribution]) signTransaction(merge, secret)
    expect(await anchor.horizon.submit(merge.toXdr())).toEqual({ outcome: 'applied' })
    const account = async (id: string) => (id === hidden ? null : anchor.horizon.account(id))
    await anchor.pay({ horizon: { ...anchor.horizon, account } })
    expect(await channels()).toEqual([{ account: hidden }])
    await anchor.pay()
    expect(await channels()).toEqual([])
    await anchor.queue(customer.publicKey, { amount: '1' })
    await anchor.pay()
    await expectPaid(MANY + 1)
  })

  it('are not closed twice: a closing without anything to close ends, and the next one does not wait', async () => {
    await openChannels()
    await queuePayment(anchor.deps, anchor.deps.database.db, {
      ...{ cause: 'close-channels:test', transfer_id: null, purpose: 'close-channels', amount: '1' },
      ...{ destination: anchor.distribution.publicKey, asset: 'native', memo: null, memo_type: null },
      claimable: false,
    })
    await anchor.pay()
    expect(await states()).toEqual(new Set(['paid', 'canceled']))
    await anchor.rows('update ledger_channels set foreign_use = true')
    await anchor.pay()
    expect(await channels()).toEqual([])
  })

  it('are gone after a reset of the network, and opened again when they are needed', async () => {
    await openChannels()
    const before = await channels()
    anchor.network.reset()
    await anchor.issue()
    customer = await anchor.customerWithAsset()
    await anchor.recordReset()
    expect(await channels()).toEqual([])
    expect(await channels('closed')).toHaveLength(OPENED)
    await queueMany()
    await anchor.pay()
    expect(Number(await anchor.held(customer))).toBe(1000 + MANY)
    expect(await channels()).toHaveLength(OPENED)
    expect(await channels()).not.toEqual(before)
  })
})
