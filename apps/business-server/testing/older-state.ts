import type { LocalNetwork } from '@windlass/local-network/local-network.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { openDatabase } from '@windlass/service/postgres/database.ts'
import { payFee } from '@windlass/stellar/fees.ts'
import type { Horizon } from '@windlass/stellar/horizon.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import { copyDatabase } from '@windlass/testing/database.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect } from 'vitest'
import type { Deps } from '../deps.ts'
import { balanceOf } from '../money/journal/journal.ts'
import { listIncidents } from '../payments/incidents.ts'
import { queuePayment } from '../payments/ledger-payments.ts'
import { observePayments } from '../payments/observe.ts'
import { payQueued } from '../payments/pay.ts'
import { sendOrders } from '../payments/rail-orders.ts'
import { receiveRailPayment } from '../payments/receive-rail-payment.ts'
import type { Tables, Transfer } from '../tables.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { findTransfer } from '../transfers/find.ts'
import { assetBalance } from '../money/treasury/treasury.ts'
import type { BusinessApp } from './business-app.ts'
import { LedgerAnchor } from './ledger-anchor.ts'

export let anchor: LedgerAnchor
export let app: BusinessApp
export let network: LocalNetwork
export let horizon: Horizon
export let customer: AccountKey
/** What the bank paid, by the order's id: it outlives the anchor's database. */
export let bank: Map<string, string>
let later: (() => Promise<void>)[]

/** To be called by a file of tests: each of them has a new anchor, which it can back up and restore. */
export function startAnchors(): void {
  beforeEach(async () => {
    later = []
    bank = new Map()
    anchor = await LedgerAnchor.start()
    ;({ app, network, horizon } = anchor)
    const rail = app.deps.rails.get('UPI')
    if (!rail) throw new Error('the anchor has no UPI')
    const book = (id: string, amount: string) => {
      bank.set(id, bank.get(id) ?? amount)
      return null
    }
    const pay: typeof rail.pay = async ({ id, amount }) => book(id, amount)
    const returnPayment: typeof rail.returnPayment = async (id, _, amount) => book(id, amount)
    app.deps.rails = new Map([['UPI', { ...rail, pay, returnPayment }]])
    await anchor.issue()
    customer = await anchor.customerWithAsset()
    await settleAll(app.deps)
  })
  afterEach(async () => {
    for (const act of later) await act()
    await anchor.stop()
  })
}

export async function agreed(
  kind: 'deposit' | 'withdrawal',
  deps = app.deps,
  { claimableBy = null as string | null } = {},
): Promise<Transfer> {
  const { id } = await acceptTransaction(deps, {
    id: randomUUID(),
    sep: '24',
    kind,
    status: 'incomplete',
    amount_expected: { amount: '100' },
    started_at: '',
    updated_at: '',
    destination_account: claimableBy ?? customer.publicKey,
    source_account: customer.publicKey,
    creator: { account: customer.publicKey },
    customers: { sender: { account: customer.publicKey } },
    claimable_balance_supported: claimableBy !== null,
    fields: { dest: 'asha@okbank' },
  })
  return confirm(deps, id)
}

export const payOverRail = (
  { rail, reference, fiat_amount, currency }: Transfer,
  deps = app.deps,
  paymentId = 'bank-1',
) =>
  receiveRailPayment(deps, rail, {
    kind: 'received',
    paymentId,
    reference: reference ?? '',
    amount: fiat_amount ?? '',
    currency,
  })

const MOST_ROUNDS = 30

/** Everything that the workers do, until nothing is left to do: what no answer came for in time is tried again, as they do. */
export async function settleAll(deps: Deps): Promise<void> {
  for (let round = 1; ; round++) {
    await observePayments(deps)
    await deps.database.pool.query(
      'update ledger_payments set next_try_at = now(); update rail_orders set next_try_at = now()',
    )
    await payQueued(deps)
    await sendOrders(deps)
    const left = await unanswered(deps)
    if (round > 1 && left.length === 0) return
    if (round >= MOST_ROUNDS) throw new Error(`payments are not settled: ${JSON.stringify(left)}`)
    if (round > 1) await sleep(100)
  }
}

/** What waits for nothing but an answer, or for nothing that is known. */
const unanswered = async ({ database }: Deps) =>
  (
    await database.pool.query(
      `select cause, wait_code, wait_details from ledger_payments
       where state = 'queued' and next_try_at < 'infinity' and coalesce(wait_code, 'unavailable') = 'unavailable'`,
    )
  ).rows

/** The observer waits until the channels of the server that was replaced are closed. */
export async function untilClosed(deps: Deps): Promise<void> {
  await expect(observePayments(deps)).rejects.toThrow('closed first')
  await deps.database.pool.query('update ledger_payments set next_try_at = now()')
  await payQueued(deps)
  await settleAll(deps)
}

/** The anchor's server on a copy of its database as it is now, to be started later. */
export async function backUp(): Promise<(restoredAt?: string) => Promise<Deps>> {
  const copy = await copyDatabase({ url: app.deps.database.url })
  later.push(copy.drop)
  return async (restoredAt = new Date().toISOString()) => {
    const name = new URL(copy.url).pathname.slice(1)
    await app.deps.database.pool.query(`alter database ${name} set windlass.restored_at = '${restoredAt}'`)
    const database = openDatabase<Tables>(copy.url, { name: 'restored', max: 3 })
    later.unshift(() => database.close())
    return { ...app.deps, database }
  }
}

/** Queues payments of 1 to the customer at the server that is replaced later. */
export async function queueRefunds(count: number, name: string): Promise<void> {
  for (let index = 0; index < count; index++)
    await queuePayment(app.deps, app.deps.database.db, {
      ...{ cause: `test:${name}:${index}`, transfer_id: null, purpose: 'refund', asset: null, amount: '1' },
      ...{ destination: customer.publicKey, memo: null, memo_type: null, claimable: false },
    })
}

export async function payAll(deps: Deps): Promise<void> {
  await deps.database.pool.query('update ledger_payments set next_try_at = now()')
  await payQueued(deps)
}

/** A process that dies once it has signed; the first that it signs, if nothing more is to be. */
export const dyingSigned = ({ once = false } = {}): Deps['faults'] => {
  let died = false
  return {
    at(point) {
      if (point !== 'envelope:stored' && !(once && died && point === 'payment:taken')) return
      died = true
      throw new Error('the process died')
    },
  }
}

/** Payments that the server has signed with channels and not submitted, in the form in which they are submitted. */
export async function signedInChannels(): Promise<string[]> {
  const { rows } = await app.deps.database.pool.query<{ xdr: string }>(
    "select xdr from ledger_envelopes where state = 'open' and source in (select account from ledger_channels)",
  )
  const { config, distribution } = app.deps
  const fee = { horizon, max: config.maxFee, networkPassphrase: network.passphrase, payer: distribution }
  return Promise.all(rows.map(({ xdr }) => payFee(xdr, fee)))
}

export const open = async (deps: Deps) =>
  (await listIncidents(deps.database.db, {})).filter(({ resolved_at }) => resolved_at === null)
export const stateOf = async (deps: Deps, { id }: Transfer) =>
  (await findTransfer(deps.database.db, id))?.state

export async function expectJournalAgrees(deps: Deps): Promise<void> {
  const journal = formatAmount(await balanceOf(deps.database.db, 'treasury', 'asset'))
  expect(journal).toBe(formatAmount(await assetBalance(deps, null)))
}
