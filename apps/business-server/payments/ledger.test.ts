import { Account, Asset, Memo, Operation, TransactionBuilder, type xdr } from '@stellar/stellar-sdk/base'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { formatAmount } from '@windlass/money/amount.ts'
import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { createHorizon, type Horizon } from '@windlass/stellar/horizon.ts'
import { issueAsset } from '@windlass/stellar/issuing.ts'
import { generateKey, seedSigner, signTransaction, type AccountKey } from '@windlass/stellar/keys.ts'
import { memoryEnvelopes } from '@windlass/stellar/testing/memory-envelopes.ts'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { balanceOf } from '../journal/journal.ts'
import { startBusinessApp, type BusinessApp } from '../testing/business-app.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { reclaimUnclaimed } from './claimable-balances.ts'
import { queuePayment } from './ledger-payments.ts'
import { resolveIncident } from './incidents.ts'
import { listenForPayments, observePayments } from './observe.ts'
import { payQueued } from './pay.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'
import { reportUnproven } from './unproven.ts'

let network: LocalNetwork
/** How far the ledger's time is ahead, in milliseconds. */
let ahead: number
let horizon: Horizon
let app: BusinessApp
beforeEach(async () => {
  ahead = 0
  network = await startLocalNetwork({ closeEvery: 40, adminPort: 0, clock: () => Date.now() + ahead })
  horizon = createHorizon(network.url)
  app = await startBusinessApp({ horizon })
})
afterEach(async () => {
  await app.close()
  await network.stop()
})

const distribution = (): AccountKey => app.distribution
const asset = () => new Asset('MUMBAI', app.issuer.publicKey)

/** A transaction of one account, applied. */
async function apply(
  source: AccountKey,
  operations: xdr.Operation[],
  memo: Memo = Memo.none(),
): Promise<void> {
  const account = await horizon.account(source.publicKey)
  const builder = new TransactionBuilder(new Account(source.publicKey, account?.sequence ?? '0'), {
    fee: '100000',
    networkPassphrase: network.passphrase,
    memo,
  }).setTimeout(0)
  for (const operation of operations) builder.addOperation(operation)
  const transaction = builder.build()
  signTransaction(transaction, source.secret)
  expect(await horizon.submit(transaction.toXdr())).toEqual({ outcome: 'applied' })
}

/** The anchor's accounts, the distribution account with this much XLM, or friendbot's. */
async function raiseAnchor(xlm?: string): Promise<void> {
  await fundFromFaucet(network.friendbotUrl, horizon, app.issuer.publicKey)
  if (xlm === undefined) await fundFromFaucet(network.friendbotUrl, horizon, distribution().publicKey)
  else {
    const operation = Operation.createAccount({ destination: distribution().publicKey, startingBalance: xlm })
    await apply(app.issuer, [operation])
  }
  await issueAsset({
    horizon,
    networkPassphrase: network.passphrase,
    store: memoryEnvelopes(),
    issuer: seedSigner(app.issuer.secret),
    distribution: seedSigner(distribution().secret),
    assetCode: 'MUMBAI',
    amount: '1000000',
    homeDomain: 'mumbai.anchors.localhost',
    reference: 'anchor',
  })
}

/** A customer who holds 1,000 of the asset. */
async function customerWithAsset(): Promise<AccountKey> {
  const customer = generateKey()
  await fundFromFaucet(network.friendbotUrl, horizon, customer.publicKey)
  await apply(customer, [Operation.changeTrust({ asset: asset() })])
  const payment = { asset: asset(), amount: '1000', destination: customer.publicKey }
  await apply(app.issuer, [Operation.payment(payment)])
  return customer
}

const sendBack = (from: AccountKey, amount: string, memo: Memo = Memo.none()) =>
  apply(from, [Operation.payment({ asset: asset(), amount, destination: distribution().publicKey })], memo)

