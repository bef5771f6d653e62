import type { AccountKey } from '@windlass/stellar/keys.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { observePayments } from './observe.ts'
import { payQueued } from './pay.ts'

let anchor: LedgerAnchor
let customer: AccountKey
/** Submissions that wait for a ledger, and when the last one began. */
let waiting: Set<object>
let lastAt: number
let closing: NodeJS.Timeout

beforeEach(async () => {
  anchor = await LedgerAnchor.start({ closeEvery: 'on-demand' })
  closing = setInterval(() => anchor.network.close(), 50)
  await anchor.issue()
  customer = await anchor.customerWithAsset()
  await observePayments(anchor.deps)
  clearInterval(closing)
  waiting = new Set()
})
afterEach(async () => {
  clearInterval(closing)
  await anchor.stop()
})

const LONG_MS = 4_000

/** Ledgers close when all that can be submitted is, as ledgers of five seconds give time for it. */
function closeWhenQuiet(): void {
  const { submit } = anchor.horizon
  anchor.horizon.submit = async xdr => {
    const one = {}
    waiting.add(one)
    lastAt = performance.now()
    return submit(xdr).finally(() => waiting.delete(one))
  }
  closing = setInterval(() => {
    if (waiting.size > 0 && performance.now() - lastAt > LONG_MS) {
      lastAt = performance.now()
      anchor.network.close()
    }
  }, 50)
}

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

describe('customers who pay at once', () => {
  it('24 are all paid within two ledgers where channels are open, and soon from none', async () => {
    closeWhenQuiet()
    // The first is paid, channels are opened, and the others are paid through them.
    expect(await payAtOnce(24)).toBeLessThanOrEqual(4)
    expect(await payAtOnce(24)).toBeLessThanOrEqual(2)
    expect(Number(await anchor.held(customer))).toBe(1048)
  })

  it('240 are all paid within a dozen ledgers, where one by one would take 240', async () => {
    closeWhenQuiet()
    expect(await payAtOnce(240)).toBeLessThanOrEqual(12)
    expect(Number(await anchor.held(customer))).toBe(1240)
  }, 240_000)
})

it('a stream of two in a ledger opens channels, and nobody waits longer and longer', async () => {
  closeWhenQuiet()
  await anchor.queue(customer.publicKey, { amount: '1' })
  const paying = payQueued(anchor.deps)
  const started = anchor.network.latestLedger
  let seen = started
  for (let made = 1; made < 40;) {
    if (anchor.network.latestLedger > seen) {
      seen = anchor.network.latestLedger
      for (const _ of [1, 2]) await anchor.queue(customer.publicKey, { amount: '1' })
      made += 2
    }
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  await paying
  expect(anchor.network.latestLedger - started).toBeLessThan(28)
}, 240_000)
