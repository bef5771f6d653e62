import { Account, Asset, Memo, Operation, TransactionBuilder, type xdr } from '@stellar/stellar-sdk/base'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { openDatabase } from '@windlass/service/database.ts'
import { muxedAccount } from '@windlass/stellar/addresses.ts'
import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { payFee } from '@windlass/stellar/fees.ts'
import { createHorizon, type Horizon } from '@windlass/stellar/horizon.ts'
import { issueAsset } from '@windlass/stellar/issuing.ts'
import { generateKey, seedSigner, signTransaction, type AccountKey } from '@windlass/stellar/keys.ts'
import { memoryEnvelopes } from '@windlass/stellar/testing/memory-envelopes.ts'
import { copyDatabase } from '@windlass/testing/database.ts'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { payPage } from '../interactive/pay-pages.ts'
import { textsFor } from '../interactive/texts.ts'
import { balanceOf } from '../journal/journal.ts'
import type { Tables, Transfer } from '../tables.ts'
import { startBusinessApp, type BusinessApp } from '../testing/business-app.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { findTransfer } from '../transfers/find.ts'
import { assetBalance } from '../treasury/treasury.ts'
import { listIncidents } from './incidents.ts'
import { queuePayment } from './ledger-payments.ts'
import { observePayments } from './observe.ts'
import { payQueued } from './pay.ts'
import { sendOrders } from './rail-orders.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'
import { changeTreasurySettings, sweepExcess } from './sweep.ts'
import { resolveByOperator } from './unproven.ts'
import { recordUnknown } from './record-unknown.ts'

let network: LocalNetwork
let horizon: Horizon
let app: BusinessApp
let customer: AccountKey
/** What the bank paid, by the order's id: it outlives the anchor's database. */
let bank: Map<string, string>
let later: (() => Promise<void>)[]

beforeEach(async () => {
  later = []
  bank = new Map()
  network = await startLocalNetwork({ closeEvery: 'at-once' })
  horizon = createHorizon(network.url)
  app = await startBusinessApp({ horizon })
  const rail = app.deps.rails.get('UPI')
  if (!rail) throw new Error('the anchor has no UPI')
  const book = (id: string, amount: string) => {
    bank.set(id, bank.get(id) ?? amount)
    return null
  }
  const pay: typeof rail.pay = async ({ id, amount }) => book(id, amount)
  const returnPayment: typeof rail.returnPayment = async (id, _, amount) => book(id, amount)
  app.deps.rails = new Map([['UPI', { ...rail, pay, returnPayment }]])
  app.deps.horizon = horizon
  await raiseAnchor()
  customer = await customerWithAsset()
  await settleAll(app.deps)
})
afterEach(async () => {
  for (const act of later) await act()
  await app.close()
  await network.stop()
})

const asset = () => new Asset('MUMBAI', app.issuer.publicKey)

async function apply(source: AccountKey, operation: xdr.Operation, memo: Memo = Memo.none()): Promise<void> {
  const account = await horizon.account(source.publicKey)
  const transaction = new TransactionBuilder(new Account(source.publicKey, account?.sequence ?? '0'), {
    fee: '100000',
    networkPassphrase: network.passphrase,
    memo,
  })
    .setTimeout(0)
    .addOperation(operation)
    .build()
  signTransaction(transaction, source.secret)
  expect(await horizon.submit(transaction.toXdr())).toEqual({ outcome: 'applied' })
}

async function raiseAnchor(): Promise<void> {
  for (const { publicKey } of [app.issuer, app.distribution])
    await fundFromFaucet(network.friendbotUrl, horizon, publicKey)
  await issueAsset({
    horizon,
    networkPassphrase: network.passphrase,
    store: memoryEnvelopes(),
    issuer: seedSigner(app.issuer.secret),
    distribution: seedSigner(app.distribution.secret),
    assetCode: 'MUMBAI',
    amount: '1000000',
    homeDomain: 'mumbai.anchors.localhost',
    reference: 'anchor',
  })
}