const queue = (destination: string, more: { claimable?: boolean; amount?: string } = {}) =>
  queuePayment(app.deps.database.db, {
    cause: `test:${randomUUID()}`,
    transfer_id: null,
    purpose: 'refund',
    destination,
    amount: '10',
    memo: null,
    memo_type: null,
    claimable: false,
    ...more,
  })

async function withdrawalWithMemo(memo: string): Promise<string> {
  const id = randomUUID()
  await app.deps.database.pool.query(
    `insert into transfers (id, sep, direction, state, account, stellar_account, rail, currency, ledger_memo, destination)
     values ($1, '24', 'withdrawal', 'awaiting_funds', $2, $2, 'UPI', 'INR', $3, '{}')`,
    [id, app.issuer.publicKey, memo],
  )
  return id
}

/** A deposit of 100 whose money came over the rail: its payment is queued. */
async function paidDeposit(account: string): Promise<void> {
  const { id } = await acceptTransaction(app.deps, {
    id: randomUUID(),
    sep: '24',
    kind: 'deposit',
    status: 'incomplete',
    amount_expected: { amount: '100' },
    started_at: '',
    updated_at: '',
    destination_account: account,
    creator: { account },
    customers: { sender: { account } },
    claimable_balance_supported: false,
  })
  const { rail, reference, fiat_amount, currency } = await confirm(app.deps, id)
  await receiveRailPayment(app.deps, rail, {
    kind: 'received',
    paymentId: randomUUID(),
    reference: reference ?? '',
    amount: fiat_amount ?? '',
    currency,
  })
}

async function cancelOffers(seller: AccountKey): Promise<void> {
  const answer = await fetch(`${network.url}/offers?seller=${seller.publicKey}`)
  const { _embedded } = (await answer.json()) as { _embedded: { records: OfferRecord[] } }
  const assetOf = ({ asset_type }: OfferRecord['selling']) =>
    asset_type === 'native' ? Asset.native() : asset()
  const operations = _embedded.records.map(({ id, selling, buying }) =>
    Operation.manageSellOffer({
      selling: assetOf(selling),
      buying: assetOf(buying),
      amount: '0',
      price: '1',
      offerId: id,
    }),
  )
  await apply(seller, operations)
}

interface OfferRecord {
  id: string
  selling: { asset_type: string }
  buying: { asset_type: string }
}

/** Payments of the distribution account to an account. */
async function paymentsTo(account: string): Promise<{ records: Record<string, string>[] }> {
  const answer = await fetch(`${network.url}/accounts/${account}/payments?limit=200`)
  const { _embedded } = (await answer.json()) as { _embedded: { records: Record<string, string>[] } }
  return { records: _embedded.records.filter(({ from }) => from === distribution().publicKey) }
}

async function rows<Row extends object>(sql: string): Promise<Row[]> {
  return (await app.deps.database.pool.query<Row>(sql)).rows
}
const payments = () =>
  rows<{ state: string; waits_for: string | null; attempts: number }>(
    'select state, waits_for, attempts from ledger_payments order by created_at',
  )
const pay = async (deps = app.deps): Promise<void> => {
  await app.deps.database.pool.query('update ledger_payments set next_try_at = now()')
  await payQueued(deps)
}
/** Transactions of the distribution account, failed ones too. */
const transactions = async () => (await horizon.transactionsOf(distribution().publicKey)).length
const incidents = () =>
  rows<{
    kind: string
    message: string
    resolved_at: Date | null
    id: string
    details: Record<string, unknown>
  }>('select * from ledger_incidents order by found_at')
const summaryOf = async () => {
  const headers = { 'x-service-secret': app.deps.config.secrets.summary }
  return (await app.server.app.inject({ url: '/admin/summary', headers })).json()
}
const observer = async () => {
  const health = await app.server.app.inject({ url: '/health' })
  return health.json().checks.observer
}

