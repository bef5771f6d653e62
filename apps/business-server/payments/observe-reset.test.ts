import { Memo, Operation } from '@stellar/stellar-sdk/base'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { balanceOf } from '../money/journal/journal.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { decideAction, requestAction } from '../workspace/operator-actions/actions.ts'
import { resolveIncident } from './incidents.ts'
import { listenForPayments, observePayments } from './observe.ts'

let anchor: LedgerAnchor
beforeEach(async () => {
  anchor = await LedgerAnchor.start()
})
afterEach(() => anchor.stop())

const observer = async () => {
  const health = await anchor.app.server.app.inject({ url: '/health' })
  return health.json().checks.observer
}

describe('the observer of a chain that was reset, or of which Horizon forgot ledgers', () => {
  it('forgets payments of a chain that was reset, so that a deposit they were for is paid on the new one', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await observePayments(anchor.deps)
    const payment = { asset: anchor.asset, amount: '3', destination: customer.publicKey }
    await anchor.apply(anchor.distribution, [Operation.payment(payment)])
    await anchor.queue(customer.publicKey)
    await anchor.pay()
    await observePayments(anchor.deps)
    expect(await anchor.incidents()).toMatchObject([{ kind: 'unrecorded-payment', resolved_at: null }])
    anchor.network.reset()
    await anchor.issue()
    await anchor.customerWithAsset()
    await anchor.recordReset()
    await observePayments({ ...anchor.deps })
    expect(await anchor.rows('select 1 from unrecorded_payments')).toEqual([])
    expect((await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)).toEqual([])
  })

  it('names the amount that came in ledgers which Horizon no longer has, and is unhealthy until it is resolved', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await anchor.sendBack(customer, '7')
    await observePayments(anchor.deps)
    await anchor.pay()
    expect(await observer()).toBe('ok')

    await anchor.sendBack(customer, '25')
    await anchor.forgetLedgers()
    // As after a restart.
    await observePayments({ ...anchor.deps })
    await anchor.sendBack(customer, '5')
    await observePayments(anchor.deps)
    await anchor.pay()
    await observePayments(anchor.deps)
    const [gap] = await anchor.incidents()
    expect(gap).toMatchObject({ kind: 'history-gap', resolved_at: null, details: { difference: '25' } })
    expect(gap?.message).toContain('25 MUMBAI more than recorded')
    expect(await observer()).toBe('unavailable')

    await anchor.deps.database.db
      .transaction()
      .execute(tx => resolveIncident(tx, gap?.id ?? '', { by: 'key', resolution: 'returned by hand' }))
    expect(formatAmount(await balanceOf(anchor.deps.database.db, 'suspense', 'asset'))).toBe('-25')
    await observePayments({ ...anchor.deps })
    expect(await observer()).toBe('ok')
    expect(await anchor.incidents()).toHaveLength(1)
  })

  it('tells of the gap at once without a restart, with the withdrawals that wait, however late it reads again', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await anchor.rows(
      `insert into transfers (id, sep, direction, state, account, stellar_account, rail, currency, amount, ledger_memo)
       values ('00000000-0000-4000-8000-000000000001', '24', 'withdrawal', 'awaiting_funds', '${customer.publicKey}', '${customer.publicKey}', 'UPI', 'INR', 25, '77')`,
    )
    await observePayments(anchor.deps)
    await anchor.sendBack(customer, '25', Memo.id('77'))
    await anchor.forgetLedgers()
    // Horizon was away for a moment, or the process stood still: the chain is proven again.
    const away = { ...anchor.horizon, head: () => Promise.reject(new Error('away')) }
    Object.assign(anchor.deps, { routineHorizon: away })
    await expect(observePayments(anchor.deps)).rejects.toThrow('away')
    Object.assign(anchor.deps, { routineHorizon: anchor.horizon })
    const told: string[] = []
    anchor.deps.wake.on('conditions', () => void told.push('conditions'))
    await observePayments(anchor.deps)
    // People get it now, and again with the amount, not when conditions are looked at anyway.
    expect(told).toEqual(['conditions', 'conditions'])
    const [gap] = await anchor.incidents()
    expect(gap).toMatchObject({
      kind: 'history-gap',
      resolved_at: null,
      details: {
        difference: '25',
        withdrawals: [{ id: '00000000-0000-4000-8000-000000000001', amount: '25.0000000', memo: '77' }],
      },
    })
    expect(gap?.message).toContain('1 open withdrawals')
    expect(await observer()).toBe('unavailable')
  })

  it('lets an operator credit the withdrawal, once and no more than the ledger shows, and then closes the gap', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    const ids = ['1', '2', '3'].map(last => `00000000-0000-4000-8000-00000000000${last}`)
    for (const [index, id] of ids.entries())
      await anchor.rows(
        `insert into transfers (id, sep, direction, state, account, stellar_account, rail, currency, amount, fee, fiat_amount, rate, ledger_memo)
         values ('${id}', '24', 'withdrawal', '${index === 0 ? 'expired' : 'awaiting_funds'}', '${customer.publicKey}', '${customer.publicKey}', 'UPI', 'INR', 25, 0.5, 2000, 88.5, '${77 + index}')`,
      )
    await observePayments(anchor.deps)
    const act = (id: string | undefined, paymentId: string) =>
      requestAction(anchor.deps, id ?? '', {
        ...{ kind: 'mark-paid', reason: 'seen on an explorer', paymentId, by: 'operator:asha' },
      })
    /** No source of the ledger shows it any more. */
    const byTwo = async (id: string | undefined, paymentId: string) => {
      const { id: action, status } = await act(id, paymentId)
      expect(status).toBe('waiting')
      await decideAction(anchor.deps, action, { approve: true, by: 'operator:mira' })
    }
    const [first, second, third] = ids
    const hash = 'ab'.repeat(32)
    // Nothing is missing.
    await expect(act(first, hash)).rejects.toMatchObject({ code: 'action-not-possible' })
    await anchor.sendBack(customer, '25', Memo.id('77'))
    await anchor.sendBack(customer, '25', Memo.id('78'))
    await anchor.forgetLedgers()
    await observePayments({ ...anchor.deps })
    for (const wrong of ['not a hash', 'AB'.repeat(32)])
      await expect(act(first, wrong)).rejects.toThrow('hash of its transaction')
    await byTwo(first, hash)
    await expect(act(second, hash)).rejects.toThrow('recorded already')
    await byTwo(second, 'cd'.repeat(32))
    await expect(act(third, 'ef'.repeat(32))).rejects.toThrow('beyond what is recorded')
    expect(await anchor.rows('select state from transfers order by id')).toEqual([
      { state: 'funded' },
      { state: 'funded' },
      { state: 'awaiting_funds' },
    ])
    expect(await anchor.rows("select 1 from rail_orders where kind = 'payout'")).toHaveLength(2)
    await observePayments({ ...anchor.deps })
    expect(await anchor.incidents()).toMatchObject([{ kind: 'history-gap', ended_as: 'nothing-missing' }])
    expect(await observer()).toBe('ok')
    await expect(act(third, 'ef'.repeat(32))).rejects.toMatchObject({ code: 'action-not-possible' })
  })

  it('lets one person credit a withdrawal by a payment that a Horizon with full history shows, and by nothing else', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    const ids = ['1', '2', '3'].map(last => `00000000-0000-4000-8000-00000000000${last}`)
    for (const [index, id] of ids.entries())
      await anchor.rows(
        `insert into transfers (id, sep, direction, state, account, stellar_account, rail, currency, amount, fee, fiat_amount, rate, ledger_memo)
         values ('${id}', '24', 'withdrawal', 'awaiting_funds', '${customer.publicKey}', '${customer.publicKey}', 'UPI', 'INR', 25, 0.5, 2000, 88.5, '${77 + index}')`,
      )
    await observePayments(anchor.deps)
    await anchor.sendBack(customer, '25', Memo.id('77'))
    await anchor.sendBack(customer, '25', Memo.id('78'))
    const { transactionsOf } = anchor.horizon
    const [second = '', first = ''] = (await transactionsOf(customer.publicKey)).map(({ hash }) => hash)
    const history = createHorizon({ ...anchor.network, url: await anchor.forgetLedgers() })
    await observePayments({ ...anchor.deps })
    const act = (id: string | undefined, paymentId: string, by = 'operator:asha') =>
      requestAction({ ...anchor.deps, history }, id ?? '', {
        ...{ kind: 'mark-paid', reason: 'seen on an explorer', paymentId, by },
      })
    const states = () => anchor.rows('select state from transfers order by id')
    const waiting = { state: 'awaiting_funds' }
    await expect(act(ids[2], first)).rejects.toThrow('something else')
    expect(await states()).toEqual([waiting, waiting, waiting])
    expect((await act(ids[0], first)).status).toBe('done')
    expect(await states()).toEqual([{ state: 'funded' }, waiting, waiting])
    // What someone writes who has the database is missing is no proof that units came.
    await anchor.rows(`update ledger_incidents set details = details || '{"difference": "1000000"}'`)
    expect((await act(ids[1], second)).status).toBe('waiting')
    expect((await act(ids[2], 'ef'.repeat(32))).status).toBe('waiting')
    expect(await states()).toEqual([{ state: 'funded' }, waiting, waiting])
  })

  it('pays nothing by one person for a gap that someone wrote into the database', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    const id = '00000000-0000-4000-8000-000000000001'
    await anchor.rows(
      `insert into transfers (id, sep, direction, state, account, stellar_account, rail, currency, amount, fee, fiat_amount, rate, ledger_memo)
       values ('${id}', '24', 'withdrawal', 'awaiting_funds', '${customer.publicKey}', '${customer.publicKey}', 'UPI', 'INR', 25, 0.5, 2000, 88.5, '77')`,
    )
    await observePayments(anchor.deps)
    await anchor.rows(
      `insert into ledger_incidents (kind, subject, details) values ('history-gap', '1', '{"difference": "1000000"}')`,
    )
    const credit = {
      kind: 'mark-paid',
      reason: 'x',
      paymentId: 'ab'.repeat(32),
      by: 'operator:asha',
    } as const
    expect((await requestAction(anchor.deps, id, credit)).status).toBe('waiting')
    expect(await anchor.rows('select state from transfers')).toEqual([{ state: 'awaiting_funds' }])
    expect(await anchor.rows('select from rail_orders')).toEqual([])
  })

  it('misses nothing where a Horizon with full history is configured', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await observePayments(anchor.deps)
    await anchor.sendBack(customer, '25')
    const history = createHorizon({ ...anchor.network, url: await anchor.forgetLedgers() })
    await observePayments({ ...anchor.deps, history })
    expect(await anchor.rows("select 1 from ledger_receipts where outcome = 'returned'")).toHaveLength(1)
    expect(await anchor.incidents()).toEqual([])
  })

  it('asks a Horizon with full history for a payment that was set aside, once its own has dropped the ledger', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await anchor.rows(`create function refuse() returns trigger language plpgsql as
      $$ begin if new.amount = 25 then raise 'not now'; end if; return new; end $$`)
    await anchor.rows(
      'create trigger refuse before insert on ledger_receipts for each row execute function refuse()',
    )
    await anchor.sendBack(customer, '25')
    await observePayments(anchor.deps)
    await anchor.rows('drop trigger refuse on ledger_receipts')
    const history = createHorizon({ ...anchor.network, url: await anchor.forgetLedgers() })
    const again = async (deps: typeof anchor.deps) => {
      await anchor.rows("update ledger_incidents set next_try_at = now() - interval '1 second'")
      await observePayments(deps)
      const returned = "select 1 from ledger_receipts where amount = 25 and outcome = 'returned'"
      return (await anchor.rows(returned)).length
    }
    expect(await again(anchor.deps)).toBe(0)
    expect(await again({ ...anchor.deps, history })).toBe(1)
    const [incident] = (await anchor.incidents()).filter(({ kind }) => kind === 'unreadable-payment')
    expect(incident).toMatchObject({ ended_as: 'payment-processed' })
  })

  it('starts over when the network was reset, though its ids come again, and says what happens to open transfers', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await anchor.sendBack(customer, '7')
    await observePayments(anchor.deps)
    await anchor.pay()
    await anchor.queue(customer.publicKey)
    await anchor.payUntil('envelope:stored')
    anchor.network.reset()
    await anchor.issue()
    const again = await anchor.customerWithAsset()
    await anchor.sendBack(again, '9')
    await anchor.queue(again.publicKey)
    // The new chain may have as many ledgers by now: the chain is checked as after a pause.
    await observePayments({ ...anchor.deps })
    for (let round = 0; round < 2; round++) await observePayments(anchor.deps)
    // Nothing is read, booked or paid before a person says what it is.
    const untold = await anchor.rows('select id from journal_entries')
    await anchor.pay()
    expect((await anchor.payments()).map(({ state }) => state)).toEqual(['paid', 'queued', 'queued'])
    expect(await anchor.rows('select id from journal_entries')).toEqual(untold)
    expect(await observer()).toBe('unavailable')
    expect((await anchor.sayOfOtherChain('applied')).statusCode).toBe(200)
    await observePayments(anchor.deps)
    expect(await anchor.incidents()).toMatchObject([
      { kind: 'other-chain', resolved_at: expect.any(Date), details: { reason: 'ledger-differs' } },
      {
        kind: 'network-reset',
        resolved_at: expect.any(Date),
        details: {
          position: { account: anchor.distribution.publicKey, to: 0 },
          envelopes: [{ hash: expect.any(String), result: expect.stringContaining('signed again') }],
          transfers: [],
        },
      },
    ])
    const receipts = await anchor.rows<{ amount: string }>(
      "select amount::text from ledger_receipts where outcome = 'returned' and id ~ '^[0-9]+$'",
    )
    expect(receipts).toEqual([{ amount: '9.0000000' }])
    await anchor.pay()
    // The second customer's account is gone with the old chain.
    expect((await anchor.payments()).map(({ state }) => state)).toEqual(['paid', 'queued', 'paid', 'paid'])
    const treasury = await balanceOf(anchor.deps.database.db, 'treasury', 'asset')
    expect(treasury).toBe(parseAmount((await anchor.held(anchor.distribution)) ?? ''))
    expect(await observer()).toBe('ok')
  })

  it.each<[string, (outgrow: () => Promise<void>) => Promise<void>]>([
    [
      'its stream was connected again',
      async outgrow => {
        await outgrow()
        anchor.deps.config.anchor.network.horizonUrl = anchor.network.url
        let wakes = 0
        const stream = listenForPayments(anchor.deps, () => wakes++)
        await expect.poll(() => wakes).toBeGreaterThan(0)
        stream.stop()
      },
    ],
    [
      'half a minute of ledgers lies between two reads',
      async outgrow => {
        anchor.network.advance(31_000)
        await outgrow()
      },
    ],
    [
      'a read failed',
      async outgrow => {
        const { routineHorizon } = anchor.deps
        anchor.deps.routineHorizon = { ...routineHorizon, head: () => Promise.reject(new Error('no answer')) }
        await expect(observePayments(anchor.deps)).rejects.toThrow('no answer')
        anchor.deps.routineHorizon = routineHorizon
        await outgrow()
      },
    ],
  ])(
    'proves a reset though the new chain has outgrown the old one, when %s',
    async (_, meanwhile) => {
      await anchor.issue()
      // No other chain has a ledger with this customer.
      await anchor.customerWithAsset()
      await observePayments(anchor.deps)
      await meanwhile(async () => {
        const old = anchor.network.latestLedger
        expect((await fetch(`${anchor.network.adminUrl}/reset`, { method: 'POST' })).status).toBe(204)
        await anchor.issue()
        await anchor.sendBack(await anchor.customerWithAsset(), '9')
        while (anchor.network.latestLedger < old + 3) anchor.network.close()
      })
      await observePayments(anchor.deps)
      expect((await anchor.sayOfOtherChain('applied')).statusCode).toBe(200)
      await observePayments(anchor.deps)
      expect(await anchor.incidents()).toMatchObject([{ kind: 'other-chain' }, { kind: 'network-reset' }])
      expect(
        await anchor.rows("select amount::text from ledger_receipts where outcome = 'returned'"),
      ).toEqual([{ amount: '9.0000000' }])
    },
    60_000,
  )
})
