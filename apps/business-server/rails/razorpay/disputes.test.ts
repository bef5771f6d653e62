import { ACCOUNT, KEYS, RazorpayStandIn, WEBHOOK_SECRET } from '@windlass/testing/razorpay-stand-in.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { payQueued } from '../../payments/pay.ts'
import { sendOrders } from '../../payments/rail-orders.ts'
import { asPlatform } from '../../testing/as-platform.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'
import { receiveRailPayment } from '../../payments/receive-rail-payment.ts'
import { receiveReport } from '../../payments/receive-report.ts'
import { acceptTransaction } from '../../transfers/accept.ts'
import { confirm } from '../../transfers/confirm.ts'
import { findTransfer } from '../../transfers/find.ts'
import { reconcile } from '../../workspace/reconciliation/reconcile.ts'
import { readRailSettings } from '../settings.ts'
import { reportedBy } from '../../testing/reported-by.ts'

let app: BusinessApp
let razorpay: RazorpayStandIn
beforeAll(async () => {
  razorpay = await RazorpayStandIn.start()
  const ledger: UnreliableNetwork = new UnreliableNetwork({
    asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`,
  })
  const UPI = {
    ...{ provider: 'razorpay', ...KEYS, accountNumber: ACCOUNT, webhookSecret: WEBHOOK_SECRET },
    accountHolder: 'Mumbai Pay Pvt Ltd',
  }
  const rails = readRailSettings(
    { RAIL_CREDENTIALS: JSON.stringify({ UPI }) },
    { rails: ['UPI'], mainnet: false, fallbackSecret: 'f'.repeat(32) },
  )
  app = await startBusinessApp({ horizon: ledger }, { rails, railProviderUrl: razorpay.url })
  app.deps.customerRegistry.byWallet = async account => ({
    ...{ customerId: `cus_${String(account).slice(-10)}`, status: 'ACCEPTED', walletVerified: true },
  })
})
afterAll(async () => {
  await app.close()
  await razorpay.stop()
})
beforeEach(() => {
  razorpay.faults.length = 0
  razorpay.disputes.clear()
})

const rows = async <Row extends object>(text: string, ...values: unknown[]) =>
  (await app.deps.database.pool.query<Row>(text, values)).rows
const stateOf = async (id: string) => (await findTransfer(app.deps.database.db, id))?.state

async function agreed(wallet: string) {
  const { id } = await acceptTransaction(app.deps, reportedBy(wallet))
  const { reference } = await confirm(app.deps, id)
  return { id, reference: reference ?? '' }
}

/** A deposit that was paid on its link, and whose units left unless `queued`. */
async function deposit({ queued = false } = {}) {
  const wallet = generateKey().publicKey
  const { id, reference } = await agreed(wallet)
  await app.server.app.inject({ url: `/interactive/pay/${reference}` })
  const link = [...razorpay.links.values()].find(each => each.reference_id === reference)
  if (!link) throw new Error('there is no link')
  const paymentId = razorpay.payLink(link.id)
  await send('payment_link.paid', link)
  if (!queued) await payQueued(app.deps)
  expect(await stateOf(id)).toBe(queued ? 'funded' : 'completed')
  return {
    id,
    reference,
    wallet,
    link,
    paymentId,
    paise: Number(link.amount),
    money: Number(link.amount) / 100,
  }
}

async function send(event: string, entity: { id: string }): Promise<number> {
  const { body: payload, headers } = razorpay.webhook(event, entity)
  const url = '/api/v1/rails/UPI/webhook'
  return (await app.server.app.inject({ method: 'POST', url, payload, headers })).statusCode
}
const refund = (id: string) =>
  app.server.app.inject({
    method: 'POST',
    url: `/admin/transactions/${id}/actions`,
    headers: asPlatform(app.deps.config.secrets),
    payload: { kind: 'refund', reason: 'They asked for it.', by: 'operator:one' },
  })
const change = (dispute: { id: string }, over: object) => Object.assign(dispute, over)
const held = (wallet: string) =>
  agreed(wallet).then(
    () => null,
    (error: Error) => error.message,
  )

/** What the accounts have of a deposit and of its dispute. */
async function books(id: string): Promise<Record<string, number>> {
  const lines = await rows<{ account: string; sum: string }>(
    `select l.account, sum(l.amount)::text as sum from journal_lines l join journal_entries e on e.id = l.entry_id
     where e.transfer_id = $1 and l.unit = 'INR' and l.account in ('rail:UPI', 'debts', 'suspense') group by 1 having sum(l.amount) <> 0`,
    id,
  )
  return Object.fromEntries(lines.map(({ account, sum }) => [account, Number(sum)]))
}
const named = async () => {
  await reconcile(app.deps, 'schedule')
  return rows<{ kind: string; amount: number; detail: string }>(
    `select kind, amount::float as amount, detail from reconciliation_differences
     where state = 'open' and kind in ('payment-disputed', 'deposit-taken-back')`,
  )
}

describe('a dispute at Razorpay', () => {
  it('holds its customer while it is open, and releases them once it is won', async () => {
    const { id, wallet, paymentId, paise, money } = await deposit()
    const dispute = razorpay.dispute(paymentId, paise)
    expect(await send('payment.dispute.created', dispute)).toBe(200)
    expect(await held(wallet)).toContain('disputed at your bank')
    expect(await named()).toEqual([
      { kind: 'payment-disputed', amount: -money, detail: expect.stringContaining(`Transaction ${id}.`) },
    ])
    for (const [event, status] of [
      ['under_review', 'under_review'],
      ['action_required', 'open'],
    ])
      await send(`payment.dispute.${event}`, change(dispute, { status }))
    expect(await held(wallet)).not.toBeNull()
    await send('payment.dispute.won', change(dispute, { status: 'won' }))
    // What was sent before it, and comes after it, changes nothing.
    await send('payment.dispute.created', dispute)
    expect(await held(wallet)).toBeNull()
    expect(await books(id)).toEqual({ 'rail:UPI': money })
    expect(await named()).toEqual([])
  })

  it.each([
    "update rail_disputes set state = 'won' where dispute_id = $1",
    'update rail_disputes set state = $2, round = 9 where dispute_id = $1',
    'delete from rail_disputes where dispute_id = $1',
  ])(
    'that someone ends in the database holds its customer again after the next comparison: %s',
    async ends => {
      const { wallet, paymentId, paise } = await deposit()
      const dispute = razorpay.dispute(paymentId, paise)
      await send('payment.dispute.created', dispute)
      await rows(ends, dispute.id, ...(ends.includes('$2') ? ['closed'] : []))
      expect(await held(wallet)).toBeNull()
      await reconcile(app.deps, 'schedule')
      expect(await held(wallet)).toContain('disputed at your bank')
      await send('payment.dispute.won', change(dispute, { status: 'won' }))
      expect(await held(wallet)).toBeNull()
    },
  )

  it('that is lost is the customer’s debt once, in any order and however often it is reported', async () => {
    const { id, wallet, paymentId, paise, money } = await deposit()
    const dispute = razorpay.dispute(paymentId, paise)
    change(dispute, { status: 'lost', amount_deducted: paise })
    await Promise.all(
      ['lost', 'created', 'lost', 'closed'].map(each => send(`payment.dispute.${each}`, dispute)),
    )
    await send('payment.dispute.created', dispute)
    expect(await books(id)).toEqual({ debts: money })
    expect(await held(wallet)).toContain('your bank took back a payment')
    expect(await named()).toEqual([
      { kind: 'deposit-taken-back', amount: -money, detail: expect.stringContaining('goods_not_received') },
    ])
    // An answer that was asked for before it was lost is no news.
    change(dispute, { status: 'open', amount_deducted: 0 })
    await send('payment.dispute.created', dispute)
    expect(await books(id)).toEqual({ debts: money })
  })

  it('that is lost in part is a debt of that part; a larger sum than came is in suspense, and named', async () => {
    const part = await deposit()
    const dispute = razorpay.dispute(part.paymentId, part.paise)
    await send('payment.dispute.lost', change(dispute, { status: 'lost', amount_deducted: 10_050 }))
    expect(await books(part.id)).toEqual({ 'rail:UPI': part.money - 100.5, debts: 100.5 })
    const wrong = await deposit()
    const larger = razorpay.dispute(wrong.paymentId, wrong.paise + 100)
    await send('payment.dispute.lost', change(larger, { status: 'lost', amount_deducted: wrong.paise + 100 }))
    expect(await books(wrong.id)).toEqual({ 'rail:UPI': -1, suspense: wrong.money + 1 })
    expect(await named()).toContainEqual({
      ...{ kind: 'payment-disputed', amount: -(wrong.money + 1) },
      detail: expect.stringContaining('it is in suspense'),
    })
  })

  it('of which no webhook came is found by asking, and one of others’ payments changes nothing', async () => {
    const { id, wallet, paymentId, paise, money } = await deposit()
    razorpay.dispute('pay_00000000000000', 5_000)
    const dispute = razorpay.dispute(paymentId, paise)
    expect(await named()).toContainEqual(
      expect.objectContaining({ kind: 'payment-disputed', amount: -money }),
    )
    expect(await held(wallet)).not.toBeNull()
    change(dispute, { status: 'lost', amount_deducted: paise })
    await named()
    expect(await books(id)).toEqual({ debts: money })
    const [other] = razorpay.disputes.values()
    expect(await send('payment.dispute.created', other!)).toBe(200)
    expect(await rows('select 1 from rail_disputes where payment_id = $1', 'pay_00000000000000')).toEqual([])
    // Nor one that Razorpay does not know.
    expect(await send('payment.dispute.created', { id: 'disp_00000000000000' })).toBe(400)
  })

  it('that the account does not have which is set now stays open, until the account that has it is set again', async () => {
    const { wallet, paymentId, paise } = await deposit()
    const dispute = razorpay.dispute(paymentId, paise)
    await send('payment.dispute.created', dispute)
    razorpay.disputes.delete(dispute.id)
    expect((await named()).map(({ kind }) => kind)).toContain('payment-disputed')
    expect(await held(wallet)).not.toBeNull()
    razorpay.disputes.set(dispute.id, change(dispute, { status: 'won' }))
    await named()
    expect(await held(wallet)).toBeNull()
  })

  it('before the units left keeps them here, and a report of the same payment does not fund the deposit again', async () => {
    const { id, link, paymentId, paise, money } = await deposit({ queued: true })
    const dispute = razorpay.dispute(paymentId, paise)
    await send('payment.dispute.created', dispute)
    await payQueued(app.deps)
    expect(await stateOf(id)).toBe('funded')
    await send('payment.dispute.lost', change(dispute, { status: 'lost', amount_deducted: paise }))
    expect(await stateOf(id)).toBe('awaiting_funds')
    for (let time = 0; time < 2; time++) await send('payment_link.paid', link)
    expect(await stateOf(id)).toBe('awaiting_funds')
    expect(await books(id)).toEqual({})
    // The bank decides otherwise after all: the money is back.
    await send('payment.dispute.won', change(dispute, { status: 'won' }))
    expect(await stateOf(id)).toBe('funded')
    expect(await books(id)).toEqual({ 'rail:UPI': money })
    await rows("update ledger_payments set next_try_at = now() where state = 'queued'")
    await payQueued(app.deps)
    expect(await stateOf(id)).toBe('completed')
  })

  it('whose money Razorpay took at the onset gives it back once it is won, and books what came twice for people', async () => {
    const { id, paymentId, paise, money } = await deposit()
    const dispute = razorpay.dispute(paymentId, paise)
    await send('payment.dispute.created', change(dispute, { amount_deducted: paise }))
    expect(await books(id)).toEqual({ debts: money })
    await send('payment.dispute.won', change(dispute, { status: 'won' }))
    await send('payment.dispute.won', dispute)
    expect(await books(id)).toEqual({ 'rail:UPI': money })
    expect((await named()).map(({ detail }) => detail).join()).not.toContain(id)
    // The customer paid the debt again meanwhile: so there is more than is theirs.
    const again = await deposit()
    const second = razorpay.dispute(again.paymentId, again.paise)
    await send('payment.dispute.created', change(second, { amount_deducted: again.paise }))
    const paid = { paymentId: 'pay_again', reference: again.reference, amount: '500', currency: 'INR' }
    await receiveRailPayment(app.deps, 'UPI', { kind: 'received', ...paid })
    await send('payment.dispute.won', change(second, { status: 'won' }))
    expect(await books(again.id)).toEqual({ 'rail:UPI': again.money + 500, suspense: -500 })
  })

  it('of which Razorpay took more later, or that it won and lost again, is the debt of what Razorpay has taken', async () => {
    const { id, paymentId, paise, money } = await deposit()
    const dispute = razorpay.dispute(paymentId, paise)
    await send('payment.dispute.created', change(dispute, { amount_deducted: 4_000 }))
    expect(await books(id)).toEqual({ 'rail:UPI': money - 40, debts: 40 })
    await send('payment.dispute.created', change(dispute, { amount_deducted: 10_000 }))
    expect(await books(id)).toEqual({ 'rail:UPI': money - 100, debts: 100 })
    await send('payment.dispute.lost', change(dispute, { status: 'lost', amount_deducted: paise }))
    expect(await books(id)).toEqual({ debts: money })
    await send('payment.dispute.won', change(dispute, { status: 'won' }))
    expect(await books(id)).toEqual({ 'rail:UPI': money })
    change(dispute, { phase: 'pre_arbitration', status: 'lost', amount_deducted: paise })
    for (let time = 0; time < 2; time++) await send('payment.dispute.lost', dispute)
    expect(await books(id)).toEqual({ debts: money })
    expect(
      await rows(
        'select state, amount::float, recovered::float from customer_debts where transfer_id = $1 order by created_at',
        id,
      ),
    ).toEqual([
      ...[40, 100, money].map(amount => ({ state: 'reversed', amount, recovered: 0 })),
      { state: 'open', amount: money, recovered: 0 },
    ])
  })

  it('keeps its money from going back besides: a return under way waits, and leaves once it is won', async () => {
    const { paymentId, paise, link, id, money } = await deposit({ queued: true })
    const dispute = razorpay.dispute(paymentId, paise)
    await send('payment.dispute.created', dispute)
    expect((await refund(id)).json()).toMatchObject({ detail: expect.stringContaining('is disputed') })
    expect(await stateOf(id)).toBe('funded')
    await send('payment.dispute.closed', change(dispute, { status: 'closed' }))
    expect((await refund(id)).statusCode).toBe(201)
    const later = razorpay.dispute(paymentId, paise)
    await send('payment.dispute.created', later)
    const back = async () => {
      await rows("update rail_orders set next_try_at = now() where state = 'queued'")
      await sendOrders(app.deps)
      const refunds = [...razorpay.refunds.values()].filter(each => each.payment_id === paymentId)
      const text = 'select state, wait_code from rail_orders where transfer_id = $1'
      return { orders: await rows(text, id), refunds: refunds.length }
    }
    const waiting = { orders: [{ state: 'queued', wait_code: 'debt' }], refunds: 0 }
    expect(await back()).toEqual(waiting)
    await send('payment.dispute.lost', change(later, { status: 'lost', amount_deducted: paise }))
    await send('payment_link.paid', link)
    expect(await back()).toEqual(waiting)
    expect((await named()).map(({ detail }) => detail).join()).toContain(`in suspense. Transaction ${id}`)
    await send('payment.dispute.won', change(later, { status: 'won' }))
    expect(await back()).toEqual({ orders: [{ state: 'sent', wait_code: null }], refunds: 1 })
    expect(await books(id)).toMatchObject({ 'rail:UPI': money })
  })

  it.each([
    ['a cent', '0.01'],
    ['all', '40'],
  ])('of which the customer paid %s is still a debt of what Razorpay takes later', async (_what, amount) => {
    const { id, wallet, reference, paymentId, paise, money } = await deposit()
    const dispute = razorpay.dispute(paymentId, paise)
    await send('payment.dispute.created', change(dispute, { amount_deducted: 4_000 }))
    const paid = { paymentId: `pay_of_${id}`, reference, amount, currency: 'INR' }
    await receiveRailPayment(app.deps, 'UPI', { kind: 'received', ...paid })
    for (const over of [
      { amount_deducted: 10_000 },
      { amount_deducted: 6_000 },
      { status: 'lost', amount_deducted: paise },
    ])
      await send('payment.dispute.lost', change(dispute, over))
    const { debts, suspense = 0, 'rail:UPI': there } = await books(id)
    // What was given back in between paid the debt as far as one was left.
    expect([there, (debts ?? 0) + suspense]).toEqual([Number(amount), money - Number(amount)])
    expect(await held(wallet)).toContain('took back a payment')
    const rest = (debts ?? 0).toFixed(2)
    const later = { ...paid, paymentId: `pay_rest_of_${id}`, amount: rest }
    await receiveRailPayment(app.deps, 'UPI', { kind: 'received', ...later })
    expect(await held(wallet)).toBeNull()
  })

  it('that is lost again after its debt was paid is owed again, and what came twice is in suspense', async () => {
    const { id, wallet, reference, paymentId, paise, money } = await deposit()
    const dispute = razorpay.dispute(paymentId, paise)
    await send('payment.dispute.created', change(dispute, { amount_deducted: paise }))
    const paid = { paymentId: `pay_of_${id}`, reference, amount: '500', currency: 'INR' }
    await receiveRailPayment(app.deps, 'UPI', { kind: 'received', ...paid })
    await send('payment.dispute.won', change(dispute, { status: 'won' }))
    expect(await held(wallet)).toBeNull()
    change(dispute, { phase: 'pre_arbitration', status: 'lost', amount_deducted: paise })
    for (let time = 0; time < 2; time++) await send('payment.dispute.lost', dispute)
    expect(await books(id)).toEqual({ 'rail:UPI': 500, debts: money, suspense: -500 })
    expect(await held(wallet)).toContain('took back a payment')
  })

  it('is what a rail reports as taken back, too: once, and the payment does not count again', async () => {
    const [paid, queued] = [await deposit(), await deposit({ queued: true })]
    for (const { paymentId } of [paid, queued, paid, queued])
      await receiveReport(app.deps, 'UPI', { kind: 'taken-back', paymentId, reason: 'fraud' })
    await send('payment_link.paid', queued.link)
    expect(await books(paid.id)).toEqual({ debts: paid.money })
    expect([await stateOf(queued.id), await books(queued.id)]).toEqual(['awaiting_funds', {}])
  })

  it('that is lost ends once Razorpay says what it took', async () => {
    const { id, wallet, paymentId, paise, money } = await deposit()
    const dispute = razorpay.dispute(paymentId, paise)
    await send('payment.dispute.lost', change(dispute, { status: 'lost' }))
    expect(await held(wallet)).toContain('disputed at your bank')
    await send('payment.dispute.lost', change(dispute, { amount_deducted: paise }))
    expect(await books(id)).toEqual({ debts: money })
  })

  it.each(['dispute:reported', 'dispute:booked', 'dispute:noted'])(
    'is booked once where the server dies at %s',
    async moment => {
      const { id, paymentId, paise, money } = await deposit()
      const dispute = razorpay.dispute(paymentId, paise)
      change(dispute, { status: 'lost', amount_deducted: paise })
      const { faults } = app.deps
      app.deps.faults = {
        at: name => {
          if (name === moment) throw new Error('killed')
        },
      }
      expect(await send('payment.dispute.lost', dispute)).toBe(500)
      app.deps.faults = faults
      for (let time = 0; time < 2; time++) expect(await send('payment.dispute.lost', dispute)).toBe(200)
      expect(await books(id)).toEqual({ debts: money })
    },
  )
})
