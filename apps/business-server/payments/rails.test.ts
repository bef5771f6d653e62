import type { PlatformTransaction } from '@windlass/contracts/anchor/anchor-platform.ts'
import { signWebhook } from '@windlass/service/outbound/webhooks.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { bindEarlierOrders } from './bound-orders.ts'
import { sendOrders } from './rail-orders.ts'
import { receiveReport } from './receive-report.ts'
import { settleOrder } from './settle-order.ts'
import { receiveUnits } from '../testing/receive-units.ts'
import { readFxRates } from '@windlass/service/process/fixed-rates.ts'
import type { Rail } from '../rails/rail.ts'
import type { Transfer } from '../tables.ts'
import { amountOf, formatAmount } from '@windlass/money/amount.ts'
import fc from 'fast-check'
import { payDeposit } from '../transfers/sandbox/pay-deposit.ts'
import { type BusinessApp, startBusinessApp } from '../testing/business-app.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { changeDestination, continueTransfer } from '../transfers/continue.ts'
import { openDestination, sealedDestinations } from '../transfers/destination.ts'
import { findTransfer } from '../transfers/find.ts'
import { addEndpoint } from '../outgoing/webhooks/endpoints.ts'
import { rotate, withNewerKey } from '../testing/newer-key.ts'
import { reportedBy } from '../testing/reported-by.ts'