async function customerWithAsset(): Promise<AccountKey> {
  const key = generateKey()
  await fundFromFaucet(network.friendbotUrl, horizon, key.publicKey)
  await apply(key, Operation.changeTrust({ asset: asset() }))
  await apply(app.issuer, Operation.payment({ asset: asset(), amount: '1000', destination: key.publicKey }))
  return key
}

const toAnchor = (amount: string, memo?: Memo) =>
  apply(
    customer,
    Operation.payment({ asset: asset(), amount, destination: app.distribution.publicKey }),
    memo,
  )

async function agreed(
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

const payOverRail = (
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

/** Everything that the workers do, until nothing is left to do. */
async function settleAll(deps: Deps): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await observePayments(deps)
    await deps.database.pool.query(
      'update ledger_payments set next_try_at = now(); update rail_orders set next_try_at = now()',
    )
    await payQueued(deps)
    await sendOrders(deps)
  }
}

/** The observer waits until the channels of the server that was replaced are closed. */
async function untilClosed(deps: Deps): Promise<void> {
  await expect(observePayments(deps)).rejects.toThrow('closed first')
  await deps.database.pool.query('update ledger_payments set next_try_at = now()')
  await payQueued(deps)
  await settleAll(deps)
}

/** The anchor's server on a copy of its database as it is now, to be started later. */
async function backUp(): Promise<() => Promise<Deps>> {
  const copy = await copyDatabase({ url: app.deps.database.url })
  later.push(copy.drop)
  return async () => {
    const name = new URL(copy.url).pathname.slice(1)
    const now = new Date().toISOString()
    await app.deps.database.pool.query(`alter database ${name} set windlass.restored_at = '${now}'`)
    const database = openDatabase<Tables>(copy.url, { name: 'restored', max: 3 })
    later.unshift(() => database.close())
    return { ...app.deps, database }
  }
}

/** Queues payments of 1 to the customer at the server that is replaced later. */
async function queueRefunds(count: number, name: string): Promise<void> {
  for (let index = 0; index < count; index++)
    await queuePayment(app.deps.database.db, {
      ...{ cause: `test:${name}:${index}`, transfer_id: null, purpose: 'refund', asset: null, amount: '1' },
      ...{ destination: customer.publicKey, memo: null, memo_type: null, claimable: false },
    })
}

async function payAll(deps: Deps): Promise<void> {
  await deps.database.pool.query('update ledger_payments set next_try_at = now()')
  await payQueued(deps)
}