describe('payments on the ledger', () => {
  it('wait for XLM without a failed transaction, say how much is missing, and go out when it is there', async () => {
    await raiseAnchor('4')
    await app.deps.database.pool.query(
      "insert into webhook_endpoints (url, secret, events) values ('http://localhost:1', 'whsec_x', '{*}')",
    )
    for (let count = 0; count < 6; count++) await queue(generateKey().publicKey, { claimable: true })
    await pay()
    const before = await transactions()
    await pay()
    await pay()
    expect(await transactions()).toBe(before)
    const { waiting: summary } = await summaryOf()
    expect(summary).toEqual({
      payments: expect.any(Number),
      reason: expect.stringMatching(/^needs [\d.]+ XLM$/),
    })
    const waiting = (await payments()).filter(({ state }) => state === 'queued')
    expect(waiting.length).toBeGreaterThan(0)
    for (const { waits_for } of waiting) expect(waits_for).toMatch(/^needs \d+(\.\d+)? XLM$/)
    const alerts = await rows<{ event: string }>('select event from webhook_deliveries')
    expect(alerts.filter(({ event }) => event === 'treasury.xlm_low')).toHaveLength(waiting.length)

    const topUp = { asset: Asset.native(), amount: '10', destination: distribution().publicKey }
    await apply(app.issuer, [Operation.payment(topUp)])
    await pay()
    expect((await payments()).map(({ state }) => state)).toEqual(Array(6).fill('paid'))
  })

  it('wait with the reason while the account cannot receive the asset', async () => {
    await raiseAnchor()
    const [absent, without, full] = [generateKey(), generateKey(), generateKey()]
    for (const { publicKey } of [without, full])
      await fundFromFaucet(network.friendbotUrl, horizon, publicKey)
    await apply(full, [Operation.changeTrust({ asset: asset(), limit: '5' })])
    const before = await transactions()
    for (const { publicKey } of [absent, without, full]) await queue(publicKey)
    await pay()
    expect(await transactions()).toBe(before)
    expect((await payments()).map(({ waits_for }) => waits_for)).toEqual([
      'The account does not exist. Create it and add a trustline for MUMBAI to receive it.',
      'Trustline missing. Add a trustline for MUMBAI to receive it.',
      'The trustline cannot hold the amount. Raise its limit or cancel offers to buy MUMBAI.',
    ])
    await apply(full, [Operation.changeTrust({ asset: asset(), limit: '50' })])
    await pay()
    expect((await payments()).map(({ state }) => state)).toEqual(['queued', 'queued', 'paid'])
  })

  it('of a deposit wait for the room that an open offer to buy takes, without a fee, and go out when it is canceled', async () => {
    await raiseAnchor()
    const customer = generateKey()
    await fundFromFaucet(network.friendbotUrl, horizon, customer.publicKey)
    await apply(customer, [
      Operation.changeTrust({ asset: asset(), limit: '1000' }),
      Operation.manageBuyOffer({ selling: Asset.native(), buying: asset(), buyAmount: '950', price: '1' }),
    ])
    await paidDeposit(customer.publicKey)
    const before = await transactions()
    for (let round = 0; round < 3; round++) await pay()
    expect(await transactions()).toBe(before)
    expect(await rows('select state from transfers')).toEqual([{ state: 'awaiting_trust' }])
    expect(
      await rows("select params->>'message' as reason from platform_calls where method = 'request_trust'"),
    ).toEqual([
      { reason: 'The trustline cannot hold the amount. Raise its limit or cancel offers to buy MUMBAI.' },
    ])
    await cancelOffers(customer)
    await pay()
    expect(await rows('select state from transfers')).toEqual([{ state: 'completed' }])
    expect(await transactions()).toBe(before + 1)
  })

  it('of a deposit wait, without a fee, for what the anchor itself offers to sell', async () => {
    await raiseAnchor()
    const customer = await customerWithAsset()
    await paidDeposit(customer.publicKey)
    const offer = { selling: asset(), buying: Asset.native(), amount: '999950', price: '1' }
    await apply(distribution(), [Operation.manageSellOffer(offer)])
    const before = await transactions()
    for (let round = 0; round < 3; round++) await pay()
    expect(await transactions()).toBe(before)
    expect(await payments()).toMatchObject([
      { state: 'queued', waits_for: expect.stringContaining('cannot pay out this amount at the moment') },
    ])
    await cancelOffers(distribution())
    await pay()
    expect(await rows('select state from transfers')).toEqual([{ state: 'completed' }])
    expect(await transactions()).toBe(before + 2)
  })

  it('pay the fee that the network asks for, and none above the maximum', async () => {
    await network.setFaults({ baseFee: 20_000 })
    await raiseAnchor()
    const customer = await customerWithAsset()
    await queue(customer.publicKey)
    await pay({ ...app.deps, config: { ...app.deps.config, maxFee: 15_000n } })
    expect((await payments())[0]).toMatchObject({
      state: 'queued',
      waits_for: expect.stringContaining(
        'charges 20000 stroops for an operation. The configured maximum is 15000',
      ),
    })
    await pay()
    expect((await payments())[0]?.state).toBe('paid')
  })

  it('raise the fee of the same envelope when it was too low, and pay once', async () => {
    await raiseAnchor()
    const customer = await customerWithAsset()
    await queue(customer.publicKey)
    await network.setFaults({ baseFee: 5_000 })
    const old = { ...horizon, feeStats: async () => ({ lastBaseFee: 100n, charged: 100n }) }
    await pay({ ...app.deps, horizon: old })
    expect((await payments())[0]?.state).toBe('queued')
    await pay()
    expect((await payments())[0]?.state).toBe('paid')
    expect(await rows('select 1 from ledger_envelopes')).toHaveLength(1)
    const held = (await horizon.account(customer.publicKey))?.balances.find(({ asset }) => asset !== 'native')
    expect(held?.balance).toBe('1010.0000000')
  }, 30_000)
})

