import { Account, Memo, Operation, TransactionBuilder, xdr } from '@stellar/stellar-sdk/base'
import { startLocalNetwork } from '@windlass/local-network/local-network.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { generateKey, signTransaction, type AccountKey } from '@windlass/stellar/keys.ts'
import { createSecondSource, type SecondSource } from '@windlass/stellar/second-source.ts'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Deps } from '../deps.ts'
import { appended, inventPayment, keepSubmissions, startWithdrawal } from '../testing/invented-payment.ts'
import { startWithCustomer } from '../testing/known-customer.ts'
import type { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { startLiar, type Lie } from '../testing/liar.ts'
import { ledgerDifferences } from './chain.ts'
import { observePayments } from './observe.ts'
import { confirmPayments } from './second-source.ts'
import { resolveByOperator } from './unproven.ts'

let anchor: LedgerAnchor
let customer: AccountKey
beforeEach(async () => {
  ;({ anchor, customer } = await startWithCustomer())
})
afterEach(() => anchor.stop())

const KINDS = ['Horizon', 'Stellar RPC'] as const
/** An honest source beside the first one. */
const honest = (kind: (typeof KINDS)[number] = 'Stellar RPC'): SecondSource => {
  const { url, passphrase } = anchor.network
  const where = kind === 'Horizon' ? { horizonUrl: url } : { rpcUrl: `${url}/rpc` }
  return createSecondSource(where, passphrase) ?? expect.unreachable()
}

/** As after a start at this Horizon, with a second source. */
const startedAt = (url: string, second: SecondSource | null): Deps => {
  const horizon = createHorizon({ ...anchor.network, url }, 'money', { second })
  return { ...anchor.deps, horizon, routineHorizon: horizon, clock: { now: () => new Date() } }
}

/** After the time bounds of what was signed. */
const late = { now: () => new Date(Date.now() + 600_000) }

const stateOf = async (id: string) =>
  (await anchor.rows<{ state: string }>(`select state from transfers where id = '${id}'`))[0]?.state
const position = async () =>
  (await anchor.rows<{ cursor: string; caught_up_at: Date }>('select cursor, caught_up_at from observed'))[0]
const open = async () => (await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)
const tryAgainNow = () =>
  anchor.deps.database.pool.query("update ledger_incidents set next_try_at = now() - interval '1 second'")

describe('a payment that one source alone shows', () => {
  it('would be believed without a second source', async () => {
    const { id, memo } = await startWithdrawal(anchor, customer)
    const url = await startLiar(anchor.network.url, appended(await inventPayment(anchor, customer, memo)))
    await observePayments(startedAt(url, null))
    expect(await stateOf(id)).toBe('funded')
  })

  it.each([['without', false] as const, ['up to the limit of', true] as const])(
    'is not believed %s a second source, where its sender did not sign it',
    async (_, second) => {
      const { id, memo } = await startWithdrawal(anchor, customer)
      const before = await position()
      const forged = await inventPayment(anchor, customer, memo, generateKey())
      const url = await startLiar(anchor.network.url, appended(forged))
      const deps = startedAt(url, second ? honest() : null)
      const { config } = anchor.deps
      const within = { ...config, second: { ...config.second, limit: parseAmount('20') } }
      for (let reads = 0; reads < 3; reads++) {
        await observePayments({ ...deps, config: within })
        await tryAgainNow()
      }
      const now = await position()
      expect([await stateOf(id), now?.cursor]).toEqual(['awaiting_funds', before?.cursor])
      // A payment that was authorized in advance looks the same: it makes nobody's anchor unread.
      expect(now?.caught_up_at.getTime() !== before?.caught_up_at.getTime()).toBe(!second)
      const reason = second ? 'second-source' : 'signature'
      expect(await open()).toMatchObject([{ kind: 'unreadable-payment', details: { reason } }])
      expect((await open())[0]?.message).toContain(
        second ? 'no such transaction' : `No key that may sign for ${customer.publicKey} signed it`,
      )
      expect(await anchor.rows('select 1 from rail_orders')).toEqual([])
      await anchor.sendBack(customer, '20', Memo.id(memo))
      await observePayments(startedAt(anchor.network.url, null))
      expect(await stateOf(id)).toBe('funded')
    },
  )

  it('is believed of an account for which another key signs, and of an operation’s own source', async () => {
    const { id, memo } = await startWithdrawal(anchor, customer)
    const [signer, payer] = [generateKey(), generateKey()]
    const ed25519PublicKey = signer.publicKey
    await anchor.apply(customer, [
      Operation.setOptions({ masterWeight: 0, signer: { ed25519PublicKey, weight: 1 } }),
    ])
    await anchor.fund(payer)
    const account = await anchor.horizon.account(payer.publicKey)
    const { asset, distribution, network } = anchor
    const paid = new TransactionBuilder(new Account(payer.publicKey, account?.sequence ?? '0'), {
      ...{ fee: '100', networkPassphrase: network.passphrase, memo: Memo.id(memo) },
    })
      .addOperation(
        Operation.payment({
          ...{ asset, amount: '20', destination: distribution.publicKey, source: customer.publicKey },
        }),
      )
      .setTimeout(0)
      .build()
    for (const { secret } of [payer, signer]) signTransaction(paid, secret)
    expect(await anchor.horizon.submit(paid.toXdr())).toEqual({ outcome: 'applied' })
    await observePayments(startedAt(network.url, null))
    expect([await stateOf(id), await open()]).toEqual(['funded', []])
  })

  it.each(KINDS)(
    'moves nothing beside an honest %s: it is set aside, the cursor stays, an incident tells',
    async kind => {
      const { id, memo } = await startWithdrawal(anchor, customer)
      const before = await position()
      const url = await startLiar(anchor.network.url, appended(await inventPayment(anchor, customer, memo)))
      for (let reads = 0; reads < 3; reads++) {
        await observePayments(startedAt(url, honest(kind)))
        await tryAgainNow()
      }
      expect([await stateOf(id), await position()]).toEqual(['awaiting_funds', before])
      expect(await open()).toMatchObject([
        { kind: 'unreadable-payment', details: { reason: 'second-source' } },
      ])
      expect((await open())[0]?.message).toContain('no money follows')
      expect(await anchor.rows('select 1 from rail_orders')).toEqual([])
      await anchor.sendBack(customer, '20', Memo.id(memo))
      await observePayments(startedAt(url, honest(kind)))
      expect(await stateOf(id)).toBe('funded')
    },
  )

  it('waits for a second source that is behind, without an incident, and is read once it has it', async () => {
    const { id, memo } = await startWithdrawal(anchor, customer)
    await anchor.sendBack(customer, '20', Memo.id(memo))
    const second = honest()
    const { latestLedger } = anchor.network
    const before = async () => (await second.ledger(latestLedger - 1)) ?? expect.unreachable()
    const history = async () => ({ elder: 1, latest: latestLedger - 1 })
    const behind = { ...second, head: before, history, transaction: async () => null }
    await observePayments(startedAt(anchor.network.url, behind))
    expect([await stateOf(id), await open()]).toEqual(['awaiting_funds', []])
    await observePayments(startedAt(anchor.network.url, second))
    expect([await stateOf(id), await open()]).toEqual(['funded', []])
  })

  it('is set aside while the second source does not answer for a minute, and processed once it does', async () => {
    const { id, memo } = await startWithdrawal(anchor, customer)
    await anchor.sendBack(customer, '20', Memo.id(memo))
    const away = createSecondSource({ rpcUrl: 'http://127.0.0.1:9' }, anchor.network.passphrase)
    await observePayments(startedAt(anchor.network.url, away))
    expect([await stateOf(id), await open()]).toEqual(['awaiting_funds', []])
    const clock = { now: () => new Date(Date.now() + 61_000) }
    await observePayments({ ...startedAt(anchor.network.url, away), clock })
    expect([await stateOf(id), await open()]).toMatchObject([
      'awaiting_funds',
      [{ details: { reason: 'second-source' } }],
    ])
    await tryAgainNow()
    await observePayments(startedAt(anchor.network.url, honest()))
    expect([await stateOf(id), await open()]).toEqual(['funded', []])
  })

  it('is not believed above the limit because a smaller one of its transaction was', async () => {
    const { memo } = await startWithdrawal(anchor, customer)
    const told = { ...(await inventPayment(anchor, customer, memo)), fault: null }
    const larger = { ...told, id: String(BigInt(told.id) + 1n), amount: '500.0000000' }
    const { config } = anchor.deps
    const within = { ...config, second: { ...config.second, limit: parseAmount('20') } }
    const deps = { ...startedAt(anchor.network.url, honest()), config: within }
    const elders = { witness: null, proves: false }
    expect([...(await confirmPayments(deps, [told], elders)).values()]).toEqual(['confirmed'])
    expect([...(await confirmPayments(deps, [told, larger], elders)).values()]).toMatchObject([
      { reason: 'second-source' },
    ])
  })

  it('is believed up to the limit of the settings', async () => {
    const { id, memo } = await startWithdrawal(anchor, customer)
    await anchor.sendBack(customer, '20', Memo.id(memo))
    const away = createSecondSource({ rpcUrl: 'http://127.0.0.1:9' }, anchor.network.passphrase)
    const { config } = anchor.deps
    const within = { ...config, second: { ...config.second, limit: parseAmount('20') } }
    await observePayments({ ...startedAt(anchor.network.url, away), config: within })
    expect(await stateOf(id)).toBe('funded')
  })
})

describe('a payment of ours that the first source calls failed, with a balance to match', () => {
  const envelopes = () => anchor.rows<{ state: string }>('select state from ledger_envelopes')
  /** `tx_failed` at the fee that was charged, after which the account has what it had. */
  const lies = (): Lie => ({
    ...{ told: 0, losesSubmissions: true },
    tell: (path, body) => {
      if (/^\/transactions\/\w+$/.test(path)) {
        const document = JSON.parse(body) as Record<string, unknown>
        if (document.hash === undefined) return null
        const result_xdr = new xdr.TransactionResult({
          feeCharged: BigInt(String(document.fee_charged)),
          result: xdr.TransactionResultResult.txFailed([]),
          ext: xdr.TransactionResultExt.v0(),
        }).toXdr('base64')
        return JSON.stringify({ ...document, successful: false, result_xdr })
      }
      return path === `/accounts/${anchor.distribution.publicKey}`
        ? body.replaceAll(/"balance":"999\d{3}\.\d{7}"/g, '"balance":"1000000.0000000"')
        : null
    },
  })

  it('is signed again without a second source, and paid twice', async () => {
    const held = Number(await anchor.held(customer))
    await anchor.queue(customer.publicKey, { amount: '44' })
    const url = await startLiar(anchor.network.url, lies())
    for (let tries = 0; tries < 3; tries++) await anchor.pay(startedAt(url, null)).catch(() => undefined)
    expect((await envelopes()).length).toBeGreaterThan(1)
    expect(Number(await anchor.held(customer))).toBeGreaterThan(held + 44)
  })

  it.each(KINDS)('stays open beside an honest %s, and an operator knows; it is paid once', async kind => {
    const held = Number(await anchor.held(customer))
    await anchor.queue(customer.publicKey, { amount: '44' })
    const url = await startLiar(anchor.network.url, lies())
    for (let tries = 0; tries < 3; tries++)
      await anchor.pay(startedAt(url, honest(kind))).catch(() => undefined)
    expect(await envelopes()).toEqual([{ state: 'open' }])
    expect(Number(await anchor.held(customer))).toBe(held + 44)
    const told = await open()
    expect(told).toMatchObject([{ kind: 'unproven-payment', details: { secondSource: 'applied' } }])
    expect(told[0]?.message).toContain('the second source of the ledger shows it as applied')
    await anchor.pay(startedAt(anchor.network.url, honest(kind)))
    expect([await envelopes(), await anchor.payments()]).toMatchObject([
      [{ state: 'applied' }],
      [{ state: 'paid' }],
    ])
    expect(Number(await anchor.held(customer))).toBe(held + 44)
  })

  it('stays open while the second source does not answer', async () => {
    await anchor.queue(customer.publicKey, { amount: '44' })
    const url = await startLiar(anchor.network.url, lies())
    const away = createSecondSource({ rpcUrl: 'http://127.0.0.1:9' }, anchor.network.passphrase)
    for (let tries = 0; tries < 3; tries++) await anchor.pay(startedAt(url, away)).catch(() => undefined)
    expect(await envelopes()).toEqual([{ state: 'open' }])
  })
})

describe('a payment of ours that the first source calls applied, and never passes on', () => {
  const envelopes = () => anchor.rows<{ state: string }>('select state from ledger_envelopes')
  const lies = (): Lie => keepSubmissions(anchor)
  const restOf = async (rounds: number, deps: Deps) => {
    for (let round = 0; round < rounds; round++) await anchor.pay(deps).catch(() => undefined)
  }

  it('counts as paid without a second source, and its payee has nothing', async () => {
    const held = await anchor.held(customer)
    await anchor.queue(customer.publicKey, { amount: '44' })
    await restOf(1, startedAt(await startLiar(anchor.network.url, lies()), null))
    expect(await anchor.payments()).toMatchObject([{ state: 'paid' }])
    expect(await anchor.held(customer)).toBe(held)
  })

  it.each(KINDS)('stays open beside an honest %s, and an operator knows; it is paid once', async kind => {
    const held = Number(await anchor.held(customer))
    await anchor.queue(customer.publicKey, { amount: '44' })
    const deps = startedAt(await startLiar(anchor.network.url, lies()), honest(kind))
    await restOf(2, deps)
    // It may still be applied.
    expect([await envelopes(), await open()]).toEqual([[{ state: 'open' }], []])
    await restOf(1, { ...deps, clock: late })
    expect([await envelopes(), await anchor.payments()]).toMatchObject([
      [{ state: 'open' }],
      [{ state: 'queued', wait: { code: 'unproven' } }],
    ])
    const told = await open()
    expect(told).toMatchObject([{ kind: 'unproven-payment', details: { secondSource: 'missing' } }])
    expect(told[0]?.message).toContain('which the second source of the ledger does not')
    const { id = '' } = told[0] ?? {}
    const no = { resolution: 'looked', outcome: 'not-applied' } as const
    await expect(resolveByOperator(anchor.deps, id, 'operator:asha', no)).rejects.toThrow(
      /from \d{4}-\S+Z on: until then/,
    )
    await anchor.pay(startedAt(anchor.network.url, honest(kind)))
    expect([await envelopes(), await anchor.payments()]).toMatchObject([
      [{ state: 'applied' }],
      [{ state: 'paid' }],
    ])
    expect([await open(), Number(await anchor.held(customer))]).toEqual([[], held + 44])
    expect(await ledgerDifferences(anchor.deps)).toMatchObject([{ difference: 0n }])
  })

  it('is no incident while the second source is only behind, until nobody can wait longer', async () => {
    await anchor.queue(customer.publicKey, { amount: '44' })
    const history = async () => ({ elder: 1, latest: anchor.network.latestLedger - 1 })
    const behind = { ...honest(), history, transaction: async () => null }
    const deps = startedAt(anchor.network.url, behind)
    await restOf(1, deps)
    expect([await envelopes(), await open()]).toEqual([[{ state: 'open' }], []])
    await restOf(1, { ...deps, clock: late })
    expect(await open()).toMatchObject([{ kind: 'unproven-payment', details: { secondSource: 'missing' } }])
    await restOf(1, startedAt(anchor.network.url, honest()))
    expect([await anchor.payments(), await open()]).toMatchObject([[{ state: 'paid' }], []])
  })
})

it('a payment of ours that both sources show, at different times, is said to be so', async () => {
  await anchor.queue(customer.publicKey, { amount: '44' })
  const known = honest()
  const transaction: SecondSource['transaction'] = async hash => {
    const found = await known.transaction(hash)
    return found && { ...found, closedAt: new Date(0) }
  }
  const deps = { ...startedAt(anchor.network.url, { ...known, transaction }), clock: late }
  await anchor.pay(deps).catch(() => undefined)
  const told = await open()
  expect(told).toMatchObject([{ kind: 'unproven-payment', details: { secondSource: 'differs' } }])
  expect(told[0]?.message).toContain('with another result, place or time')
})

describe('another chain at the first source', () => {
  const other = async () => {
    const chain = await startLocalNetwork({ closeEvery: 'at-once' })
    onTestFinished(() => chain.stop())
    while (chain.latestLedger < anchor.network.latestLedger + 5) chain.close()
    return chain
  }

  it('is no reset while the second source has the chain that was read, whatever a person says', async () => {
    const { url } = await other()
    const { horizon } = startedAt(url, honest())
    Object.assign(anchor.deps, { horizon, routineHorizon: horizon })
    await observePayments({ ...anchor.deps })
    const answer = await anchor.sayOfOtherChain('applied')
    expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([
      409,
      expect.stringContaining('the second source, still has a ledger'),
    ])
  })

  it('is not read where nothing was read before: an incident tells until both agree', async () => {
    await anchor.deps.database.pool.query('delete from observed')
    const { url } = await other()
    const deps = startedAt(url, honest())
    await observePayments(deps)
    await observePayments(deps)
    expect(await position()).toBeUndefined()
    expect(await open()).toMatchObject([{ kind: 'other-chain', details: { reason: 'sources-differ' } }])
    expect((await open())[0]?.message).toContain('show different chains')
    await observePayments(startedAt(anchor.network.url, honest()))
    expect(await open()).toEqual([])
    expect(await position()).toBeDefined()
  })
})
