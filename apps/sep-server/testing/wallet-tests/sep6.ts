import { Keypair } from '@stellar/stellar-sdk/base'
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { until } from '../wallet.ts'
import { ask, asset, key, rupees, running } from './anchor-under-test.ts'

describe('SEP-6', () => {
  it('shows its terms, with the fields of each rail', async () => {
    const { body } = await ask('/sep6/info', { token: null })
    expect(body.deposit.MUMBAI).toMatchObject({ enabled: true, authentication_required: true })
    expect(Object.keys(body.withdraw.MUMBAI.types)).toEqual(['upi', 'imps'])
    expect(body.withdraw.MUMBAI.types.upi.fields.dest.description).toContain('INR')
    expect(body.withdraw.MUMBAI.types.upi.fields).not.toHaveProperty('dest_extra')
    expect(body.withdraw.MUMBAI.types.imps.fields.dest_extra.description).toContain('IFSC')
    expect(body['deposit-exchange'].MUMBAI.enabled).toBe(true)
    expect(body.features).toEqual({ account_creation: false, claimable_balances: true })
  })

  it('answers a deposit with how and id, and its instructions follow', async () => {
    const { status, body } = await ask('/sep6/deposit?asset_code=MUMBAI&amount=10&funding_method=upi')
    expect(status).toBe(200)
    expect(body).toMatchObject({ how: expect.any(String), id: expect.any(String), fee_fixed: 0.5 })
    await until('instructions', async () => {
      const { transaction } = (await ask(`/sep6/transaction?id=${body.id}`)).body
      return transaction.status === 'pending_user_transfer_start' && transaction.instructions.reference.value
    })
  })

  it('gives a withdrawal its account and memo', async () => {
    const { body } = await ask('/sep6/withdraw?asset_code=MUMBAI&type=upi&dest=asha@okbank&amount=10')
    const reported = await until('account and memo', async () => {
      const { transaction } = (await ask(`/sep6/transaction?id=${body.id}`)).body
      return transaction.withdraw_memo && transaction
    })
    expect(reported).toMatchObject({
      withdraw_anchor_account: running.anchor.accounts.distribution,
      withdraw_memo_type: 'id',
      amount_in: '10',
    })
  })

  it('exchanges: a deposit of an amount in rupees and a withdrawal to rupees', async () => {
    const query = new URLSearchParams({
      source_asset: rupees,
      destination_asset: asset(),
      amount: '8938.5',
      type: 'upi',
    })
    const { body } = await ask(`/sep6/deposit-exchange?${query}`)
    const reported = await until('amounts', async () => {
      const { transaction } = (await ask(`/sep6/transaction?id=${body.id}`)).body
      return transaction.amount_out && transaction
    })
    expect(reported).toMatchObject({
      kind: 'deposit-exchange',
      amount_in: '8938.5',
      amount_in_asset: rupees,
      amount_out: '100',
      amount_out_asset: asset(),
    })
    const back = new URLSearchParams({
      source_asset: asset(),
      destination_asset: rupees,
      amount: '10',
      type: 'upi',
      dest: 'a@ok',
    })
    expect((await ask(`/sep6/withdraw-exchange?${back}`)).status).toBe(200)
  })

  it('exchanges at a quote, whose amount is the transaction’s, and at no other', async () => {
    const sides = { sell_asset: rupees, buy_asset: asset() }
    const json = { context: 'sep6', ...sides, sell_amount: '8938.5' }
    const quote = (await ask('/sep38/quote', { method: 'POST', json })).body
    const exchange = (change: Record<string, string>) => {
      const query = {
        source_asset: rupees,
        destination_asset: asset(),
        quote_id: quote.id,
        type: 'upi',
        ...change,
      }
      return ask(`/sep6/deposit-exchange?${new URLSearchParams(query)}`)
    }
    const other = await exchange({ amount: '100' })
    expect(other.body).toEqual({ error: expect.stringMatching(/not that of the quote/) })
    const begun = await exchange({ amount: '8938.50' })
    expect(begun.status).toBe(200)
    const { transaction } = (await ask(`/sep6/transaction?id=${begun.body.id}`)).body
    expect(transaction.quote_id).toBe(quote.id)
    expect((await exchange({ amount: '8938.5' })).body).toEqual({
      error: expect.stringMatching(/expired, used/),
    })
  })

  it.each([
    ['/sep6/deposit-exchange?amount=10&source_asset=iso4217:INR&destination_asset=MUMBAI', /amount/],
    [
      '/sep6/deposit-exchange?amount=9000&source_asset=iso4217:EUR&destination_asset=MUMBAI',
      /does not exchange iso4217:EUR/,
    ],
    ['/sep6/deposit', /asset_code is required/],
    ['/sep6/deposit?asset_code=BTC', /not supported/],
    ['/sep6/deposit?asset_code=MUMBAI&type=cash', /type must be one of upi, imps/],
    ['/sep6/deposit?asset_code=MUMBAI&amount=0', /greater than zero/],
    ['/sep6/deposit?asset_code=MUMBAI&on_change_callback=javascript:x', /on_change_callback/],
    [
      '/sep6/deposit-exchange?amount=1000000&source_asset=iso4217:INR&destination_asset=MUMBAI',
      /amount is worth .* at most 10000/,
    ],
    [
      '/sep6/deposit-exchange?amount=50&source_asset=iso4217:INR&destination_asset=MUMBAI',
      /amount is worth .* at least 1/,
    ],
    ['/sep6/withdraw?asset_code=MUMBAI&type=upi&dest=a@ok&refund_memo=1', /needs refund_memo_type/],
    ['/sep6/deposit-exchange?amount=5', /source_asset and destination_asset/],
    ['/sep6/transaction', /id, stellar_transaction_id/],
    ['/sep6/transactions', /asset_code/],
    ['/sep6/deposit?asset_code=MUMBAI&amount=10000.0000001', /at most 10000/],
    ['/sep6/withdraw?asset_code=MUMBAI&type=upi&dest=a@ok&amount=0.9999999', /at least 1/],
    ['/sep6/deposit?asset_code=MUMBAI&account=GABC', /account must be/],
    ['/sep6/deposit?asset_code=MUMBAI&memo=x&memo_type=id', /whole number/],
    ['/sep6/withdraw?asset_code=MUMBAI&type=upi&dest=a@ok&refund_memo_type=id', /refund_memo_type needs/],
  ])('refuses %s with 400 and {error}, and writes nothing', async (path, message) => {
    const count = () => running.query('select count(*) from sep.transactions')
    const before = await count()
    const answer = await ask(path)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ error: expect.stringMatching(message) })
    expect(await count()).toEqual(before)
  })

  it('keeps an id memo in the form that the ledger has', async () => {
    const { body } = await ask('/sep6/deposit?asset_code=MUMBAI&amount=10&memo=01&memo_type=id')
    const { transaction } = (await ask(`/sep6/transaction?id=${body.id}`)).body
    expect(transaction).toMatchObject({ deposit_memo: '1', deposit_memo_type: 'id' })
  })

  it('asks by SEP-12 for the account that the request does not name, and continues with it', async () => {
    const { status, body } = await ask('/sep6/withdraw?asset_code=MUMBAI&type=imps&amount=10')
    expect(status).toBe(200)
    const read = async () => (await ask(`/sep6/transaction?id=${body.id}`)).body.transaction
    const asked = await until('the question', async () => {
      const reported = await read()
      return reported.status === 'pending_customer_info_update' && reported
    })
    expect(asked.required_customer_info_updates).toEqual(['bank_account_number', 'bank_number'])
    const { body: customer } = await ask('/sep12/customer')
    expect([customer.status, Object.keys(customer.fields)]).toEqual([
      'NEEDS_INFO',
      ['bank_account_number', 'bank_number'],
    ])
    const put = (json: object) => ask('/sep12/customer', { method: 'PUT', json })
    expect((await put({ bank_account_number: '123456789012' })).status).toBe(202)
    await until('the other question', async () => {
      const { required_customer_info_updates: left } = await read()
      return left?.length === 1 && left[0] === 'bank_number'
    })
    expect((await put({ bank_number: 'SBIN0001234' })).status).toBe(202)
    const ready = await until('account and memo', async () => {
      const reported = await read()
      return reported.withdraw_memo && reported
    })
    expect(ready.status).toBe('pending_user_transfer_start')
    expect((await ask('/sep12/customer')).body.status).toBe('ACCEPTED')
  })

  it('lists the transactions of the token’s account only', async () => {
    const other = await ask(`/sep6/transactions?asset_code=MUMBAI&account=${Keypair.random().publicKey()}`)
    expect(other.status).toBe(403)
    expect((await ask(`/sep6/transactions?asset_code=MUMBAI&account=${key.publicKey()}`)).status).toBe(200)
  })

  it('asks again for an account that no bank would accept, and continues with the next one', async () => {
    const start = '/sep6/withdraw?asset_code=MUMBAI&type=imps&amount=10&dest=123456789012&dest_extra=NOIFSC'
    const { id } = (await ask(start)).body
    const read = async () => (await ask(`/sep6/transaction?id=${id}`)).body.transaction
    const patch = (transaction: object) =>
      ask(`/sep6/transactions/${id}`, { method: 'PATCH', json: { transaction } })
    const asked = await until('the question', async () => {
      const reported = await read()
      return reported.status === 'pending_transaction_info_update' && reported
    })
    expect(asked.required_info_message).toContain('IFSC')
    expect(Object.keys(asked.required_info_updates.transaction)).toEqual(['dest', 'dest_extra'])
    expect((await patch({ dest_extra: 'STILLNONE' })).status).toBe(200)
    await until('the question again', async () => {
      const reported = await read()
      return reported.status === 'pending_transaction_info_update' && reported.external_extra === 'STILLNONE'
    })
    expect((await patch({ dest_extra: 'SBIN0001234' })).status).toBe(200)
    const reported = await until('account and memo', async () => {
      const found = await read()
      return found.withdraw_memo && found
    })
    expect(reported).toMatchObject({ status: 'pending_user_transfer_start', external_extra: 'SBIN0001234' })
    expect(reported.required_info_updates).toBeUndefined()
  })

  it('takes a patch only when it asked for one', async () => {
    const { body } = await ask('/sep6/withdraw?asset_code=MUMBAI&type=upi&dest=a@ok&amount=10')
    const patch = { method: 'PATCH', json: { transaction: { dest: 'b@ok' } } }
    expect((await ask(`/sep6/transactions/${body.id}`, patch)).status).toBe(400)
    expect((await ask(`/sep6/transactions/${randomUUID()}`, patch)).status).toBe(404)
    await running.query(
      "update sep.transactions set status = 'pending_transaction_info_update' where id = $1",
      [body.id],
    )
    expect((await ask(`/sep6/transaction?id=${body.id}`)).body.transaction.required_info_updates).toEqual({
      transaction: {
        dest: { description: 'the account that receives INR over UPI' },
      },
    })
    expect(
      (await ask(`/sep6/transactions/${body.id}`, { ...patch, json: { transaction: { account: 'x' } } }))
        .status,
    ).toBe(400)
    const taken = await ask(`/sep6/transactions/${body.id}`, patch)
    expect(taken.body.transaction).toMatchObject({ status: 'pending_anchor', to: 'b@ok' })
  })
})
