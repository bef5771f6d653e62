import { Memo } from '@stellar/stellar-sdk/base'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import { createSecondSource, type SecondSource } from '@windlass/stellar/second-source.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { asPlatform } from '../testing/as-platform.ts'
import { startWithdrawal, type Told } from '../testing/invented-payment.ts'
import { startWithCustomer } from '../testing/known-customer.ts'
import type { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { startLiar, type Lie } from '../testing/liar.ts'
import { ledgerDifferences } from './chain.ts'
import { observePayments } from './observe.ts'
import { resolveByOperator } from './unproven.ts'

let anchor: LedgerAnchor
let customer: AccountKey
beforeEach(async () => {
  ;({ anchor, customer } = await startWithCustomer())
})
afterEach(() => anchor.stop())

const honest = (): SecondSource =>
  createSecondSource({ rpcUrl: `${anchor.network.url}/rpc` }, anchor.network.passphrase) ??
  expect.unreachable()

const startedAt = (url: string, second: SecondSource | null): Deps => {
  const horizon = createHorizon({ ...anchor.network, url }, 'money', { second })
  return { ...anchor.deps, horizon, routineHorizon: horizon, clock: { now: () => new Date() } }
}

type Records = Told[]
/** Changes the records of each page of payments. */
const onPages = (change: (records: Records) => Records): Lie => ({
  told: 0,
  tell: (path, body) => {
    if (!/^\/accounts\/G\w+\/payments\?/.test(path)) return null
    const page = JSON.parse(body) as { _embedded: { records: Records } }
    page._embedded.records = change(page._embedded.records)
    return JSON.stringify(page)
  },
})

const readAgain = (from: number, reason = 'an explorer shows a payment', key = `again:${from}`) =>
  anchor.app.server.app.inject({
    method: 'POST',
    url: '/admin/ledger/read-again',
    headers: { ...asPlatform(anchor.deps.config.secrets), 'idempotency-key': key },
    payload: { from, reason, by: 'operator:asha' },
  })

const pay = async (amount = '20') => {
  const { id, memo } = await startWithdrawal(anchor, customer, amount)
  await anchor.sendBack(customer, amount, Memo.id(memo))
  return { id, ledger: anchor.network.latestLedger }
}
const statesOf = () => anchor.rows('select id, state from transfers order by created_at')
const books = async () => ({
  receipts: await anchor.rows('select id, outcome from ledger_receipts order by id::numeric'),
  dust: await anchor.rows('select payments, amount::text from ledger_dust order by day, asset'),
  orders: await anchor.rows('select cause, kind from rail_orders order by cause'),
  refunds: await anchor.rows("select 1 from ledger_payments where purpose = 'refund'"),
  entries: await anchor.rows('select cause from journal_entries order by cause'),
})
const cursor = async (): Promise<string | undefined> => {
  const [row] = await anchor.rows<{ cursor: string }>('select cursor from observed')
  return row?.cursor
}

describe.each(['without', 'beside'] as const)('payments that Horizon left out, %s a second source', kind => {
  const second = (): SecondSource | null => (kind === 'beside' ? honest() : null)

  it('are received where two people have them read again, and nothing else happens twice', async () => {
    const before = await pay()
    await anchor.sendBack(customer, '0.0000001')
    // What no withdrawal accepts is refunded once.
    await anchor.sendBack(customer, '7')
    const hidden = await pay('25')
    await anchor.sendBack(customer, '0.0000002')
    const after = await pay()
    const hides = onPages(records => records.filter(({ amount }) => amount !== '25.0000000'))
    const liar = startedAt(await startLiar(anchor.network.url, hides), second())
    await observePayments(liar)
    const deps = startedAt(anchor.network.url, second())
    await observePayments(deps)
    expect(await statesOf()).toEqual([
      { id: before.id, state: 'funded' },
      { id: hidden.id, state: 'awaiting_funds' },
      { id: after.id, state: 'funded' },
    ])
    const [books1, newest] = [await books(), await cursor()]
    expect(books1.dust).toEqual([{ payments: '2', amount: '0.0000003' }])
    for (const from of [hidden.ledger, before.ledger, 1]) {
      expect((await readAgain(from)).json()).toMatchObject({ from })
      expect(await cursor()).not.toBe(newest)
      await observePayments(deps)
      expect(await cursor()).toBe(newest)
    }
    const { receipts, orders, entries, ...rest } = await books()
    expect((await statesOf()).map(({ state }: { state?: string }) => state)).toEqual([
      'funded',
      'funded',
      'funded',
    ])
    expect(rest).toEqual({ dust: books1.dust, refunds: books1.refunds })
    expect([receipts.length, orders.length, entries.length]).toEqual([
      books1.receipts.length + 1,
      books1.orders.length + 1,
      books1.entries.length + 1,
    ])
    expect((await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)).toEqual([])
    expect(await ledgerDifferences(deps)).toMatchObject([{ difference: 0n }])
  })
})

it('what was received opens no incident where the second source no longer has its ledger', async () => {
  await pay()
  await observePayments(startedAt(anchor.network.url, honest()))
  for (let count = 0; count < 5; count++) anchor.network.close()
  const elder = anchor.network.latestLedger
  const forgets: SecondSource = {
    ...honest(),
    transaction: async () => null,
    history: async () => ({ elder, latest: anchor.network.latestLedger }),
  }
  expect((await readAgain(1)).statusCode).toBe(200)
  await observePayments(startedAt(anchor.network.url, forgets))
  expect(await anchor.incidents()).toEqual([])
})

it('an old payment that says another time than its ledger is set aside, until Horizon says its time', async () => {
  const { id, ledger } = await pay()
  await anchor.sendBack(customer, '7')
  const hides = onPages(records => records.filter(({ amount }) => amount !== '20.0000000'))
  await observePayments(startedAt(await startLiar(anchor.network.url, hides), null))
  expect((await readAgain(ledger)).statusCode).toBe(200)
  const earlier = new Date(Date.now() - 86_400_000).toISOString()
  const mistimes = onPages(records =>
    records.map(record => ({
      ...record,
      created_at: earlier,
      ...(record.transaction ? { transaction: { ...record.transaction, created_at: earlier } } : {}),
    })),
  )
  await observePayments(startedAt(await startLiar(anchor.network.url, mistimes), null))
  expect(await statesOf()).toEqual([{ id, state: 'awaiting_funds' }])
  expect(await anchor.incidents()).toMatchObject([{ kind: 'unreadable-payment' }])
  await anchor.rows("update ledger_incidents set next_try_at = now() - interval '1 second'")
  await observePayments(startedAt(anchor.network.url, null))
  expect(await statesOf()).toEqual([{ id, state: 'funded' }])
})

it('is refused for a ledger that was not read yet or that Horizon no longer has, and never moves the place on', async () => {
  const { ledger } = await pay()
  await observePayments(startedAt(anchor.network.url, null))
  const before = await cursor()
  expect((await readAgain(anchor.network.latestLedger + 1)).json()).toMatchObject({
    code: 'action-not-possible',
    detail: expect.stringContaining('was read up to'),
  })
  for (let count = 0; count < 3; count++) anchor.network.close()
  await observePayments(startedAt(anchor.network.url, null))
  expect((await readAgain(ledger + 2)).statusCode).toBe(200)
  expect(await cursor()).toBe(before)
  await anchor.forgetLedgers()
  await observePayments({ ...anchor.deps })
  expect((await readAgain(ledger)).json()).toMatchObject({
    code: 'action-not-possible',
    detail: expect.stringContaining('Horizon has no ledger before'),
  })
  expect(await cursor()).toBe(before)
})

it('a round that is under way does not take the place forward again', async () => {
  const { id, ledger } = await pay()
  await observePayments(startedAt(anchor.network.url, null))
  const { paymentsOf } = anchor.horizon
  const horizon = {
    ...anchor.horizon,
    paymentsOf: async (...asked: Parameters<typeof paymentsOf>) => {
      const page = await paymentsOf(...asked)
      await readAgain(ledger)
      return page
    },
  }
  await observePayments({ ...anchor.deps, horizon, routineHorizon: horizon })
  expect(BigInt((await cursor()) ?? 0)).toBe((BigInt(ledger) << 32n) - 1n)
  await observePayments(startedAt(anchor.network.url, null))
  expect(await statesOf()).toEqual([{ id, state: 'funded' }])
})

it('what a person settled by hand before it proved itself is held, alone and among others', async () => {
  const { id, ledger } = await pay()
  const shared = await pay('25')
  const untold = onPages(records =>
    records.map(record => ({
      ...record,
      ...(record.transaction ? { transaction: { ...record.transaction, envelope_xdr: 'AAAA' } } : {}),
    })),
  )
  await observePayments(startedAt(await startLiar(anchor.network.url, untold), null))
  const [alone, other] = await anchor.incidents()
  expect([alone, other]).toMatchObject([{ kind: 'unreadable-payment' }, { kind: 'unreadable-payment' }])
  const gathered = [{ id: other?.details.payment, transaction: other?.details.transaction, inner: null }]
  await anchor.deps.database.pool.query(
    "update ledger_incidents set subject = 'gathered:' || subject, record = $2 where id = $1",
    [other?.id, Buffer.from(JSON.stringify({ gathered }))],
  )
  for (const incident of [alone, other])
    await resolveByOperator(anchor.deps, incident?.id ?? '', 'operator:asha', {
      resolution: 'Sent back by hand.',
    })
  await observePayments(startedAt(anchor.network.url, null))
  expect((await readAgain(ledger)).statusCode).toBe(200)
  await observePayments(startedAt(anchor.network.url, null))
  expect(await statesOf()).toEqual([
    { id, state: 'awaiting_funds' },
    { id: shared.id, state: 'awaiting_funds' },
  ])
  const held = (await anchor.incidents()).filter(
    ({ kind, resolved_at }) => kind === 'held-receipt' && !resolved_at,
  )
  expect(held.map(({ details }) => details)).toMatchObject([
    { reason: 'settled-by-hand', amount: '20' },
    { reason: 'settled-by-hand', amount: '25' },
  ])
  expect((await books()).refunds).toEqual([])
  expect(held[0]?.message).toContain('may have settled it by hand')
})

it('is refused for ledgers that were missing and that a person settled, until the network starts again', async () => {
  const { ledger } = await pay()
  anchor.network.close()
  await observePayments(startedAt(anchor.network.url, null))
  const gap = (ended: string) =>
    anchor.rows(`insert into ledger_incidents (kind, subject, details, resolved_at, ${ended})
      values ('history-gap', gen_random_uuid()::text, '{"lastRead": 1, "elder": ${ledger + 1}}', now(), 'x')`)
  await anchor.rows(`insert into ledger_incidents (kind, subject, details, resolved_at, ended_as)
    values ('history-gap', '1', '{"lastRead": 1, "elder": ${ledger + 1}}', now(), 'nothing-missing')`)
  expect((await readAgain(ledger)).statusCode).toBe(200)
  await gap('resolved_by')
  expect((await readAgain(ledger, 'x', 'again:2')).json()).toMatchObject({
    code: 'action-not-possible',
    detail: expect.stringContaining(`before ${ledger + 1}`),
  })
  expect((await readAgain(ledger + 1)).statusCode).toBe(200)
  await anchor.rows(`insert into ledger_incidents (kind, subject, details, resolved_at, ended_as)
    values ('network-reset', '1', '{}', now(), 'started-over')`)
  expect((await readAgain(ledger, 'x', 'again:3')).statusCode).toBe(200)
})
