import { Asset, Operation } from '@stellar/stellar-sdk/base'
import { muxedAccount } from '@windlass/stellar/addresses.ts'
import { createHorizon, type Horizon } from '@windlass/stellar/horizon.ts'
import { generateKey, type AccountKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asPlatform } from '../testing/as-platform.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { reclaimUnclaimed } from './claimable-balances.ts'
import { observePayments } from './observe.ts'
import { payQueued } from './pay.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'
import { reportUnproven } from './unproven.ts'
import { reportedBy } from '../testing/reported-by.ts'

let anchor: LedgerAnchor
beforeEach(async () => {
  anchor = await LedgerAnchor.start()
})
afterEach(() => anchor.stop())

/** A deposit of 100 whose money came over the rail: its payment is queued. */
async function paidDeposit(account: string): Promise<void> {
  const given = reportedBy(account, { amount_expected: { amount: '100' } })
  const { id } = await acceptTransaction(anchor.deps, given)
  const { rail, reference, fiat_amount, currency } = await confirm(anchor.deps, id)
  await receiveRailPayment(anchor.deps, rail, {
    kind: 'received',
    paymentId: randomUUID(),
    reference: reference ?? '',
    amount: fiat_amount ?? '',
    currency,
  })
}

async function cancelOffers(seller: AccountKey): Promise<void> {
  const answer = await fetch(`${anchor.network.url}/offers?seller=${seller.publicKey}`)
  const { _embedded } = (await answer.json()) as { _embedded: { records: OfferRecord[] } }
  const assetOf = ({ asset_type }: OfferRecord['selling']) =>
    asset_type === 'native' ? Asset.native() : anchor.asset
  const operations = _embedded.records.map(({ id, selling, buying }) =>
    Operation.manageSellOffer({
      selling: assetOf(selling),
      buying: assetOf(buying),
      amount: '0',
      price: '1',
      offerId: id,
    }),
  )
  await anchor.apply(seller, operations)
}

interface OfferRecord {
  id: string
  selling: { asset_type: string }
  buying: { asset_type: string }
}

const summaryOf = async () => {
  const headers = { 'x-service-secret': anchor.deps.config.secrets.summary }
  return (await anchor.app.server.app.inject({ url: '/admin/summary', headers })).json()
}