/** A process that dies once it has signed; the first that it signs, if nothing more is to be. */
const dyingSigned = ({ once = false } = {}): Deps['faults'] => {
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
async function signedInChannels(): Promise<string[]> {
  const { rows } = await app.deps.database.pool.query<{ xdr: string }>(
    "select xdr from ledger_envelopes where state = 'open' and source in (select account from ledger_channels)",
  )
  const { config, distribution } = app.deps
  const fee = { horizon, max: config.maxFee, networkPassphrase: network.passphrase, payer: distribution }
  return Promise.all(rows.map(({ xdr }) => payFee(xdr, fee)))
}

const holding = async () => {
  const account = await horizon.account(customer.publicKey)
  return account?.balances.find(line => line.asset !== 'native')?.balance
}
const open = async (deps: Deps) =>
  (await listIncidents(deps.database.db, {})).filter(({ resolved_at }) => resolved_at === null)
const stateOf = async (deps: Deps, { id }: Transfer) => (await findTransfer(deps.database.db, id))?.state

async function expectJournalAgrees(deps: Deps): Promise<void> {
  const journal = formatAmount(await balanceOf(deps.database.db, 'treasury', 'asset'))
  expect(journal).toBe(formatAmount(await assetBalance(deps, null)))
}

describe('a server on an older state of its database', () => {
  it('pays no deposit again that was paid after that state', async () => {
    const deposit = await agreed('deposit')
    await payOverRail(deposit)
    const restore = await backUp()
    await settleAll(app.deps)
    const paid = await holding()
    const { ledger_hash } = (await findTransfer(app.deps.database.db, deposit.id)) ?? {}

    const restored = await restore()
    await settleAll(restored)
    expect(await holding()).toBe(paid)
    expect(await findTransfer(restored.database.db, deposit.id)).toMatchObject({
      state: 'completed',
      ledger_hash,
    })
    expect(await open(restored)).toEqual([])
    await expectJournalAgrees(restored)
  })

  it('names a deposit whose money it does not know, and completes it without a second payment', async () => {
    const deposit = await agreed('deposit')
    const restore = await backUp()
    await payOverRail(deposit)
    await settleAll(app.deps)
    const paid = await holding()

    const restored = await restore()
    await settleAll(restored)
    expect(await open(restored)).toMatchObject([
      { kind: 'unrecorded-payment', details: { amount: '100', deposit: deposit.id } },
    ])
    await expectJournalAgrees(restored)
    const transfer = await findTransfer(restored.database.db, deposit.id)
    const rail = restored.rails.get('UPI') ?? null
    const seen = { base: '', paying: false, readOnly: true }
    const page = await payPage(restored, textsFor('en'), transfer ?? deposit, rail, seen)
    expect(page.text).toContain('Do not pay again')

    await payOverRail(deposit, restored)
    await settleAll(restored)
    expect(await stateOf(restored, deposit)).toBe('completed')
    expect(await holding()).toBe(paid)
    expect(await open(restored)).toEqual([])
    expect(await balanceOf(restored.database.db, 'suspense', 'asset')).toBe(0n)
    await expectJournalAgrees(restored)
  })

  it('completes a deposit whose quote has expired since, and returns none of its money', async () => {
    const deposit = await agreed('deposit')
    const restore = await backUp()
    await payOverRail(deposit)
    await settleAll(app.deps)
    const paid = await holding()

    const restored = await restore()
    await restored.database.pool.query(
      `with quote as (
        insert into firm_rates (sell_asset, buy_asset, amount, fee, fiat_amount, currency, expires_at)
        values ('iso4217:INR', 'stellar:MUMBAI', 100, 1, 8938.5, 'INR', now()) returning id)
      update transfers set quote_id = quote.id, expires_at = now() - interval '1 hour' from quote
        where transfers.id = $1`,
      [deposit.id],
    )
    // Before the ledger was read.
    await payOverRail(deposit, restored)
    await settleAll(restored)
    expect(await stateOf(restored, deposit)).toBe('completed')
    expect(await holding()).toBe(paid)
    expect(bank.size).toBe(0)
    expect(await open(restored)).toEqual([])
    await expectJournalAgrees(restored)
  })

  it('completes a deposit that was priced at another rate with what the ledger shows', async () => {
    const deposit = await agreed('deposit')
    const restore = await backUp()
    const late = `update transfers set expires_at = now() - interval '1 hour' where id = '${deposit.id}'`
    const at = (deps: Deps, INR: string): Deps => ({ ...deps, config: { ...deps.config, fx: { INR } } })
    await app.deps.database.pool.query(late)
    await payOverRail(deposit, at(app.deps, '100'))
    await settleAll(app.deps)
    const { amount } = (await findTransfer(app.deps.database.db, deposit.id)) ?? {}
    expect(Number(amount)).toBeLessThan(100)
    const paid = await holding()

    const restored = await restore()
    await restored.database.pool.query(late)
    await payOverRail(deposit, at(restored, '80'))
    await settleAll(restored)
    expect(await findTransfer(restored.database.db, deposit.id)).toMatchObject({ state: 'completed', amount })
    expect(await holding()).toBe(paid)
    expect(bank.size).toBe(0)
    expect(await open(restored)).toEqual([])
    for (const account of ['suspense', 'customers'] as const)
      expect(await balanceOf(restored.database.db, account, 'asset')).toBe(0n)
    await expectJournalAgrees(restored)
  })

  it('returns money once, though each state has another reason', async () => {
    const deposit = await agreed('deposit')
    const restore = await backUp()
    await payOverRail(deposit)
    const empty: Horizon['account'] = async id => {
      const account = await horizon.account(id)
      const balances = account?.balances.map(line => ({ ...line, balance: '0' }))
      return id === app.distribution.publicKey && account && balances ? { ...account, balances } : account
    }
    await app.deps.database.pool.query("update ledger_payments set created_at = now() - interval '2 days'")
    await settleAll({ ...app.deps, horizon: { ...horizon, account: empty } })
    expect(await stateOf(app.deps, deposit)).toBe('returning')
    expect(bank.size).toBe(1)

    const restored = await restore()
    await settleAll(restored)
    await payOverRail({ ...deposit, fiat_amount: '1' }, restored)
    await settleAll(restored)
    expect(await stateOf(restored, deposit)).toBe('returning')
    expect(bank.size).toBe(1)
  })

  it('holds money of a deposit that it lacks, though an operator explained the payment before it came', async () => {
    const restore = await backUp()
    const deposit = await agreed('deposit')
    await payOverRail(deposit)
    await settleAll(app.deps)

    const restored = await restore()
    await settleAll(restored)
    const [unrecorded] = await open(restored)
    await resolveByOperator(restored, unrecorded?.id ?? '', 'operator:1', { resolution: 'found' })
    await payOverRail(deposit, restored)
    await settleAll(restored)
    expect(bank.size).toBe(0)
    const [held] = await open(restored)
    expect(held).toMatchObject({ kind: 'held-receipt' })
    await resolveByOperator(restored, held?.id ?? '', 'operator:1', { resolution: 'it', outcome: 'applied' })
    // Its money is found: what else comes belongs to nothing.
    await payOverRail(deposit, restored, 'bank-2')
    await settleAll(restored)
    expect(bank.size).toBe(1)
  })

  it('records a sweep that it lacks without asking anyone', async () => {
    const cold = await customerWithAsset()
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
    const paid = await holding()

    const restored = await restore()
    await payOverRail(await agreed('deposit', restored), restored, 'bank-3').catch(() => undefined)
    await settleAll(restored)
    expect(await holding()).toBe(paid)
    const [gap] = (await open(restored)).filter(({ kind }) => kind === 'history-gap')
    expect(gap).toMatchObject({ details: { difference: '-100' } })
    await resolveByOperator(restored, gap?.id ?? '', 'operator:1', { resolution: 'found in a full history' })
    await settleAll(restored)
    await expectJournalAgrees(restored)
  })

  it.each(['before', 'after'])(
    'pays nothing again that was paid through channels opened %s that state, and closes them first',
    async when => {
      await queueRefunds(12, 'first')
      if (when === 'before') {
        await settleAll(app.deps)
        await queueRefunds(12, 'second')
      }
      const restore = await backUp()
      await settleAll(app.deps)
      await queueRefunds(5, 'third')
      await settleAll(app.deps)
      const paid = await holding()
      const { rows } = await app.deps.database.pool.query(
        "select 1 from ledger_envelopes where source in (select account from ledger_channels) and state = 'applied'",
      )
      expect(rows.length).toBeGreaterThan(5)

      const restored = await restore()
      await untilClosed(restored)
      expect(await holding()).toBe(paid)
      const left = await restored.database.pool.query(
        "select state, count(*)::int from ledger_payments where purpose = 'refund' group by state",
      )
      expect(left.rows).toEqual([{ state: 'paid', count: when === 'before' ? 24 : 12 }])
      const channels = await restored.database.pool.query<{ account: string; state: string }>(
        'select account, state from ledger_channels where foreign_use',
      )
      expect(channels.rows.length).toBeGreaterThan(0)
      for (const { account, state } of channels.rows) {
        expect(state).toBe('closed')
        expect(await horizon.account(account)).toBeNull()
      }
      // What was queued and paid after that state.
      expect(await open(restored)).toHaveLength(5)
      await expectJournalAgrees(restored)
    },
    60_000,
  )

  it('pays nothing again that a channel paid just before its closing, though Horizon answers of a time before', async () => {
    await queueRefunds(12, 'first')
    await settleAll(app.deps)
    await queueRefunds(12, 'second')
    const restored = await (await backUp())()
    await payAll({ ...app.deps, faults: dyingSigned() })
    const [late = ''] = await signedInChannels()
    const treasury = app.distribution.publicKey
    let behind: { account: Awaited<ReturnType<Horizon['account']>>; ledger: number } | null = null
    let closing: string | undefined
    const lagging: Horizon = {
      ...horizon,
      async submit(xdr) {
        if (closing !== undefined) return horizon.submit(xdr)
        closing = Buffer.from(TransactionBuilder.fromXdr(xdr, network.passphrase).hash()).toString('hex')
        const before = { account: await horizon.account(treasury), ledger: (await horizon.head()).sequence }
        expect(await horizon.submit(late)).toEqual({ outcome: 'applied' })
        const answer = await horizon.submit(xdr)
        behind = before
        return answer
      },
      account: async id => (behind && id === treasury ? behind.account : horizon.account(id)),
      async transactionsOf(id, cursor, order) {
        const page = await horizon.transactionsOf(id, cursor, order)
        if (!behind || id !== treasury) return page
        const { ledger } = behind
        return page.filter(each => each.ledger <= ledger)
      },
      // Its fee is asked for once it is settled.
      async transaction(hash) {
        if (hash === closing) behind = null
        return horizon.transaction(hash)
      },
    }
    await payAll({ ...restored, horizon: lagging })
    expect(closing).toBeDefined()
    for (let round = 0; round < 2; round++) await payAll(restored)
    await settleAll(restored)
    expect(Number(await holding())).toBe(1024)
    expect(await open(restored)).toEqual([])
    await expectJournalAgrees(restored)
  }, 60_000)

  it('closes channels too whose opening that state had signed and not seen applied', async () => {
    await queueRefunds(12, 'first')
    await payAll({ ...app.deps, faults: dyingSigned({ once: true }) })
    const restore = await backUp()
    await settleAll(app.deps)
    await queueRefunds(5, 'second')
    await payAll({ ...app.deps, faults: dyingSigned() })
    const late = await signedInChannels()
    expect(late.length).toBeGreaterThan(0)

    const restored = await restore()
    await untilClosed(restored)
    for (const xdr of late) expect(await horizon.submit(xdr)).not.toEqual({ outcome: 'applied' })
    await settleAll(restored)
    expect(Number(await holding())).toBe(1012)
    expect(await open(restored)).toEqual([])
    await expectJournalAgrees(restored)
  }, 60_000)

  it('takes no account that someone else opened with the key for a channel', async () => {
    const friend = Operation.createAccount({ destination: generateKey().publicKey, startingBalance: '5' })
    const restored = await (await backUp())()
    await apply(app.distribution, friend)
    await payOverRail(await agreed('deposit', restored), restored)
    await settleAll(restored)
    expect(Number(await holding())).toBe(1100)
  })

  it('completes a deposit that an operator explained before, with the same journal', async () => {
    const deposit = await agreed('deposit')
    const restore = await backUp()
    await payOverRail(deposit)
    await settleAll(app.deps)

    const restored = await restore()
    await settleAll(restored)
    const [incident] = await open(restored)
    await resolveByOperator(restored, incident?.id ?? '', 'operator:1', { resolution: 'found' })
    await payOverRail(deposit, restored)
    await settleAll(restored)
    expect(await stateOf(restored, deposit)).toBe('completed')
    for (const account of ['suspense', 'exchange', 'customers'] as const) {
      const [now, before] = [restored, app.deps].map(({ database }) =>
        balanceOf(database.db, account, 'asset'),
      )
      expect(await now).toBe(await before)
    }
    await expectJournalAgrees(restored)
  })

  it.each(['its queue', 'the rail'])(
    'makes no second claimable balance for a muxed account that it pays by %s',
    async by => {
      const newcomer = generateKey()
      await fundFromFaucet(network.friendbotUrl, horizon, newcomer.publicKey)
      const muxed = muxedAccount(newcomer.publicKey, '7')
      const deposit = await agreed('deposit', app.deps, { claimableBy: muxed })
      const isQueued = by === 'its queue'
      if (isQueued) await payOverRail(deposit)
      const restore = await backUp()
      if (!isQueued) await payOverRail(deposit)
      await settleAll(app.deps)
      const { claimable_balance_id } = (await findTransfer(app.deps.database.db, deposit.id)) ?? {}
      expect(claimable_balance_id).toEqual(expect.any(String))
      const made = (await horizon.transactionsOf(app.distribution.publicKey)).length

      const restored = await restore()
      if (!isQueued) {
        await settleAll(restored)
        expect(await open(restored)).toMatchObject([{ details: { deposit: deposit.id } }])
        await payOverRail(deposit, restored)
      }
      await settleAll(restored)
      expect(await findTransfer(restored.database.db, deposit.id)).toMatchObject({
        state: 'completed',
        claimable_balance_id,
      })
      expect(await horizon.transactionsOf(app.distribution.publicKey)).toHaveLength(made)
      expect(await open(restored)).toEqual([])
      await expectJournalAgrees(restored)
    },
  )

  it('keeps what it has read of a long history where Horizon refuses the rest', async () => {
    const restored = await (await backUp())()
    const payment = { asset: asset(), amount: '1', destination: customer.publicKey }
    for (let count = 0; count < 25; count++) await apply(app.distribution, Operation.payment(payment))
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
    await expect(
      recordUnknown({ ...restored, horizon: { ...horizon, ledger: limited, transactionsOf } }),
    ).rejects.toThrow('limits')
    asked = 0
    await recordUnknown({ ...restored, horizon: { ...horizon, ledger: limited, transactionsOf } })
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
    await queuePayment(app.deps.database.db, { cause: 'test:old', ...refund, ...memo, claimable: false })
    const restored = await (await backUp())()
    const payment = { asset: asset(), amount: '10', destination: customer.publicKey }
    await apply(app.distribution, Operation.payment(payment), Memo.text('order 7'))
    await settleAll(restored)
    expect(Number(await holding())).toBe(1010)
    expect(await open(restored)).toEqual([])
    await expectJournalAgrees(restored)
  })

  it('asks Horizon no more than another server about what it queues later', async () => {
    const restored = await (await backUp())()
    await settleAll(restored)
    const newcomer = generateKey()
    await fundFromFaucet(network.friendbotUrl, horizon, newcomer.publicKey)
    await queuePayment(restored.database.db, {
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

  it('sets a deposit aside that it lacks, and money that may belong to it, until an operator decides', async () => {
    const restore = await backUp()
    const deposit = await agreed('deposit')
    await payOverRail(deposit)
    await settleAll(app.deps)

    const restored = await restore()
    await payOverRail(deposit, restored)
    await settleAll(restored)
    expect(bank.size).toBe(0)
    const incidents = await open(restored)
    expect(incidents.map(({ kind }) => kind).sort()).toEqual(['held-receipt', 'unrecorded-payment'])
    await expectJournalAgrees(restored)

    for (const { id } of incidents)
      await resolveByOperator(restored, id, 'operator:1', { resolution: 'found', outcome: 'applied' })
    await settleAll(restored)
    expect(bank.size).toBe(0)
    expect(await balanceOf(restored.database.db, 'suspense', 'asset')).toBe(0n)
    expect(await balanceOf(restored.database.db, 'suspense', 'INR')).toBe(0n)
    // Explained: money for nothing is returned again.
    await payOverRail(deposit, restored, 'bank-2')
    await settleAll(restored)
    expect([...bank.values()]).toHaveLength(1)
  })

  it('pays no withdrawal out again that the bank paid after that state', async () => {
    const withdrawal = await agreed('withdrawal')
    const restore = await backUp()
    await toAnchor('100', Memo.id(withdrawal.ledger_memo ?? ''))
    await settleAll(app.deps)
    expect(bank.size).toBe(1)

    const restored = await restore()
    await settleAll(restored)
    expect(bank.size).toBe(1)
    expect(await stateOf(restored, withdrawal)).toBe('paying_out')
    expect(await open(restored)).toEqual([])
    await expectJournalAgrees(restored)
  })

  it.each([
    ['refunds it when the bank paid nothing', 'not-applied', 1000],
    ['keeps it when the bank paid', 'applied', 900],
  ] as const)('sets a withdrawal aside that it lacks: an operator %s', async (_, outcome, left) => {
    const restore = await backUp()
    const withdrawal = await agreed('withdrawal')
    await toAnchor('100', Memo.id(withdrawal.ledger_memo ?? ''))
    if (outcome === 'applied') await settleAll(app.deps)

    const restored = await restore()
    await settleAll(restored)
    expect(Number(await holding())).toBe(900)
    const [incident, ...others] = await open(restored)
    expect(others).toEqual([])
    expect(incident).toMatchObject({ kind: 'held-receipt', details: { amount: '100' } })
    await expectJournalAgrees(restored)

    await expect(
      resolveByOperator(restored, incident?.id ?? '', 'operator:1', { resolution: 'looked' }),
    ).rejects.toThrow('applied or not-applied')
    await resolveByOperator(restored, incident?.id ?? '', 'operator:1', { resolution: 'looked', outcome })
    await settleAll(restored)
    expect(Number(await holding())).toBe(left)
    expect(await balanceOf(restored.database.db, 'suspense', 'asset')).toBe(0n)
    await expectJournalAgrees(restored)
  })

  it('refunds what an operator releases with the withdrawal’s refund memo', async () => {
    const withdrawal = await agreed('withdrawal')
    await app.deps.database.pool.query(
      "update transfers set refund_memo = 'exchange-7', refund_memo_type = 'text' where id = $1",
      [withdrawal.id],
    )
    const restore = await backUp()
    await toAnchor('30', Memo.id(withdrawal.ledger_memo ?? ''))
    const restored = await restore()
    await settleAll(restored)
    const [incident] = await open(restored)
    expect(incident).toMatchObject({ kind: 'held-receipt', details: { amount: '30' } })
    const decision = { resolution: 'looked', outcome: 'not-applied' } as const
    await resolveByOperator(restored, incident?.id ?? '', 'operator:1', decision)
    const { rows } = await restored.database.pool.query(
      "select memo, memo_type, amount from ledger_payments where purpose = 'refund'",
    )
    expect(rows).toEqual([{ memo: 'exchange-7', memo_type: 'text', amount: '30.0000000' }])
  })

  it('refunds no payment again that was refunded after that state', async () => {
    const restore = await backUp()
    await toAnchor('25')
    await settleAll(app.deps)
    expect(Number(await holding())).toBe(1000)

    const restored = await restore()
    await settleAll(restored)
    expect(Number(await holding())).toBe(1000)
    expect(await open(restored)).toEqual([])
    await expectJournalAgrees(restored)
  })

  it('refunds what comes after the restore at once', async () => {
    const restored = await (await backUp())()
    await restored.database.pool.query(
      `alter database ${new URL(restored.database.url).pathname.slice(1)} set windlass.restored_at = '2020-01-01T00:00:00Z'`,
    )
    const database = openDatabase<Tables>(restored.database.url, { name: 'later', max: 3 })
    later.unshift(() => database.close())
    await toAnchor('25')
    await settleAll({ ...restored, database })
    expect(Number(await holding())).toBe(1000)
  })
})

describe('two servers with the key of one account', () => {
  it('pay what is queued in both databases once', async () => {
    await payOverRail(await agreed('deposit'))
    const other = await (await backUp())()
    await Promise.all([settleAll(app.deps), settleAll(other)])
    for (const deps of [app.deps, other]) await settleAll(deps)
    expect(Number(await holding())).toBe(1100)
    for (const deps of [app.deps, other]) await expectJournalAgrees(deps)
  })

  it('report a payment that neither made', async () => {
    const payment = { asset: asset(), amount: '7', destination: customer.publicKey }
    await apply(app.distribution, Operation.payment(payment))
    await payOverRail(await agreed('deposit'))
    await settleAll(app.deps)
    expect(Number(await holding())).toBe(1107)
    expect(await open(app.deps)).toMatchObject([{ kind: 'unrecorded-payment', details: { amount: '7' } }])
    await expectJournalAgrees(app.deps)
  })
})
