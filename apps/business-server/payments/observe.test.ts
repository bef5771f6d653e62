import { Asset, Memo, Operation, StrKey } from '@stellar/stellar-sdk/base'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { createHorizon, type Horizon } from '@windlass/stellar/horizon.ts'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { balanceOf } from '../journal/journal.ts'
import { createReporter } from '../notifications/report.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { resolveIncident } from './incidents.ts'
import { listenForPayments, observePayments } from './observe.ts'
import { payQueued } from './pay.ts'
import { sweepExcess } from './sweep.ts'

let anchor: LedgerAnchor
beforeEach(async () => {
  anchor = await LedgerAnchor.start()
})
afterEach(() => anchor.stop())

async function withdrawalWithMemo(memo: string, refundMemo: string | null = null): Promise<string> {
  const id = randomUUID()
  await anchor.deps.database.pool.query(
    `insert into transfers (id, sep, direction, state, account, stellar_account, rail, currency, ledger_memo, destination,
       refund_memo, refund_memo_type)
     values ($1, '24', 'withdrawal', 'awaiting_funds', $2, $2, 'UPI', 'INR', $3, '{}', $4, 'text')`,
    [id, anchor.issuer.publicKey, memo, refundMemo],
  )
  return id
}

/** Payments of the distribution account to an account. */
async function paymentsTo(account: string): Promise<{ records: Record<string, string>[] }> {
  const answer = await fetch(`${anchor.network.url}/accounts/${account}/payments?limit=200`)
  const { _embedded } = (await answer.json()) as { _embedded: { records: Record<string, string>[] } }
  return { records: _embedded.records.filter(({ from }) => from === anchor.distribution.publicKey) }
}

const observer = async () => {
  const health = await anchor.app.server.app.inject({ url: '/health' })
  return health.json().checks.observer
}

describe('what came by mistake', () => {
  const receipts = () =>
    anchor.rows<{ outcome: string; amount: string; asset: string | null }>(
      "select outcome, amount::text, asset from ledger_receipts where why <> 'the anchor''s own' order by id::bigint",
    )

  it('goes back: XLM with the memo of a withdrawal, which stays open; other XLM is a top-up', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    const id = await withdrawalWithMemo('777')
    const xlm = (amount: string, memo: Memo) => {
      const payment = { asset: Asset.native(), amount, destination: anchor.distribution.publicKey }
      return anchor.apply(customer, [Operation.payment(payment)], memo)
    }
    await xlm('3', Memo.id('777'))
    await xlm('0.001', Memo.id('777'))
    await xlm('50', Memo.none())
    await observePayments(anchor.deps)
    expect(await receipts()).toEqual([
      { outcome: 'returned', amount: '3.0000000', asset: 'native' },
      { outcome: 'kept', amount: '0.0010000', asset: 'native' },
      { outcome: 'ignored', amount: '50.0000000', asset: 'native' },
    ])
    await anchor.pay()
    const { records } = await paymentsTo(customer.publicKey)
    expect(records).toMatchObject([{ asset_type: 'native', amount: '3.0000000' }])
    expect(await anchor.rows(`select state from transfers where id = '${id}'`)).toEqual([
      { state: 'awaiting_funds' },
    ])
    expect(await anchor.rows('select 1 from reservations')).toEqual([])
  })

  it('goes back with the refund memo of the withdrawal: XLM, and a second payment', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    const id = await withdrawalWithMemo('779', 'customer 12')
    const xlm = { asset: Asset.native(), amount: '3', destination: anchor.distribution.publicKey }
    await anchor.apply(customer, [Operation.payment(xlm)], Memo.id('779'))
    await anchor.rows(`update transfers set state = 'completed' where id = '${id}'`)
    await anchor.sendBack(customer, '20', Memo.id('779'))
    await observePayments(anchor.deps)
    expect(
      await anchor.rows(
        `select amount::text, memo, memo_type, transfer_id from ledger_payments where purpose = 'refund' order by ledger_payments.amount`,
      ),
    ).toEqual([
      { amount: '3.0000000', memo: 'customer 12', memo_type: 'text', transfer_id: null },
      { amount: '20.0000000', memo: 'customer 12', memo_type: 'text', transfer_id: null },
    ])
  })

  it('stays where it is less than a refund is worth, however often it comes', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await withdrawalWithMemo('778')
    for (const memo of [Memo.none(), Memo.id('778'), Memo.id('778')])
      await anchor.sendBack(customer, '0.0099999', memo)
    await anchor.sendBack(customer, '0.01')
    await observePayments(anchor.deps)
    expect((await receipts()).map(({ outcome }) => outcome)).toEqual(['kept', 'kept', 'kept', 'returned'])
    expect(await anchor.payments()).toHaveLength(1)
    expect(await anchor.rows('select state from transfers')).toEqual([{ state: 'awaiting_funds' }])
  })
})

