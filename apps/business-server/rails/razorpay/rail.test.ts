import type { PlatformTransaction } from '@windlass/contracts/anchor/anchor-platform.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '../../deps.ts'
import { dueWork } from '../../due-work.ts'
import { sendOrders } from '../../payments/rail-orders.ts'
import { reconcile } from '../../workspace/reconciliation/reconcile.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'
import { ACCOUNT, KEYS, RazorpayStandIn, WEBHOOK_SECRET } from '@windlass/testing/razorpay-stand-in.ts'
import { acceptTransaction } from '../../transfers/accept.ts'
import { confirm } from '../../transfers/confirm.ts'
import { findTransfer } from '../../transfers/find.ts'
import { readRailSettings } from '../settings.ts'
import { receiveUnits } from '../../testing/receive-units.ts'
import { reportedBy } from '../../testing/reported-by.ts'

let app: BusinessApp
let razorpay: RazorpayStandIn
const wallet = generateKey().publicKey
const credentials = {
  ...{ provider: 'razorpay', ...KEYS, accountNumber: ACCOUNT, webhookSecret: WEBHOOK_SECRET },
  accountHolder: 'Mumbai Pay Pvt Ltd',
}
const read = (given: object, mainnet = false) =>
  readRailSettings(
    { RAIL_CREDENTIALS: JSON.stringify({ UPI: given }) },
    { rails: ['UPI'], mainnet, fallbackSecret: 'f'.repeat(32) },
  )

