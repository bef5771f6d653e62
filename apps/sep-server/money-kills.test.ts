import { type Keypair, Memo } from '@stellar/stellar-sdk/base'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NO_FAULTS, startRunningAnchor, type RunningAnchor } from './testing/running-anchor.ts'
import {
  agreedDeposit,
  agreedDirectPayment,
  agreedWithdrawal,
  payOverRail,
  type Begun,
} from './testing/transfers.ts'
import {
  balanceOf,
  contractBalanceOf,
  contractWallet,
  fundedWallet,
  give,
  openTrustline,
  payAnchor,
  registerWallet,
  until,
} from './testing/wallet.ts'

const reportedToSep = ['calls:taken', 'calls:sent']
const paidOnLedger = [
  'payment:taken',
  'envelope:stored',
  'envelope:applied',
  'envelope:confirmed',
  'payment:noted',
]
const paidOverRail = ['order:taken', 'order:handed', 'order:noted', 'order:reported', 'order:settled']
const cameOverRail = ['money:reported', 'money:noted']
const cameOnLedger = ['ledger:read', 'ledger:noted']

/** What moved between the customer and the anchor in the end, in asset units and over the rail. */
interface Moved {
  customer: number
  anchor: number
  /** Payments of the anchor's on the ledger to the customer. */
  ledgerPayments: string[]
  railPayments: string[]
}

interface Case {
  points: readonly string[]
  status: string
  moved: Moved
  agree(key: Keypair): Promise<Agreed>
  pay(key: Keypair, begun: Agreed): Promise<unknown>
}
type Agreed = Pick<Begun, 'id' | 'becomes'> & { memo?: string }

const HOLDING = 30
const cases: Readonly<Record<string, Case>> = {
  'a deposit': {
    points: [...cameOverRail, ...paidOnLedger, ...reportedToSep],
    status: 'completed',
    moved: { customer: 10, anchor: -10, ledgerPayments: ['10.0000000'], railPayments: [] },
    agree: key => agreedDeposit(running, key, '10'),
    pay: (_, { id }) => payOverRail(running, id),
  },
  'a withdrawal': {
    points: [...cameOnLedger, ...paidOverRail, ...reportedToSep],
    status: 'completed',
    // (20 - 0.5 - 20 × 0.005) × 88.50
    moved: { customer: -20, anchor: 20, ledgerPayments: [], railPayments: ['1716.9000000'] },
    agree: key => agreedWithdrawal(running, key, '20'),
    pay: (key, { memo = '' }) => payAnchor(running, key, '20', Memo.id(memo)),
  },
  'a direct payment': {
    points: [...cameOnLedger, ...paidOverRail, ...reportedToSep],
    status: 'completed',
    moved: { customer: -20, anchor: 20, ledgerPayments: [], railPayments: ['1716.9000000'] },
    agree: key => agreedDirectPayment(running, key, '20'),
    pay: (key, { memo = '' }) => payAnchor(running, key, '20', Memo.id(memo)),
  },
  'a deposit that came in another amount': {
    points: [...cameOverRail, ...paidOverRail, ...reportedToSep],
    status: 'refunded',
    moved: { customer: 0, anchor: 0, ledgerPayments: [], railPayments: ['5.0000000'] },
    agree: key => agreedDeposit(running, key, '10'),
    pay: (_, { id }) => payOverRail(running, id, '5'),
  },
  'a withdrawal that came in another amount': {
    points: [...cameOnLedger, ...paidOnLedger, ...reportedToSep],
    status: 'refunded',
    moved: { customer: 0, anchor: 0, ledgerPayments: ['24.0000000'], railPayments: [] },
    agree: key => agreedWithdrawal(running, key, '20'),
    pay: (key, { memo = '' }) => payAnchor(running, key, '24', Memo.id(memo)),
  },
  'a withdrawal that the bank cannot pay': {
    points: [...paidOverRail, ...paidOnLedger],
    status: 'refunded',
    moved: { customer: 0, anchor: 0, ledgerPayments: ['20.0000000'], railPayments: [] },
    agree: key => agreedWithdrawal(running, key, '20', 'fail@okbank'),
    pay: (key, { memo = '' }) => payAnchor(running, key, '20', Memo.id(memo)),
  },
}