describe('a payment whose ledgers no Horizon has any more', () => {
  /** Signed, and its number used by another transaction, in history that is gone. */
  async function unproven(applied: boolean): Promise<AccountKey> {
    await raiseAnchor()
    const customer = await customerWithAsset()
    await observePayments(app.deps)
    await queue(customer.publicKey)
    const faults = {
      at: (point: string) => {
        if (point === 'envelope:stored') throw new Error('the process died')
      },
    }
    await pay({ ...app.deps, faults })
    const [{ xdr = '' } = {}] = await rows<{ xdr: string }>('select xdr from ledger_envelopes')
    if (applied) await horizon.submit(xdr)
    else await apply(distribution(), [Operation.bumpSequence({ bumpTo: '0' })])
    ahead = 600_000
    for (let count = 0; count < 260; count++) network.close()
    await network.setFaults({ instances: { main: { retention: { ledgers: 250 } } } })
    return customer
  }
  const held = async ({ publicKey }: AccountKey) =>
    (await horizon.account(publicKey))?.balances.find(({ asset }) => asset !== 'native')?.balance
  const asOperator = (id: string, body: object) => {
    const headers = { 'x-service-secret': app.deps.config.secrets.summary }
    const payload = { resolution: 'looked up', by: 'operator:usr_1', ...body }
    return app.server.app.inject({
      method: 'POST',
      url: `/admin/ledger-incidents/${id}/resolve`,
      headers,
      payload,
    })
  }

  it.each([
    ['applied', true, '-10'],
    ['not-applied', false, '0'],
  ])(
    'waits for an operator, and is paid once when it was %s',
    async (outcome, applied, difference) => {
      const customer = await unproven(applied)
      const [payment] = await app.deps.database.db.selectFrom('ledger_payments').selectAll().execute()
      const report = async () => {
        // Once as the loop does it, which asks for some seconds.
        if (applied) await pay()
        else if (payment) await reportUnproven(app.deps, payment)
        return (await incidents()).length
      }
      await expect.poll(report, { timeout: 50_000 }).toBe(1)
      const [incident] = await incidents()
      expect(incident).toMatchObject({ kind: 'unproven-payment', resolved_at: null, details: { difference } })
      if (applied) expect((await payments())[0]?.waits_for).toContain('An operator must say')
      expect(await rows('select 1 from ledger_envelopes')).toHaveLength(1)
      expect((await asOperator(incident?.id ?? '', {})).statusCode).toBe(400)
      expect((await asOperator(incident?.id ?? '', { outcome })).statusCode).toBe(200)
      expect((await asOperator(incident?.id ?? '', { outcome })).statusCode).toBe(404)
      await pay()
      expect((await payments())[0]).toMatchObject({ state: 'paid' })
      expect(await held(customer)).toBe('1010.0000000')
    },
    60_000,
  )

  it('is proven by a Horizon with full history, without an operator', async () => {
    const customer = await unproven(false)
    const { instances } = await network.setFaults({
      instances: { main: { retention: { ledgers: 250 } }, full: {} },
    })
    const full = createHorizon(network.url, 'money', instances.full?.url)
    await pay({ ...app.deps, horizon: full, history: createHorizon(instances.full?.url ?? '') })
    expect((await payments())[0]).toMatchObject({ state: 'paid' })
    expect(await held(customer)).toBe('1010.0000000')
  })
})

