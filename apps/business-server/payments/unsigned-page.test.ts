import { Memo, Operation } from '@stellar/stellar-sdk/base'
import { createHorizon, type PaymentRecord, PAGE } from '@windlass/stellar/horizon.ts'
import { generateKey, type AccountKey } from '@windlass/stellar/keys.ts'
import { createSecondSource, type SecondSource } from '@windlass/stellar/second-source.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { inventPayment, startWithdrawal } from '../testing/invented-payment.ts'
import { startWithCustomer } from '../testing/known-customer.ts'
import type { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { startLiar } from '../testing/liar.ts'
import { observePayments } from './observe.ts'

let anchor: LedgerAnchor
let customer: AccountKey
beforeEach(async () => {
  ;({ anchor, customer } = await startWithCustomer())
})
afterEach(() => anchor.stop())

type Told = Omit<PaymentRecord, 'fault'>

/**
 * A Horizon that shows these beside what the ledger has, by pages.
 *
 * @param change what it says otherwise of each record
 */
async function showing(
  given: readonly Told[],
  second: SecondSource | null = null,
  change: (record: Told) => Told = record => record,
) {
  const asked = { accounts: 0 }
  const url = await startLiar(anchor.network.url, {
    told: 0,
    tell: (path, body) => {
      if (path.startsWith(`/accounts/${customer.publicKey}`)) asked.accounts++
      if (!/^\/accounts\/G\w+\/payments\?/.test(path)) return null
      const cursor = BigInt(new URL(path, 'http://horizon').searchParams.get('cursor') ?? '0')
      const page = JSON.parse(body) as { _embedded: { records: Told[] } }
      const all = [...given.filter(({ paging_token: at }) => BigInt(at) > cursor), ...page._embedded.records]
      page._embedded.records = all
        .sort((one, other) => (BigInt(one.paging_token) < BigInt(other.paging_token) ? -1 : 1))
        .slice(0, PAGE)
        .map(change)
      return JSON.stringify(page)
    },
  })
  const horizon = createHorizon({ ...anchor.network, url }, 'money', { second })
  const deps: Deps = { ...anchor.deps, horizon, routineHorizon: horizon, clock: { now: () => new Date() } }
  return { deps, asked }
}
const aside = async () =>
  (
    await anchor.rows<{ details: Record<string, unknown> }>(
      "select details from ledger_incidents where kind = 'unreadable-payment' and resolved_at is null order by found_at",
    )
  ).map(({ details }) => details)
const honest = (): SecondSource => {
  const { url, passphrase } = anchor.network
  return createSecondSource({ horizonUrl: url }, passphrase) ?? expect.unreachable()
}
const tryAgainNow = () =>
  anchor.deps.database.pool.query(
    "update ledger_incidents set next_try_at = now() - interval '1 second' where resolved_at is null",
  )
const cursor = async () => (await anchor.rows<{ cursor: string }>('select cursor from observed'))[0]?.cursor
const stateOf = async (id: string) =>
  (await anchor.rows<{ state: string }>(`select state from transfers where id = '${id}'`))[0]?.state
const invented = async (count: number) => {
  const signer = generateKey()
  const numbers = Array.from({ length: count }, (_, index) => BigInt(index))
  return Promise.all(numbers.map(number => inventPayment(anchor, customer, String(number), signer, number)))
}

it('a page of nothing but payments that prove nothing does not keep what comes after it unread', async () => {
  const { id, memo } = await startWithdrawal(anchor, customer)
  const before = await anchor.rows<{ cursor: string }>('select cursor from observed')
  const unsigned = await invented(PAGE + 30)
  await anchor.sendBack(customer, '20', Memo.id(memo))
  const { deps, asked } = await showing(unsigned)
  await observePayments(deps)
  expect(await stateOf(id)).toBe('funded')
  // Nobody reads two hundred incidents: those of a page share one.
  expect(await aside()).toMatchObject([
    { reason: 'signature', payments: PAGE },
    { reason: 'signature', payments: 30 },
  ])
  expect(await anchor.rows<{ cursor: string }>('select cursor from observed')).not.toEqual(before)
  // Who signs for an account is asked once for each page, and a part of what is set aside at a time.
  expect(asked.accounts).toBeLessThan(60)
}, 120_000)

it('a page whose tokens are not of closed ledgers in their order moves the observer nowhere', async () => {
  await observePayments((await showing([])).deps)
  const before = await anchor.rows<{ cursor: string }>('select cursor from observed')
  const [first, ...others] = await invented(PAGE)
  if (!first) throw new Error('nothing is invented')
  const future = String(BigInt(first.paging_token) + (1_000n << 32n))
  const { deps } = await showing([...others, { ...first, id: future, paging_token: future }])
  await observePayments(deps)
  expect(await anchor.rows<{ cursor: string }>('select cursor from observed')).toEqual(before)
}, 120_000)

describe('a page of payments that contradict themselves', () => {
  const wrongAmount = (record: Told): Told => ({ ...record, amount: '7.0000000' })
  /** Two hundred payments that the ledger has, in two transactions. */
  const payOften = async () => {
    const { asset, distribution } = anchor
    const payment = Operation.payment({ asset, amount: '1', destination: distribution.publicKey })
    for (let count = 0; count < 2; count++)
      await anchor.apply(
        customer,
        Array.from({ length: 100 }, () => payment),
      )
  }

  it.each([false, true])(
    'is passed, with one incident, and some are received at a time once Horizon shows them right; second source: %s',
    async hasSecond => {
      const { id, memo } = await startWithdrawal(anchor, customer)
      await payOften()
      await anchor.sendBack(customer, '20', Memo.id(memo))
      const second = hasSecond ? honest() : null
      const isFirst = (record: Told) => record.amount === '1.0000000'
      const lying = await showing([], second, record => (isFirst(record) ? wrongAmount(record) : record))
      for (let reads = 0; reads < 2; reads++) await observePayments(lying.deps)
      expect([await stateOf(id), await aside()]).toMatchObject(['funded', [{ payments: PAGE }]])
      expect((await aside())[0]?.['error']).toContain('the amount is not that of the operation')
      const received = async () =>
        (await anchor.rows("select 1 from ledger_receipts where amount = 1 and outcome = 'returned'")).length
      expect(await received()).toBe(0)
      const right = await showing([], second)
      // Each of them costs several questions.
      await tryAgainNow()
      await observePayments(right.deps)
      expect([await received(), await aside()]).toMatchObject([20, [{ payments: PAGE }]])
    },
    120_000,
  )

  it('ends its incident with the last one', async () => {
    const { asset, distribution } = anchor
    const payment = Operation.payment({ asset, amount: '1', destination: distribution.publicKey })
    await anchor.apply(
      customer,
      Array.from({ length: 12 }, () => payment),
    )
    await observePayments((await showing([], null, wrongAmount)).deps)
    expect(await aside()).toMatchObject([{ payments: 12 }])
    await tryAgainNow()
    await observePayments((await showing([])).deps)
    expect(await aside()).toEqual([])
    expect(await anchor.rows('select 1 from ledger_receipts where amount = 1')).toHaveLength(12)
  })

  it('moves the observer nowhere where the second source denies one of them', async () => {
    await observePayments((await showing([])).deps)
    const before = await cursor()
    const told = (await invented(PAGE)).map(wrongAmount)
    await observePayments((await showing(told, honest())).deps)
    expect(await cursor()).toBe(before)
    await observePayments((await showing(told)).deps)
    expect(await cursor()).not.toBe(before)
  }, 120_000)
})

it('payments of a page that is read again are set aside once', async () => {
  const unsigned = await invented(30)
  const { deps } = await showing(unsigned)
  for (let reads = 0; reads < 3; reads++) await observePayments(deps)
  expect(await aside()).toMatchObject([{ payments: 30 }])
  const more = await showing(await invented(32))
  await observePayments(more.deps)
  expect(await aside()).toMatchObject([{ payments: 32 }])
}, 120_000)

it('payments that come ten at a time share an incident once ten wait alone', async () => {
  const all = await invented(25)
  for (const count of [10, 20, 25]) await observePayments((await showing(all.slice(0, count))).deps)
  const waiting = await aside()
  expect(waiting.filter(({ payments }) => payments === undefined)).toHaveLength(10)
  expect(waiting.slice(10)).toMatchObject([{ payments: 15, until: all.at(-1)?.id }])
}, 120_000)
