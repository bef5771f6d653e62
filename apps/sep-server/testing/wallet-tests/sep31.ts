import { Keypair, Memo, StellarToml } from '@stellar/stellar-sdk'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { balanceOf, fundedWallet, give, logIn, openTrustline, payAnchor, until } from '../wallet.ts'
import { ask, asset, running, rupees } from './anchor-under-test.ts'

const alice = { first_name: 'Alice', last_name: 'Adams', address: '1 High Street, London, GBR' }
const bob = { first_name: 'Bob', last_name: 'Bose', bank_account_number: 'bob@okbank' }

/** Another anchor's account with some of the asset, logged in. */
async function sendingAnchor() {
  const key = await fundedWallet(running)
  await openTrustline(running, key)
  await give(running, key, '100')
  const token = await logIn(running, key)
  const put = async (json: object) => ask('/sep12/customer', { method: 'PUT', token, json })
  const register = async (type: string, memo: string, fields: object): Promise<string> => {
    const answer = await put({ type, memo, memo_type: 'id', ...fields })
    expect(answer.status).toBe(202)
    return answer.body.id
  }
  const anchor = {
    sender_id: await register('sep31-sender', '1', alice),
    receiver_id: await register('sep31-receiver', '2', bob),
  }
  return { key, token, put, register, anchor }
}

const send = (token: string, json: object) =>
  ask('/sep31/transactions', { method: 'POST', token, json: { asset_code: 'MUMBAI', amount: '20', ...json } })

function watch(token: string, id: string) {
  const read = async () => (await ask(`/sep31/transactions/${id}`, { token })).body.transaction
  const becomes = (status: string) =>
    until(status, async () => {
      const transaction = await read()
      return transaction.status === status && transaction
    })
  return { read, becomes }
}

