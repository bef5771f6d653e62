import { Operation, StrKey, type Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk/base'
import { Server } from '@stellar/stellar-sdk/rpc'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { MAX_RESOURCE_FEE } from '@windlass/stellar/asset-contract.ts'
import { generateKey, signTransaction } from '@windlass/stellar/keys.ts'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { balanceOf } from '../money/journal/journal.ts'
import type { LedgerPayment } from '../tables.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { buildPayment, simulatePayment } from './build-payment.ts'
import { ledgerDifferences } from './chain.ts'
import { observePayments } from './observe.ts'

let anchor: LedgerAnchor
let to: string
beforeEach(async () => {
  anchor = await LedgerAnchor.start({ contracts: true })
  await anchor.issue()
  await observePayments(anchor.deps)
  to = StrKey.encodeContract(randomBytes(32))
})
afterEach(() => anchor.stop())

/** What a contract account holds of the anchor's asset. */
async function heldBy(contract: string): Promise<string> {
  const server = new Server(`${anchor.network.url}/rpc`, { allowHttp: true })
  const { balanceEntry } = await server.getAssetBalance(contract, anchor.asset, anchor.network.passphrase)
  return formatAmount(amountOf(BigInt(balanceEntry?.amount ?? 0)))
}

const hashes = async () =>
  (await anchor.rows<{ hash: string }>('select hash from ledger_payments order by created_at')).map(
    ({ hash }) => hash,
  )

/** What left is in the journal, and nothing of it is an incident. */
async function expectPaid(amount: number): Promise<void> {
  expect(new Set((await anchor.payments()).map(({ state }) => state))).toEqual(new Set(['paid']))
  expect(await heldBy(to)).toBe(String(amount))
  await observePayments(anchor.deps)
  const treasury = await balanceOf(anchor.deps.database.db, 'treasury', 'asset')
  expect(treasury).toBe(parseAmount((await anchor.held(anchor.distribution)) ?? ''))
  expect(await ledgerDifferences(anchor.deps)).toMatchObject([{ difference: 0n }])
  expect(await anchor.incidents()).toEqual([])
}

const simulated =
  (change: (answer: Record<string, unknown>) => object): Deps['simulate'] =>
  async transaction => {
    const answer = await anchor.deps.simulate?.(transaction)
    return { ...answer, ...change({ ...answer }) }
  }

describe('payments to contract accounts', () => {
  it('are one call of the asset’s contract each, recorded like any other payment', async () => {
    const before = await anchor.transactions()
    await anchor.queue(to)
    await anchor.queue(to, { amount: '2.5' })
    await anchor.pay()
    await expectPaid(12.5)
    expect(await anchor.transactions()).toBe(before + 2)
    const [hash = ''] = await hashes()
    const found = await fetch(`${anchor.network.url}/transactions/${hash}/operations`)
    expect(await found.json()).toMatchObject({
      _embedded: {
        records: [{ type: 'invoke_host_function', asset_balance_changes: [{ to, amount: '10.0000000' }] }],
      },
    })
    const [{ fee_charged = '' } = {}] = await anchor.rows<{ fee_charged?: string }>(
      'select fee_charged from ledger_payments order by created_at',
    )
    expect(Number(fee_charged)).toBeGreaterThan(0.005)
  })

  it('go through channels beside others, and their fees are the distribution account’s', async () => {
    const many = 12
    for (let made = 0; made < many; made++) await anchor.queue(to, { amount: '1' })
    await anchor.pay()
    for (let made = 0; made < many; made++) await anchor.queue(to, { amount: '1' })
    await anchor.pay()
    await expectPaid(2 * many)
    const used = await anchor.rows("select distinct source from ledger_envelopes where state = 'applied'")
    expect(used.length).toBeGreaterThan(2)
  })

  it('are made once, wherever the process dies', async () => {
    await anchor.queue(to)
    for (const point of ['payment:taken', 'envelope:stored', 'envelope:applied', 'envelope:confirmed'])
      await anchor.payUntil(point)
    await anchor.pay()
    await expectPaid(10)
  })

  it('of a server that lost its state are recognized, and those of no cause are an incident', async () => {
    await anchor.queue(to)
    const { deps, horizon } = anchor
    const [payment] = await anchor.rows<LedgerPayment>('select * from ledger_payments')
    const account = await horizon.account(anchor.distribution.publicKey)
    if (!payment || !account) throw new Error('nothing to pay')
    const head = await horizon.head()
    const make = async (cause: string, source: typeof account) => {
      const resources = await simulatePayment(deps, payment, source, head, 100n)
      const made = await buildPayment(deps, { ...payment, cause }, source, head, { fee: 100n, resources })
      expect(await horizon.submit(made.toXdr())).toEqual({ outcome: 'applied' })
      return Buffer.from(made.hash()).toString('hex')
    }
    const made = await make(payment.cause, account)
    await make('someone else’s', { ...account, sequence: String(BigInt(account.sequence) + 1n) })
    await anchor.pay()
    expect(await hashes()).toEqual([made])
    expect(await heldBy(to)).toBe('20')
    await observePayments(deps)
    expect(await anchor.incidents()).toMatchObject([
      { kind: 'unrecorded-payment', message: expect.stringContaining(`paid 10 MUMBAI to ${to}`) },
    ])
    const treasury = await balanceOf(deps.database.db, 'treasury', 'asset')
    expect(treasury).toBe(parseAmount((await anchor.held(anchor.distribution)) ?? ''))
  })

  it('wait with the reason and cost nothing while they cannot be made', async () => {
    await anchor.queue(to)
    const before = await anchor.transactions()
    const waits = async (simulate: Deps['simulate']) => {
      await anchor.pay({ simulate })
      return (await anchor.payments())[0]?.wait?.error
    }
    expect(await waits(null)).toContain('STELLAR_RPC_URL')
    expect(await waits(() => Promise.reject(new Error('it answered 500')))).toContain('does not answer')
    expect(await waits(simulated(() => ({ transactionData: 'AAAA' })))).toContain('does not answer')
    expect(await waits(simulated(() => ({ restorePreamble: {} })))).toContain('archived')
    const dear = ({ transactionData }: Record<string, unknown>) => {
      const { ext, resources } = xdr.SorobanTransactionData.fromXdr(String(transactionData), 'base64')
      const resourceFee = MAX_RESOURCE_FEE + 1n
      const data = new xdr.SorobanTransactionData({ ext, resources, resourceFee })
      return { transactionData: data.toXdr('base64') }
    }
    expect(await waits(simulated(dear))).toContain('The maximum is 10000000')
    expect(await anchor.transactions()).toBe(before)
    await anchor.pay()
    await expectPaid(10)
  })

  it('that the ledger refuses are retired and made again, once', async () => {
    await anchor.queue(to)
    const undeclared = simulated(({ transactionData }) => {
      const { ext, resourceFee } = xdr.SorobanTransactionData.fromXdr(String(transactionData), 'base64')
      const footprint = new xdr.LedgerFootprint({ readOnly: [], readWrite: [] })
      const bare = new xdr.SorobanResources({ footprint, instructions: 1, diskReadBytes: 1, writeBytes: 1 })
      return {
        transactionData: new xdr.SorobanTransactionData({ ext, resources: bare, resourceFee }).toXdr(
          'base64',
        ),
      }
    })
    await anchor.pay({ simulate: undeclared })
    expect(await anchor.payments()).toMatchObject([
      {
        state: 'queued',
        wait: { code: 'refused', error: expect.stringContaining('function_trapped') },
        attempts: 1,
      },
    ])
    await anchor.pay()
    await expectPaid(10)
  })

  it('leave other payments as they are', async () => {
    const customer = await anchor.customerWithAsset()
    await observePayments(anchor.deps)
    await anchor.queue(to)
    await anchor.queue(customer.publicKey)
    await anchor.queue(generateKey().publicKey)
    await anchor.pay()
    expect((await anchor.payments()).map(({ state }) => state)).toEqual(['paid', 'paid', 'queued'])
  })
})

describe('the contract of an asset that nobody has deployed', () => {
  beforeEach(async () => {
    await anchor.stop()
    anchor = await LedgerAnchor.start({ contracts: true, deploysContracts: true })
    await anchor.issue()
    await observePayments(anchor.deps)
  })
  /** As anyone may. */
  async function deployByCustomer(): Promise<void> {
    const customer = generateKey()
    await anchor.fund(customer)
    const server = new Server(`${anchor.network.url}/rpc`, { allowHttp: true })
    const account = await server.getAccount(customer.publicKey)
    const options = { fee: '100', networkPassphrase: anchor.network.passphrase }
    const operation = Operation.createStellarAssetContract({ asset: anchor.asset })
    const made = new TransactionBuilder(account, options).addOperation(operation).setTimeout(30).build()
    const prepared = await server.prepareTransaction(made)
    signTransaction(prepared, customer.secret)
    expect(await anchor.horizon.submit(prepared.toXdr())).toEqual({ outcome: 'applied' })
  }
  const deployments = () =>
    anchor.rows<{ state: string }>("select state from ledger_payments where purpose = 'deploy-contract'")

  it('is deployed by the first payment that lacks it, once, and nobody has to do anything', async () => {
    await anchor.queue(to)
    await anchor.queue(to, { amount: '2.5' })
    await anchor.pay()
    await expectPaid(12.5)
    expect(await deployments()).toEqual([{ state: 'paid' }])
  })

  it('is deployed once, wherever the process dies', async () => {
    await anchor.queue(to)
    for (const point of ['payment:taken', 'envelope:stored', 'envelope:applied', 'envelope:confirmed'])
      await anchor.payUntil(point)
    await anchor.pay()
    await expectPaid(10)
    expect(await deployments()).toEqual([{ state: 'paid' }])
  })

  it('may be deployed by someone else meanwhile: payments continue', async () => {
    await anchor.queue(to)
    const { simulate } = anchor.deps
    const late: Deps['simulate'] = async transaction => {
      const isCall = TransactionBuilder.fromXdr(transaction, anchor.network.passphrase)
      const [operation] = (isCall as Transaction).operations
      const creates = operation?.type === 'invokeHostFunction' && operation.func.type.includes('Create')
      return creates ? { error: 'HostError: Error(Storage, ExistingValue)' } : (simulate?.(transaction) ?? {})
    }
    await anchor.pay({ simulate: late })
    expect(await deployments()).toEqual([{ state: 'canceled' }])
    await deployByCustomer()
    await anchor.pay()
    expect(await heldBy(to)).toBe('10')
  })
})
