import { Memo, Operation } from '@stellar/stellar-sdk/base'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import { createSecondSource } from '@windlass/stellar/second-source.ts'
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { movedOn, startWithdrawal, type Told } from '../testing/invented-payment.ts'
import { startWithCustomer } from '../testing/known-customer.ts'
import type { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { startLiar } from '../testing/liar.ts'
import { ledgerDifferences } from './chain.ts'
import { observePayments } from './observe.ts'

let anchor: LedgerAnchor
let customer: AccountKey
beforeEach(async () => {
  ;({ anchor, customer } = await startWithCustomer())
})
afterEach(() => anchor.stop())

type Kind = 'rpcUrl' | 'horizonUrl' | null

/** As after a start at a Horizon that changes the records of pages of payments, with an honest second source. */
async function atLiar(change: (records: Told[]) => void, kind: Kind): Promise<Deps> {
  const { url, passphrase } = anchor.network
  const liar = await startLiar(url, {
    told: 0,
    tell: (path, body) => {
      if (!/^\/accounts\/G\w+\/payments\?/.test(path)) return null
      const page = JSON.parse(body) as { _embedded: { records: Told[] } }
      change(page._embedded.records)
      return JSON.stringify(page)
    },
  })
  const second = kind && createSecondSource({ [kind]: kind === 'rpcUrl' ? `${url}/rpc` : url }, passphrase)
  const horizon = createHorizon({ ...anchor.network, url: liar }, 'money', { second })
  return { ...anchor.deps, horizon, routineHorizon: horizon, clock: { now: () => new Date() } }
}

/** Shows further records after the payment of 20, on its page and on all later ones. */
function replaying(replays: (paid: Told) => Told[]): (records: Told[]) => void {
  let paid: Told | undefined
  return records => {
    paid ??= records.find(({ amount }) => amount === '20.0000000')
    if (paid) records.push(...replays(paid))
  }
}

const receipts = () =>
  anchor.rows(
    "select amount::float, outcome from ledger_receipts where outcome <> 'ignored' order by id::bigint",
  )
const openIncidents = async () =>
  (await anchor.incidents())
    .filter(({ resolved_at }) => resolved_at === null)
    .map(({ kind, details }) => [kind, details.reason])

async function settleAll(deps: Deps): Promise<void> {
  for (let reads = 0; reads < 3; reads++) {
    await observePayments(deps)
    await anchor.pay()
  }
}

it.each([
  ['an RPC beside it', 'rpcUrl', 'second-source'] as const,
  ['a Horizon beside it', 'horizonUrl', 'second-source'] as const,
  ['nothing beside it', null, undefined] as const,
])('a payment that is shown again at later places is received once, with %s', async (_, kind, reason) => {
  const { memo } = await startWithdrawal(anchor, customer)
  await anchor.sendBack(customer, '20', Memo.id(memo))
  const held = await anchor.held(customer)
  await settleAll(
    await atLiar(
      replaying(paid => [1n, 2n, 3n].map(places => movedOn(paid, places))),
      kind,
    ),
  )
  expect(await receipts()).toEqual([{ amount: 20, outcome: 'accepted' }])
  expect(await anchor.rows("select 1 from ledger_payments where purpose = 'refund'")).toEqual([])
  expect(await anchor.held(customer)).toBe(held)
  expect(await ledgerDifferences(anchor.deps)).toMatchObject([{ difference: 0n }])
  expect(await openIncidents()).toEqual([1, 2, 3].map(() => ['unreadable-payment', reason]))
})

it('two payments of one transaction are both received', async () => {
  const { asset, distribution } = anchor
  const pay = () => Operation.payment({ asset, amount: '20', destination: distribution.publicKey })
  await anchor.apply(customer, [pay(), pay()])
  await observePayments(await atLiar(() => undefined, 'rpcUrl'))
  expect(await receipts()).toEqual([1, 2].map(() => ({ amount: 20, outcome: 'returned' })))
  expect(await openIncidents()).toEqual([])
})

it('another payment at the place of one that was received is set aside', async () => {
  await anchor.sendBack(customer, '20')
  await observePayments(anchor.deps)
  await anchor.rows("update ledger_receipts set hash = repeat('a', 64) where amount = 20")
  await anchor.rows("update observed set cursor = '0'")
  await observePayments(anchor.deps)
  expect(await receipts()).toEqual([{ amount: 20, outcome: 'returned' }])
  expect(await openIncidents()).toEqual([['unreadable-payment', undefined]])
})

it.each(['rpcUrl', 'horizonUrl'] as const)(
  'what %s confirmed of a transaction confirms no other result, place or time of it',
  async kind => {
    const destination = anchor.distribution.publicKey
    const { memo } = await startWithdrawal(anchor, customer)
    const { asset } = anchor
    await anchor.apply(
      customer,
      [
        Operation.pathPaymentStrictSend({
          ...{ sendAsset: asset, sendAmount: '20', destination, destAsset: asset, destMin: '1', path: [] },
        }),
      ],
      Memo.id(memo),
    )
    const held = await anchor.held(customer)
    const places = (paid: Told) => [
      withAmount(movedOn(paid, 1n), 500_000_000_000n),
      { ...movedOn(paid, 2n), created_at: new Date(0).toISOString() },
    ]
    // On the page of the true one, and on later ones.
    await settleAll(await atLiar(replaying(places), kind))
    expect(await receipts()).toEqual([{ amount: 20, outcome: 'accepted' }])
    expect(await anchor.held(customer)).toBe(held)
    expect(await openIncidents()).toEqual([1, 2].map(() => ['unreadable-payment', 'second-source']))
  },
)

it('what was received again before this release stays as it was, and is received no third time', async () => {
  await anchor.sendBack(customer, '20')
  await observePayments(anchor.deps)
  await anchor.rows('alter table ledger_receipts drop column operation')
  await anchor.rows(`insert into ledger_receipts (id, hash, sender, amount, outcome, why)
    select (id::bigint + n * 4096)::text, hash, sender, amount, outcome, why
    from ledger_receipts, generate_series(1, 2) n where amount = 20`)
  const again = await readFile(new URL('../migrations/0410-receipts-once.sql', import.meta.url), 'utf8')
  await anchor.deps.database.pool.query(again)
  expect(
    await anchor.rows('select operation from ledger_receipts where amount = 20 order by id::bigint'),
  ).toEqual([1, 2, 3].map(() => ({ operation: null })))
  await anchor.rows("update observed set cursor = '0'")
  await observePayments(
    await atLiar(
      replaying(paid => [movedOn(paid, 3n)]),
      null,
    ),
  )
  expect(await receipts()).toHaveLength(3)
  expect(await openIncidents()).toEqual([['unreadable-payment', undefined]])
})

it.each(['rpcUrl', 'horizonUrl'] as const)('the time of a payment is also the word of %s', async kind => {
  const { id, memo } = await startWithdrawal(anchor, customer)
  await anchor.sendBack(customer, '20', Memo.id(memo))
  const created_at = new Date(Date.now() - 86_400_000).toISOString()
  await observePayments(
    await atLiar(records => records.forEach(each => (each.created_at = created_at)), kind),
  )
  expect(await anchor.rows(`select state from transfers where id = '${id}'`)).toEqual([
    { state: 'awaiting_funds' },
  ])
  expect(await openIncidents()).toEqual([['unreadable-payment', 'second-source']])
})

/** What a strict send brought is in its result alone: of 20, as if it were so much. */
function withAmount(record: Told, stroops: bigint): Told {
  const { transaction } = record
  if (!transaction) return expect.unreachable()
  const bytes = Buffer.from(transaction.result_xdr, 'base64')
  const brought = Buffer.alloc(8)
  brought.writeBigInt64BE(200_000_000n)
  bytes.writeBigInt64BE(stroops, bytes.lastIndexOf(brought))
  const amount = `${stroops / 10_000_000n}.0000000`
  return { ...record, amount, transaction: { ...transaction, result_xdr: bytes.toString('base64') } }
}