describe('a claimable balance that nobody claims for 30 days', () => {
  const DAYS_31 = 31 * 24 * 60 * 60 * 1000
  const native = async () =>
    Number(
      (await horizon.account(distribution().publicKey))?.balances.find(({ asset }) => asset === 'native')
        ?.balance,
    )
  const reserves = async () => (await horizon.account(distribution().publicKey))?.sponsoring
  const balances = () => rows<{ id: string; state: string }>('select id, state from claimable_balances')

  async function unclaimed(): Promise<AccountKey> {
    await raiseAnchor()
    const customer = generateKey()
    await fundFromFaucet(network.friendbotUrl, horizon, customer.publicKey)
    await queue(customer.publicKey, { claimable: true })
    await pay()
    expect(await balances()).toMatchObject([{ state: 'open' }])
    expect(await reserves()).toBe(2)
    await reclaimUnclaimed(app.deps)
    expect(await payments()).toHaveLength(1)
    ahead = DAYS_31
    network.close()
    await app.deps.database.pool.query('update claimable_balances set next_look_at = now()')
    return customer
  }

  it('is taken back once, wherever the process dies, and paid to the account when it can receive it', async () => {
    const customer = await unclaimed()
    await reclaimUnclaimed(app.deps)
    const before = await transactions()
    for (const point of ['payment:taken', 'envelope:stored', 'envelope:applied', 'envelope:confirmed']) {
      const at = (name: string) => {
        if (name === point) throw new Error('the process died')
      }
      await pay({ ...app.deps, faults: { at } })
    }
    await pay()
    expect(await balances()).toMatchObject([{ state: 'reclaimed' }])
    expect(await reserves()).toBe(0)
    expect((await payments()).map(({ state, waits_for }) => [state, waits_for])).toEqual([
      ['paid', null],
      ['paid', null],
      ['queued', 'Trustline missing. Add a trustline for MUMBAI to receive it.'],
    ])
    await apply(customer, [Operation.changeTrust({ asset: asset() })])
    await pay()
    const held = (await horizon.account(customer.publicKey))?.balances.find(({ asset }) => asset !== 'native')
    expect(held?.balance).toBe('10.0000000')
    expect(await transactions()).toBe(before + 2)
    expect(await native()).toBeGreaterThan(9_999)
    expect(await rows('select 1 from reservations')).toEqual([])
    expect(await rows('select 1 from ledger_payments where fee_charged is null')).toEqual([])
  })

  it('stays the customer’s who claims it late, but first', async () => {
    const customer = await unclaimed()
    const [{ id = '' } = {}] = await balances()
    const operations = [
      Operation.changeTrust({ asset: asset() }),
      Operation.claimClaimableBalance({ balanceId: id }),
    ]
    await apply(customer, operations)
    const before = await transactions()
    await reclaimUnclaimed(app.deps)
    await pay()
    expect(await balances()).toMatchObject([{ state: 'claimed' }])
    expect((await payments()).map(({ state }) => state)).toEqual(['paid', 'canceled'])
    expect(await transactions()).toBe(before)
  })
})

