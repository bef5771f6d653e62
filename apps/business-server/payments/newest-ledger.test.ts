import { Memo, xdr } from '@stellar/stellar-sdk/base'
import { createHorizon, type LedgerDocument } from '@windlass/stellar/horizon.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import { createSecondSource, type SecondSource } from '@windlass/stellar/second-source.ts'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { startWithdrawal, type Told } from '../testing/invented-payment.ts'
import { startWithCustomer } from '../testing/known-customer.ts'
import type { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { startLiar } from '../testing/liar.ts'
import { newestLedger } from './newest-ledger.ts'
import { observePayments } from './observe.ts'

let anchor: LedgerAnchor
let customer: AccountKey
beforeEach(async () => {
  ;({ anchor, customer } = await startWithCustomer())
})
afterEach(() => anchor.stop())

const FUTURE = 2_000_000_000
/** Which as many seconds as passed since the first network of Stellar's would allow. */
const EARLIER = 300_000_000

const atHorizon = (url: string): Deps => {
  const { network } = anchor
  const second = createSecondSource({ rpcUrl: `${network.url}/rpc` }, network.passphrase)
  const horizon = createHorizon({ ...network, url }, 'money', { second })
  return { ...anchor.deps, horizon, routineHorizon: horizon, clock: { now: () => new Date() } }
}

/** The newest ledger as if it had another number, with a header to match. */
function renumber(ledger: LedgerDocument, number: number): void {
  const header = xdr.LedgerHeader.fromXdr(ledger.header_xdr, 'base64')
  const bytes = Buffer.from(new xdr.LedgerHeader({ ...header, ledgerSeq: number }).toXdr())
  const hash = createHash('sha256').update(bytes).digest('hex')
  Object.assign(ledger, { header_xdr: bytes.toString('base64'), hash, sequence: number })
}

/** Payments as if they were in that ledger. */
function moveOn(record: Told, number: number): void {
  const place = (BigInt(number) << 32n) + 0x1000n
  record.id = record.paging_token = String(place + (BigInt(record.id) & 0xfffn))
  if (record.transaction) Object.assign(record.transaction, { paging_token: String(place), ledger: number })
}

const startFutureLiar = (number = FUTURE) =>
  startLiar(anchor.network.url, {
    told: 0,
    tell: (path, body) => {
      const isLedgers = path.startsWith('/ledgers?order=desc')
      if (!isLedgers && !/^\/accounts\/G\w+\/payments\?/.test(path)) return null
      const page = JSON.parse(body) as { _embedded: { records: (LedgerDocument & Told)[] } }
      for (const record of page._embedded.records)
        isLedgers ? renumber(record, number) : moveOn(record, number)
      return JSON.stringify(page)
    },
  })

const position = () => anchor.rows('select cursor, ledger_sequence from observed')

it('a newest ledger of the future, and dust in it, stop no anchor that has a second source', async () => {
  const honest = atHorizon(anchor.network.url)
  await observePayments(honest)
  const before = await position()
  await anchor.sendBack(customer, '0.0000001')
  await expect(observePayments(atHorizon(await startFutureLiar()))).rejects.toThrow('cannot have closed yet')
  expect(await position()).toEqual(before)
  const { id, memo } = await startWithdrawal(anchor, customer)
  await anchor.sendBack(customer, '20', Memo.id(memo))
  await observePayments(honest)
  expect(await anchor.rows(`select state from transfers where id = '${id}'`)).toEqual([{ state: 'funded' }])
  expect(await anchor.incidents()).toEqual([])
})

it('at its first read an anchor believes no newest ledger that its second source does not have, though time allows it', async () => {
  await anchor.rows('delete from observed')
  await anchor.sendBack(customer, '0.0000001')
  await expect(observePayments(atHorizon(await startFutureLiar(EARLIER)))).rejects.toThrow(
    'cannot have closed yet',
  )
  expect(await position()).toEqual([])
  const { id, memo } = await startWithdrawal(anchor, customer)
  await anchor.sendBack(customer, '20', Memo.id(memo))
  await observePayments(atHorizon(anchor.network.url))
  expect(await anchor.rows(`select state from transfers where id = '${id}'`)).toEqual([{ state: 'funded' }])
  expect(await anchor.incidents()).toEqual([])
})

it('the second source is asked only where time does not allow so many ledgers', async () => {
  const now = new Date()
  let asked = 0
  const history = async () => (asked++, { elder: 1, latest: 2_000 })
  const second = { ...atHorizon(anchor.network.url).horizon.second, history } as SecondSource
  const horizon = { ...anchor.horizon, second }
  const deps = { ...anchor.deps, horizon, clock: { now: () => now } }
  const known = { sequence: 1_000, hash: '', closedAt: new Date(now.getTime() - 60_000).toISOString() }
  const shows = (sequence: number, closedAt = now) =>
    newestLedger(deps, { head: async () => ({ sequence, hash: '', closedAt, baseReserve: 0n }) }, known)
  await Promise.all([shows(1_072), shows(990, new Date(now.getTime() - 120_000))])
  expect(asked).toBe(0)
  // A Horizon may be a minute before the second source, and a clock an hour wrong.
  await shows(2_012)
  expect(asked).toBe(1)
  await expect(shows(2_013)).rejects.toThrow('cannot have closed yet')
  await shows(1_700, new Date(now.getTime() + 59 * 60_000))
  expect(asked).toBe(2)
  await shows(1_700, new Date(now.getTime() + 61 * 60_000))
  expect(asked).toBe(3)
})