describe('payments on the ledger', () => {
  it('wait for XLM without a failed transaction, say how much is missing, and go out when it is there', async () => {
    await anchor.issue('4')
    await anchor.deps.database.pool.query(
      "insert into webhook_endpoints (url, secret, events) values ('http://localhost:1', 'whsec_x', '{*}')",
    )
    for (let count = 0; count < 6; count++) await anchor.queue(generateKey().publicKey, { claimable: true })
    await anchor.pay()
    const before = await anchor.transactions()
    await anchor.pay()
    await anchor.pay()
    expect(await anchor.transactions()).toBe(before)
    const { waiting: summary } = await summaryOf()
    expect(summary).toEqual({
      payments: expect.any(Number),
      reason: expect.stringMatching(/^needs [\d.]+ XLM$/),
      code: 'xlm',
      details: { missing: expect.stringMatching(/^[\d.]+$/) },
    })
    const waiting = (await anchor.payments()).filter(({ state }) => state === 'queued')
    expect(waiting.length).toBeGreaterThan(0)
    for (const { wait } of waiting)
      expect(wait).toEqual({ code: 'xlm', missing: expect.stringMatching(/^\d+(\.\d+)?$/) })
    const alerts = await anchor.rows<{ event: string }>('select event from webhook_deliveries')
    expect(alerts.filter(({ event }) => event === 'treasury.xlm_low')).toHaveLength(waiting.length)

    const topUp = { asset: Asset.native(), amount: '10', destination: anchor.distribution.publicKey }
    await anchor.apply(anchor.issuer, [Operation.payment(topUp)])
    await anchor.pay()
    expect((await anchor.payments()).map(({ state }) => state)).toEqual(Array(6).fill('paid'))
  })

  it('wait with the reason while the account cannot receive the asset', async () => {
    await anchor.issue()
    const [absent, without, full] = [generateKey(), generateKey(), generateKey()]
    for (const account of [without, full]) await anchor.fund(account)
    await anchor.apply(full, [Operation.changeTrust({ asset: anchor.asset, limit: '5' })])
    const before = await anchor.transactions()
    for (const { publicKey } of [absent, without, full]) await anchor.queue(publicKey)
    await anchor.pay()
    expect(await anchor.transactions()).toBe(before)
    expect((await anchor.payments()).map(({ wait }) => wait)).toEqual([
      { code: 'no-account', asset: 'MUMBAI' },
      { code: 'no-trustline', asset: 'MUMBAI' },
      { code: 'trustline-full', asset: 'MUMBAI' },
    ])
    await anchor.apply(full, [Operation.changeTrust({ asset: anchor.asset, limit: '50' })])
    await anchor.pay()
    expect((await anchor.payments()).map(({ state }) => state)).toEqual(['queued', 'queued', 'paid'])
  })

  it('wait while the account asks for a memo (SEP-29) and they have none, whatever they are for', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    const asks = (value: string | null) =>
      anchor.apply(customer, [Operation.manageData({ name: 'config.memo_required', value })])
    await asks('1')
    const before = await anchor.transactions()
    await anchor.queue(customer.publicKey)
    await anchor.queue(customer.publicKey, { claimable: true })
    await paidDeposit(customer.publicKey)
    for (let round = 0; round < 2; round++) await anchor.pay()
    expect(await anchor.transactions()).toBe(before)
    expect((await anchor.payments()).map(({ wait }) => wait?.code)).toEqual(Array(3).fill('memo-required'))
    expect(await anchor.rows("select state, message like '%SEP-29%' as told from transfers")).toEqual([
      { state: 'funded', told: true },
    ])
    expect(
      await anchor.rows("select 1 from platform_calls where method = 'notify_amounts_updated'"),
    ).toHaveLength(1)
    // A muxed address, and a memo, say whose the money is.
    const muxed = muxedAccount(customer.publicKey, '7')
    await anchor.queue(muxed)
    await anchor.queue(customer.publicKey, { memo: 'for me', memo_type: 'text' })
    await anchor.pay()
    expect(await anchor.transactions()).toBe(before + 2)
    await asks(null)
    await anchor.pay()
    expect((await anchor.payments()).map(({ state }) => state)).toEqual(Array(5).fill('paid'))
    expect(await anchor.rows('select state from transfers')).toEqual([{ state: 'completed' }])
  })

  it('of a deposit wait for the room that an open offer to buy takes, without a fee, and go out when it is canceled', async () => {
    await anchor.issue()
    const customer = generateKey()
    await anchor.fund(customer)
    await anchor.apply(customer, [
      Operation.changeTrust({ asset: anchor.asset, limit: '1000' }),
      Operation.manageBuyOffer({
        selling: Asset.native(),
        buying: anchor.asset,
        buyAmount: '950',
        price: '1',
      }),
    ])
    await paidDeposit(customer.publicKey)
    const before = await anchor.transactions()
    for (let round = 0; round < 3; round++) await anchor.pay()
    expect(await anchor.transactions()).toBe(before)
    expect(await anchor.rows('select state from transfers')).toEqual([{ state: 'awaiting_trust' }])
    expect(
      await anchor.rows(
        "select params->>'message' as reason from platform_calls where method = 'request_trust'",
      ),
    ).toEqual([
      { reason: 'The trustline cannot hold the amount. Raise its limit or cancel offers to buy MUMBAI.' },
    ])
    await cancelOffers(customer)
    await anchor.pay()
    expect(await anchor.rows('select state from transfers')).toEqual([{ state: 'completed' }])
    expect(await anchor.transactions()).toBe(before + 1)
  })

  it('of a deposit wait, without a fee, for what the anchor itself offers to sell', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await paidDeposit(customer.publicKey)
    const offer = { selling: anchor.asset, buying: Asset.native(), amount: '999950', price: '1' }
    await anchor.apply(anchor.distribution, [Operation.manageSellOffer(offer)])
    const before = await anchor.transactions()
    for (let round = 0; round < 3; round++) await anchor.pay()
    expect(await anchor.transactions()).toBe(before)
    expect(await anchor.payments()).toMatchObject([{ state: 'queued', wait: { code: 'treasury-short' } }])
    await cancelOffers(anchor.distribution)
    await anchor.pay()
    expect(await anchor.rows('select state from transfers')).toEqual([{ state: 'completed' }])
    expect(await anchor.transactions()).toBe(before + 2)
  })

  it('pay the fee that the network asks for, and none above the maximum', async () => {
    await anchor.network.setFaults({ baseFee: 20_000 })
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await anchor.queue(customer.publicKey)
    await anchor.pay({ config: { ...anchor.deps.config, maxFee: 15_000n } })
    expect((await anchor.payments())[0]).toMatchObject({
      state: 'queued',
      wait: {
        code: 'unavailable',
        error: expect.stringContaining(
          'charges 20000 stroops for an operation. The configured maximum is 15000',
        ),
      },
    })
    await anchor.pay()
    expect((await anchor.payments())[0]?.state).toBe('paid')
  })

  it('wait ever longer after the ledger refused them, so that no ledger charges a fee for each attempt', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    const stranger = generateKey()
    await anchor.fund(stranger)
    await anchor.queue(stranger.publicKey)
    // An answer from before the trustline was removed.
    const account: Horizon['account'] = id =>
      anchor.horizon.account(id === stranger.publicKey ? customer.publicKey : id)
    const deps = { ...anchor.deps, horizon: { ...anchor.horizon, account } }
    const pauses: number[] = []
    const made = await anchor.transactions()
    for (const attempts of [0, 1, 6]) {
      await anchor.deps.database.pool.query('update ledger_payments set attempts = $1', [attempts])
      await anchor.pay(deps)
      // Nothing is due.
      for (let closes = 0; closes < 3; closes++) {
        anchor.network.close()
        if (attempts === 6) await payQueued(deps)
      }
      const [row] = await anchor.rows<{ pause: string }>(
        'select extract(epoch from next_try_at - now()) as pause from ledger_payments',
      )
      pauses.push(Number(row?.pause))
    }
    expect(await anchor.transactions()).toBe(made + 3)
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b))
    expect(pauses[2]).toBeGreaterThan(3_000)
  })

  it('raise the fee of the same envelope when it was too low, and pay once', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await anchor.queue(customer.publicKey)
    await anchor.network.setFaults({ baseFee: 5_000 })
    const old = { ...anchor.horizon, feeStats: async () => ({ lastBaseFee: 100n, charged: 100n }) }
    await anchor.pay({ horizon: old })
    expect((await anchor.payments())[0]?.state).toBe('queued')
    await anchor.pay()
    expect((await anchor.payments())[0]?.state).toBe('paid')
    expect(await anchor.rows('select 1 from ledger_envelopes')).toHaveLength(1)
    expect(await anchor.held(customer)).toBe('1010.0000000')
  })
})