describe('what came by mistake', () => {
  const receipts = () =>
    rows<{ outcome: string; amount: string; asset: string | null }>(
      "select outcome, amount::text, asset from ledger_receipts where why <> 'the anchor''s own' order by id::bigint",
    )

  it('goes back: XLM with the memo of a withdrawal, which stays open; other XLM is a top-up', async () => {
    await raiseAnchor()
    const customer = await customerWithAsset()
    const id = await withdrawalWithMemo('777')
    const xlm = (amount: string, memo: Memo) => {
      const payment = { asset: Asset.native(), amount, destination: distribution().publicKey }
      return apply(customer, [Operation.payment(payment)], memo)
    }
    await xlm('3', Memo.id('777'))
    await xlm('0.001', Memo.id('777'))
    await xlm('50', Memo.none())
    await observePayments(app.deps)
    expect(await receipts()).toEqual([
      { outcome: 'returned', amount: '3.0000000', asset: 'native' },
      { outcome: 'kept', amount: '0.0010000', asset: 'native' },
      { outcome: 'ignored', amount: '50.0000000', asset: 'native' },
    ])
    await pay()
    const { records } = await paymentsTo(customer.publicKey)
    expect(records).toMatchObject([{ asset_type: 'native', amount: '3.0000000' }])
    expect(await rows(`select state from transfers where id = '${id}'`)).toEqual([
      { state: 'awaiting_funds' },
    ])
    expect(await rows('select 1 from reservations')).toEqual([])
  })

  it('stays where it is less than a refund is worth, however often it comes', async () => {
    await raiseAnchor()
    const customer = await customerWithAsset()
    await withdrawalWithMemo('778')
    for (const memo of [Memo.none(), Memo.id('778'), Memo.id('778')])
      await sendBack(customer, '0.0099999', memo)
    await sendBack(customer, '0.01')
    await observePayments(app.deps)
    expect((await receipts()).map(({ outcome }) => outcome)).toEqual(['kept', 'kept', 'kept', 'returned'])
    expect(await payments()).toHaveLength(1)
    expect(await rows('select state from transfers')).toEqual([{ state: 'awaiting_funds' }])
  })
})

