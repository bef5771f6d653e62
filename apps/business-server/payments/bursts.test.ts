import { generateKey, type AccountKey } from '@windlass/stellar/keys.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { IdleLedgers } from '../testing/idle-ledgers.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { observePayments } from './observe.ts'
import { payQueued } from './pay.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'
import { reportedBy } from '../testing/reported-by.ts'

let anchor: LedgerAnchor
let customer: AccountKey
let ledgers: IdleLedgers

beforeEach(async () => {
  anchor = await LedgerAnchor.start({ closeEvery: 'on-demand' })
  const closing = setInterval(() => anchor.network.close(), 50)
  await anchor.issue()
  customer = await anchor.customerWithAsset()
  await observePayments(anchor.deps)
  clearInterval(closing)
  ledgers = new IdleLedgers(anchor)
})
afterEach(async () => {
  await ledgers.stop()
  await anchor.stop()
})

/** The first payment is being made when the others come. @returns the ledgers until all are paid */
async function payAtOnce(count: number): Promise<number> {
  const before = anchor.network.latestLedger
  await anchor.queue(customer.publicKey, { amount: '1' })
  const paying = payQueued(anchor.deps)
  for (let made = 1; made < count; made++) {
    await anchor.queue(customer.publicKey, { amount: '1' })
    anchor.deps.wake.emit('ledgerPayments')
  }
  await paying
  expect(new Set((await anchor.payments()).map(({ state }) => state))).toEqual(new Set(['paid']))
  return anchor.network.latestLedger - before
}

interface AgreedDeposit {
  rail: string
  reference: string
  currency: string
  amount: string
}

/** A customer of a deposit agrees, as each does before they pay. Each has a memo of their own. */
async function agree(made: number, account = generateKey().publicKey): Promise<AgreedDeposit> {
  const over = {
    destination_account: customer.publicKey,
    type: 'upi',
    memo: String(made + 1),
    memo_type: 'id',
  }
  const { id } = await acceptTransaction(anchor.deps, reportedBy(account, over))
  const { rail, reference, fiat_amount, currency } = await confirm(anchor.deps, id)
  return { rail, reference: reference ?? '', currency, amount: fiat_amount ?? '' }
}

/** So many customers agree, and then all of them pay at once. @returns the ledgers until all are paid */
async function agreeAndPayAtOnce(count: number): Promise<number> {
  let paying = Promise.resolve()
  anchor.deps.wake.on('ledgerPayments', () => {
    paying = paying.then(() => payQueued(anchor.deps))
  })
  const agreed: AgreedDeposit[] = []
  while (agreed.length < count) agreed.push(await agree(agreed.length))
  for (let seen; seen !== paying;) await (seen = paying)
  const before = anchor.network.latestLedger
  for (const [made, { rail, ...money }] of agreed.entries())
    await receiveRailPayment(anchor.deps, rail, { kind: 'received', paymentId: `p${made}`, ...money })
  for (let seen; seen !== paying;) await (seen = paying)
  const states = await anchor.rows<{ state: string; count: string }>(
    'select state, count(*) from transfers group by state',
  )
  expect(states).toEqual([{ state: 'completed', count: String(count) }])
  return anchor.network.latestLedger - before
}

describe('customers who agreed to their deposits and pay at once', () => {
  it('24 with memos of their own are all paid within two ledgers: channels are open when they pay', async () => {
    expect(await agreeAndPayAtOnce(24)).toBeLessThanOrEqual(2)
  })

  it('few open no channels', async () => {
    expect(await agreeAndPayAtOnce(9)).toBeLessThanOrEqual(9)
    expect(await anchor.rows('select account from ledger_channels')).toEqual([])
  })

  it('one who agrees to many opens none, whose reserves would be locked for nothing', async () => {
    const { publicKey } = generateKey()
    for (let made = 0; made < 12; made++) await agree(made, publicKey)
    await payQueued(anchor.deps)
    expect(await anchor.payments()).toEqual([])
    for (let made = 12; made < 21; made++) await agree(made)
    await payQueued(anchor.deps)
    expect(await anchor.payments()).toHaveLength(1)
  })
})

describe('customers who pay at once', () => {
  it('24 are all paid within two ledgers where channels are open, and soon from none', async () => {
    // The first is paid, channels are opened, and the others are paid through them.
    expect(await payAtOnce(24)).toBeLessThanOrEqual(4)
    expect(await payAtOnce(24)).toBeLessThanOrEqual(2)
    expect(Number(await anchor.held(customer))).toBe(1048)
  })

  it('240 are all paid within six ledgers from none, and within four where channels are open', async () => {
    expect(await payAtOnce(240)).toBeLessThanOrEqual(6)
    expect(await payAtOnce(240)).toBeLessThanOrEqual(4)
    expect(Number(await anchor.held(customer))).toBe(1480)
  }, 240_000)
})

it('a stream of two in a ledger opens channels, and nobody waits longer and longer', async () => {
  await anchor.queue(customer.publicKey, { amount: '1' })
  const paying = payQueued(anchor.deps)
  const started = anchor.network.latestLedger
  for (let made = 1; made < 40; made += 2) {
    await ledgers.next()
    for (const _ of [1, 2]) await anchor.queue(customer.publicKey, { amount: '1' })
  }
  await paying
  expect(anchor.network.latestLedger - started).toBeLessThan(28)
}, 240_000)