describe('a payment whose ledgers no Horizon has any more', () => {
  /** Signed, and its number used by another transaction, in history that is gone. */
  async function unproven(applied: boolean): Promise<{ customer: AccountKey; history: string }> {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await observePayments(anchor.deps)
    await anchor.queue(customer.publicKey)
    await anchor.payUntil('envelope:stored')
    const [{ xdr = '' } = {}] = await anchor.rows<{ xdr: string }>('select xdr from ledger_envelopes')
    if (applied) await anchor.horizon.submit(xdr)
    else await anchor.apply(anchor.distribution, [Operation.bumpSequence({ bumpTo: '0' })])
    anchor.network.advance(600_000)
    anchor.deps.clock = { now: () => new Date(Date.now() + 600_000) }
    return { customer, history: await anchor.forgetLedgers() }
  }
  const asOperator = (id: string, body: object) => {
    const headers = asPlatform(anchor.deps.config.secrets)
    const payload = { resolution: 'looked up', by: 'operator:usr_1', ...body }
    return anchor.app.server.app.inject({
      method: 'POST',
      url: `/admin/ledger-incidents/${id}/resolve`,
      headers,
      payload,
    })
  }

  it.each([
    ['applied', true, '-10', 'open'],
    // As the database alone says.
    ['applied', true, '-10', 'dead'],
    ['not-applied', false, '0', 'open'],
  ])(
    'waits for an operator, and is paid once when it was %s (%s, %s, %s)',
    async (outcome, applied, difference, state) => {
      const { customer } = await unproven(applied)
      const [payment] = await anchor.deps.database.db.selectFrom('ledger_payments').selectAll().execute()
      const report = async () => {
        // Once as the loop does it, which asks for some seconds.
        if (applied) await anchor.pay()
        else if (payment) await reportUnproven(anchor.deps, payment)
        return (await anchor.incidents()).length
      }
      await expect.poll(report).toBe(1)
      const [incident] = await anchor.incidents()
      expect(incident).toMatchObject({ kind: 'unproven-payment', resolved_at: null, details: { difference } })
      if (applied) expect((await anchor.payments())[0]?.wait).toEqual({ code: 'unproven' })
      expect(await anchor.rows('select 1 from ledger_envelopes')).toHaveLength(1)
      await anchor.rows(`update ledger_envelopes set state = '${state}'`)
      expect((await asOperator(incident?.id ?? '', {})).statusCode).toBe(400)
      expect((await asOperator(incident?.id ?? '', { outcome })).statusCode).toBe(200)
      expect((await asOperator(incident?.id ?? '', { outcome })).statusCode).toBe(404)
      await anchor.pay()
      expect((await anchor.payments())[0]).toMatchObject({ state: 'paid' })
      expect(await anchor.held(customer)).toBe('1010.0000000')
    },
    60_000,
  )

  it('is proven by a Horizon with full history, without an operator', async () => {
    const { customer, history } = await unproven(false)
    await anchor.pay({
      horizon: createHorizon(anchor.network, 'money', { historyUrl: history }),
      history: createHorizon({ ...anchor.network, url: history }),
    })
    expect((await anchor.payments())[0]).toMatchObject({ state: 'paid' })
    expect(await anchor.held(customer)).toBe('1010.0000000')
  })
})