describe('the observer', () => {
  it('asks for nothing urgently while the anchor is idle, and for three things again and again', async () => {
    await anchor.issue()
    await observePayments(anchor.deps)
    await anchor.pay()
    const asked = { money: [] as string[], routine: new Set<string>() }
    const counted = (note: (what: string) => unknown) =>
      new Proxy(anchor.horizon, {
        get:
          (horizon, name: keyof Horizon) =>
          (...given: string[]) => {
            note([name, ...given].join(' '))
            return Reflect.apply(horizon[name], horizon, given) as unknown
          },
      })
    const before = { horizon: anchor.deps.horizon, routineHorizon: anchor.deps.routineHorizon }
    Object.assign(anchor.deps, {
      notifier: { report: async () => undefined },
      horizon: counted(what => asked.money.push(what)),
      routineHorizon: counted(what => asked.routine.add(what)),
    })
    const report = createReporter(anchor.deps)
    for (let rounds = 0; rounds < 5; rounds++) {
      anchor.network.close()
      await observePayments(anchor.deps)
      await payQueued(anchor.deps)
      await sweepExcess(anchor.deps)
      await report()
      for (const url of ['/health', '/metrics']) await anchor.app.server.app.inject({ url })
      await anchor.app.server.app.inject({
        url: '/admin/summary',
        headers: { 'x-service-secret': 'm'.repeat(32) },
      })
    }
    Object.assign(anchor.deps, before)
    expect(asked.money).toEqual([])
    // The ledger gateway answers these from memory: its own test counts what Horizon is asked then.
    const { publicKey } = anchor.distribution
    expect([...asked.routine].map(what => what.replace(/ \d+$/, '')).sort()).toEqual([
      `account ${publicKey}`,
      'head',
      `paymentsOf ${publicKey}`,
    ])
  })

  it('reads on, whatever bytes a memo holds', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await anchor.sendBack(customer, '1', Memo.text('A\0B'))
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 28 }), async bytes => {
        await anchor.sendBack(customer, '1', Memo.text(Buffer.from(bytes)))
      }),
      { numRuns: 15 },
    )
    for (const bytes of [[0xff], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80]])
      await anchor.sendBack(customer, '1', Memo.text(Buffer.from(bytes)))
    await anchor.sendBack(customer, '2')
    await observePayments(anchor.deps)
    const outcomes = await anchor.rows<{ outcome: string; amount: string }>(
      "select outcome, amount from ledger_receipts where outcome <> 'ignored' order by id::bigint",
    )
    expect(outcomes).toHaveLength(21)
    expect(outcomes.every(({ outcome }) => outcome === 'returned')).toBe(true)
    expect(outcomes.at(-1)?.amount).toBe('2.0000000')
    expect(await anchor.incidents()).toEqual([])
  }, 30_000)

  it('reads on, whatever text any part of a record holds', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await anchor.sendBack(customer, '2')
    const { publicKey: to } = anchor.distribution
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 70 }),
      fc.constantFrom(
        'a\0b',
        '\ud800',
        '',
        '__proto__',
        'NaN',
        '-1',
        '1e400',
        '0.00000001',
        'native',
        customer.publicKey,
      ),
    )
    const hostile = fc.record({
      type: fc.constantFrom('payment', 'path_payment_strict_send'),
      created_at: fc.oneof(text, fc.constant(new Date().toISOString())),
      transaction_hash: text,
      transaction_successful: fc.constant(true),
      from: fc.oneof(text, fc.constant(customer.publicKey)),
      from_muxed: fc.option(text, { nil: undefined }),
      to: fc.constant(to),
      to_muxed_id: fc.option(text, { nil: undefined }),
      asset_type: fc.constantFrom('credit_alphanum4', 'native'),
      asset_code: fc.oneof(text, fc.constant('MUMBAI')),
      asset_issuer: fc.oneof(text, fc.constant(anchor.issuer.publicKey)),
      amount: fc.oneof(text, fc.constant('5.0000000')),
      transaction: fc.record({
        memo: text,
        memo_type: fc.oneof(text, fc.constantFrom('text', 'id', 'hash')),
      }),
    })
    // Before the customer's payment, as if strangers had sent them in the same ledger.
    const strange = fc
      .sample(hostile, { numRuns: 60, seed: 20_260_301 })
      .map((record, index) => ({ ...record, id: String(index + 1), paging_token: '0' }))
    const paymentsOf: Horizon['paymentsOf'] = async (account, cursor) => {
      const real = await anchor.horizon.paymentsOf(account, cursor)
      return real.length > 0 ? [...(strange as typeof real), ...real] : real
    }
    const deps = { ...anchor.deps, routineHorizon: { ...anchor.horizon, paymentsOf } }
    await observePayments(deps)
    await observePayments(deps)
    expect(
      await anchor.rows("select outcome from ledger_receipts where amount = 2 and outcome = 'returned'"),
    ).toHaveLength(1)
    const open = (await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)
    expect(open.every(({ kind }) => kind === 'unreadable-payment')).toBe(true)
    expect(open.length).toBeGreaterThan(0)
    const { checks } = (await anchor.app.server.app.inject({ url: '/health' })).json()
    expect(checks).toMatchObject({ observer: 'ok' })
  }, 30_000)

  it('sets aside a payment that it cannot process, reads the next one, and processes it later', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await anchor.deps.database.pool.query(`
      create function refuse_three() returns trigger language plpgsql as
        $$ begin if new.amount = 3 then raise 'three'; end if; return new; end $$;
      create trigger refuse_three before insert on ledger_receipts for each row execute function refuse_three()`)
    await anchor.sendBack(customer, '3')
    await anchor.sendBack(customer, '4')
    await observePayments(anchor.deps)
    const received = () =>
      anchor.rows<{ amount: string }>(
        "select amount::text from ledger_receipts where outcome = 'returned' order by amount",
      )
    expect(await received()).toEqual([{ amount: '4.0000000' }])
    expect(await anchor.incidents()).toMatchObject([{ kind: 'unreadable-payment', resolved_at: null }])

    await anchor.deps.database.pool.query('drop trigger refuse_three on ledger_receipts')
    await anchor.deps.database.pool.query(
      "update ledger_incidents set next_try_at = now() - interval '1 second'",
    )
    await observePayments(anchor.deps)
    expect(await received()).toEqual([{ amount: '3.0000000' }, { amount: '4.0000000' }])
    expect(await anchor.incidents()).toMatchObject([{ resolved_at: expect.any(Date) }])
  })

  it('sets aside payments by transaction, since ids repeat after a reset of the network, and ends them then', async () => {
    await anchor.issue()
    // No other chain has a ledger with this customer: the transactions of issuing give the same ledgers again.
    await anchor.customerWithAsset()
    const record = {
      id: '1',
      paging_token: '1',
      type: 'payment',
      created_at: new Date().toISOString(),
      transaction_successful: true,
      from: anchor.issuer.publicKey,
      to: anchor.distribution.publicKey,
      asset_type: 'credit_alphanum4',
      asset_code: 'MUMBAI',
      asset_issuer: anchor.issuer.publicKey,
      amount: 'much',
    }
    const paymentsOf: Horizon['paymentsOf'] = async () =>
      ['a', 'b'].map(letter => ({ ...record, transaction_hash: letter.repeat(64) }))
    await observePayments({ ...anchor.deps, routineHorizon: { ...anchor.horizon, paymentsOf } })
    const open = (await anchor.incidents()).filter(({ kind }) => kind === 'unreadable-payment')
    expect(open.map(({ details }) => details.transaction)).toEqual(['a'.repeat(64), 'b'.repeat(64)])
    anchor.network.reset()
    await anchor.issue()
    await anchor.customerWithAsset()
    await observePayments({ ...anchor.deps })
    const incidents = await anchor.incidents()
    expect(incidents.map(({ kind, resolution }) => [kind, resolution])).toEqual([
      ['unreadable-payment', 'The network was reset.'],
      ['unreadable-payment', 'The network was reset.'],
      ['network-reset', 'The server started over on the new chain.'],
    ])
  })

  it('sets aside what a contract’s call transferred, for an operator, and reads on', async () => {
    await anchor.issue()
    await observePayments(anchor.deps)
    const { distribution, issuer } = anchor
    const transferred = (amount: string, more: object = {}) => ({
      type: 'transfer',
      from: StrKey.encodeContract(Buffer.alloc(32)),
      to: distribution.publicKey,
      asset_type: 'credit_alphanum4',
      asset_code: 'MUMBAI',
      asset_issuer: issuer.publicKey,
      amount,
      ...more,
    })
    const call = (id: string, ...asset_balance_changes: ReturnType<typeof transferred>[]) => ({
      id,
      paging_token: id,
      type: 'invoke_host_function',
      created_at: new Date().toISOString(),
      transaction_hash: id.repeat(64),
      transaction_successful: true,
      transaction: { memo: '7', memo_type: 'id' },
      asset_balance_changes,
    })
    const calls = [
      call('1', transferred('12.5'), transferred('7.5')),
      call('2', transferred('0.5')),
      call('3', transferred('20', { to: issuer.publicKey })),
      call('4', transferred('20', { asset_issuer: distribution.publicKey })),
      call('5', transferred('20', { type: 'mint' })),
      { ...call('6', transferred('20')), transaction_successful: false },
      { ...call('7'), asset_balance_changes: undefined },
    ]
    const paymentsOf: Horizon['paymentsOf'] = async () => calls
    await observePayments({ ...anchor.deps, routineHorizon: { ...anchor.horizon, paymentsOf } })
    expect(await anchor.incidents()).toMatchObject([
      {
        kind: 'unreadable-payment',
        details: {
          transaction: '1'.repeat(64),
          error: "a contract's call transferred 20 MUMBAI, which is no payment operation",
        },
      },
    ])
    expect((await anchor.rows('select cursor from observed'))[0]).toEqual({ cursor: '7' })
  })

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
      .execute(tx => resolveIncident(tx, gap?.id ?? '', 'key', 'returned by hand'))
    expect(formatAmount(await balanceOf(anchor.deps.database.db, 'suspense', 'asset'))).toBe('-25')
    await observePayments({ ...anchor.deps })
    expect(await observer()).toBe('ok')
    expect(await anchor.incidents()).toHaveLength(1)
  })

  it('misses nothing where a Horizon with full history is configured', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await observePayments(anchor.deps)
    await anchor.sendBack(customer, '25')
    const history = createHorizon(await anchor.forgetLedgers())
    await observePayments({ ...anchor.deps, history })
    expect(await anchor.rows("select 1 from ledger_receipts where outcome = 'returned'")).toHaveLength(1)
    expect(await anchor.incidents()).toEqual([])
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
    expect(await anchor.incidents()).toMatchObject([
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
      await observePayments(anchor.deps)
      expect(await anchor.incidents()).toMatchObject([{ kind: 'network-reset' }])
      expect(
        await anchor.rows("select amount::text from ledger_receipts where outcome = 'returned'"),
      ).toEqual([{ amount: '9.0000000' }])
    },
    60_000,
  )
})
