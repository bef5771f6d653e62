import { type Keypair, Memo } from '@stellar/stellar-sdk/base'
import type { RazorpayStandIn } from '@windlass/testing/razorpay-stand-in.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRazorpayAnchor, type RazorpayAnchor } from './testing/razorpay-anchor.ts'
import type { RunningAnchor } from './testing/running-anchor.ts'
import { agreedDeposit, agreedWithdrawal } from './testing/transfers.ts'
import {
  balanceOf,
  fundedWallet,
  give,
  openTrustline,
  payAnchor,
  registerWallet,
  until,
} from './testing/wallet.ts'

/** Where the business server is killed: at a point of its own, or while Razorpay has its request. */
type Kill = string | { path: string; when: 'before' | 'after' }

const around = (path: string): Kill[] => [
  { path, when: 'before' },
  { path, when: 'after' },
]
const order: Kill[] = ['order:taken', 'order:handed', 'order:noted', 'order:reported', 'order:settled']
const payout: Kill[] = [...order, ...around('POST /v1/payouts'), ...around('GET /v1/payouts')]
const refund: Kill[] = [...order, ...around('POST /v1/payments/'), ...around('GET /v1/payments/')]
const collection: Kill[] = [
  ...['money:reported', 'money:noted'],
  ...around('POST /v1/payment_links'),
  ...around('GET /v1/payment_links/'),
]
const dispute: Kill[] = [
  ...['dispute:reported', 'dispute:booked', 'dispute:noted'],
  ...around('GET /v1/disputes/'),
]
const everything = process.env.MODE === 'faults'
const some = (kills: readonly Kill[], path: string): readonly Kill[] =>
  everything ? kills : [{ path, when: 'after' }]
const named = (kills: readonly Kill[]) =>
  kills.map(kill => [typeof kill === 'string' ? kill : `${kill.path}, ${kill.when} it`, kill] as const)

const SECONDS = 90_000

let anchor: RazorpayAnchor
let running: RunningAnchor
let razorpay: RazorpayStandIn
beforeAll(async () => {
  anchor = await startRazorpayAnchor()
  ;({ running, razorpay } = anchor)
})
afterAll(() => anchor?.stop())

// What earlier tests left would be asked for too.
beforeEach(() => {
  for (const made of [razorpay.payouts, razorpay.refunds, razorpay.links, razorpay.disputes]) made.clear()
})

const HOLDING = 30

async function customer(): Promise<Keypair> {
  const key = await fundedWallet(running)
  registerWallet(running, key)
  await openTrustline(running, key)
  await give(running, key, String(HOLDING))
  return key
}

/** Does something in the course of which the server is killed, and starts it again. */
async function killedIn(kill: Kill, act: () => Promise<unknown>): Promise<void> {
  if (typeof kill === 'string') {
    await running.kill('business')
    await running.start('business', { ...anchor.settings, FAULT_POINT: kill })
  } else razorpay.interrupts.push({ ...kill, act: () => void running.kill('business') })
  await act()
  const hurrying = setInterval(() => void hurry(), 500)
  expect(await running.ended('business')).toBe('SIGKILL')
  clearInterval(hurrying)
  await running.start('business', anchor.settings)
  await hurry()
}

/** What the killed process had claimed, and what it would ask for later, is due at once. */
const hurry = () =>
  Promise.all([
    running.query("update business.rail_orders set next_try_at = now() where state in ('queued', 'sent')"),
    running.query('update business.payment_pages set next_check_at = now() where closed_at is null'),
  ])

const unitsOf = async (key: Keypair) => Number(await balanceOf(running, key.publicKey()))

/** Opens the page on which the customer pays, which Razorpay makes then. */
async function openPage(id: string): Promise<{ reference: string; open(): Promise<Response> }> {
  const [row] = await running.query<{ reference: string }>(
    'select reference from business.transfers where id = $1',
    [id],
  )
  const reference = row?.reference ?? ''
  const url = `${running.businessUrl}/interactive/pay/${reference}`
  return { reference, open: () => fetch(url, { redirect: 'manual' }) }
}

async function linkOf(id: string): Promise<string> {
  const { reference, open } = await openPage(id)
  await until('the page is there', async () => (await open().catch(() => null))?.status === 303)
  const links = [...razorpay.links.values()].filter(each => each.reference_id === reference)
  expect(links).toHaveLength(1)
  return links[0]?.id ?? ''
}