const matrix = Object.entries(cases).flatMap(([what, { points }]) =>
  points.map(point => [what, point] as const),
)
const sample: typeof matrix = [
  ['a deposit', 'envelope:stored'],
  ['a direct payment', 'ledger:noted'],
]
const sampleOfFaults: typeof matrix = [
  ['a deposit', 'envelope:applied'],
  ['a withdrawal', 'order:handed'],
]
const everything = process.env.MODE === 'faults'

/** One instance is ten ledgers behind, and no answer to a submission arrives. */
const FAULTS = {
  ...NO_FAULTS,
  instances: {
    current: { submissions: { answer: 'none' as const } },
    behind: { submissions: { answer: '504' as const }, lag: { ledgers: 10 } },
  },
}

let running: RunningAnchor
beforeAll(async () => {
  running = await startRunningAnchor({ severalInstances: true, contracts: true })
})
afterAll(() => running.stop())

describe('a business server that is killed', () => {
  beforeEach(() => running.network.setFaults(NO_FAULTS))

  it.each(everything ? [...sample, ...sampleOfFaults] : sample)(
    'in the course of %s, at %s, moves the money once',
    movesOnce,
    90_000,
  )

  it.runIf(everything).each(paidOnLedger)(
    'in the course of many payments through channels, at %s, makes each once',
    paysManyOnce,
    120_000,
  )

  it.each(everything ? paidOnLedger : ['envelope:applied'])(
    'in the course of a deposit to a contract account, at %s, pays it once',
    paysContractOnce,
    90_000,
  )

  describe('while a Horizon instance is behind and answers get lost', () => {
    beforeEach(() => running.network.setFaults(FAULTS))

    it.each(everything ? matrix : sampleOfFaults)(
      'in the course of %s, at %s, moves the money once',
      movesOnce,
      120_000,
    )

    it.runIf(everything).each(paidOnLedger)(
      'in the course of many payments through channels, at %s, makes each once',
      paysManyOnce,
      240_000,
    )
  })
})

async function movesOnce(what: string, point: string): Promise<void> {
  const each = cases[what]
  if (!each) throw new Error(what)
  const key = await customer()
  const begun = await each.agree(key)
  await until('the SEP server has all calls', async () => {
    const open = await running.query('select 1 from business.platform_calls where delivered_at is null')
    return open.length === 0
  })
  const anchorHeld = await unitsOf(running.anchor.accounts.distribution)
  await running.kill('business')
  await running.start('business', { FAULT_POINT: point })
  await each.pay(key, begun)
  expect(await running.ended('business')).toBe('SIGKILL')

  await running.start('business')
  await hurry()
  await begun.becomes(each.status, 60)
  expect(await movedSince(key, anchorHeld, begun.id)).toEqual(each.moved)
  expect(await running.query('select 1 from business.platform_calls where refused is not null')).toEqual([])
}

async function paysContractOnce(point: string): Promise<void> {
  const { address, token } = await contractWallet(running)
  const begun = await agreedDeposit(running, token, '10')
  await running.kill('business')
  await running.start('business', { FAULT_POINT: point })
  await payOverRail(running, begun.id)
  expect(await running.ended('business')).toBe('SIGKILL')
  await running.start('business')
  await hurry()
  const { stellar_transaction_id } = await begun.becomes('completed', 60)
  expect(await contractBalanceOf(running, address)).toBe(10)
  const found = await fetch(`${running.network.url}/transactions/${stellar_transaction_id}/operations`)
  expect(await found.json()).toMatchObject({
    _embedded: { records: [{ type: 'invoke_host_function', asset_balance_changes: [{ to: address }] }] },
  })
  expect(await running.query('select kind, message from business.ledger_incidents')).toEqual([])
}

