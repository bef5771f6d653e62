import { Memo, Operation, xdr } from '@stellar/stellar-sdk/base'
import { startLocalNetwork } from '@windlass/local-network/local-network.ts'
import { createHorizon, type LedgerDocument } from '@windlass/stellar/horizon.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import { createSecondSource, type SecondSource } from '@windlass/stellar/second-source.ts'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import type { Deps } from '../deps.ts'
import { startWithdrawal, type Told } from '../testing/invented-payment.ts'
import { startWithCustomer } from '../testing/known-customer.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { startLiar } from '../testing/liar.ts'
import { ledgerDifferences } from './chain.ts'
import { bookNetworkFees } from './network-fees.ts'
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

/** A ledger with another one before it, and a header to match. */
function falsify<L extends LedgerDocument>(ledger: L): L {
  const header = Buffer.from(ledger.header_xdr, 'base64')
  header[10] = (header[10] ?? 0) ^ 1
  const hash = createHash('sha256').update(header).digest('hex')
  return { ...ledger, header_xdr: header.toString('base64'), hash }
}

/** Payments as if they were in that ledger. */
function moveOn(record: Told, number: number): void {
  const place = (BigInt(number) << 32n) + 0x1000n
  record.id = record.paging_token = String(place + (BigInt(record.id) & 0xfffn))
  if (record.transaction) Object.assign(record.transaction, { paging_token: String(place), ledger: number })
}

const startFutureLiar = (number = FUTURE, shows: (record: Told) => boolean = () => true) =>
  startLiar(anchor.network.url, {
    told: 0,
    tell: (path, body) => {
      const isLedgers = path.startsWith('/ledgers?order=desc')
      if (!isLedgers && !/^\/accounts\/G\w+\/payments\?/.test(path)) return null
      const page = JSON.parse(body) as { _embedded: { records: (LedgerDocument & Told)[] } }
      if (!isLedgers) page._embedded.records = page._embedded.records.filter(shows)
      for (const record of page._embedded.records)
        isLedgers ? renumber(record, number) : moveOn(record, number)
      return JSON.stringify(page)
    },
  })

/** Shows the newest ledger with another hash. */
const startFalseLiar = () =>
  startLiar(anchor.network.url, {
    told: 0,
    tell: (path, body) => {
      if (!path.startsWith('/ledgers?order=desc')) return null
      const { _embedded } = JSON.parse(body) as { _embedded: { records: LedgerDocument[] } }
      return JSON.stringify({ _embedded: { records: _embedded.records.map(falsify) } })
    },
  })

const alone = (deps: Deps): Deps => {
  const horizon = { ...deps.horizon, second: null }
  return { ...deps, horizon, routineHorizon: horizon }
}

const fundedAt = async (deps: Deps) => {
  const { id, memo } = await startWithdrawal(anchor, customer)
  await anchor.sendBack(customer, '20', Memo.id(memo))
  await observePayments(deps).catch(() => undefined)
  const [row] = await anchor.rows<{ state: string }>(`select state from transfers where id = '${id}'`)
  return row?.state
}

it('a false hash of the newest ledger that was recorded is replaced once both sources agree, and an incident tells', async () => {
  await fundedAt(atHorizon(anchor.network.url))
  await observePayments(atHorizon(await startFalseLiar()))
  const [recorded] = await anchor.rows<{ ledger_hash: string }>('select ledger_hash from observed')
  const honest = atHorizon(anchor.network.url)
  // Nobody else says which is true.
  expect(await fundedAt(alone(honest))).toBe('awaiting_funds')
  expect(await anchor.incidents()).toMatchObject([
    { details: { reason: 'ledger-differs' }, resolved_at: null },
  ])
  expect(await fundedAt(honest)).toBe('funded')
  const incidents = await anchor.incidents()
  expect(incidents).toMatchObject([
    { kind: 'other-chain', endedAs: 'ledger-found-again' },
    { kind: 'other-chain', details: { reason: 'false-record', recorded: recorded?.ledger_hash } },
  ])
  expect(incidents[1]?.message).toContain('Horizon lied or was wrong')
  expect(incidents.filter(({ resolved_at }) => resolved_at === null)).toEqual([])
  // What was paid while it stood still was read too.
  expect(await anchor.rows('select distinct state from transfers')).toEqual([{ state: 'funded' }])
  await anchor.queue(customer.publicKey)
  await anchor.pay(honest)
  expect(await anchor.payments()).toMatchObject([{ state: 'paid' }])
})