describe('a claimable balance that nobody claims for 30 days', () => {
  const DAYS_31 = 31 * 24 * 60 * 60 * 1000
  const native = async () =>
    Number(
      (await anchor.horizon.account(anchor.distribution.publicKey))?.balances.find(
        ({ asset }) => asset === 'native',
      )?.balance,
    )
  const reserves = async () => (await anchor.horizon.account(anchor.distribution.publicKey))?.sponsoring
  const balances = () =>
    anchor.rows<{ id: string; state: string }>('select id, state from claimable_balances')

  async function unclaimed(): Promise<AccountKey> {
    await anchor.issue()
    const customer = generateKey()
    await anchor.fund(customer)
    await anchor.queue(customer.publicKey, { claimable: true })
    await anchor.pay()
    expect(await balances()).toMatchObject([{ state: 'open' }])
    expect(await reserves()).toBe(2)
    await reclaimUnclaimed(anchor.deps)
    expect(await anchor.payments()).toHaveLength(1)
    anchor.network.advance(DAYS_31)
    anchor.network.close()
    await anchor.deps.database.pool.query('update claimable_balances set next_look_at = now()')
    return customer
  }

  it('is taken back once, wherever the process dies, and paid to the account when it can receive it', async () => {
    const customer = await unclaimed()
    await reclaimUnclaimed(anchor.deps)
    const before = await anchor.transactions()
    for (const point of ['payment:taken', 'envelope:stored', 'envelope:applied', 'envelope:confirmed'])
      await anchor.payUntil(point)
    await anchor.pay()
    expect(await balances()).toMatchObject([{ state: 'reclaimed' }])
    expect(await reserves()).toBe(0)
    expect((await anchor.payments()).map(({ state, wait }) => [state, wait])).toEqual([
      ['paid', null],
      ['paid', null],
      ['queued', { code: 'no-trustline', asset: 'MUMBAI' }],
    ])
    await anchor.apply(customer, [Operation.changeTrust({ asset: anchor.asset })])
    await anchor.pay()
    expect(await anchor.held(customer)).toBe('10.0000000')
    expect(await anchor.transactions()).toBe(before + 2)
    expect(await native()).toBeGreaterThan(9_999)
    expect(await anchor.rows('select 1 from reservations')).toEqual([])
    expect(await anchor.rows('select 1 from ledger_payments where fee_charged is null')).toEqual([])
  })

  it('stays the customer’s who claims it late, but first', async () => {
    const customer = await unclaimed()
    const [{ id = '' } = {}] = await balances()
    const operations = [
      Operation.changeTrust({ asset: anchor.asset }),
      Operation.claimClaimableBalance({ balanceId: id }),
    ]
    await anchor.apply(customer, operations)
    const before = await anchor.transactions()
    await reclaimUnclaimed(anchor.deps)
    await anchor.pay()
    expect(await balances()).toMatchObject([{ state: 'claimed' }])
    expect((await anchor.payments()).map(({ state }) => state)).toEqual(['paid', 'canceled'])
    expect(await anchor.transactions()).toBe(before)
  })
})
