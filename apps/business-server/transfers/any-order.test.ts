import {
  assetName,
  idOf,
  servedAsset,
  servedAssets,
  type AssetKey,
} from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import type { Deps } from '../deps.ts'
import { requestAction } from '../workspace/operator-actions/actions.ts'
import { possibleActions } from '../workspace/operator-actions/effects.ts'
import { listReturned } from '../payments/sent-back.ts'
import { payQueued } from '../payments/pay.ts'
import { sendOrders } from '../payments/rail-orders.ts'
import { settleOrder } from '../payments/settle-order.ts'
import { sendGathered } from '../payments/refunds.ts'
import { receiveRailPayment } from '../payments/receive-rail-payment.ts'
import { payReturnAgain } from '../workspace/returned-payments/returned-payments.ts'
import type { TransferState } from '../tables.ts'
import { type BusinessApp, startBusinessApp } from '../testing/business-app.ts'
import { acceptTransaction } from './accept.ts'
import { confirm } from './confirm.ts'
import { expireOverdue } from './expire.ts'
import { findTransfer } from './find.ts'
import { ended, reasonFor } from './status.ts'
import { receiveUnits } from '../testing/receive-units.ts'
import { reportedBy } from '../testing/reported-by.ts'

/** Each run is a transfer with a history of its own. */
const numRuns = process.env.MODE === 'faults' ? 200 : 15

let app: BusinessApp
beforeAll(async () => {
  app = await startBusinessApp()
  app.deps.config.anchor.plan.furtherAssets = [
    { code: 'USDC', issuer: other, name: 'USDC', anchoredTo: 'USD' },
  ]
})
afterAll(() => app.close())

const wallet = generateKey().publicKey
const other = generateKey().publicKey
const USDC = `USDC:${other}`
type Direction = 'deposit' | 'withdrawal'
type Amount = 'agreed' | 'another'

/** What may happen to a transfer, by whom it is done. */
type Happening =
  | { what: 'confirmed' | 'expired' | 'ledger paid' | 'orders sent' | 'paid again' | 'refunded' }
  | { what: 'money came'; amount: Amount; payment: number; inOther: boolean }
  | { what: 'rail reported'; kind: 'paid' | 'failed' }

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ what: fc.constant('confirmed' as const) }) },
  fc.record({
    what: fc.constantFrom(...(['expired', 'ledger paid', 'orders sent', 'paid again', 'refunded'] as const)),
  }),
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('money came' as const),
      amount: fc.constantFrom<Amount>('agreed', 'agreed', 'another'),
      payment: fc.integer({ min: 0, max: 2 }),
      inOther: fc.constantFrom(false, false, true),
    }),
  },
  fc.record({
    what: fc.constant('rail reported' as const),
    kind: fc.constantFrom<'paid' | 'failed'>('paid', 'failed'),
  }),
)

describe.each<[Direction, string, AssetKey]>([
  ['deposit', 'the first asset', null],
  ['deposit', 'a further asset', USDC],
  ['withdrawal', 'the first asset', null],
  ['withdrawal', 'a further asset', USDC],
])('a %s of %s', (direction, _, asset) => {
  it('goes by the table and keeps no money, whatever happens in whatever order and however often', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 2, maxLength: 14 }), async happenings => {
        const world = await begin(direction, asset)
        for (const each of happenings) await happen(world, each)
        await untilQuiet(world)
        await expectTrail(world)
        await expectNothingKept(world)
        await expectJournal(world)
      }),
      { numRuns, endOnFailure: true },
    )
  }, 300_000)
})

interface World {
  deps: Deps
  id: string
  direction: Direction
  asset: AssetKey
  ledger: UnreliableNetwork
  /** What came, by the payment's id, as it first came. */
  came: Map<string, { value: string; asset: AssetKey }>
}

async function begin(direction: Direction, asset: AssetKey): Promise<World> {
  const { anchor } = app.deps.config
  const [first] = servedAssets(anchor)
  const ledger = new UnreliableNetwork({ asset: () => idOf(first), further: () => [USDC] })
  const deps: Deps = { ...app.deps, horizon: ledger, routineHorizon: ledger }
  const reported = reportedBy(wallet, {
    ...{ kind: direction, asset: assetName(servedAsset(anchor, asset)), fields: { dest: 'asha@okbank' } },
  })
  await acceptTransaction(deps, reported)
  return { deps, id: reported.id, direction, asset, ledger, came: new Map() }
}