describe('the observer', () => {
  it('reads on, whatever bytes a memo holds', async () => {
    await raiseAnchor()
    const customer = await customerWithAsset()
    await sendBack(customer, '1', Memo.text('A\0B'))
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 28 }), async bytes => {
        await sendBack(customer, '1', Memo.text(Buffer.from(bytes)))
      }),
      { numRuns: 15 },
    )
    for (const bytes of [[0xff], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80]])
      await sendBack(customer, '1', Memo.text(Buffer.from(bytes)))
    await sendBack(customer, '2')
    await observePayments(app.deps)
    const outcomes = await rows<{ outcome: string; amount: string }>(
      "select outcome, amount from ledger_receipts where outcome <> 'ignored' order by id::bigint",
    )
    expect(outcomes).toHaveLength(21)
    expect(outcomes.every(({ outcome }) => outcome === 'returned')).toBe(true)
    expect(outcomes.at(-1)?.amount).toBe('2.0000000')
    expect(await incidents()).toEqual([])
  }, 30_000)

  it('reads on, whatever text any part of a record holds', async () => {
    await raiseAnchor()
    const customer = await customerWithAsset()
    await sendBack(customer, '2')
    const { publicKey: to } = distribution()
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
      asset_issuer: fc.oneof(text, fc.constant(app.issuer.publicKey)),
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
      const real = await horizon.paymentsOf(account, cursor)
      return real.length > 0 ? [...(strange as typeof real), ...real] : real
    }
    const deps = { ...app.deps, routineHorizon: { ...horizon, paymentsOf } }
    await observePayments(deps)
    await observePayments(deps)
    expect(
      await rows("select outcome from ledger_receipts where amount = 2 and outcome = 'returned'"),
    ).toHaveLength(1)
    const open = (await incidents()).filter(({ resolved_at }) => resolved_at === null)
    expect(open.every(({ kind }) => kind === 'unreadable-payment')).toBe(true)
    expect(open.length).toBeGreaterThan(0)
    const { checks } = (await app.server.app.inject({ url: '/health' })).json()
    expect(checks).toMatchObject({ observer: 'ok' })
  }, 30_000)

  it('sets aside a payment that it cannot process, reads the next one, and processes it later', async () => {
    await raiseAnchor()
    const customer = await customerWithAsset()
    await app.deps.database.pool.query(`
      create function refuse_three() returns trigger language plpgsql as
        $$ begin if new.amount = 3 then raise 'three'; end if; return new; end $$;
      create trigger refuse_three before insert on ledger_receipts for each row execute function refuse_three()`)
    await sendBack(customer, '3')
    await sendBack(customer, '4')
    await observePayments(app.deps)
    const received = () =>
      rows<{ amount: string }>(
        "select amount::text from ledger_receipts where outcome = 'returned' order by amount",
      )
    expect(await received()).toEqual([{ amount: '4.0000000' }])
    expect(await incidents()).toMatchObject([{ kind: 'unreadable-payment', resolved_at: null }])

    await app.deps.database.pool.query('drop trigger refuse_three on ledger_receipts')
    await app.deps.database.pool.query(
      "update ledger_incidents set next_try_at = now() - interval '1 second'",
    )
    await observePayments(app.deps)
    expect(await received()).toEqual([{ amount: '3.0000000' }, { amount: '4.0000000' }])
    expect(await incidents()).toMatchObject([{ resolved_at: expect.any(Date) }])
  })

  it('names the amount that came in ledgers which Horizon no longer has, and is unhealthy until it is resolved', async () => {
    await raiseAnchor()
    const customer = await customerWithAsset()
    await sendBack(customer, '7')
    await observePayments(app.deps)
    await pay()
    expect(await observer()).toBe('ok')

    await sendBack(customer, '25')
    for (let count = 0; count < 260; count++) network.close()
    await network.setFaults({ instances: { main: { retention: { ledgers: 250 } } } })
    // As after a restart.
    await observePayments({ ...app.deps })
    await sendBack(customer, '5')
    await observePayments(app.deps)
    await pay()
    await observePayments(app.deps)
    const [gap] = await incidents()
    expect(gap).toMatchObject({ kind: 'history-gap', resolved_at: null, details: { difference: '25' } })
    expect(gap?.message).toContain('25 MUMBAI more than recorded')
    expect(await observer()).toBe('unavailable')

    await app.deps.database.db
      .transaction()
      .execute(tx => resolveIncident(tx, gap?.id ?? '', 'key', 'returned by hand'))
    expect(formatAmount(await balanceOf(app.deps.database.db, 'suspense', 'asset'))).toBe('-25')
    await observePayments({ ...app.deps })
    expect(await observer()).toBe('ok')
    expect(await incidents()).toHaveLength(1)
  })

  it('misses nothing where a Horizon with full history is configured', async () => {
    await raiseAnchor()
    const customer = await customerWithAsset()
    await observePayments(app.deps)
    await sendBack(customer, '25')
    for (let count = 0; count < 260; count++) network.close()
    const { instances } = await network.setFaults({
      instances: { main: { retention: { ledgers: 250 } }, full: {} },
    })
    const history = createHorizon(instances.full?.url ?? '')
    await observePayments({ ...app.deps, history })
    expect(await rows("select 1 from ledger_receipts where outcome = 'returned'")).toHaveLength(1)
    expect(await incidents()).toEqual([])
  })

  it('starts over when the network was reset, sees payments again, and says what happens to open transfers', async () => {
    await raiseAnchor()
    const customer = await customerWithAsset()
    await sendBack(customer, '7')
    await observePayments(app.deps)
    await pay()
    await queue(customer.publicKey)
    const faults = {
      at: (point: string) => {
        if (point === 'envelope:stored') throw new Error('the process died')
      },
    }
    await pay({ ...app.deps, faults })
    network.reset()
    await raiseAnchor()
    const again = await customerWithAsset()
    await sendBack(again, '9')
    await queue(again.publicKey)
    // The new chain may have as many ledgers by now: the chain is checked as after a pause.
    await observePayments({ ...app.deps })
    for (let round = 0; round < 2; round++) await observePayments(app.deps)
    expect(await incidents()).toMatchObject([
      {
        kind: 'network-reset',
        resolved_at: expect.any(Date),
        details: {
          position: { account: distribution().publicKey, to: 0 },
          envelopes: [{ hash: expect.any(String), result: expect.stringContaining('signed again') }],
          transfers: [],
        },
      },
    ])
    const receipts = await rows<{ amount: string }>(
      "select amount::text from ledger_receipts where outcome = 'returned' and id ~ '^[0-9]+$'",
    )
    expect(receipts).toEqual([{ amount: '9.0000000' }])
    await pay()
    // The second customer's account is gone with the old chain.
    expect((await payments()).map(({ state }) => state)).toEqual(['paid', 'queued', 'paid', 'paid'])
    expect(await observer()).toBe('ok')
  })

  it.each<[string, (outgrow: () => Promise<void>) => Promise<void>]>([
    [
      'its stream was connected again',
      async outgrow => {
        await outgrow()
        app.deps.config.anchor.network.horizonUrl = network.url
        let wakes = 0
        const stream = listenForPayments(app.deps, () => wakes++)
        await expect.poll(() => wakes).toBeGreaterThan(0)
        stream.stop()
      },
    ],
    [
      'half a minute of ledgers lies between two reads',
      async outgrow => {
        ahead = 31_000
        await outgrow()
      },
    ],
    [
      'a read failed',
      async outgrow => {
        const { routineHorizon } = app.deps
        app.deps.routineHorizon = { ...routineHorizon, head: () => Promise.reject(new Error('no answer')) }
        await expect(observePayments(app.deps)).rejects.toThrow('no answer')
        app.deps.routineHorizon = routineHorizon
        await outgrow()
      },
    ],
  ])(
    'proves a reset though the new chain has outgrown the old one, when %s',
    async (_, meanwhile) => {
      await raiseAnchor()
      await observePayments(app.deps)
      await meanwhile(async () => {
        const old = network.latestLedger
        expect((await fetch(`${network.adminUrl}/reset`, { method: 'POST' })).status).toBe(204)
        await raiseAnchor()
        await sendBack(await customerWithAsset(), '9')
        while (network.latestLedger < old + 3) network.close()
      })
      await observePayments(app.deps)
      await observePayments(app.deps)
      expect(await incidents()).toMatchObject([{ kind: 'network-reset' }])
      expect(await rows("select amount::text from ledger_receipts where outcome = 'returned'")).toEqual([
        { amount: '9.0000000' },
      ])
    },
    60_000,
  )
})