describe('SEP-31', () => {
  let known: ReturnType<typeof sendingAnchor> | undefined

  it('is named in the discovery file and says what may be sent, over which rails, by whom', async () => {
    const toml = await StellarToml.Resolver.resolve('mumbai.anchors.localhost', { allowHttp: true })
    expect(toml.DIRECT_PAYMENT_SERVER).toBe(`${running.anchor.publicUrl}/sep31`)
    const { status, body } = await ask('/sep31/info', { token: null })
    expect(status).toBe(200)
    expect(body).toEqual({
      receive: {
        MUMBAI: {
          enabled: true,
          quotes_supported: true,
          quotes_required: false,
          min_amount: 1,
          max_amount: 10000,
          fee_fixed: 0.5,
          fee_percent: 0.5,
          funding_methods: ['upi', 'imps'],
          sep12: {
            sender: { types: { 'sep31-sender': { description: expect.any(String) } } },
            receiver: {
              types: {
                'sep31-receiver': { description: expect.stringContaining('UPI') },
                'sep31-receiver-imps': { description: expect.stringContaining('IMPS') },
              },
            },
          },
          fields: { transaction: {} },
        },
      },
    })
  })

  it('pays the receiver what was agreed, once, and reports each status to a signed callback', async () => {
    const { key, token, anchor } = await sendingAnchor()
    const posted = await send(token, anchor)
    expect(posted.status).toBe(201)
    const { id, stellar_account_id, stellar_memo_type, stellar_memo } = posted.body
    expect({ stellar_account_id, stellar_memo_type }).toEqual({
      stellar_account_id: running.anchor.accounts.distribution,
      stellar_memo_type: 'id',
    })
    const { becomes } = watch(token, id)
    const agreed = await becomes('pending_sender')
    // (20 - 0.5 - 20 × 0.005) × 88.50
    expect(agreed).toMatchObject({
      stellar_memo,
      amount_in: '20',
      amount_in_asset: asset(),
      amount_out: '1716.9',
      amount_out_asset: rupees,
      fee_details: { total: '0.6', asset: asset() },
    })
    const callbacks = await receiver()
    try {
      const url = `${callbacks.url}/changes`
      const put = (json: object, of = token) =>
        ask(`/sep31/transactions/${id}/callback`, { method: 'PUT', token: of, json })
      expect((await put({ url: 'ftp://a.example/' })).status).toBe(400)
      expect((await put({ url }, await logIn(running, Keypair.random()))).status).toBe(404)
      expect((await put({ url })).status).toBe(204)
      const hash = await payAnchor(running, key, '20', Memo.id(stellar_memo))
      const done = await becomes('completed')
      expect(done).toMatchObject({
        stellar_transaction_id: hash,
        external_transaction_id: expect.any(String),
        completed_at: expect.any(String),
        refunded: false,
      })
      await until('the last callback', async () => callbacks.statuses().includes('completed'))
      expect(callbacks.statuses()).toEqual([...new Set(callbacks.statuses())])
      expect(callbacks.signedBy(running.anchor.accounts.signing)).toBe(true)
    } finally {
      callbacks.close()
    }
    const paid = await running.query(
      `select p.amount from business.simulated_rail_payments p join business.rail_orders o on o.id::text = p.id
       where o.transfer_id = $1 and p.outcome = 'paid'`,
      [id],
    )
    expect(paid).toEqual([{ amount: '1716.9000000' }])
  })

  it('keeps a firm quote with its fee and its expiry', async () => {
    const { key, token, anchor } = await sendingAnchor()
    const pair = { sell_asset: asset(), buy_asset: rupees, sell_amount: '20', context: 'sep31' }
    const quote = (await ask('/sep38/quote', { method: 'POST', token, json: pair })).body
    const quoted = { ...anchor, quote_id: quote.id, destination_asset: rupees }
    expect((await send(token, { ...quoted, amount: quote.buy_amount })).status).toBe(400)
    const { id, stellar_memo } = (await send(token, quoted)).body
    expect((await send(token, quoted)).status).toBe(400)
    const { becomes } = watch(token, id)
    await becomes('pending_sender')
    await payAnchor(running, key, '20', Memo.id(stellar_memo))
    expect(await becomes('completed')).toMatchObject({
      quote_id: quote.id,
      amount_out: quote.buy_amount,
      fee_details: quote.fee,
    })
  })

  it('takes a quote of this sending anchor alone, unexpired, for the same assets and payment method', async () => {
    const { token, anchor } = await sendingAnchor()
    const stranger = await sendingAnchor()
    const quoted = async (of: string, wanted: object) => {
      const json = { context: 'sep31', sell_asset: asset(), buy_asset: rupees, sell_amount: '20', ...wanted }
      const { body } = await ask('/sep38/quote', { method: 'POST', token: of, json })
      expect(body).toMatchObject({ id: expect.any(String) })
      return body.id as string
    }
    const refused = async (quote_id: string, json: object = {}) => {
      const { status, body } = await send(token, { ...anchor, quote_id, ...json })
      expect(status).toBe(400)
      return body.error as string
    }
    expect(await refused(await quoted(stranger.token, {}))).toContain('the quote is unknown')
    const bought = { sell_asset: rupees, buy_asset: asset(), sell_amount: '2000' }
    await refused(await quoted(token, bought))
    const swapped = { amount: '2000', destination_asset: rupees }
    expect(await refused(await quoted(token, bought), swapped)).toContain('other assets')
    const expired = await quoted(token, {})
    await running.query("update sep.quotes set expires_at = now() - interval '1 second' where id = $1", [
      expired,
    ])
    expect(await refused(expired)).toContain('expired')
    const byImps = await quoted(token, { buy_delivery_method: 'imps' })
    expect(await refused(byImps, { funding_method: 'upi' })).toBe(
      'funding_method is not that of the quote; it must be imps',
    )
    // Without one, the receiver is paid as the quote says.
    expect((await send(token, { ...anchor, quote_id: byImps })).body).toEqual({
      error: 'customer_info_needed',
      type: 'sep31-receiver-imps',
    })
    const whole = await quoted(token, {})
    expect(await refused(whole, { amount: '19' })).toContain('amount is not that of the quote')
    // A refusal uses nothing up.
    expect((await send(token, { ...anchor, quote_id: whole })).status).toBe(201)
  })

  it('reads a customer without a type as what the sending anchor described it for', async () => {
    const { token, put, anchor } = await sendingAnchor()
    const statusOf = async (query: string) =>
      (await ask(`/sep12/customer?id=${anchor.receiver_id}${query}`, { token })).body.status
    expect(await statusOf('')).toBe('ACCEPTED')
    expect(await statusOf('&type=sep6')).toBe('NEEDS_INFO')
    await put({ id: anchor.receiver_id, first_name: 'Bob' })
    expect(await statusOf('')).toBe('NEEDS_INFO')
  })

  it('takes a quote that the sending anchor asked for by another of its logins, with or without a memo', async () => {
    const { key, anchor, token } = await sendingAnchor()
    const json = { context: 'sep31', sell_asset: asset(), buy_asset: rupees, sell_amount: '20' }
    const quoted = async (of: string) => (await ask('/sep38/quote', { method: 'POST', token: of, json })).body
    const byCustomer = await logIn(running, key, { memo: '1' })
    for (const [asking, ordering] of [
      [token, byCustomer],
      [byCustomer, token],
    ] as const) {
      const { id } = await quoted(asking)
      const { status, body } = await send(ordering, { ...anchor, quote_id: id })
      expect([status, body.id]).toEqual([201, expect.any(String)])
    }
  })

  it('refunds what is not as agreed, with the memo that the sender asked for, and what no bank can pay', async () => {
    const { key, token, anchor, register } = await sendingAnchor()
    const before = await balanceOf(running, key.publicKey())
    const other = (await send(token, { ...anchor, refund_memo: '77', refund_memo_type: 'id' })).body
    await watch(token, other.id).becomes('pending_sender')
    await payAnchor(running, key, '19', Memo.id(other.stellar_memo))
    const broken = await register('sep31-receiver', '3', { ...bob, bank_account_number: 'fail@okbank' })
    const unpayable = (await send(token, { ...anchor, receiver_id: broken })).body
    await watch(token, unpayable.id).becomes('pending_sender')
    await payAnchor(running, key, '20', Memo.id(unpayable.stellar_memo))
    for (const [id, amount] of [
      [other.id, '19'],
      [unpayable.id, '20'],
    ])
      expect(await watch(token, id).becomes('refunded')).toMatchObject({
        refunded: true,
        amount_out: '0',
        refunds: { amount_refunded: amount, payments: [{ id_type: 'stellar', amount }] },
      })
    expect(await balanceOf(running, key.publicKey())).toBe(before)
  })

  it('shows account, memo and amounts as soon as a payment is begun', async () => {
    const { token, anchor } = await sendingAnchor()
    for (let n = 0; n < 5; n++) {
      const { id, stellar_memo } = (await send(token, anchor)).body
      expect(await watch(token, id).read()).toMatchObject({
        status: 'pending_sender',
        stellar_account_id: running.anchor.accounts.distribution,
        stellar_memo,
        amount_in: '20',
        amount_out: expect.any(String),
        amount_fee: expect.any(String),
      })
    }
  })

  it('asks for what is missing of a sender or receiver, by type, and accepts it then', async () => {
    const { token, anchor, register, put } = await sendingAnchor()
    expect((await send(token, {})).body).toEqual({ error: 'customer_info_needed', type: 'sep31-sender' })
    const { sender_id } = anchor
    expect((await send(token, { sender_id })).body).toEqual({
      error: 'customer_info_needed',
      type: 'sep31-receiver',
    })
    expect((await put({ type: 'sep31-receiver', ...bob })).body.error).toContain('memo')
    const id = await register('sep31-receiver-imps', '9', { ...bob, bank_account_number: '12' })
    const read = async () => (await ask(`/sep12/customer?id=${id}&type=sep31-receiver-imps`, { token })).body
    expect(await read()).toMatchObject({
      id,
      status: 'NEEDS_INFO',
      fields: {
        bank_account_number: { status: 'REJECTED', error: expect.stringContaining('digits') },
        bank_number: { description: expect.stringContaining('IFSC') },
      },
    })
    const imps = { sender_id, receiver_id: id, funding_method: 'imps' }
    expect((await send(token, imps)).body).toEqual({
      error: 'customer_info_needed',
      type: 'sep31-receiver-imps',
    })
    await put({
      id,
      type: 'sep31-receiver-imps',
      bank_account_number: '123456789',
      bank_number: 'SBIN0001234',
    })
    expect((await read()).status).toBe('ACCEPTED')
    expect((await send(token, imps)).status).toBe(201)
  })

  it('accepts nobody for other transfers by a direct payment’s details', async () => {
    const { key, token, anchor } = await sendingAnchor()
    const { body } = await ask(`/sep12/customer?id=${anchor.sender_id}&type=sep6`, { token })
    expect(body.status).toBe('NEEDS_INFO')
    const shared = await logIn(running, key, { memo: '1' })
    const deposit = (await ask('/sep6/deposit?asset_code=MUMBAI&type=upi&amount=10', { token: shared })).body
    await until('the deposit asks for its customer', async () => {
      const { transaction } = (await ask(`/sep6/transaction?id=${deposit.id}`, { token: shared })).body
      return transaction.status === 'pending_customer_info_update'
    })
    // While something waits for an identity, the question is about that.
    expect((await ask('/sep12/customer', { token: shared })).body.status).toBe('NEEDS_INFO')
  })

  it.each([
    ['no token', { token: null }, {}, 403],
    ['an amount beyond the limits', {}, { amount: '10001' }, 400],
    ['an amount below the limits', {}, { amount: 0.5 }, 400],
    ['no amount', {}, { amount: 'x' }, 400],
    ['another asset', {}, { asset_code: 'USDC' }, 400],
    ['another issuer', {}, { asset_issuer: Keypair.random().publicKey() }, 400],
    ['a currency without a rail', {}, { destination_asset: 'iso4217:EUR' }, 400],
    ['a rail that there is not', {}, { funding_method: 'swift' }, 400],
    ['a refund memo that is none', {}, { refund_memo: 'x', refund_memo_type: 'id' }, 400],
    ['a refund memo without a type', {}, { refund_memo: '1' }, 400],
    ['a quote that there is not', {}, { quote_id: 'q' }, 400],
    ['one customer on both sides', {}, { both: true }, 400],
  ])('refuses %s and stores nothing', async (_what, options, change, status) => {
    const { token, anchor } = await (known ??= sendingAnchor())
    const { both, ...rest } = change as { both?: boolean }
    const json = {
      ...{ asset_code: 'MUMBAI', amount: '20', ...anchor },
      ...rest,
      ...(both ? { receiver_id: anchor.sender_id } : {}),
    }
    const count = () => running.query("select count(*) from sep.transactions where sep = '31'")
    const before = await count()
    const answer = await ask('/sep31/transactions', { method: 'POST', token, json, ...options })
    expect(answer.status).toBe(status)
    expect(answer.body.error).toEqual(expect.any(String))
    expect(await count()).toEqual(before)
  })

  it('ignores what it does not know, whatever its value, and takes neither account nor memo from it', async () => {
    const { token, anchor } = await (known ??= sendingAnchor())
    const fields = { transaction: { receiver_routing_number: '1', receiver_account_number: '2' } }
    const account = Keypair.random().publicKey()
    const unknown = {
      fields,
      seven: 7,
      yes: true,
      nothing: null,
      list: [1],
      account,
      memo: '99',
      memo_type: 'id',
    }
    const { status, body } = await send(token, { ...anchor, ...unknown })
    expect(status).toBe(201)
    const stored = await running.query(
      `select stellar_account <> account as other, memo from sep.transactions where id = '${body.id}'`,
    )
    expect(stored).toEqual([{ other: false, memo: null }])
    const query = `?asset_code=MUMBAI&amount=20&x=1&x=2`
    expect((await ask(`/sep6/deposit${query}`, { token })).status).toBe(200)
  })

  it('shows a payment, and takes customers, to and from their own anchor only', async () => {
    const { key, token, anchor } = await sendingAnchor()
    const stranger = await sendingAnchor()
    const { id } = (await send(token, anchor)).body
    expect((await ask(`/sep31/transactions/${id}`, { token: stranger.token })).status).toBe(404)
    expect((await ask(`/sep24/transaction?id=${id}`, { token })).status).toBe(404)
    expect((await ask(`/sep6/transaction?id=${id}`, { token })).status).toBe(404)
    expect((await send(stranger.token, anchor)).body).toMatchObject({ error: 'customer_info_needed' })
    // A token with a memo sends too; the payment belongs to that memo alone.
    const shared = await logIn(running, key, { memo: '1' })
    const sent = await send(shared, anchor)
    expect(sent.status).toBe(201)
    const url = `/sep31/transactions/${sent.body.id}`
    expect((await ask(url, { token: shared })).status).toBe(200)
    expect((await ask(url, { token })).status).toBe(404)
    const patch = (of: string) =>
      ask(`/sep31/transactions/${id}`, {
        method: 'PATCH',
        token: of,
        json: { fields: { transaction: { dest: 'eve@okbank' } } },
      })
    expect((await patch(token)).status).toBe(400)
    expect((await patch(stranger.token)).status).toBe(404)
  })
})

/** The sending anchor's server for callbacks. */
async function receiver() {
  const received: { body: string; signature: string; host: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += chunk))
    request.on('end', () => {
      const { signature, host } = request.headers
      received.push({ body, signature: String(signature), host: String(host) })
      response.end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    statuses: () => received.map(({ body }) => JSON.parse(body).transaction.status as string),
    signedBy: (account: string) =>
      received.every(({ body, signature, host }) => {
        const [, time, value = ''] = /^t=(\d+), s=(.+)$/.exec(signature) ?? []
        const signed = Buffer.from(`${time}.${host}.${body}`)
        return Keypair.fromPublicKey(account).verify(signed, new Uint8Array(Buffer.from(value, 'base64')))
      }),
    close: () => server.close(),
  }
}