async function happen(world: World, happens: Happening): Promise<void> {
  const { deps, id } = world
  switch (happens.what) {
    case 'confirmed':
      return void (await confirm(deps, id))
    case 'expired':
      await app.deps.database.pool.query(
        "update transfers set expires_at = now() - interval '1 day' where id = $1 and expires_at is not null",
        [id],
      )
      return expireOverdue(deps)
    case 'ledger paid':
      return payQueued(deps)
    case 'orders sent':
      return sendOrders(deps)
    case 'paid again':
    case 'refunded':
      return decide(world, happens.what === 'refunded' ? 'refund' : 'pay-again')
    case 'rail reported':
      return reportOrders(world, happens.kind)
    case 'money came':
      return world.direction === 'deposit' ? comeOverRail(world, happens) : comeOnLedger(world, happens)
  }
}

interface Coming {
  amount: Amount
  payment: number
  inOther: boolean
}

async function comeOverRail({ deps, id, came }: World, { amount, payment }: Coming): Promise<void> {
  const transfer = await findTransfer(deps.database.db, id)
  if (!transfer?.reference || !transfer.fiat_amount) return
  const paymentId = `${id}:${payment}`
  const value = came.get(paymentId)?.value ?? (amount === 'agreed' ? transfer.fiat_amount : '7')
  came.set(paymentId, { value, asset: null })
  const report = { kind: 'received' as const, paymentId, amount: value, currency: 'INR' }
  await receiveRailPayment(deps, 'UPI', { ...report, reference: transfer.reference })
}

async function comeOnLedger(world: World, { amount, payment, inOther }: Coming): Promise<void> {
  const { deps, id, came } = world
  const transfer = await findTransfer(deps.database.db, id)
  if (!transfer?.ledger_memo || !transfer.amount) return
  const operation = `${id}:${payment}`
  const otherAsset = world.asset === null ? USDC : null
  const first = {
    value: amount === 'agreed' ? transfer.amount : '7',
    asset: inOther ? otherAsset : world.asset,
  }
  const { value, asset } = came.get(operation) ?? first
  came.set(operation, { value, asset })
  const { ledger_memo } = transfer
  const hash = operation.replaceAll(/[^0-9a-f]/g, '').padEnd(64, '0')
  await receiveUnits(deps, { ledger_memo, amount: value, asset }, { id: operation, hash, sender: wallet })
}

/** The bank reports how each of its orders ended, and may repeat the report. */
async function reportOrders({ deps, id }: World, kind: 'paid' | 'failed'): Promise<void> {
  const orders = await ordersOf(deps, id)
  for (const { id: orderId, state } of orders) {
    if (state === 'queued') continue
    if (kind === 'paid') await settleOrder(deps, { kind: 'paid', orderId, paymentId: orderId })
    else await settleOrder(deps, { kind: 'failed', orderId, reason: 'closed' })
  }
}

/** What came back waits until an operator decides. */
async function decide({ deps, id }: World, kind: 'pay-again' | 'refund'): Promise<void> {
  const transfer = await findTransfer(deps.database.db, id)
  if (transfer?.state !== 'sent_back') return
  const possible = await possibleActions(deps, deps.database.db, transfer)
  const chosen = possible.includes(kind) ? kind : 'pay-again'
  await requestAction(deps, id, { kind: chosen, reason: 'x', by: 'operator:one' })
}

async function ordersOf({ database }: Deps, id: string) {
  const { rows } = await database.pool.query<{
    id: string
    kind: string
    state: string
    amount: string
    back: boolean
  }>(
    `select id, kind, state, amount, came_back_at is not null as back from rail_orders
     where transfer_id = $1 or destination->>'paymentId' like $1 || ':%' order by created_at`,
    [id],
  )
  return rows
}

async function untilQuiet(world: World): Promise<void> {
  const { pool } = app.deps.database
  for (let round = 0; round < 5; round++) {
    await pool.query('update gathered_refunds set leave_at = now()')
    await sendGathered(world.deps)
    await pool.query("update ledger_payments set next_try_at = now() where state = 'queued'")
    await pool.query("update rail_orders set next_try_at = now() where state in ('queued', 'sent')")
    await payQueued(world.deps)
    await sendOrders(world.deps)
    await reportOrders(world, 'paid')
    await decide(world, 'pay-again')
    await payReturnsAgain(world)
  }
}