const MANY = 30

/** What the business server proves of a refund of one unit (`apps/business-server/payments/bound-payments.ts`). */
const paymentRow = (cause: string, destination: string) => [
  ...['ledger_payments', cause, null, 'refund', destination],
  ...['1', null, null, null, 'false', '0'],
]

async function paysManyOnce(point: string): Promise<void> {
  const key = await customer()
  const queue = (name: string, count: number) => {
    const causes = Array.from({ length: count }, (_, number) => `test:${name}:${key.publicKey()}:${number}`)
    const proofs = causes.map(cause => running.bind(paymentRow(cause, key.publicKey())))
    return running.query(
      `insert into business.ledger_payments (cause, purpose, destination, amount, bound)
       select cause, 'refund', $1, 1, bound from unnest($2::text[], $3::bytea[]) as payment(cause, bound)`,
      [key.publicKey(), causes, proofs],
    )
  }
  const untilPaid = () =>
    until(
      'every payment is made',
      async () => {
        await hurry()
        const open = await running.query("select 1 from business.ledger_payments where state = 'queued'")
        return open.length === 0
      },
      100,
    )
  await queue('opening', MANY)
  await untilPaid()
  const channels = await running.query("select 1 from business.ledger_channels where state = 'open'")
  expect(channels.length).toBeGreaterThanOrEqual(MANY / 2)

  await running.kill('business')
  await running.start('business', { FAULT_POINT: point })
  await queue(point, MANY)
  expect(await running.ended('business')).toBe('SIGKILL')
  await running.start('business')
  await untilPaid()
  expect(await unitsOf(key.publicKey())).toBe(HOLDING + 2 * MANY)
  const used = await running.query<{ source: string }>(
    `select distinct e.source from business.ledger_envelopes e join business.ledger_payments p on p.id = e.payment_id
     where p.cause like 'test:' || $1 || '%' and e.state = 'applied'`,
    [point],
  )
  expect(used.length).toBeGreaterThan(MANY / 4)
}

/** A known customer's wallet with some of the asset. */
async function customer(): Promise<Keypair> {
  const key = await fundedWallet(running)
  registerWallet(running, key)
  await openTrustline(running, key)
  await give(running, key, String(HOLDING))
  return key
}

/** What the killed process had claimed is free again after some seconds: this skips them. */
async function hurry(): Promise<void> {
  await running.query("update business.ledger_payments set next_try_at = now() where state = 'queued'")
  await running.query("update business.rail_orders set next_try_at = now() where state in ('queued', 'sent')")
  await running.query('update business.simulated_rail_payments set due_at = now() where reported_at is null')
}

const unitsOf = async (address: string) => Number(await balanceOf(running, address))

async function movedSince(key: Keypair, anchorHeld: number, id: string): Promise<Moved> {
  const { distribution } = running.anchor.accounts
  const found = await fetch(`${running.network.url}/accounts/${distribution}/payments?order=desc&limit=200`)
  const { _embedded } = (await found.json()) as {
    _embedded: { records: { from?: string; to?: string; amount?: string }[] }
  }
  const railPayments = await running.query<{ amount: string }>(
    `select o.amount from business.rail_orders o join business.simulated_rail_payments p on p.id = o.id::text
     where o.transfer_id = $1 and p.outcome = 'paid'`,
    [id],
  )
  return {
    customer: (await unitsOf(key.publicKey())) - HOLDING,
    anchor: (await unitsOf(distribution)) - anchorHeld,
    ledgerPayments: _embedded.records
      .filter(({ from, to }) => from === distribution && to === key.publicKey())
      .map(({ amount = '' }) => amount),
    railPayments: railPayments.map(({ amount }) => amount),
  }
}
