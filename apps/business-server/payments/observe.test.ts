import { Memo, StrKey } from '@stellar/stellar-sdk/base'
import { type Horizon } from '@windlass/stellar/horizon.ts'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createReporter } from '../workspace/notifications/report.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { observePayments } from './observe.ts'
import { payQueued } from './pay.ts'
import { sweepExcess } from './sweep.ts'

let anchor: LedgerAnchor
beforeEach(async () => {
  anchor = await LedgerAnchor.start()
})
afterEach(() => anchor.stop())

describe('the observer', () => {
  it('asks for nothing urgently while the anchor is idle, and for three things again and again', async () => {
    await anchor.issue()
    await observePayments(anchor.deps)
    await anchor.pay()
    const asked = { money: [] as string[], routine: new Set<string>() }
    const counted = (note: (what: string) => unknown) =>
      new Proxy(anchor.horizon, {
        get: (horizon, name: keyof Horizon) => {
          const read = horizon[name]
          if (typeof read !== 'function') return read
          return (...given: string[]) => {
            note([name, ...given].join(' '))
            return Reflect.apply(read, horizon, given) as unknown
          }
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

  it('asks the database little while the anchor is idle, as do its conditions and its summary', async () => {
    await anchor.issue()
    await observePayments(anchor.deps)
    await anchor.pay()
    Object.assign(anchor.deps, { notifier: { report: async () => undefined } })
    const report = createReporter(anchor.deps)
    const summary = () =>
      anchor.app.server.app.inject({
        url: '/admin/summary',
        headers: { 'x-service-secret': 'm'.repeat(32) },
      })
    const connect = vi.spyOn(anchor.deps.database.pool, 'connect')
    const queries = async (act: () => Promise<unknown>) => {
      connect.mockClear()
      await act()
      return connect.mock.calls.length
    }
    expect(await queries(summary)).toBe(1)
    expect(await queries(() => observePayments(anchor.deps))).toBe(4)
    expect(await queries(report)).toBeLessThanOrEqual(12)
    connect.mockRestore()
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
  })

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
    const strange = fc.sample(hostile, { numRuns: 60, seed: 20_260_301 }).map((record, index) => ({
      ...{ ...record, id: String(index + 1), paging_token: String(index + 1) },
      fault: null,
    }))
    const paymentsOf: Horizon['paymentsOf'] = async (account, cursor) => {
      const real = await anchor.horizon.paymentsOf(account, cursor)
      return cursor === '0' ? [...(strange as unknown as typeof real), ...real] : real
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
  })

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

  it('believes no payment that only the database names: it asks Horizon for each that was set aside', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await anchor.sendBack(customer, '4')
    await observePayments(anchor.deps)
    const [real] = await anchor.rows<{ id: string }>('select id from ledger_receipts where amount = 4')
    for (const [place, id] of [String(BigInt(real?.id ?? 0) + 1n), '1', real?.id].entries())
      await anchor.deps.database.pool.query(
        `insert into ledger_incidents (kind, subject, details, record, next_try_at)
         values ('unreadable-payment', $1, '{}', $2, now() - interval '1 second')`,
        [
          `invented-${place}`,
          Buffer.from(
            JSON.stringify({
              ...{ id, paging_token: id, type: 'payment', transaction_hash: 'e'.repeat(64) },
              ...{ transaction_successful: true, created_at: new Date().toISOString(), fault: null },
              ...{ from: customer.publicKey, to: anchor.distribution.publicKey, amount: '400' },
              ...{
                asset_type: 'credit_alphanum4',
                asset_code: 'MUMBAI',
                asset_issuer: anchor.issuer.publicKey,
              },
            }),
          ),
        ],
      )
    await observePayments(anchor.deps)
    expect(await anchor.rows('select amount::text from ledger_receipts where amount = 400')).toEqual([])
    // The third names a payment that came, which counts once, as it was.
    expect(await anchor.incidents()).toMatchObject([
      { resolved_at: null },
      { resolved_at: null },
      { resolved_at: expect.any(Date) },
    ])
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
      fault: null,
    }
    const paymentsOf: Horizon['paymentsOf'] = async () =>
      ['a', 'b'].map(letter => ({ ...record, transaction_hash: letter.repeat(64) }))
    await observePayments({ ...anchor.deps, routineHorizon: { ...anchor.horizon, paymentsOf } })
    const open = (await anchor.incidents()).filter(({ kind }) => kind === 'unreadable-payment')
    expect(open.map(({ details }) => details.transaction)).toEqual(['a'.repeat(64), 'b'.repeat(64)])
    anchor.network.reset()
    await anchor.issue()
    await anchor.customerWithAsset()
    await anchor.recordReset()
    const incidents = await anchor.incidents()
    expect(incidents.map(({ kind, resolution }) => [kind, resolution])).toEqual([
      ['unreadable-payment', 'The network was reset.'],
      ['unreadable-payment', 'The network was reset.'],
      ['other-chain', 'The network told us.'],
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
    const read = BigInt(
      (await anchor.rows<{ cursor: string }>('select cursor from observed'))[0]?.cursor ?? 0,
    )
    const call = (id: string, ...asset_balance_changes: ReturnType<typeof transferred>[]) => ({
      id,
      paging_token: String(read + BigInt(id)),
      type: 'invoke_host_function',
      created_at: new Date().toISOString(),
      transaction_hash: id.repeat(64),
      transaction_successful: true,
      fault: null,
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
    expect((await anchor.rows('select cursor from observed'))[0]).toEqual({ cursor: String(read + 7n) })
  })
})