/** Money that belongs to no transaction came back too. */
async function payReturnsAgain({ deps }: World): Promise<void> {
  for (const { id, transfer_id } of await listReturned(deps.database.db, { limit: 100 }))
    if (transfer_id === null) await payReturnAgain(deps, id, { reason: 'x', by: 'operator:one' })
}

async function expectTrail({ id, direction }: World): Promise<void> {
  const { rows } = await app.deps.database.pool.query<{
    from_state: TransferState
    to_state: TransferState
    why: string
  }>('select from_state, to_state, why from transfer_steps where transfer_id = $1 order by id', [id])
  let at: TransferState = 'new'
  for (const { from_state, to_state, why } of rows) {
    expect(from_state).toBe(at)
    expect(why).toBe(reasonFor(from_state, to_state, direction))
    at = to_state
  }
  const open: TransferState[] = ['new', 'awaiting_funds']
  expect([...ended, ...open]).toContain(at)
}

/** All that came has been paid on as agreed, or has gone back whole; nothing went out besides. */
async function expectNothingKept({ deps, id, direction, asset, ledger, came }: World): Promise<void> {
  const transfer = await findTransfer(deps.database.db, id)
  const orders = (await ordersOf(deps, id)).filter(({ state, back }) => state === 'paid' && !back)
  const paidIn = (key: AssetKey) =>
    ledger.applied.flatMap(({ operations }) =>
      operations.flatMap(each =>
        each.type === 'payment' && each.asset.toString() === idOf(servedAsset(deps.config.anchor, key))
          ? [each.amount]
          : [],
      ),
    )
  const cameIn = (key: AssetKey) =>
    [...came.values()].flatMap(each => (each.asset === key ? [each.value] : []))
  const onLedger = paidIn(asset)
  const overRail = orders.map(({ amount }) => amount)
  const all = direction === 'deposit' ? [...came.values()].map(({ value }) => value) : cameIn(asset)
  // What came in another asset went back in that asset.
  const another = asset === null ? USDC : null
  expect(sum(paidIn(another))).toBe(sum(direction === 'deposit' ? [] : cameIn(another)))
  const done = transfer?.state === 'completed'
  const [paid, agreed] =
    direction === 'deposit'
      ? [transfer?.amount, transfer?.fiat_amount]
      : [transfer?.fiat_amount, transfer?.amount]
  const back = direction === 'deposit' ? overRail : onLedger
  const on = direction === 'deposit' ? onLedger : overRail
  expect(sum(on)).toBe(sum(done ? [paid ?? ''] : []))
  expect(sum([...back, ...(done ? [agreed ?? ''] : [])])).toBe(sum(all))
}

/** The journal owes nobody anything when everything has ended, and holds what came less what went out. */
async function expectJournal({ deps }: World): Promise<void> {
  const { rows } = await deps.database.pool.query<{ account: string; unit: string; amount: string }>(
    'select account, unit, sum(amount)::text as amount from journal_lines group by account, unit',
  )
  const balance = (account: string, unit: string) =>
    rows.find(row => row.account === account && row.unit === unit)?.amount ?? '0'
  for (const unit of ['asset', USDC, 'INR']) {
    expect(Number(balance('customers', unit))).toBe(0)
    expect(Number(balance('suspense', unit))).toBe(0)
  }
  const held = await deps.database.pool.query<{ treasury: string; further: string; rail: string }>(
    `select (
       (select coalesce(sum(amount), 0) from ledger_receipts where asset is null)
       + (select coalesce(sum(amount), 0) from ledger_dust where asset is null)
       - (select coalesce(sum(amount), 0) from ledger_payments where state = 'paid' and asset is null))::text
       as treasury,
      ((select coalesce(sum(amount), 0) from ledger_receipts where asset is not null)
       + (select coalesce(sum(amount), 0) from ledger_dust where asset is not null)
       - (select coalesce(sum(amount), 0) from ledger_payments where state = 'paid' and asset is not null))::text
       as further,
      ((select coalesce(sum(amount), 0) from rail_receipts)
       - (select coalesce(sum(amount), 0) from rail_orders where state = 'paid' and came_back_at is null))::text
       as rail`,
  )
  expect(Number(balance('treasury', 'asset'))).toBe(Number(held.rows[0]?.treasury))
  expect(Number(balance('treasury', USDC))).toBe(Number(held.rows[0]?.further))
  expect(Number(balance('rail:UPI', 'INR'))).toBe(Number(held.rows[0]?.rail))
}

const sum = (amounts: string[]) =>
  formatAmount(amountOf(amounts.reduce((total, each) => total + parseAmount(each), 0n)))
