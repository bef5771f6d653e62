import { Account, Memo, Operation, TransactionBuilder, xdr } from '@stellar/stellar-sdk/base'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { signTransaction, type AccountKey } from '@windlass/stellar/keys.ts'
import { createSecondSource, type SecondSource } from '@windlass/stellar/second-source.ts'
import fc from 'fast-check'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Deps } from '../deps.ts'
import { startWithCustomer } from '../testing/known-customer.ts'
import { keepSubmissions, movedOn, startWithdrawal, type Told } from '../testing/invented-payment.ts'
import type { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { startLiar, type Lie } from '../testing/liar.ts'
import { ledgerDifferences } from './chain.ts'
import { observePayments } from './observe.ts'

let anchor: LedgerAnchor
let customer: AccountKey
beforeEach(async () => {
  ;({ anchor, customer } = await startWithCustomer())
})
afterEach(() => anchor.stop())

const withdrawal = () => startWithdrawal(anchor, customer)

interface Payments {
  _embedded: { records: (Record<string, unknown> & { transaction: Record<string, unknown> })[] }
}

const isPage = (path: string): boolean => /^\/accounts\/G\w+\/payments\?/.test(path)

/** Changes the records of each page of payments. */
const lieOnPages = (change: (records: Payments['_embedded']['records']) => void): Lie => ({
  told: 0,
  tell: (path, body) => {
    if (!isPage(path)) return null
    const page = JSON.parse(body) as Payments
    change(page._embedded.records)
    return JSON.stringify(page)
  },
})

/** As after a start at a Horizon that lies so. */
async function lyingDeps(lie: Lie, second: SecondSource | null = null): Promise<Deps> {
  const source = { ...anchor.network, url: await startLiar(anchor.network.url, lie) }
  const horizon = createHorizon(source, 'money', { second })
  return { ...anchor.deps, horizon, routineHorizon: horizon }
}

const stateOf = async (id: string) =>
  (await anchor.rows<{ state: string }>(`select state from transfers where id = '${id}'`))[0]?.state
const position = async () =>
  (await anchor.rows<{ cursor: string; caught_up_at: Date }>('select cursor, caught_up_at from observed'))[0]
const openIncidents = async () =>
  (await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null).map(({ kind }) => kind)
const tryAgainNow = () =>
  anchor.deps.database.pool.query("update ledger_incidents set next_try_at = now() - interval '1 second'")
/** By whose payment something happened. */
const receipts = () =>
  anchor.rows(
    "select amount::text, outcome from ledger_receipts where outcome <> 'ignored' order by id::bigint",
  )

describe('a page of payments', () => {
  /** A payment that is on no ledger, with an envelope that its sender signed where there is one. */
  const invented = (memo: string, envelope: xdr.TransactionEnvelope | null, place: bigint) => {
    const transaction =
      envelope && TransactionBuilder.fromXdr(envelope.toXdr('base64'), anchor.network.passphrase)
    const hash = transaction ? Buffer.from(transaction.hash()).toString('hex') : 'ab'.repeat(32)
    return {
      ...{ id: String(place + 1n), paging_token: String(place + 1n), type: 'payment' },
      ...{ created_at: new Date().toISOString(), transaction_hash: hash, transaction_successful: true },
      ...{ from: customer.publicKey, to: anchor.distribution.publicKey, amount: '20.0000000' },
      ...{ asset_type: 'credit_alphanum12', asset_code: 'MUMBAI', asset_issuer: anchor.issuer.publicKey },
      transaction: {
        ...{ memo_type: 'id', memo, hash, paging_token: String(place), ledger: Number(place >> 32n) },
        ...{ successful: true, fee_charged: '100', source_account: customer.publicKey },
        ...(envelope ? { envelope_xdr: envelope.toXdr('base64') } : {}),
      },
    }
  }

  it.each(['nothing of the ledger', 'an envelope of another amount'])(
    'pays nobody for an invented record with %s: it is set aside, the cursor stays, an incident tells',
    async proof => {
      const { id, memo } = await withdrawal()
      const before = await position()
      const account = await anchor.horizon.account(customer.publicKey)
      const signed = new TransactionBuilder(new Account(customer.publicKey, account?.sequence ?? '0'), {
        ...{ fee: '100', networkPassphrase: anchor.network.passphrase, memo: Memo.id(memo) },
      })
        .addOperation(
          Operation.payment({
            asset: anchor.asset,
            amount: '0.0000001',
            destination: anchor.distribution.publicKey,
          }),
        )
        .setTimeout(0)
        .build()
      signTransaction(signed, customer.secret)
      const envelope = proof.startsWith('nothing')
        ? null
        : xdr.TransactionEnvelope.fromXdr(Buffer.from(signed.toXdr(), 'base64'))
      const place = BigInt(anchor.network.latestLedger) << 32n
      const deps = await lyingDeps(
        lieOnPages(records => records.push(invented(memo, envelope, place + 0x1000n))),
      )
      for (let reads = 0; reads < 3; reads++) await observePayments(deps)
      expect(await stateOf(id)).toBe('awaiting_funds')
      expect(await receipts()).toEqual([])
      expect(await openIncidents()).toEqual(['unreadable-payment'])
      expect(await position()).toEqual(before)
      await anchor.sendBack(customer, '20', Memo.id(memo))
      await observePayments(anchor.deps)
      expect(await stateOf(id)).toBe('funded')
    },
  )

  it('is not believed in anything that the envelope, the result or the place says otherwise', async () => {
    const other = anchor.issuer.publicKey
    const inTransaction = (changed: object) => (record: Payments['_embedded']['records'][number]) =>
      Object.assign(record.transaction, changed)
    const failed = xdr.TransactionResult.fromXdr(Buffer.from('AAAAAAAAAGT////7AAAAAA==', 'base64'))
    const changes: Record<string, (record: Payments['_embedded']['records'][number]) => unknown> = {
      amount: record => (record.amount = '440243.0000000'),
      source: record => (record.from = other),
      'muxed source': record =>
        (record.from_muxed = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ'),
      destination: record => (record.to_muxed_id = '7'),
      asset: record => Object.assign(record, { asset_code: 'DELHI' }),
      issuer: record => (record.asset_issuer = customer.publicKey),
      native: record => (record.asset_type = 'native'),
      memo: inTransaction({ memo: '7' }),
      'memo type': inTransaction({ memo_type: 'text' }),
      hash: record => (record.transaction_hash = 'ab'.repeat(32)),
      'both hashes': record => {
        record.transaction_hash = 'ab'.repeat(32)
        record.transaction.hash = 'ab'.repeat(32)
      },
      'missing transaction': record => Object.assign(record, { transaction: undefined }),
      outcome: inTransaction({ successful: false }),
      result: inTransaction({ result_xdr: failed.toXdr('base64') }),
      place: record => {
        record.id = record.paging_token = String(BigInt(String(record.paging_token)) + 0x1000n)
      },
      operation: record => {
        record.id = record.paging_token = String(BigInt(String(record.paging_token)) + 1n)
      },
      ledger: record => {
        record.id = record.paging_token = String(BigInt(String(record.paging_token)) + (1n << 40n))
        record.transaction.paging_token = String(
          BigInt(String(record.transaction.paging_token)) + (1n << 40n),
        )
      },
      type: record => (record.type = 'path_payment_strict_send'),
      time: record => (record.created_at = 'yesterday'),
      'missing time': record => delete record.created_at,
      'time without a year': record => (record.created_at = '99999999-01-01T00:00:00Z'),
      'another envelope': inTransaction({ envelope_xdr: 'AAAA' }),
    }
    for (const [what, change] of Object.entries(changes)) {
      const { id, memo } = await withdrawal()
      await anchor.sendBack(customer, '20', Memo.id(memo))
      const before = await position()
      const lie = lieOnPages(records => records.forEach(change))
      await observePayments(await lyingDeps(lie))
      expect([what, lie.told > 0, await stateOf(id)]).toEqual([what, true, 'awaiting_funds'])
      expect([what, await position()]).toEqual([what, before])
      expect([what, await openIncidents()]).toEqual([what, ['unreadable-payment']])
      await tryAgainNow()
      await observePayments(anchor.deps)
      expect([what, await stateOf(id)]).toEqual([what, 'funded'])
      // What carries no id of the ledger is never found again: a person looks at it.
      await anchor.deps.database.pool.query('update ledger_incidents set resolved_at = now()')
    }
    expect(await receipts()).toEqual(
      Object.keys(changes).map(() => ({ amount: '20.0000000', outcome: 'accepted' })),
    )
  })

  it.each([
    [
      'a time that cannot be read, of dust too',
      (records: Payments['_embedded']['records']) =>
        records.forEach(record => Object.assign(record, { created_at: 'yesterday' })),
    ],
    [
      'a name that no index holds',
      (records: Payments['_embedded']['records']) =>
        records.forEach(record => (record.id = randomBytes(20_000).toString('hex'))),
    ],
  ])('is read past %s', async (_, change) => {
    await anchor.sendBack(customer, '0.0000001')
    const before = await position()
    await observePayments(await lyingDeps(lieOnPages(change)))
    expect(await openIncidents()).toEqual(['unreadable-payment'])
    expect(await position()).toEqual(before)
    const { id, memo } = await withdrawal()
    await anchor.sendBack(customer, '20', Memo.id(memo))
    await observePayments(anchor.deps)
    expect(await stateOf(id)).toBe('funded')
    expect(await anchor.rows('select payments from ledger_dust')).toEqual([{ payments: '1' }])
  })

  it('with a time that nothing else has checked brings that time to no query', async () => {
    const { id, memo } = await withdrawal()
    await anchor.sendBack(customer, '20', Memo.id(memo))
    const warned = vi.spyOn(process, 'emitWarning')
    const paymentsOf: typeof anchor.horizon.paymentsOf = async (...of) =>
      (await anchor.horizon.paymentsOf(...of)).map(record => ({ ...record, created_at: 'yesterday' }))
    const horizon = { ...anchor.horizon, paymentsOf }
    await observePayments({ ...anchor.deps, horizon, routineHorizon: horizon })
    expect(await openIncidents()).toEqual(['unreadable-payment'])
    // What pg says of a date that cannot be read.
    expect(warned.mock.calls.flat()).not.toContain('PG_INVALID_DATE')
    warned.mockRestore()
    await tryAgainNow()
    await observePayments(anchor.deps)
    expect(await stateOf(id)).toBe('funded')
  })

  it('of dust that cannot be counted together is read one by one', async () => {
    const { id, memo } = await withdrawal()
    await anchor.sendBack(customer, '20', Memo.id(memo))
    for (const _ of [1, 2]) await anchor.sendBack(customer, '0.0000001')
    await anchor.rows('alter table ledger_dust add constraint full_of_dust check (false)')
    await observePayments(anchor.deps)
    expect(await stateOf(id)).toBe('funded')
    expect(await openIncidents()).toEqual([])
    expect(await receipts()).toEqual(
      ['accepted', 'kept', 'kept'].map(outcome => expect.objectContaining({ outcome })),
    )
    expect(await anchor.rows('select 1 from ledger_dust')).toEqual([])
  })

  it('does not move the observer to the future: what comes next is seen', async () => {
    const before = await position()
    const deps = await lyingDeps(
      lieOnPages(records => {
        const token = '9'.repeat(18)
        records.push({ id: token, paging_token: token, type: 'create_account', transaction: {} })
      }),
    )
    deps.clock = anchor.deps.clock = { now: () => new Date(Date.now() + 60_000) }
    for (let reads = 0; reads < 3; reads++) await observePayments(deps)
    // The anchor says that it has not read everything.
    expect(await position()).toEqual(before)
    expect(await openIncidents()).toEqual(['unreadable-payment'])
    const { id, memo } = await withdrawal()
    await anchor.sendBack(customer, '20', Memo.id(memo))
    await observePayments(deps)
    expect(await stateOf(id)).toBe('funded')
  })

  it('waits for a payment in a ledger that another instance has closed already, without an incident', async () => {
    const { id, memo } = await withdrawal()
    await anchor.sendBack(customer, '20', Memo.id(memo))
    const behind = await anchor.horizon.ledger(anchor.network.latestLedger - 1)
    const head = async () => behind ?? expect.unreachable()
    const horizon = { ...anchor.horizon, head }
    await observePayments({ ...anchor.deps, horizon, routineHorizon: horizon })
    expect([await stateOf(id), await openIncidents()]).toEqual(['awaiting_funds', []])
    await observePayments(anchor.deps)
    expect(await stateOf(id)).toBe('funded')
  })
})

describe('a transaction of ours that Horizon calls failed', () => {
  const envelopes = () => anchor.rows('select state from ledger_envelopes')

  it.each([
    ['against its own result', (document: Record<string, unknown>) => ({ ...document, successful: false })],
    ['with a forged result', forgeFailure],
    ['that there is none', () => null],
  ])(
    '%s, is not paid again: its amount has left the account',
    async (_, lieAbout) => {
      const held = Number(await anchor.held(customer))
      await anchor.queue(customer.publicKey, { amount: '44' })
      const lie: Lie = {
        ...{ told: 0, losesSubmissions: true },
        tell: (path, body) => {
          if (!/^\/transactions\/\w+$/.test(path)) return null
          const told = lieAbout(JSON.parse(body) as Record<string, unknown>)
          return told === null ? 404 : JSON.stringify(told)
        },
      }
      const deps = await lyingDeps(lie)
      for (let tries = 0; tries < 2; tries++)
        await anchor
          .pay({ horizon: deps.horizon, routineHorizon: deps.routineHorizon })
          .catch(() => undefined)
      expect(lie.told).toBeGreaterThan(0)
      expect(await envelopes()).toEqual([{ state: 'open' }])
      expect(Number(await anchor.held(customer))).toBe(held + 44)
      await anchor.pay()
      expect(await envelopes()).toEqual([{ state: 'applied' }])
      expect(Number(await anchor.held(customer))).toBe(held + 44)
      expect(await anchor.payments()).toMatchObject([{ state: 'paid' }])
    },
    60_000,
  )
})

describe('random lies while money moves', () => {
  type Page = Payments['_embedded']['records']
  const onPages: readonly ((records: Page) => unknown)[] = [
    records => records.forEach(record => (record.amount = '9.0000000')),
    records => records.forEach(record => (record.transaction.memo = '1')),
    records => records.reverse(),
    records => records.push(...records.map(record => ({ ...record, id: `${String(record.id)}9` }))),
    records => records.push(...records.map(record => ({ ...record, paging_token: '9'.repeat(18) }))),
    records =>
      records.push(
        ...records.map(record => movedOn(record as unknown as Told, 1n) as unknown as typeof record),
      ),
  ]
  const aboutTransactions = [
    (document: Record<string, unknown>) => ({ ...document, successful: false }),
    forgeFailure,
    () => ({}),
    () => null,
  ] as const

  it(
    'change nothing of what came and what left, once Horizon says the truth',
    async () => {
      const page = fc.constantFrom(...onPages, null)
      const transaction = fc.constantFrom(...aboutTransactions, null)
      const step = fc.record({
        ...{ page, transaction, sends: fc.boolean(), losesSubmissions: fc.boolean() },
        // Only a second source shows that what was submitted never reached the ledger.
        ...{ isSeconded: fc.boolean(), keeps: fc.boolean() },
      })
      const { url, passphrase } = anchor.network
      const honest = createSecondSource({ rpcUrl: `${url}/rpc` }, passphrase)
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 3 }), async steps => {
          const held = Number(await anchor.held(customer))
          const withdrawals: string[] = []
          let moved = 0
          for (const { page, transaction, sends, losesSubmissions, isSeconded, keeps } of steps) {
            const pages = lieOnPages(page ?? (() => undefined))
            const kept = keepSubmissions(anchor)
            const lie: Lie = {
              ...{ told: 0, losesSubmissions },
              ...(isSeconded && keeps ? { keeps: kept.keeps } : {}),
              tell: (path, body) => {
                const invented = kept.tell(path, body)
                if (invented !== null) return invented
                if (!transaction || !/^\/transactions\/\w+$/.test(path)) return pages.tell(path, body)
                const document = JSON.parse(body) as Record<string, unknown>
                if (document.hash === undefined) return null
                const told = transaction(document)
                return told === null ? 404 : JSON.stringify(told)
              },
            }
            if (sends) {
              const { id, memo } = await withdrawal()
              withdrawals.push(id)
              await anchor.sendBack(customer, '20', Memo.id(memo))
              moved -= 20
            } else {
              await anchor.queue(customer.publicKey, { amount: '44' })
              moved += 44
            }
            const deps = await lyingDeps(lie, isSeconded ? honest : null)
            await observePayments(deps).catch(() => undefined)
            await anchor
              .pay({ horizon: deps.horizon, routineHorizon: deps.routineHorizon })
              .catch(() => undefined)
          }
          for (let rounds = 0; rounds < 3; rounds++) {
            await tryAgainNow()
            await observePayments(anchor.deps)
            await anchor.pay()
          }
          expect(Number(await anchor.held(customer))).toBe(held + moved)
          expect((await anchor.payments()).every(({ state }) => state === 'paid')).toBe(true)
          // What a liar kept ends so where another payment took its number.
          const ended = "state = 'dead' and why <> 'its sequence number was used'"
          expect(await anchor.rows(`select 1 from ledger_envelopes where ${ended}`)).toEqual([])
          expect(await Promise.all(withdrawals.map(stateOf))).toEqual(withdrawals.map(() => 'funded'))
          expect(await ledgerDifferences(anchor.deps)).toMatchObject([{ difference: 0n }])
        }),
        // Each run takes a minute: smaller ones of a failure would outlast the time, and hide it.
        { numRuns: process.env.MODE === 'faults' ? 20 : 1, endOnFailure: true },
      )
    },
    process.env.MODE === 'faults' ? 2_400_000 : 300_000,
  )
})

/** `tx_failed`, without operations, at the fee that was charged. */
function forgeFailure(document: Record<string, unknown>): Record<string, unknown> {
  const { feeCharged } = xdr.TransactionResult.fromXdr(Buffer.from(String(document.result_xdr), 'base64'))
  const result = xdr.TransactionResultResult.txFailed([])
  const forged = new xdr.TransactionResult({ feeCharged, result, ext: xdr.TransactionResultExt.v0() })
  return { ...document, successful: false, result_xdr: forged.toXdr('base64') }
}