describe('a business server with Razorpay that is killed, while its webhooks come twice and in any order', () => {
  it.each(named(some(payout, 'POST /v1/payouts')))(
    'in the course of a payout, at %s, pays once',
    async (_, kill) => {
      const key = await customer()
      const begun = await agreedWithdrawal(running, key, '20')
      await killedIn(kill, () => payAnchor(running, key, '20', Memo.id(begun.memo)))
      await begun.becomes('completed', 60)
      const orders = await running.query<{ id: string; state: string }>(
        'select id, state from business.rail_orders where transfer_id = $1',
        [begun.id],
      )
      expect(orders.map(({ state }) => state)).toEqual(['paid'])
      const made = [...razorpay.payouts.values()].filter(each => each.reference_id === orders[0]?.id)
      // (20 - 0.5 - 20 × 0.005) × 88.50
      expect(made.map(({ amount }) => amount)).toEqual([171_690])
      expect(await unitsOf(key)).toBe(HOLDING - 20)
    },
    SECONDS,
  )

  it.each(named(some(collection, 'POST /v1/payment_links')))(
    'in the course of a deposit, at %s, takes and pays once',
    async (_, kill) => {
      const key = await customer()
      const begun = await agreedDeposit(running, key, '10')
      const { open } = await openPage(begun.id)
      if (typeof kill !== 'string' && kill.path === 'POST /v1/payment_links')
        await killedIn(kill, () => open().catch(() => undefined))
      const link = await linkOf(begun.id)
      const pay = async () => razorpay.payLink(link)
      if (typeof kill !== 'string' && kill.path === 'POST /v1/payment_links') await pay()
      else await killedIn(kill, pay)
      await begun.becomes('completed', 60)
      expect(await unitsOf(key)).toBe(HOLDING + 10)
      const receipts = await running.query(
        'select outcome from business.rail_receipts where transfer_id = $1',
        [begun.id],
      )
      expect(receipts).toEqual([{ outcome: 'accepted' }])
    },
    SECONDS,
  )

  it.each(named(some(refund, 'POST /v1/payments/')))(
    'in the course of a refund, at %s, sends the money back once',
    async (_, kill) => {
      const key = await customer()
      const begun = await agreedDeposit(running, key, '10')
      const link = await linkOf(begun.id)
      // Canceled before the customer pays.
      await running.query("update business.transfers set state = 'failed' where id = $1", [begun.id])
      let paymentId = ''
      await killedIn(kill, async () => {
        paymentId = razorpay.payLink(link)
      })
      const orderOf = () =>
        running.query<{ state: string; amount: string }>(
          `select state, amount from business.rail_orders where kind = 'return' and destination ->> 'paymentId' = $1`,
          [paymentId],
        )
      await until('the money is back', async () => (await orderOf())[0]?.state === 'paid', 60)
      const made = [...razorpay.refunds.values()].filter(each => each.payment_id === paymentId)
      expect(made.map(({ amount }) => amount)).toEqual([razorpay.links.get(link)?.amount])
      expect(await orderOf()).toHaveLength(1)
      expect(await unitsOf(key)).toBe(HOLDING)
    },
    SECONDS,
  )

  it.each(named(some(dispute, 'GET /v1/disputes/')))(
    'in the course of a dispute, at %s, books what was taken once',
    async (_, kill) => {
      const key = await customer()
      const begun = await agreedDeposit(running, key, '10')
      const link = await linkOf(begun.id)
      const paymentId = razorpay.payLink(link)
      await begun.becomes('completed', 60)
      const amount = Number(razorpay.links.get(link)?.amount)
      await killedIn(kill, async () => {
        const lost = { status: 'lost', amount_deducted: amount }
        Object.assign(razorpay.dispute(paymentId, amount), lost)
      })
      const debts = () =>
        running.query<{ amount: string }>(
          `select (l.amount * 100)::bigint::text as amount from business.journal_lines l
           join business.journal_entries e on e.id = l.entry_id
           where e.transfer_id = $1 and l.account = 'debts'`,
          [begun.id],
        )
      await until('the debt is booked', async () => (await debts()).length > 0, 60)
      // The webhooks go on.
      await sleep(2_000)
      expect(await debts()).toEqual([{ amount: String(amount) }])
    },
    SECONDS,
  )
})