let app: BusinessApp
const known = { customerId: 'cus_1', status: 'ACCEPTED' as const, walletVerified: true }
beforeAll(async () => {
  const ledger: UnreliableNetwork = new UnreliableNetwork({
    asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`,
  })
  app = await startBusinessApp({ horizon: ledger }, { fx: { INR: '88.50', EUR: '0.92' } })
  app.deps.customerRegistry.byWallet = async () => known
})
afterAll(() => app.close())

const wallet = generateKey().publicKey
async function begin(over: Partial<PlatformTransaction>) {
  return acceptTransaction(app.deps, reportedBy(wallet, over))
}
const read = async (id: string) => {
  const found = await findTransfer(app.deps.database.db, id)
  if (!found) throw new Error('gone')
  return found
}

const destinationOf = (transfer: Parameters<typeof openDestination>[1]) =>
  openDestination(app.deps.sealer, transfer)
/** A customer's payment to the anchor. */
describe('a rail’s webhook', () => {
  const send = (rail: string, body: string, headers: Record<string, string>) =>
    app.server.app.inject({
      method: 'POST',
      url: `/api/v1/rails/${rail}/webhook`,
      payload: body,
      headers: { 'content-type': 'application/json', ...headers },
    })
  const secretOf = (rail: string) => app.deps.config.rails.get(rail)?.webhookSecrets[0] ?? ''
  const signed = (rail: string, body: string, secret = secretOf(rail)) =>
    send(rail, body, signWebhook(secret, randomUUID(), body, app.deps.clock.now()))

  it('is believed with that rail’s signature alone', async () => {
    const { id } = await begin({})
    const { reference, fiat_amount } = await confirm(app.deps, id)
    const body = JSON.stringify({
      type: 'payment.received',
      paymentId: randomUUID(),
      reference,
      amount: fiat_amount,
    })
    expect((await send('UPI', body, {})).statusCode).toBe(401)
    expect((await signed('UPI', body, secretOf('SEPA'))).statusCode).toBe(401)
    expect((await signed('GIRO', body, secretOf('UPI'))).statusCode).toBe(404)
    expect((await read(id)).state).toBe('awaiting_funds')
    expect((await signed('UPI', body)).statusCode).toBe(200)
    expect((await signed('UPI', body)).statusCode).toBe(200)
    expect((await read(id)).state).toBe('funded')
  })

  it.each([
    '{',
    'null',
    '[]',
    '{"type":"payment.received"}',
    '{"type":"payment.received","paymentId":"p","reference":"\\u0000","amount":"1"}',
    '{"type":"payment.received","paymentId":"p","reference":"r","amount":"-1"}',
    '{"type":"payment.received","paymentId":"p","reference":"r","amount":1}',
    '{"type":"payout.paid","orderId":""}',
    '{"type":"theft"}',
  ])('that says %s is refused', async body => {
    expect((await signed('UPI', body)).statusCode).toBe(400)
  })
})

it('the bank of a simulated rail is asked for at most twenty payments of a deposit in an hour', async () => {
  const { id } = await begin({})
  await confirm(app.deps, id)
  const asked = await Promise.allSettled(
    Array.from({ length: 23 }, () => payDeposit(app.deps, id, { amount: '1' })),
  )
  const refused = asked.filter(each => each.status === 'rejected')
  expect(refused.map(each => each.reason)).toEqual(
    Array.from({ length: 3 }, () => expect.objectContaining({ code: 'too-many-requests' })),
  )
  const { rows } = await app.deps.database.pool.query(
    "select count(*)::int as count from simulated_rail_payments where direction = 'in' and amount = 1",
  )
  expect(rows).toEqual([{ count: 20 }])
})

it('a payout is not ended by another rail than its own, nor by a report about another amount', async () => {
  const { id } = await begin({ kind: 'withdrawal', fields: { dest: 'asha@okbank' } })
  const { ledger_memo, amount } = await confirm(app.deps, id)
  await receiveUnits(app.deps, { ledger_memo, amount }, { sender: wallet })
  await sendOrders(app.deps)
  const find = async () =>
    (
      await app.deps.database.pool.query<{ id: string; state: string; rail: string; amount: string }>(
        'select id, state, rail, amount from rail_orders where transfer_id = $1',
        [id],
      )
    ).rows[0]
  const before = await find()
  const { id: orderId = '', rail = '', amount: ordered = '' } = before ?? {}
  const paid = { kind: 'paid', orderId, paymentId: 'p' } as const
  const failed = { kind: 'failed', orderId, reason: 'closed' } as const
  await receiveReport(app.deps, 'SEPA', paid)
  await receiveReport(app.deps, 'SEPA', failed)
  await receiveReport(app.deps, rail, { ...paid, amount: '1' })
  await receiveReport(app.deps, rail, { ...failed, amount: '1' })
  expect(await find()).toEqual(before)
  expect((await read(id))?.state).toBe('paying_out')
  await receiveReport(app.deps, rail, { ...paid, amount: ordered })
  expect((await read(id))?.state).toBe('completed')
})

describe('a payout that the bank sends back after it was paid', () => {
  it('waits for people, as wallets see, and is reported to the operator once', async () => {
    await addEndpoint(app.deps, 'https://operator.example/hook', ['rail.payment_sent_back'], false)
    const { id } = await begin({ kind: 'withdrawal', fields: { dest: 'asha@okbank' } })
    const { ledger_memo, amount } = await confirm(app.deps, id)
    await receiveUnits(app.deps, { ledger_memo, amount }, { sender: wallet })
    await sendOrders(app.deps)
    const { rows } = await app.deps.database.pool.query<{ id: string }>(
      'select id from rail_orders where transfer_id = $1',
      [id],
    )
    const orderId = rows[0]?.id ?? ''
    await settleOrder(app.deps, { kind: 'paid', orderId, paymentId: orderId })
    for (let time = 0; time < 2; time++) {
      await settleOrder(app.deps, { kind: 'failed', orderId, reason: 'account closed' })
    }
    expect(await read(id)).toMatchObject({
      state: 'sent_back',
      message: expect.stringContaining('account closed'),
    })
    const calls = await app.deps.database.pool.query(
      'select method from platform_calls where transfer_id = $1 order by id desc limit 1',
      [id],
    )
    expect(calls.rows).toEqual([{ method: 'notify_transaction_recovery' }])
    const deliveries = await app.deps.database.pool.query('select payload from webhook_deliveries')
    expect(deliveries.rows).toMatchObject([
      {
        payload: {
          type: 'rail.payment_sent_back',
          data: { orderId, transactionId: id, reason: 'account closed' },
        },
      },
    ])
    const refunds = await app.deps.database.pool.query(
      'select 1 from ledger_payments where transfer_id = $1',
      [id],
    )
    expect(refunds.rowCount).toBe(0)
  })
})

describe('a SEP-6 withdrawal', () => {
  const withdraw = (fields: Record<string, string>, type: string) =>
    begin({ sep: '6', kind: 'withdrawal', type, fields })

  it('continues with an account that a bank would take', async () => {
    const { id } = await withdraw({ dest: 'de89 3704 0044 0532 0130 00' }, 'sepa')
    await continueTransfer(app.deps, id)
    const { state, ...transfer } = await read(id)
    expect(state).toBe('awaiting_funds')
    expect(destinationOf(transfer)).toEqual({ dest: 'DE89370400440532013000' })
  })

  it('asks once for another account where no bank would, before any money moves, and continues with it', async () => {
    const { id } = await withdraw({ dest: 'nobody' }, 'upi')
    await continueTransfer(app.deps, id)
    await continueTransfer(app.deps, id)
    expect(await read(id)).toMatchObject({ state: 'new', message: expect.stringContaining('UPI ID') })
    const asked = await app.deps.database.db
      .selectFrom('platform_calls')
      .select('method')
      .where('transfer_id', '=', id)
      .execute()
    expect(asked).toEqual([{ method: 'request_transaction_info_update' }])
    await changeDestination(app.deps, id, { dest: 'asha@okbank' })
    const transfer = await read(id)
    expect(transfer).toMatchObject({ state: 'awaiting_funds', message: null })
    expect(destinationOf(transfer)).toEqual({ dest: 'asha@okbank' })
  })
})

describe('the account that a withdrawal is paid to', () => {
  const IBAN = 'DE89370400440532013000'
  const rows = async (text: string, ...values: unknown[]) =>
    (await app.deps.database.pool.query<Record<string, unknown>>(text, values)).rows
  const agreed = async () => {
    const { id } = await begin({ kind: 'withdrawal', type: 'sepa', fields: { dest: IBAN } })
    return confirm(app.deps, id)
  }
  const paid = async (transfer: Transfer) => {
    const { id, ledger_memo, amount } = transfer
    await receiveUnits(app.deps, { ledger_memo, amount }, { sender: wallet })
    const [order] = await rows('select id, destination from rail_orders where transfer_id = $1', id)
    return { orderId: String(order?.id), destination: order?.destination }
  }

  it('is whole for the rail alone: no table, webhook or call has more than its last four characters', async () => {
    await addEndpoint(app.deps, 'https://operator.example/hook', ['*'], false)
    const transfer = await agreed()
    const { orderId, destination } = await paid(transfer)
    expect(destination).toEqual({ masked: '•••• 3000' })
    const pay = vi.spyOn(app.deps.rails.get('SEPA') as Rail, 'pay')
    await sendOrders(app.deps)
    expect(pay).toHaveBeenCalledWith(expect.objectContaining({ id: orderId, destination: { dest: IBAN } }))
    await settleOrder(app.deps, { kind: 'paid', orderId, paymentId: orderId })
    expect((await read(transfer.id)).state).toBe('completed')
    expect(await findTexts(app.deps.config.databaseUrl, [IBAN])).toEqual([])
  })

  it('opens for its own transfer only: a payout stops where another’s was put in its place', async () => {
    const [first, second] = [await agreed(), await agreed()]
    const { orderId } = await paid(first)
    const moved = 'update transfers set sealed_destination = $2 where id = $1'
    await rows(moved, first.id, second.sealed_destination)
    const pay = vi.spyOn(app.deps.rails.get('SEPA') as Rail, 'pay').mockClear()
    await sendOrders(app.deps)
    expect(pay).not.toHaveBeenCalled()
    expect(await rows('select state from rail_orders where id = $1', orderId)).toEqual([{ state: 'queued' }])
    await rows(moved, first.id, first.sealed_destination)
  })

  it('of an earlier release is paid to as it was agreed, then masked; older keys and plain texts are encrypted again', async () => {
    const { id } = await agreed()
    const plain = { dest: IBAN }
    await rows('update transfers set sealed_destination = null, destination = $2 where id = $1', id, plain)
    const [order] = await rows(
      `insert into rail_orders (cause, transfer_id, kind, rail, amount, currency, destination)
       values ($1, $2, 'payout', 'SEPA', 5, 'EUR', $3) returning id`,
      ...[`payout:${id}`, id, plain],
    )
    const orderId = String(order?.id)
    // As the migration lists it, before it closes the list.
    await rows('alter table orders_to_bind disable trigger filled_once')
    await rows('insert into orders_to_bind values ($1)', orderId)
    await rows('alter table orders_to_bind enable trigger filled_once')
    await bindEarlierOrders(app.deps)
    const pay = vi.spyOn(app.deps.rails.get('SEPA') as Rail, 'pay').mockClear()
    await sendOrders(app.deps)
    expect(pay).toHaveBeenCalledWith(expect.objectContaining({ id: orderId, destination: plain }))
    await rows("update rail_orders set state = 'paid' where id = $1", orderId)
    expect(await rows('select destination from rail_orders where id = $1', orderId)).toEqual([
      { destination: { masked: '•••• 3000' } },
    ])
    const { rotating, newOnly } = withNewerKey(app.deps)
    expect(await rotate(rotating, sealedDestinations)).toBeGreaterThanOrEqual(3)
    expect(await rotate(rotating, sealedDestinations)).toBe(0)
    expect(openDestination(newOnly.sealer, await read(id))).toEqual(plain)
    expect(await findTexts(app.deps.config.databaseUrl, [IBAN])).toEqual([])
  })
})

it('the fee of a rate has the decimals of its currency', async () => {
  const sell_asset = 'iso4217:INR'
  const buy_asset = `stellar:MUMBAI:${app.deps.config.anchor.accounts.issuer}`
  const headers = { 'x-api-key': app.deps.config.secrets.link }
  const wanted: Record<string, string>[] = [
    { sell_amount: '100' },
    { sell_amount: '9999.99' },
    { buy_amount: '3.3333333' },
  ]
  for (const given of wanted) {
    const query = new URLSearchParams({ type: 'indicative', sell_asset, buy_asset, ...given })
    const { rate } = (await app.server.app.inject({ url: `/rate?${query}`, headers })).json()
    expect(rate.fee.total).toMatch(/^\d+(\.\d{1,2})?$/)
    const rest = rate.sell_amount - rate.buy_amount * rate.price - rate.fee.total
    expect(Math.abs(rest)).toBeLessThan(0.0051)
  }
})

it('no quote is of parts of a cent, which no rail can pay; units of the asset have seven decimals', async () => {
  const units = `stellar:MUMBAI:${app.deps.config.anchor.accounts.issuer}`
  const money = 'iso4217:INR'
  const headers = { 'x-api-key': app.deps.config.secrets.link }
  const ask = async (given: Record<string, string>) => {
    const client_id = generateKey().publicKey
    const query = new URLSearchParams({ type: 'firm', client_id, ...given })
    return app.server.app.inject({ url: `/rate?${query}`, headers })
  }
  const stroops = fc.integer({ min: 10_000_000_000, max: 20_000_000_000 }).map(n => BigInt(n))
  await fc.assert(
    fc.asyncProperty(stroops, fc.boolean(), async (n, isDeposit) => {
      const amount = formatAmount(amountOf(n))
      const given: Record<string, string> = isDeposit ? { sell_amount: amount } : { buy_amount: amount }
      const pair = isDeposit
        ? { sell_asset: money, buy_asset: units }
        : { sell_asset: units, buy_asset: money }
      const answer = await ask({ ...pair, ...given })
      if (n % 100_000n === 0n) expect(answer.statusCode).toBe(200)
      else
        expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([
          400,
          'must have at most 2 decimals, as INR has',
        ])
    }),
    {
      numRuns: 30,
      examples: [
        [10_000_099_999n, false],
        [10_000_100_000n, false],
        [10_000_100_000n, true],
      ],
    },
  )
  expect((await ask({ sell_asset: units, buy_asset: money, sell_amount: '12.3456789' })).statusCode).toBe(200)
})

describe('a currency without a rate', () => {
  it('is refused by a code, and the summary reports it', async () => {
    app.deps.config.fx = { INR: '88.50' }
    const { issuer } = app.deps.config.anchor.accounts
    const query = new URLSearchParams({
      type: 'firm',
      sell_asset: 'iso4217:EUR',
      buy_asset: `stellar:MUMBAI:${issuer}`,
      sell_amount: '10',
    })
    const headers = { 'x-api-key': app.deps.config.secrets.link }
    const answer = await app.server.app.inject({ url: `/rate?${query}`, headers })
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'unsupported-pair'])
    const { id } = await begin({ type: 'sepa' })
    await expect(confirm(app.deps, id)).rejects.toMatchObject({ code: 'unsupported-pair' })
    const summary = await app.server.app.inject({
      url: '/admin/summary',
      headers: { 'x-service-secret': app.deps.config.secrets.summary },
    })
    expect(summary.json().rails).toEqual([
      { name: 'UPI', currency: 'INR', simulated: true, rate: '88.5' },
      { name: 'SEPA', currency: 'EUR', simulated: true, rate: null },
    ])
  })

  it('is none that development knows; in production only what is set is known', () => {
    expect(readFxRates({}, true)).toEqual({ INR: '88.50', EUR: '0.92' })
    expect(readFxRates({}, false)).toEqual({})
    expect(readFxRates({ FX_RATE_INR_USDC: '90', FX_RATE_BRL_USDC: '5.1' }, false)).toEqual({
      INR: '90',
      BRL: '5.1',
    })
    expect(readFxRates({ FX_RATE_INR_USDC: '90' }, true, { INR: '89', EUR: '0.93' })).toEqual({
      INR: '90',
      EUR: '0.93',
    })
    for (const wrong of ['0', '-1', 'much', '1e3']) {
      expect(() => readFxRates({ FX_RATE_INR_USDC: wrong }, true)).toThrow(/FX_RATE_INR_USDC/)
    }
  })
})

// Last: what it sends back stands in the queue before others.
it('240 receipts that a rail hands over at once wait for their turn, and each counts once', async () => {
  const secret = app.deps.config.rails.get('UPI')?.webhookSecrets[0] ?? ''
  const payments = Array.from({ length: 240 }, (_, index) => `burst-${index}`)
  const busy = new pg.Client({ connectionString: app.deps.database.url })
  await busy.connect()
  await busy.query('begin; lock table rail_receipts in access exclusive mode')
  const answers = payments.map(paymentId => {
    const payload = JSON.stringify({ type: 'payment.received', paymentId, reference: paymentId, amount: '7' })
    const signature = signWebhook(secret, randomUUID(), payload, app.deps.clock.now())
    const headers = { 'content-type': 'application/json', ...signature }
    return app.server.app.inject({ method: 'POST', url: '/api/v1/rails/UPI/webhook', payload, headers })
  })
  const reads = Array.from({ length: 20 }, () => app.server.app.inject({ url: '/admin/summary' }))
  await sleep(6_000)
  await busy.query('commit')
  await busy.end()
  const statuses = new Set((await Promise.all(answers)).map(({ statusCode }) => statusCode))
  expect([...statuses]).toEqual([200])
  expect(new Set((await Promise.all(reads)).map(({ statusCode }) => statusCode))).not.toContain(503)
  const { rows } = await app.deps.database.pool.query(
    "select count(*)::int as receipts from rail_receipts where payment_id like 'burst-%'",
  )
  expect(rows).toEqual([{ receipts: 240 }])
}, 30_000)
