import type { AccountKey } from '@windlass/stellar/keys.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { IdleLedgers } from '../testing/idle-ledgers.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { observePayments } from './observe.ts'
import { payQueued } from './pay.ts'

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