it('a false ledger that time allows, with a place in it, holds up nothing once both sources agree', async () => {
  const honest = atHorizon(anchor.network.url)
  await fundedAt(honest)
  const hidden = await startWithdrawal(anchor, customer)
  await anchor.sendBack(customer, '20', Memo.id(hidden.memo))
  await anchor.sendBack(customer, '0.0000001')
  const future = anchor.network.latestLedger + 8
  await observePayments(atHorizon(await startFutureLiar(future, record => record.amount === '0.0000001')))
  const [before] = await anchor.rows<{ cursor: string }>('select cursor from observed')
  expect(Number(BigInt(before?.cursor ?? '0') >> 32n)).toBe(future)
  expect(await fundedAt(honest)).toBe('funded')
  expect(await anchor.rows('select distinct state from transfers')).toEqual([{ state: 'funded' }])
  expect(await anchor.rows('select payments from ledger_dust')).toEqual([{ payments: '1' }])
  expect((await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)).toEqual([])
})

it('dust that a false ledger hid is counted, where none was before', async () => {
  const honest = atHorizon(anchor.network.url)
  await fundedAt(honest)
  await anchor.sendBack(customer, '0.0000001')
  await observePayments(atHorizon(await startFutureLiar(anchor.network.latestLedger + 8, () => false)))
  expect(await anchor.rows('select dust_cursor from observed')).toEqual([{ dust_cursor: null }])
  expect(await fundedAt(honest)).toBe('funded')
  expect(await anchor.rows('select payments from ledger_dust')).toEqual([{ payments: '1' }])
})

it('the record is not replaced by one source’s lie about an old ledger, nor where both follow another chain', async () => {
  const honest = atHorizon(anchor.network.url)
  await fundedAt(honest)
  const before = await position()
  const liar = await startLiar(anchor.network.url, {
    told: 0,
    tell: (path, body) => {
      if (!/^\/ledgers\/\d+$/.test(path)) return null
      return JSON.stringify(falsify(JSON.parse(body) as LedgerDocument))
    },
  })
  await observePayments(atHorizon(liar))
  expect(await position()).toEqual(before)
  const other = await startLocalNetwork({ closeEvery: 'at-once' })
  onTestFinished(() => other.stop())
  while (other.latestLedger < anchor.network.latestLedger + 5) other.close()
  const second = createSecondSource({ rpcUrl: `${other.url}/rpc` }, anchor.network.passphrase)
  const horizon = createHorizon({ ...anchor.network, url: other.url }, 'money', { second })
  await observePayments({ ...honest, horizon, routineHorizon: horizon })
  expect(await position()).toEqual(before)
  expect((await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)).toHaveLength(1)
  await observePayments(honest)
  expect((await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)).toEqual([])
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

it('a transaction of ours in a ledger of the future does not end the reading of the account’s history', async () => {
  const xlm = await LedgerAnchor.start()
  onTestFinished(() => xlm.stop())
  await xlm.serveXlm('100')
  const { url, passphrase } = xlm.network
  await observePayments(xlm.deps)
  const feesOf = () => xlm.rows('select fees_cursor from observed')
  const before = await feesOf()
  await xlm.apply(xlm.distribution, [Operation.bumpSequence({ bumpTo: '0' })])
  const lying = await startLiar(url, {
    told: 0,
    tell: (path, body) => {
      if (!/^\/accounts\/G\w+\/transactions\?/.test(path)) return null
      const page = JSON.parse(body) as { _embedded: { records: NonNullable<Told['transaction']>[] } }
      const last = page._embedded.records.at(-1)
      if (last) Object.assign(last, { paging_token: String(BigInt(FUTURE) << 32n), ledger: FUTURE })
      return JSON.stringify(page)
    },
  })
  const at = (address: string, second: SecondSource | null): Deps => {
    const horizon = createHorizon({ url: address, passphrase }, 'money', { second })
    return { ...xlm.deps, horizon, routineHorizon: horizon }
  }
  for (const second of [null, createSecondSource({ rpcUrl: `${url}/rpc` }, passphrase)])
    await expect(bookNetworkFees(at(lying, second))).rejects.toThrow('cannot have closed yet')
  expect(await feesOf()).toEqual(before)
  await observePayments(at(url, null))
  expect(await ledgerDifferences(xlm.deps)).toMatchObject([{ difference: 0n }])
})
