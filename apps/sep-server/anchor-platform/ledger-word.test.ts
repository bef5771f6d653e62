import { Keypair } from '@stellar/stellar-sdk/base'
import { parseAmount } from '@windlass/money/amount.ts'
import type { Movement } from '@windlass/stellar/movements.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startSepApp, testAnchor, type SepApp } from '../testing/sep-app.ts'

const hash = 'ab'.repeat(32)
const { distribution, issuer } = testAnchor.accounts
const asset = `MUMBAI:${issuer}`
const customer = Keypair.random().publicKey()
const stranger = Keypair.random().publicKey()

let app: SepApp
let ledger: Map<string, Movement[]> | 'down'
beforeAll(async () => {
  app = await startSepApp({
    readAccount: async () => null,
    readMovements: async of => {
      if (ledger === 'down') throw new Error('down')
      return ledger.get(of) ?? null
    },
  })
})
afterAll(() => app.close())
beforeEach(() => {
  ledger = new Map()
})

const moved = (change: Partial<Movement> = {}, amount = '10'): Movement => ({
  from: distribution,
  to: [customer],
  asset,
  amount: parseAmount(amount),
  ...change,
})

/** A transaction of which the business server has said what a transfer of 10 needs. */
async function transaction(kind: 'deposit' | 'withdrawal', status = 'pending_anchor'): Promise<string> {
  const assets =
    kind === 'deposit' ? ['iso4217:INR', `stellar:${asset}`] : [`stellar:${asset}`, 'iso4217:INR']
  const amounts = kind === 'deposit' ? ['900', '10'] : ['10', '850']
  const { rows } = await app.deps.database.pool.query(
    `insert into transactions (sep, kind, status, account, stellar_account, source_asset, destination_asset,
       amount_in, amount_in_asset, amount_out, amount_out_asset, paid_by)
     values ('24', $1, $2, $3, $3, $4, $5, $6, $4, $7, $5, $8) returning id`,
    [kind, status, customer, ...assets, ...amounts, kind === 'withdrawal' ? customer : null],
  )
  return rows[0].id
}

async function call(method: string, params: object) {
  const answer = await app.server.app.inject({
    method: 'POST',
    url: '/',
    headers: { 'x-api-key': app.deps.config.linkSecret },
    payload: { jsonrpc: '2.0', id: '1', method, params },
  })
  const [{ error, result }] = answer.json()
  return error ? { code: error.code, message: error.message } : { status: result.status }
}

describe('what a business server says of the ledger', () => {
  it('completes a deposit by its payment, its claimable balance or its contract’s transfer', async () => {
    for (const to of [[customer], [customer, distribution]]) {
      const id = await transaction('deposit')
      ledger = new Map([[hash, [moved({ asset: 'native' }), moved({ to })]]])
      const params = { transaction_id: id, stellar_transaction_id: hash }
      expect(await call('notify_onchain_funds_sent', params)).toEqual({ status: 'completed' })
    }
  })

  it.each<[string, Movement[]]>([
    ['failed', []],
    ['paid someone else', [moved({ to: [stranger] })]],
    ['was paid by someone else', [moved({ from: stranger })]],
    ['paid less', [moved({}, '9.9999999')]],
    ['paid more', [moved({}, '10.0000001')]],
    ['paid another asset', [moved({ asset: `MUMBAI:${stranger}` })]],
    ['paid XLM', [moved({ asset: 'native' })]],
  ])('is refused where the transaction %s', async (_what, movements) => {
    const id = await transaction('deposit')
    ledger = new Map([[hash, movements]])
    const params = { transaction_id: id, stellar_transaction_id: hash }
    const refused = { code: -32602, message: expect.stringContaining('is not a payment of 10') }
    expect(await call('notify_onchain_funds_sent', params)).toEqual(refused)
    expect(await call('get_transaction', params)).toEqual({ status: 'pending_anchor' })
  })

  it('waits where the ledger has no such transaction yet, or does not answer', async () => {
    const params = { transaction_id: await transaction('deposit'), stellar_transaction_id: hash }
    expect(await call('notify_onchain_funds_sent', params)).toMatchObject({ code: -32603 })
    ledger = 'down'
    expect(await call('notify_onchain_funds_sent', params)).toMatchObject({ code: -32603 })
    ledger = new Map([[hash, [moved()]]])
    expect(await call('notify_onchain_funds_sent', params)).toEqual({ status: 'completed' })
  })

  it.each([undefined, '', 'f'.repeat(63), 'not a hash'])('is refused with the hash %j', async text => {
    const params = { transaction_id: await transaction('deposit'), stellar_transaction_id: text }
    expect(await call('notify_onchain_funds_sent', params)).toMatchObject({ code: -32602 })
  })

  it('is asked of the payment that funds a withdrawal', async () => {
    const funded = (change: object) => ({
      stellar_transaction_id: hash,
      source_account: customer,
      amount_in: { amount: '10', asset: `stellar:${asset}` },
      ...change,
    })
    ledger = new Map([[hash, [moved({ from: customer, to: [distribution] })]]])
    const id = await transaction('withdrawal', 'pending_user_transfer_start')
    for (const wrong of [{ source_account: stranger }, { amount_in: { amount: '11' } }])
      expect(
        await call('notify_onchain_funds_received', { transaction_id: id, ...funded(wrong) }),
      ).toMatchObject({ code: -32602 })
    expect(await call('notify_onchain_funds_received', { transaction_id: id, ...funded({}) })).toEqual({
      status: 'pending_anchor',
    })
  })

  it('is asked of a refund on the ledger, and no refund is more than was paid in', async () => {
    const refund = (amount: string, to = customer) => {
      ledger = new Map([[hash, [moved({ to: [to] }, amount)]]])
      const of = { amount, asset: `stellar:${asset}` }
      return { refund: { id: hash, amount: of, amount_fee: { amount: '0', asset: of.asset } } }
    }
    const id = await transaction('withdrawal')
    const ask = (params: object) => call('notify_refund_sent', { transaction_id: id, ...params })
    expect(await ask(refund('10', stranger))).toMatchObject({ code: -32602 })
    expect(await ask(refund('12'))).toEqual({
      code: -32602,
      message: expect.stringContaining('more would be'),
    })
    const invented = refund('10')
    ledger = new Map()
    expect(await ask(invented)).toMatchObject({ code: -32603 })
    expect(await ask(refund('10'))).toEqual({ status: 'refunded' })
  })

  it('gives no deposit back more than its rail brought', async () => {
    const of = (amount: string, asset = 'iso4217:INR') => ({ amount, asset })
    const params = { transaction_id: await transaction('deposit') }
    const refund = (amount: string) => ({
      ...params,
      refund: { id: 'p1', amount: of(amount), amount_fee: of('0') },
    })
    expect(await call('notify_refund_sent', refund('900.01'))).toMatchObject({ code: -32602 })
    expect(await call('notify_refund_sent', refund('900'))).toEqual({ status: 'refunded' })
  })
})
