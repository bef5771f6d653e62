import { Memo, Operation } from '@stellar/stellar-sdk/base'
import type { Horizon } from '@windlass/stellar/horizon.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { describe, expect, it } from 'vitest'
import { balanceOf } from '../money/journal/journal.ts'
import {
  agreed,
  anchor,
  app,
  backUp,
  customer,
  expectJournalAgrees,
  horizon,
  network,
  open,
  payOverRail,
  settleAll,
  startAnchors,
} from '../testing/older-state.ts'
import { queuePayment } from './ledger-payments.ts'
import { payQueued } from './pay.ts'
import { resolveByOperator } from './unproven.ts'
import { recordUnknown } from './record-unknown.ts'
import { changeTreasurySettings, sweepExcess } from './sweep.ts'

startAnchors()

describe('a server on an older state of its database', () => {
  it('records a sweep that it lacks without asking anyone', async () => {
    const cold = await anchor.customerWithAsset()
    const settings = { low: '100', ceiling: '900000', coldAccount: cold.publicKey, xlmLow: '1' }
    await changeTreasurySettings(app.deps, { asset: null, by: 'operator:1' }, settings)
    const restore = await backUp()
    await sweepExcess(app.deps)
    await settleAll(app.deps)
    const swept = await balanceOf(app.deps.database.db, 'cold', 'asset')
    expect(swept).toBeGreaterThan(0n)

    const restored = await restore()
    await settleAll(restored)
    expect(await open(restored)).toEqual([])
    expect(await balanceOf(restored.database.db, 'cold', 'asset')).toBe(swept)
    expect(await balanceOf(restored.database.db, 'suspense', 'asset')).toBe(0n)
    await expectJournalAgrees(restored)
  })

  it('pays nothing and names what is missing where Horizon has dropped ledgers since that state', async () => {
    const hidden = await agreed('deposit')
    const restore = await backUp()
    await payOverRail(hidden)
    await settleAll(app.deps)
    for (let count = 0; count < 260; count++) network.close()
    await network.setFaults({ instances: { main: { retention: { ledgers: 250 } } } })
    const shown = await agreed('deposit')
    await payOverRail(shown, app.deps, 'bank-2')
    await settleAll(app.deps)
    const paid = await anchor.held(customer)

    const restored = await restore()
    await payOverRail(await agreed('deposit', restored), restored, 'bank-3').catch(() => undefined)
    await settleAll(restored)
    expect(await anchor.held(customer)).toBe(paid)
    const [gap] = (await open(restored)).filter(({ kind }) => kind === 'history-gap')
    expect(gap).toMatchObject({ details: { difference: '-100' } })
    await resolveByOperator(restored, gap?.id ?? '', 'operator:1', { resolution: 'found in a full history' })
    await settleAll(restored)
    await expectJournalAgrees(restored)
  })

  it('keeps what it has read of a long history where Horizon refuses the rest', async () => {
    const restored = await (await backUp())()
    const payment = { asset: anchor.asset, amount: '1', destination: customer.publicKey }
    for (let count = 0; count < 25; count++)
      await anchor.apply(app.distribution, [Operation.payment(payment)])
    const from: string[] = []
    const transactionsOf: Horizon['transactionsOf'] = async (account, cursor = '', order) => {
      from.push(cursor)
      return horizon.transactionsOf(account, cursor, order)
    }
    let asked = 0
    const limited = async (sequence: number) => {
      if (++asked > 20) throw new Error('Horizon limits the rate of requests')
      return horizon.ledger(sequence)
    }
    const limitedDeps = { ...restored, horizon: { ...horizon, ledger: limited, transactionsOf } }
    await expect(recordUnknown(limitedDeps, 'to-sign')).rejects.toThrow('limits')
    asked = 0
    await recordUnknown(limitedDeps, 'to-sign')
    expect(asked).toBe(5)
    const [first = '', second = ''] = from
    expect(BigInt(second)).toBeGreaterThan(BigInt(first))
    await settleAll(restored)
    expect(await open(restored)).toHaveLength(25)
    await expectJournalAgrees(restored)
  })

  it('recognizes a payment with a text memo that version 0.1 made, which marked none', async () => {
    const refund = {
      purpose: 'refund',
      asset: null,
      transfer_id: null,
      destination: customer.publicKey,
      amount: '10',
    } as const
    const memo = { memo: 'order 7', memo_type: 'text' } as const
    await queuePayment(app.deps, app.deps.database.db, {
      cause: 'test:old',
      ...refund,
      ...memo,
      claimable: false,
    })
    const restored = await (await backUp())()
    const payment = { asset: anchor.asset, amount: '10', destination: customer.publicKey }
    await anchor.apply(app.distribution, [Operation.payment(payment)], Memo.text('order 7'))
    await settleAll(restored)
    expect(Number(await anchor.held(customer))).toBe(1010)
    expect(await open(restored)).toEqual([])
    await expectJournalAgrees(restored)
  })

  it('asks Horizon no more than another server about what it queues later', async () => {
    const restored = await (await backUp())()
    await settleAll(restored)
    const newcomer = generateKey()
    await anchor.fund(newcomer)
    await queuePayment(restored, restored.database.db, {
      cause: 'test:later',
      transfer_id: null,
      purpose: 'refund',
      asset: null,
      destination: newcomer.publicKey,
      amount: '10',
      memo: null,
      memo_type: null,
      claimable: false,
    })
    const asked: string[] = []
    const account: Horizon['account'] = async id => {
      asked.push(id)
      return horizon.account(id)
    }
    await payQueued({ ...restored, horizon: { ...horizon, account } })
    expect(asked).toEqual([newcomer.publicKey])
  })
})

describe('two servers with the key of one account', () => {
  it('pay what is queued in both databases once', async () => {
    await payOverRail(await agreed('deposit'))
    const other = await (await backUp())()
    await Promise.all([settleAll(app.deps), settleAll(other)])
    for (const deps of [app.deps, other]) await settleAll(deps)
    expect(Number(await anchor.held(customer))).toBe(1100)
    for (const deps of [app.deps, other]) await expectJournalAgrees(deps)
  })

  it('report a payment that neither made', async () => {
    const payment = { asset: anchor.asset, amount: '7', destination: customer.publicKey }
    await anchor.apply(app.distribution, [Operation.payment(payment)])
    await payOverRail(await agreed('deposit'))
    await settleAll(app.deps)
    expect(Number(await anchor.held(customer))).toBe(1107)
    expect(await open(app.deps)).toMatchObject([{ kind: 'unrecorded-payment', details: { amount: '7' } }])
    await expectJournalAgrees(app.deps)
  })
})