beforeAll(async () => {
  razorpay = await RazorpayStandIn.start()
  const ledger: UnreliableNetwork = new UnreliableNetwork({
    asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`,
  })
  app = await startBusinessApp(
    { horizon: ledger },
    { rails: read(credentials), railProviderUrl: razorpay.url },
  )
  const known = { customerId: 'cus_1', status: 'ACCEPTED' as const, walletVerified: true }
  app.deps.customerRegistry.byWallet = async () => known
})
afterAll(async () => {
  await app.close()
  await razorpay.stop()
})
beforeEach(() => {
  razorpay.faults.length = 0
  razorpay.requests.length = 0
})

const rows = async <Row extends object>(text: string, ...values: unknown[]) =>
  (await app.deps.database.pool.query<Row>(text, values)).rows
const stateOf = async (id: string) => (await findTransfer(app.deps.database.db, id))?.state
const calls = (path: string) => razorpay.requests.filter(each => each === path).length
const transaction = (over: Partial<PlatformTransaction>) => reportedBy(wallet, over)

async function deposit(over: Partial<PlatformTransaction> = {}) {
  const { id } = await acceptTransaction(app.deps, transaction(over))
  const { reference } = await confirm(app.deps, id)
  return { id, reference: reference ?? '' }
}
const open = (reference: string) => app.server.app.inject({ url: `/interactive/pay/${reference}` })
const linkOf = (reference: string) => {
  const link = [...razorpay.links.values()].find(each => each.reference_id === reference)
  if (!link) throw new Error('there is no link')
  return link
}
const send = ({ body, headers }: { body: string; headers: Record<string, string> }) =>
  app.server.app.inject({ method: 'POST', url: '/api/v1/rails/UPI/webhook', payload: body, headers })
const work = async () => {
  await rows("update payment_pages set next_check_at = now() - interval '1 second' where closed_at is null")
  const nothing = async () => undefined
  await dueWork(app.deps, { sendWebhooks: nothing, reportDecisions: nothing, readPayments: nothing })
    .find(({ name }) => name === 'razorpay UPI')
    ?.act()
}

async function withdrawal(vpa = 'asha@okbank') {
  const given = transaction({ kind: 'withdrawal', fields: { dest: vpa } })
  const { id } = await acceptTransaction(app.deps, given)
  await receiveUnits(app.deps, await confirm(app.deps, id), { sender: wallet })
  const [order] = await rows<{ id: string }>('select id from rail_orders where transfer_id = $1', id)
  return { id, orderId: order?.id ?? '' }
}
const due = () => rows("update rail_orders set next_try_at = now() where state in ('queued', 'sent')")
/** Sends what waits, as if the time of the next try had come. */
async function sendDue(deps: Deps = app.deps) {
  await due()
  await sendOrders(deps)
}

describe('a deposit over Razorpay', () => {
  it('is paid on a link that accepts UPI only, the same each time the page is opened', async () => {
    const { id, reference } = await deposit()
    const [first, again] = [await open(reference), await open(reference)]
    expect([first.statusCode, first.headers.location]).toEqual([303, linkOf(reference).short_url])
    expect(again.headers.location).toBe(first.headers.location)
    expect(linkOf(reference)).toMatchObject({
      ...{ currency: 'INR', accept_partial: false, reference_id: reference },
      options: { checkout: { method: { upi: '1', card: '0' } } },
    })
    const paymentId = razorpay.payLink(linkOf(reference).id)
    const paid = razorpay.webhook('payment_link.paid', linkOf(reference))
    for (let time = 0; time < 3; time++) expect((await send(paid)).statusCode).toBe(200)
    expect(await stateOf(id)).toBe('funded')
    expect(await rows('select payment_id, outcome from rail_receipts where transfer_id = $1', id)).toEqual([
      { payment_id: paymentId, outcome: 'accepted' },
    ])
  })

  it('has one link after an answer that was lost, and none while Razorpay is away', async () => {
    const { reference } = await deposit()
    razorpay.fail('POST /v1/payment_links', 'error')
    const away = await open(reference)
    expect([away.statusCode, away.headers['retry-after']]).toEqual([503, '5'])
    razorpay.fail('POST /v1/payment_links', 'lost')
    expect((await open(reference)).statusCode).toBe(503)
    expect((await open(reference)).headers.location).toBe(linkOf(reference).short_url)
    const links = [...razorpay.links.values()].filter(each => each.reference_id === reference)
    expect(links).toHaveLength(1)
  })

  it('is found by asking where no webhook comes, and asked for no more once it is paid', async () => {
    const { id, reference } = await deposit()
    await open(reference)
    await work()
    expect(await stateOf(id)).toBe('awaiting_funds')
    razorpay.payLink(linkOf(reference).id)
    await work()
    expect(await stateOf(id)).toBe('funded')
    razorpay.requests.length = 0
    await work()
    expect(calls(`GET /v1/payment_links/${linkOf(reference).id}`)).toBe(0)
  })

  it('is found too where Razorpay does not show the pages of others', async () => {
    const [lost, broken, paid] = [await deposit(), await deposit(), await deposit()]
    for (const { reference } of [lost, broken, paid]) await open(reference)
    const [gone, failing] = [linkOf(lost.reference), linkOf(broken.reference)]
    razorpay.links.delete(gone.id)
    razorpay.fail(`GET /v1/payment_links/${failing.id}`, 'error')
    razorpay.payLink(linkOf(paid.reference).id)
    await work()
    expect(await stateOf(paid.id)).toBe('funded')
    razorpay.fail(`GET /v1/payment_links/${failing.id}`, 'error')
    await rows("update payment_pages set expires_at = now() - interval '3 hours'")
    await work()
    const left = await rows<{ id: string }>(
      'select provider_id as id from payment_pages where closed_at is null and reference = any($1)',
      [lost.reference, broken.reference],
    )
    expect(left).toEqual([{ id: failing.id }])
  })

  it('of any amount is paid by a QR code, and priced by what was paid', async () => {
    const { id, reference } = await deposit({ sep: '6', amount_expected: undefined })
    const { headers } = await open(reference)
    const code = [...razorpay.codes.values()].find(each => each.image_url === headers.location)
    expect(code).toMatchObject({ usage: 'single_use', fixed_amount: false })
    razorpay.payCode(code?.id ?? '', 500_000)
    expect((await send(razorpay.webhook('qr_code.credited', { id: code?.id ?? '' }))).statusCode).toBe(200)
    expect(await stateOf(id)).toBe('funded')
    expect((await findTransfer(app.deps.database.db, id))?.fiat_amount).toMatch(/^5000\b/)
  })

  it('is refunded once where it is not as agreed, also after an answer that was lost', async () => {
    const { reference } = await deposit()
    await open(reference)
    const link = linkOf(reference)
    link.amount = 100
    const paymentId = razorpay.payLink(link.id)
    await send(razorpay.webhook('payment_link.paid', link))
    razorpay.fail('POST /v1/payments', 'lost')
    for (let time = 0; time < 3; time++) await sendDue()
    const refunds = [...razorpay.refunds.values()].filter(each => each.payment_id === paymentId)
    expect(refunds).toMatchObject([{ amount: 100, status: 'pending' }])
    const [order] = await rows<{ id: string; state: string }>(
      "select id, state from rail_orders where kind = 'return' and destination->>'paymentId' = $1",
      paymentId,
    )
    expect(order?.state).toBe('sent')
    Object.assign(refunds[0]!, { status: 'processed' })
    await send(razorpay.webhook('refund.processed', refunds[0]!))
    expect(await rows('select state from rail_orders where id = $1', order?.id)).toEqual([{ state: 'paid' }])
  })

  it('does not count as refunded by a refund of another amount that has the id of ours', async () => {
    const { reference } = await deposit()
    await open(reference)
    const link = linkOf(reference)
    link.amount = 100
    const paymentId = razorpay.payLink(link.id)
    await send(razorpay.webhook('payment_link.paid', link))
    const order = async () =>
      (
        await rows<{ id: string; state: string }>(
          "select id, state from rail_orders where kind = 'return' and destination->>'paymentId' = $1",
          paymentId,
        )
      )[0]
    const refund = { currency: 'INR', status: 'processed', created_at: 1_770_000_000, payment_id: paymentId }
    razorpay.refunds.set('rfnd_f0f0f0f0f0f0f0', {
      ...refund,
      id: 'rfnd_f0f0f0f0f0f0f0',
      receipt: (await order())?.id,
      amount: 50,
    })
    await sendDue()
    expect((await order())?.state).not.toBe('paid')
    // Nor where a webhook says it.
    const less = razorpay.refunds.get('rfnd_f0f0f0f0f0f0f0')!
    expect((await send(razorpay.webhook('refund.processed', less))).statusCode).toBe(200)
    expect((await order())?.state).not.toBe('paid')
    razorpay.refunds.delete('rfnd_f0f0f0f0f0f0f0')
    // Nor by one of another payment, whether it was made or failed.
    for (const status of ['processed', 'failed']) {
      const id = 'rfnd_a0a0a0a0a0a0a0'
      const others = { ...refund, id, status, payment_id: 'pay_of_another', amount: 100 }
      razorpay.refunds.set(id, { ...others, receipt: (await order())?.id })
      await send(razorpay.webhook('refund.processed', razorpay.refunds.get(id)!))
      expect((await order())?.state).not.toMatch(/paid|failed/)
      razorpay.refunds.delete(id)
    }
  })

  it('that someone else sends back at Razorpay is a difference, and a refund of ours counts without a webhook', async () => {
    const paid = await deposit()
    await open(paid.reference)
    const link = linkOf(paid.reference)
    const paymentId = razorpay.payLink(link.id)
    await send(razorpay.webhook('payment_link.paid', link))
    expect(await stateOf(paid.id)).toBe('funded')
    const other = await deposit()
    await open(other.reference)
    const wrong = linkOf(other.reference)
    wrong.amount = 100
    const wrongPayment = razorpay.payLink(wrong.id)
    await send(razorpay.webhook('payment_link.paid', wrong))
    await sendDue()
    const ours = [...razorpay.refunds.values()].find(each => each.payment_id === wrongPayment)
    Object.assign(ours!, { status: 'processed' })
    const refund = { currency: 'INR', status: 'processed', created_at: 1_770_000_000, receipt: null }
    razorpay.refunds.set('a', { ...refund, id: 'rfnd_theirs', payment_id: paymentId, amount: 5_000 })
    razorpay.refunds.set('b', { ...refund, id: 'rfnd_foreign', payment_id: 'pay_of_others', amount: 5_000 })
    await reconcile(app.deps, 'test')
    expect(
      await rows(
        "select subject, amount::text from reconciliation_differences where kind = 'payout-unknown'",
      ),
    ).toEqual([{ subject: 'rfnd_theirs', amount: '-50.0000000' }])
    const own = "select state from rail_orders where kind = 'return' and destination->>'paymentId' = $1"
    expect(await rows(own, wrongPayment)).toEqual([{ state: 'paid' }])
    expect(await stateOf(paid.id)).toBe('funded')
    for (const id of ['a', 'b']) razorpay.refunds.delete(id)
  })

  it('has no page without its reference, nor once it is paid', async () => {
    expect((await open('W0000000000000000')).statusCode).toBe(404)
    const { id, reference } = await deposit()
    await rows("update transfers set state = 'expired' where id = $1", id)
    expect((await open(reference)).statusCode).toBe(404)
    expect(calls('POST /v1/payment_links')).toBe(0)
  })
})

describe('a webhook of Razorpay', () => {
  it('counts with its signature alone, and says only what to look at', async () => {
    const { id, reference } = await deposit()
    await open(reference)
    const link = linkOf(reference)
    // Signed, and says "paid"; the API says that nobody paid.
    const early = razorpay.webhook('payment_link.paid', { ...link, status: 'paid', amount_paid: link.amount })
    expect((await send(early)).statusCode).toBe(200)
    expect(await stateOf(id)).toBe('awaiting_funds')
    razorpay.payLink(link.id)
    const { body, headers } = razorpay.webhook('payment_link.paid', link, 'another-secret-of-16')
    expect((await send({ body, headers })).statusCode).toBe(401)
    const { 'x-razorpay-signature': _, ...unsigned } = headers
    expect((await send({ body, headers: unsigned })).statusCode).toBe(401)
    expect(await stateOf(id)).toBe('awaiting_funds')
  })

  it('is sent again by Razorpay where the API does not answer, and refused where it names nothing', async () => {
    const { id, reference } = await deposit()
    await open(reference)
    razorpay.payLink(linkOf(reference).id)
    const paid = razorpay.webhook('payment_link.paid', linkOf(reference))
    for (const fault of ['error', 'hang-up'] as const) {
      razorpay.fail('GET /v1/payment_links', fault)
      expect((await send(paid)).statusCode).toBe(503)
    }
    expect(await stateOf(id)).toBe('awaiting_funds')
    expect((await send(paid)).statusCode).toBe(200)
    expect(await stateOf(id)).toBe('funded')
    for (const wrong of [
      razorpay.webhook('payment_link.paid', { id: 'plink_00000000000000' }),
      razorpay.webhook('payout.processed', { id: '../payments' }),
    ])
      expect((await send(wrong)).statusCode).toBe(400)
    expect((await send(razorpay.webhook('payment.captured', { id: 'pay_1' }))).statusCode).toBe(200)
  })

  it('about a link of another business on the same account changes nothing', async () => {
    const { id, reference } = await deposit()
    await open(reference)
    const link = linkOf(reference)
    razorpay.payLink(link.id)
    link.notes = { anchor: 'another' }
    expect((await send(razorpay.webhook('payment_link.paid', link))).statusCode).toBe(200)
    expect(await stateOf(id)).toBe('awaiting_funds')
  })
})

describe('a payout over Razorpay', () => {
  const payoutsOf = (orderId: string) =>
    [...razorpay.payouts.values()].filter(each => each.reference_id === orderId)

  it('is made once however often it is sent, and ends by the first webhook in any order', async () => {
    const { id, orderId } = await withdrawal()
    for (let time = 0; time < 3; time++) await sendDue()
    const [payout, ...others] = payoutsOf(orderId)
    expect(others).toEqual([])
    expect(payout).toMatchObject({
      ...{ mode: 'UPI', currency: 'INR', queue_if_low_balance: true },
      fund_account: { account_type: 'vpa', vpa: { address: 'asha@okbank' } },
    })
    expect(await stateOf(id)).toBe('paying_out')
    const queued = razorpay.webhook('payout.queued', { ...payout!, status: 'queued' })
    razorpay.endPayout(orderId, 'processed')
    const processed = razorpay.webhook('payout.processed', payout!)
    for (const each of [processed, queued, processed]) expect((await send(each)).statusCode).toBe(200)
    expect(await stateOf(id)).toBe('completed')
  })

  it('does not end by a webhook about another payout that has the id of ours', async () => {
    const { id, orderId } = await withdrawal()
    await sendDue()
    const [ours] = payoutsOf(orderId)
    const forged = (over: { status: string; amount?: number }) => {
      const other = { ...ours!, id: 'pout_f0f0f0f0f0f0f0', ...over }
      razorpay.payouts.set('pout_f0f0f0f0f0f0f0', other)
      return send(razorpay.webhook(`payout.${other.status}`, other))
    }
    // One that was rejected would be refunded on the ledger, and ours is still paid.
    for (const over of [{ status: 'rejected' }, { status: 'processed', amount: 100 }]) {
      expect((await forged(over)).statusCode).toBe(200)
      expect(await stateOf(id)).toBe('paying_out')
    }
    razorpay.payouts.delete('pout_f0f0f0f0f0f0f0')
    razorpay.endPayout(orderId, 'processed')
    await send(razorpay.webhook('payout.processed', ours!))
    expect(await stateOf(id)).toBe('completed')
  })

  it('ends without a webhook too: it is asked for, ever less often', async () => {
    const { id, orderId } = await withdrawal()
    await sendDue()
    const [order] = await rows<{ seconds: number }>(
      `update rail_orders set created_at = now() - interval '1 day', next_try_at = now() where id = $1
       returning 1 as seconds`,
      orderId,
    )
    expect(order).toBeDefined()
    await sendOrders(app.deps)
    const [later] = await rows<{ waits: number }>(
      'select extract(epoch from next_try_at - now())::int as waits from rail_orders where id = $1',
      orderId,
    )
    expect(later?.waits).toBeGreaterThan(3_000)
    razorpay.endPayout(orderId, 'processed')
    await sendDue()
    expect(await stateOf(id)).toBe('completed')
  })

  it('that is reversed is refunded on the ledger; one that is reversed after it was paid waits for a decision', async () => {
    const [first, second] = [await withdrawal(), await withdrawal()]
    await sendDue()
    razorpay.endPayout(first.orderId, 'reversed', 'The UPI ID is closed')
    const [payout] = payoutsOf(first.orderId)
    await send(razorpay.webhook('payout.reversed', payout!))
    expect(await findTransfer(app.deps.database.db, first.id)).toMatchObject({
      ...{ state: 'returning', message: expect.stringContaining('The UPI ID is closed') },
    })
    razorpay.endPayout(second.orderId, 'processed')
    const [paid] = payoutsOf(second.orderId)
    await send(razorpay.webhook('payout.processed', paid!))
    razorpay.endPayout(second.orderId, 'reversed')
    for (let time = 0; time < 2; time++) await send(razorpay.webhook('payout.reversed', paid!))
    expect(await stateOf(second.id)).toBe('sent_back')
    expect(await rows('select failure from rail_orders where id = $1', second.orderId)).toEqual([
      { failure: 'the payout was reversed' },
    ])
    const refunds = await rows('select 1 from ledger_payments where transfer_id = $1', second.id)
    expect(refunds).toEqual([])
  })

  it('to a UPI ID that does not exist fails at once; any other refusal waits', async () => {
    razorpay.unknownVpas.add('nobody@okbank')
    const { id, orderId } = await withdrawal('nobody@okbank')
    razorpay.fail('POST /v1/payouts', 'error')
    await sendDue()
    expect(await rows('select state from rail_orders where id = $1', orderId)).toEqual([{ state: 'queued' }])
    await sendDue()
    expect(await findTransfer(app.deps.database.db, id)).toMatchObject({
      ...{ state: 'returning', message: expect.stringContaining('Invalid UPI ID') },
    })
    expect(payoutsOf(orderId)).toEqual([])
  })

  const moments = ['order:taken', 'order:handed', 'order:noted', 'order:reported', 'order:settled']
  it.each([...moments, 'answer lost', 'no connection', 'server error'])(
    'leaves once where the server dies or Razorpay fails at: %s',
    async moment => {
      const { id, orderId } = await withdrawal()
      if (moment === 'answer lost') razorpay.fail('POST /v1/payouts', 'lost')
      if (moment === 'no connection') razorpay.fail('GET /v1/payouts', 'hang-up')
      if (moment === 'server error') razorpay.fail('POST /v1/payouts', 'error')
      const at = (name: string) => {
        if (name === moment) throw new Error('killed')
      }
      await sendDue({ ...app.deps, faults: { at } })
      if (payoutsOf(orderId).length > 0) razorpay.endPayout(orderId, 'processed')
      await sendDue({ ...app.deps, faults: { at } })
      // A new server, without what the one before had in memory.
      for (let time = 0; time < 2; time++) await sendDue()
      razorpay.endPayout(orderId, 'processed')
      await sendDue()
      expect(payoutsOf(orderId)).toHaveLength(1)
      expect(await stateOf(id)).toBe('completed')
      const entries = await rows(
        "select kind from journal_entries where transfer_id = $1 and kind = 'payout'",
        id,
      )
      expect(entries).toHaveLength(1)
    },
  )

  it('is found again by a server whose database is older than it', async () => {
    const { orderId } = await withdrawal()
    await sendDue()
    await rows("update rail_orders set state = 'queued' where id = $1", orderId)
    razorpay.requests.length = 0
    razorpay.endPayout(orderId, 'processed')
    await sendDue()
    expect(calls('POST /v1/payouts')).toBe(0)
    expect(payoutsOf(orderId)).toHaveLength(1)
  })
})

it('live keys are left out on a test network, and test keys refused on the public one', () => {
  const live = { ...credentials, keyId: 'rzp_live_A1b2C3d4E5' }
  expect(read(live).get('UPI')?.credentials.keyId).toBeUndefined()
  expect(read(live, true).get('UPI')).toMatchObject({
    provider: 'razorpay',
    credentials: { keyId: live.keyId },
  })
  expect(() => read(credentials, true)).toThrow(/keyId .* is for test networks/)
  for (const missing of ['keyId', 'keySecret', 'accountNumber', 'webhookSecret'])
    expect(() => read({ ...live, [missing]: undefined }, true)).toThrow(`${missing} is missing`)
})

it('what is logged of a failed request has neither the keys nor the account', async () => {
  razorpay.fail('GET /v1/payouts', 'hang-up')
  const rail = app.deps.rails.get('UPI')!
  const pay = rail.pay({
    id: randomUUID(),
    amount: '10',
    destination: { dest: 'asha@okbank' },
    reference: 'r',
  })
  const error = await pay.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  const { inspect } = await import('node:util')
  const text = inspect(error, { depth: 10 })
  expect(text).toContain('Razorpay did not answer')
  for (const secret of [KEYS.keySecret, 'asha@okbank', 'Basic ']) expect(text).not.toContain(secret)
})
