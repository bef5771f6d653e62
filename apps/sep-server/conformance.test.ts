import { Account, Keypair, MuxedAccount } from '@stellar/stellar-sdk/base'
import { signStandard } from '@windlass/kyc-providers/webhook-signature.ts'
import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAILED_CODE } from './testing/centre.ts'
import { startStand, type Stand } from './testing/stand.ts'
import { agreedDeposit, begin, payOverRail } from './testing/transfers.ts'
import { Browser, fundedWallet, logIn, openTrustline, registerWallet, until } from './testing/wallet.ts'

let stand: Stand
let key: Keypair
let token: string
beforeAll(async () => {
  stand = await startStand({ rails: ['UPI', 'IMPS'] })
  key = await fundedWallet(stand)
  registerWallet(stand, key)
  token = await logIn(stand, key)
})
afterAll(() => stand.stop())

type Init = RequestInit & { token?: string | null; json?: unknown }

/** A request to the anchor's public host, with the wallet's token unless told otherwise. */
async function ask(path: string, { token: given = token, json, ...init }: Init = {}) {
  const headers = new Headers(init.headers)
  if (given) headers.set('authorization', `Bearer ${given}`)
  if (json !== undefined) headers.set('content-type', 'application/json')
  const body = json === undefined ? (init.body ?? null) : JSON.stringify(json)
  const answer = await fetch(stand.anchor.publicUrl + path, { ...init, headers, body })
  const text = await answer.text()
  const type = answer.headers.get('content-type') ?? ''
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: type.includes('json') ? JSON.parse(text) : null,
  }
}

const rupees = 'iso4217:INR'
const asset = () => `stellar:MUMBAI:${stand.anchor.accounts.issuer}`
const interactive = (side: 'deposit' | 'withdraw') => `/sep24/transactions/${side}/interactive`

describe('SEP-1', () => {
  it('is text for every origin, small, and names accounts, currency and endpoints', async () => {
    const { status, headers, text } = await ask('/.well-known/stellar.toml', { token: null })
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(text.length).toBeLessThan(100 * 1024)
    for (const part of [
      'SIGNING_KEY',
      '[DOCUMENTATION]',
      '[[CURRENCIES]]',
      'is_asset_anchored',
      'anchor_asset',
    ]) {
      expect(text).toContain(part)
    }
  })
})

describe('a token', () => {
  const guarded = [
    ['POST', '/sep24/transactions/deposit/interactive'],
    ['POST', '/sep24/transactions/withdraw/interactive'],
    ['GET', '/sep24/transaction?id=x'],
    ['GET', '/sep24/transactions?asset_code=MUMBAI'],
    ['GET', '/sep6/deposit?asset_code=MUMBAI'],
    ['GET', '/sep6/withdraw?asset_code=MUMBAI'],
    ['GET', '/sep6/deposit-exchange'],
    ['GET', '/sep6/withdraw-exchange'],
    ['GET', '/sep6/transaction?id=x'],
    ['GET', '/sep6/transactions?asset_code=MUMBAI'],
    ['GET', '/sep12/customer'],
    ['PUT', '/sep12/customer'],
    ['DELETE', '/sep12/customer/GX'],
    ['POST', '/sep38/quote'],
    ['GET', '/sep38/quote/x'],
  ] as const

  it.each(guarded)('is needed for %s %s: 403 with error and type', async (method, path) => {
    const answer = await ask(path, { method, token: null })
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual({ error: expect.any(String), type: 'authentication_required' })
  })

  it.each([
    ['forged with no algorithm', () => `${part({ alg: 'none' })}.${token.split('.')[1]}.`],
    ['signed with a guessed secret', () => resigned('secret')],
    ['changed', () => `${token.slice(0, -3)}abc`],
    [
      'of an interactive page',
      async () => new URL((await startDeposit()).body.url).searchParams.get('token') ?? '',
    ],
  ])('that was %s is refused', async (_what, make) => {
    expect((await ask('/sep24/transactions?asset_code=MUMBAI', { token: await make() })).status).toBe(403)
  })

  function resigned(secret: string): string {
    const [head, claims] = token.split('.')
    const signature = createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url')
    return `${head}.${claims}.${signature}`
  }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
})

const startDeposit = (fields: Record<string, string> = {}) =>
  ask(interactive('deposit'), { method: 'POST', json: { asset_code: 'MUMBAI', ...fields } })

describe('SEP-24', () => {
  it('tells its terms without a token', async () => {
    const { body } = await ask('/sep24/info', { token: null })
    const terms = { enabled: true, min_amount: 1, max_amount: 10000, fee_fixed: 0.5, fee_percent: 0.5 }
    expect(body).toEqual({
      deposit: { MUMBAI: terms },
      withdraw: { MUMBAI: terms },
      fee: { enabled: false },
      features: { account_creation: false, claimable_balances: true },
    })
  })

  it('begins from JSON, a form and multipart alike', async () => {
    const multipart = new FormData()
    multipart.set('asset_code', 'MUMBAI')
    const form = new URLSearchParams({ asset_code: 'MUMBAI' })
    for (const answer of [
      await startDeposit(),
      await ask(interactive('deposit'), { method: 'POST', body: form }),
      await ask(interactive('withdraw'), { method: 'POST', body: multipart }),
    ]) {
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({
        type: 'interactive_customer_info_needed',
        id: expect.any(String),
        url: expect.stringMatching(/^http:\/\/mumbai\.anchors\.localhost\/interactive\/start\?/),
      })
    }
  })

  it('tells a fresh transaction with from, to, more_info_url and kyc_verified', async () => {
    const { body } = await startDeposit({ amount: '12.5' })
    const { transaction } = (await ask(`/sep24/transaction?id=${body.id}`)).body
    expect(transaction).toMatchObject({
      id: body.id,
      kind: 'deposit',
      status: 'incomplete',
      from: '',
      to: key.publicKey(),
      kyc_verified: false,
      refunded: false,
      more_info_url: expect.any(String),
      started_at: expect.any(String),
    })
  })

  it.each([
    ['no asset', {}, /asset_code is needed/],
    ['an unknown asset', { asset_code: 'BTC' }, /not supported/],
    ['another issuer', { asset_code: 'MUMBAI', asset_issuer: Keypair.random().publicKey() }, /not supported/],
    ['an amount below the limit', { asset_code: 'MUMBAI', amount: '0.5' }, /at least 1/],
    ['an amount above the limit', { asset_code: 'MUMBAI', amount: '10000.0000001' }, /at most 10000/],
    ['a negative amount', { asset_code: 'MUMBAI', amount: '-5' }, /greater than zero/],
    ['NaN', { asset_code: 'MUMBAI', amount: 'NaN' }, /decimal number/],
    ['1e3', { asset_code: 'MUMBAI', amount: '1e3' }, /decimal number/],
    ['eight fraction digits', { asset_code: 'MUMBAI', amount: '1.00000001' }, /7 fraction digits/],
    ['an account that is none', { asset_code: 'MUMBAI', account: 'GABC' }, /account must be/],
    ['a hash memo that is short', { asset_code: 'MUMBAI', memo: 'YQ==', memo_type: 'hash' }, /32 bytes/],
    ['an id memo with letters', { asset_code: 'MUMBAI', memo: 'x', memo_type: 'id' }, /whole number/],
    ['a memo type alone', { asset_code: 'MUMBAI', memo_type: 'id' }, /without memo/],
    ['a quote that is not there', { asset_code: 'MUMBAI', quote_id: randomUUID() }, /quote is not known/],
    [
      'a source asset of nobody',
      { asset_code: 'MUMBAI', source_asset: 'iso4217:XXX' },
      /source_asset must be/,
    ],
    ['an object for an amount', { asset_code: 'MUMBAI', amount: { a: 1 } }, /must be a text/],
    ['a NUL', { asset_code: 'MUMBAI', wallet_name: 'a\0' }, /NUL/],
  ])('refuses %s with 400 and {error}, and writes nothing', async (_what, json, message) => {
    const count = () => stand.query<{ n: string }>('select count(*) as n from sep.transactions')
    const before = await count()
    const answer = await ask(interactive('deposit'), { method: 'POST', json })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ error: expect.stringMatching(message) })
    expect(await count()).toEqual(before)
  })

  it('refuses malformed JSON, other content types and 5 MB', async () => {
    const headers = { 'content-type': 'application/json' }
    const path = interactive('deposit')
    expect((await ask(path, { method: 'POST', headers, body: '{' })).status).toBe(400)
    expect(
      (await ask(path, { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a,b' })).status,
    ).toBe(415)
    const huge = await ask(path, { method: 'POST', headers, body: 'x'.repeat(5 * 1024 * 1024) }).catch(
      () => null,
    )
    expect(huge === null || huge.status === 413).toBe(true)
  })

  it('shows a transaction to its own session only', async () => {
    const { body } = await startDeposit()
    const path = `/sep24/transaction?id=${body.id}`
    const stranger = await logIn(stand, Keypair.random())
    const shared = await logIn(stand, key, { memo: '7' })
    for (const other of [stranger, shared]) {
      const answer = await ask(path, { token: other })
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual({ error: expect.any(String) })
    }
    for (const id of ['', '?id=', '?id=../../etc', `?id=${randomUUID()}`, '?stellar_transaction_id=zz']) {
      expect([400, 404]).toContain((await ask(`/sep24/transaction${id}`)).status)
    }
  })

  it('pages through transactions, newest first', async () => {
    const wallet = await fundedWallet(stand)
    const mine = await logIn(stand, wallet)
    const ids: string[] = []
    for (let count = 0; count < 3; count++) {
      const { body } = await ask(interactive('deposit'), {
        method: 'POST',
        token: mine,
        json: { asset_code: 'MUMBAI' },
      })
      ids.unshift(body.id)
    }
    const list = async (query: string) =>
      (await ask(`/sep24/transactions?asset_code=MUMBAI${query}`, { token: mine })).body.transactions.map(
        (each: { id: string }) => each.id,
      )
    expect(await list('')).toEqual(ids)
    expect(await list('&limit=2')).toEqual(ids.slice(0, 2))
    expect(await list(`&paging_id=${ids[1]}`)).toEqual(ids.slice(2))
    expect(await list('&kind=withdrawal')).toEqual([])
    expect(await list('&no_older_than=2999-01-01T00:00:00Z')).toEqual([])
    for (const query of [
      '',
      '?asset_code=BTC',
      '?asset_code=MUMBAI&kind=theft',
      '?asset_code=MUMBAI&no_older_than=x',
    ]) {
      expect((await ask(`/sep24/transactions${query}`, { token: mine })).status).toBe(400)
    }
  })
})

describe('SEP-6', () => {
  it('tells its terms, with the fields of each rail', async () => {
    const { body } = await ask('/sep6/info', { token: null })
    expect(body.deposit.MUMBAI).toMatchObject({ enabled: true, authentication_required: true })
    expect(Object.keys(body.withdraw.MUMBAI.types)).toEqual(['upi', 'imps'])
    expect(body.withdraw.MUMBAI.types.upi.fields.dest.description).toContain('INR')
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
    const told = await until('account and memo', async () => {
      const { transaction } = (await ask(`/sep6/transaction?id=${body.id}`)).body
      return transaction.withdraw_memo && transaction
    })
    expect(told).toMatchObject({
      withdraw_anchor_account: stand.anchor.accounts.distribution,
      withdraw_memo_type: 'id',
      amount_in: '10',
    })
  })

  it('exchanges: a deposit in rupees and a withdrawal to rupees', async () => {
    const query = new URLSearchParams({
      source_asset: rupees,
      destination_asset: asset(),
      amount: '10',
      type: 'upi',
    })
    const { body } = await ask(`/sep6/deposit-exchange?${query}`)
    const { transaction } = (await ask(`/sep6/transaction?id=${body.id}`)).body
    expect(transaction.kind).toBe('deposit-exchange')
    const back = new URLSearchParams({
      source_asset: asset(),
      destination_asset: rupees,
      amount: '10',
      type: 'upi',
      dest: 'a@ok',
    })
    expect((await ask(`/sep6/withdraw-exchange?${back}`)).status).toBe(200)
  })

  it.each([
    ['/sep6/deposit', /asset_code is needed/],
    ['/sep6/deposit?asset_code=BTC', /not supported/],
    ['/sep6/deposit?asset_code=MUMBAI&type=cash', /type must be one of upi, imps/],
    ['/sep6/deposit?asset_code=MUMBAI&amount=0', /greater than zero/],
    ['/sep6/deposit?asset_code=MUMBAI&on_change_callback=javascript:x', /on_change_callback/],
    ['/sep6/withdraw?asset_code=MUMBAI&type=upi', /dest is needed/],
    ['/sep6/deposit-exchange?amount=5', /source_asset and destination_asset/],
    ['/sep6/transaction', /id, stellar_transaction_id/],
    ['/sep6/transactions', /asset_code/],
  ])('refuses %s', async (path, message) => {
    const answer = await ask(path)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ error: expect.stringMatching(message) })
  })

  it('takes a patch only when it asked for one', async () => {
    const { body } = await ask('/sep6/withdraw?asset_code=MUMBAI&type=upi&dest=a@ok&amount=10')
    const patch = { method: 'PATCH', json: { transaction: { dest: 'b@ok' } } }
    expect((await ask(`/sep6/transactions/${body.id}`, patch)).status).toBe(400)
    expect((await ask(`/sep6/transactions/${randomUUID()}`, patch)).status).toBe(404)
    await stand.query(
      "update sep.transactions set status = 'pending_transaction_info_update' where id = $1",
      [body.id],
    )
    expect(
      (await ask(`/sep6/transactions/${body.id}`, { ...patch, json: { transaction: { account: 'x' } } }))
        .status,
    ).toBe(400)
    const taken = await ask(`/sep6/transactions/${body.id}`, patch)
    expect(taken.body.transaction).toMatchObject({ status: 'pending_anchor', to: 'b@ok' })
  })
})

describe('SEP-38', () => {
  it('names assets with delivery methods, prices both ways, and leaves the fee in the sold asset', async () => {
    const info = (await ask('/sep38/info', { token: null })).body
    expect(info.assets[1]).toMatchObject({
      asset: rupees,
      country_codes: ['IN'],
      sell_delivery_methods: [{ name: 'upi' }, { name: 'imps' }],
    })
    const query = (values: Record<string, string>) => new URLSearchParams(values)
    const prices = await ask(`/sep38/prices?${query({ sell_asset: rupees, sell_amount: '8938.5' })}`, {
      token: null,
    })
    expect(prices.body).toEqual({ buy_assets: [{ asset: asset(), price: '88.5', decimals: 7 }] })
    const sold = await ask(
      `/sep38/price?${query({ context: 'sep6', sell_asset: asset(), buy_asset: rupees, sell_amount: '200' })}`,
      { token: null },
    )
    expect(sold.body).toEqual({
      price: '0.011299435',
      total_price: expect.any(String),
      sell_amount: '200',
      buy_amount: '17567.25',
      fee: { total: '1.5', asset: asset() },
    })
  })

  it('answers a firm quote with 201, again with the same, and to nobody else', async () => {
    const json = { context: 'sep24', sell_asset: rupees, buy_asset: asset(), sell_amount: '8938.5' }
    const made = await ask('/sep38/quote', { method: 'POST', json })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ buy_amount: '100', fee: { total: '88.5', asset: rupees } })
    expect(Date.parse(made.body.expires_at)).toBeGreaterThan(Date.now())
    expect((await ask(`/sep38/quote/${made.body.id}`)).body).toEqual(made.body)
    const stranger = await logIn(stand, Keypair.random())
    expect((await ask(`/sep38/quote/${made.body.id}`, { token: stranger })).status).toBe(404)
  })

  it.each([
    ['no amount', {}],
    ['both amounts', { sell_amount: '1', buy_amount: '1' }],
    ['an unknown asset', { sell_asset: 'stellar:BTC:GX', sell_amount: '1' }],
    ['an unknown context', { context: 'sep99', sell_amount: '1000' }],
    ['an amount below the fee', { sell_amount: '0.01' }],
    ['too much', { buy_amount: '10001' }],
    ['text for an amount', { sell_amount: 'ten' }],
    ['an expiry that is no time', { sell_amount: '1000', expire_after: 'soon' }],
  ])('refuses a quote with %s', async (_what, change) => {
    const json = { context: 'sep6', sell_asset: rupees, buy_asset: asset(), ...change }
    const answer = await ask('/sep38/quote', { method: 'POST', json })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ error: expect.any(String) })
  })
})

describe('SEP-12', () => {
  it('keeps customers of one account apart by memo, and needs an id for nobody', async () => {
    const wallet = await fundedWallet(stand)
    const one = await logIn(stand, wallet, { memo: '1' })
    const two = await logIn(stand, wallet, { memo: '2' })
    const unknown = await ask('/sep12/customer', { token: one })
    expect(unknown.body).toMatchObject({ status: 'NEEDS_INFO', fields: { first_name: { type: 'string' } } })
    expect(unknown.body.id).toBeUndefined()
    const put = await ask('/sep12/customer', { method: 'PUT', token: one, json: { first_name: 'A' } })
    expect(put.status).toBe(202)
    expect((await ask('/sep12/customer', { token: one })).body).toMatchObject({
      id: put.body.id,
      provided_fields: { first_name: { type: 'string' } },
    })
    expect((await ask(`/sep12/customer?id=${put.body.id}`, { token: two })).status).toBe(404)
    expect((await ask('/sep12/customer?memo=2', { token: one })).status).toBe(400)
    expect(
      (await ask(`/sep12/customer/${wallet.publicKey()}`, { method: 'DELETE', token: two })).status,
    ).toBe(404)
    expect(
      (await ask(`/sep12/customer/${wallet.publicKey()}`, { method: 'DELETE', token: one })).status,
    ).toBe(200)
    expect((await ask('/sep12/customer', { token: one })).body.id).toBeUndefined()
  })

  it('mails a code to a wallet the centre does not know, and takes it back', async () => {
    const wallet = await fundedWallet(stand)
    const mine = await logIn(stand, wallet)
    const details = new FormData()
    for (const [name, value] of Object.entries({
      first_name: 'A',
      last_name: 'B',
      email_address: 'a@b.example',
    })) {
      details.set(name, value)
    }
    details.set('photo_id_front', new Blob([new Uint8Array(1000)], { type: 'image/png' }), 'id.png')
    const put = await ask('/sep12/customer', { method: 'PUT', token: mine, body: details })
    expect(put.status).toBe(202)
    expect((await ask('/sep12/customer', { token: mine })).body).toMatchObject({
      status: 'NEEDS_INFO',
      fields: { email_address_verification: { type: 'string' } },
      provided_fields: { email_address: { status: 'VERIFICATION_REQUIRED' } },
    })
    const code = (email_address_verification: string) =>
      ask('/sep12/customer', {
        method: 'PUT',
        token: mine,
        json: { id: put.body.id, email_address_verification },
      })
    expect((await code('000000')).status).toBe(400)
    expect((await code(MAILED_CODE)).status).toBe(202)
    expect((await ask('/sep12/customer', { token: mine })).body.status).toBe('PROCESSING')
    expect(stand.centre.customers.get('cus_a@b.example')?.wallets).toEqual(new Set([wallet.publicKey()]))
  })

  it('knows a muxed account by its owner', async () => {
    const muxed = new MuxedAccount(new Account(key.publicKey(), '0'), '9').accountId()
    const mine = await logIn(stand, key, { account: muxed })
    const put = await ask('/sep12/customer', { method: 'PUT', token: mine, json: { first_name: 'A' } })
    expect((await ask(`/sep12/customer?id=${put.body.id}`, { token: mine })).body.status).toBe('ACCEPTED')
  })
})

describe('what is private', () => {
  it.each(['/customer', '/rate', '/event', '/admin/summary', '/transactions'])(
    '%s is not public',
    async path => {
      const answer = await ask(path, { token: null })
      expect([401, 404]).toContain(answer.status)
    },
  )

  it('the Platform API is not there for the public host, and needs the link secret on its own', async () => {
    const call = JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'get_transactions', params: {} }])
    const headers = { 'content-type': 'application/json', 'x-api-key': stand.secrets.link }
    expect((await ask('/', { method: 'POST', headers, body: call, token: null })).status).toBe(404)
    const { sepServerUrl } = stand.anchor
    const wrong = { ...headers, 'x-api-key': 'wrong' }
    expect((await fetch(sepServerUrl, { method: 'POST', headers: wrong, body: call })).status).toBe(401)
    expect((await fetch(sepServerUrl, { method: 'POST', headers, body: call })).status).toBe(200)
  })

  it('answers JSON-RPC as the Anchor Platform does', async () => {
    const rpc = async (calls: unknown) => {
      const answer = await fetch(stand.anchor.sepServerUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': stand.secrets.link },
        body: JSON.stringify(calls),
      })
      return (await answer.json()) as { id: unknown; error?: { code: number }; result?: { status: string } }[]
    }
    const { body } = await startDeposit()
    const call = (method: string, params: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })
    const codes = (
      await rpc([
        call('steal_funds', {}),
        call('notify_trust_set', { transaction_id: body.id }),
        call('notify_trust_set', { transaction_id: randomUUID() }),
        call('notify_trust_set', {}),
        { id: 5 },
      ])
    ).map(({ error }) => error?.code)
    expect(codes).toEqual([-32601, -32600, -32602, -32602, -32600])
    expect(
      (await rpc(Array.from({ length: 41 }, () => call('get_transactions', {})))).at(0)?.error?.code,
    ).toBe(-32600)
    const done = call('notify_interactive_flow_completed', { transaction_id: body.id }, 'once:test:1')
    const [first, second] = await rpc([done, done])
    expect(first?.result?.status).toBe('pending_anchor')
    expect(second).toEqual(first)
  })
})

describe('the identity provider’s webhook', () => {
  const path = '/api/v1/customer/kyc/webhook'
  const report = (customerId: string, status: string, completedAt: string) =>
    JSON.stringify({
      event: 'session.completed',
      data: { sessionId: randomUUID(), status, customerId, completedAt },
    })
  const send = (body: string, headers: Record<string, string>) =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      token: null,
    })
  const signed = (body: string, id = randomUUID()) =>
    send(body, signStandard(stand.secrets.webhook, id, body, new Date()))
  const known = async (centralId: string) =>
    (await stand.query('select status from business.kyc_statuses where central_id = $1', [centralId]))[0]
      ?.status

  it('accepts a customer of whom only the centre knows, tells the centre with the evidence, and repeats nothing', async () => {
    stand.centre.customers.set('cus_new', { status: 'NEEDS_INFO', wallets: new Set() })
    const body = report('cus_new', 'APPROVED', '2026-03-01T10:00:00.000Z')
    const id = randomUUID()
    expect((await signed(body, id)).status).toBe(200)
    expect((await signed(body, id)).status).toBe(200)
    expect(await known('cus_new')).toBe('ACCEPTED')
    await until('the centre knows', async () => stand.centre.customers.get('cus_new')?.status === 'ACCEPTED')
    const reports = stand.centre.reports.filter(
      each => (each as { customerId: string }).customerId === 'cus_new',
    )
    expect(reports).toHaveLength(1)
    const { evidence } = reports[0] as { evidence: { body: string; headers: Record<string, string> } }
    expect(Buffer.from(evidence.body, 'base64').toString()).toBe(body)
    expect(evidence.headers['webhook-id']).toBe(id)
  })

  it('lets no older decision overwrite a newer one', async () => {
    stand.centre.customers.set('cus_order', { status: 'NEEDS_INFO', wallets: new Set() })
    await signed(report('cus_order', 'APPROVED', '2026-03-01T10:00:00.000Z'))
    await signed(report('cus_order', 'DECLINED', '2026-03-01T09:59:59.000Z'))
    expect(await known('cus_order')).toBe('ACCEPTED')
  })

  it('takes x-signature, and lets a standard signature alone decide where it is there', async () => {
    stand.centre.customers.set('cus_hex', { status: 'NEEDS_INFO', wallets: new Set() })
    const body = report('cus_hex', 'APPROVED', '2026-03-01T10:00:00.000Z')
    const hex = createHmac('sha256', stand.secrets.webhook).update(body).digest('hex')
    const wrong = signStandard('another secret, long enough', 'x', body, new Date())
    expect((await send(body, { 'x-signature': hex, ...wrong })).status).toBe(401)
    expect(await known('cus_hex')).toBeUndefined()
    expect((await send(body, { 'x-signature': `sha256=${hex}` })).status).toBe(200)
    expect(await known('cus_hex')).toBe('ACCEPTED')
  })

  it.each([
    ['no signature', 401, () => send(report('cus_new', 'APPROVED', '2026-03-01T10:00:00Z'), {})],
    ['a customer of nobody', 404, () => signed(report('cus_nobody', 'APPROVED', '2026-03-01T10:00:00Z'))],
    ['an unknown status', 400, () => signed(report('cus_new', 'FINE', '2026-03-01T10:00:00Z'))],
    ['no JSON', 400, () => signed('{')],
    ['70 KB', 413, () => signed('x'.repeat(70_000))],
  ])('refuses %s with %i', async (_what, status, act) => {
    const answer = await act()
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
  })

  it('keeps an approval while the centre is down, and tells it later', async () => {
    const wallet = await fundedWallet(stand)
    const id = registerWallet(stand, wallet, 'NEEDS_INFO')
    const mine = await logIn(stand, wallet)
    await ask('/sep12/customer', { method: 'PUT', token: mine, json: { first_name: 'A' } })
    stand.centre.down = true
    expect((await signed(report(id, 'APPROVED', '2026-03-01T10:00:00Z'))).status).toBe(200)
    expect((await ask('/sep12/customer', { token: mine })).body.status).toBe('ACCEPTED')
    expect(stand.centre.customers.get(id)?.status).toBe('NEEDS_INFO')
    stand.centre.down = false
    await until('the centre is told', async () => stand.centre.customers.get(id)?.status === 'ACCEPTED')
  })
})

describe('the pages', () => {
  it('lead a wallet that nobody knows from its e-mail address to its instructions', async () => {
    const wallet = await fundedWallet(stand)
    const { id, browser } = await begin(stand, wallet, 'deposit', { amount: '25' })
    const base = `/interactive/t/${id}`
    expect((await browser.open(base)).html).toContain('E-mail address')
    expect((await browser.submit(`${base}/email`, { email: 'not an address' })).status).toBe(422)
    expect((await browser.submit(`${base}/email`, { email: 'ravi@example.com' })).html).toContain(
      '6-digit code',
    )
    expect((await browser.submit(`${base}/code`, { code: '000000' })).status).toBe(422)
    expect((await browser.submit(`${base}/code`, { code: MAILED_CODE })).html).toContain('Verify my identity')
    const provider = await browser.submit(`${base}/verify`)
    expect(provider.html).toContain('Test identity check')
    expect((await browser.open(base)).html).toContain('is being verified')
    await until('the page goes on', async () => (await browser.open(base)).html.includes('Is this right?'))
    expect((await browser.submit(`${base}/confirm`)).html).toContain('Simulate my payment')
  })

  it('are for the holder of the link or its cookie only, and escape what others wrote', async () => {
    const { id, url, browser } = await begin(stand, key, 'deposit', { amount: '25' })
    const page = await browser.open(`/interactive/t/${id}`)
    expect(page.html).toContain('Mumbai Pay &#60;b&#62;&#38; Sons')
    expect((await new Browser(stand).open(`/interactive/t/${id}`)).status).toBe(401)
    const other = await begin(stand, key, 'deposit', { amount: '25' })
    expect((await browser.open(`/interactive/t/${other.id}`)).status).toBe(401)
    expect((await browser.open(url.replace(id, other.id))).status).toBe(401)
    const foreign = await fetch(`${stand.anchor.publicUrl}/interactive/t/${id}/confirm`, { method: 'POST' })
    expect(foreign.status).toBe(401)
  })

  it('carry a strict policy, and nothing from elsewhere', async () => {
    const { url } = await begin(stand, key, 'deposit', { amount: '25' })
    const answer = await fetch(url)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|\*/)
    // With no-referrer, browsers would send the forms with the origin "null".
    expect(answer.headers.get('referrer-policy')).toBe('same-origin')
    const html = await answer.text()
    expect(html.match(/(src|href)="https?:[^"]*"/g)).toBeNull()
    for (const name of ['style.css', 'live.js']) {
      expect((await ask(`/interactive/assets/${name}`, { token: null })).status).toBe(200)
    }
  })

  it('tell the wallet’s own server of every change, signed with the SEP-10 key', async () => {
    const heard: { body: string; signature: string; host: string }[] = []
    const wallet = createServer((request, response) => {
      let body = ''
      request.on('data', chunk => (body += chunk))
      request.on('end', () => {
        heard.push({ body, signature: String(request.headers.signature), host: String(request.headers.host) })
        response.end()
      })
    })
    await new Promise<void>(resolve => wallet.listen(0, '127.0.0.1', resolve))
    try {
      const { url, id, browser } = await begin(stand, key, 'deposit', { amount: '25' })
      const address = wallet.address()
      const callback = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/changed`
      await browser.open(`${url}&on_change_callback=${encodeURIComponent(callback)}`)
      await browser.submit(`/interactive/t/${id}/confirm`)
      await until('the wallet hears', async () =>
        heard.some(({ body }) => body.includes('pending_user_transfer_start')),
      )
      const { body, signature, host } = heard[0] ?? { body: '', signature: '', host: '' }
      const [, time, value] = /^t=(\d+), s=(.+)$/.exec(signature) ?? []
      const server = Keypair.fromPublicKey(stand.anchor.accounts.signing)
      const signed = Buffer.from(`${time}.${host}.${body}`)
      expect(server.verify(signed, new Uint8Array(Buffer.from(value ?? '', 'base64')))).toBe(true)
      expect(JSON.parse(body).transaction.id).toBe(id)
    } finally {
      wallet.close()
    }
  })

  it('refuse amounts that do not fit, and keep what was typed', async () => {
    const { id, browser } = await begin(stand, key, 'deposit', {})
    for (const amount of ['0.5', '10001', 'ten', '-1', '']) {
      const answer = await browser.submit(`/interactive/t/${id}/details`, { amount, rail: 'UPI' })
      expect(answer.status).toBe(422)
      expect(answer.html).toContain('role="alert"')
    }
    const chosen = await browser.submit(`/interactive/t/${id}/details`, { amount: '30', rail: 'IMPS' })
    expect(chosen.html).toContain('IMPS bank transfer')
  })
})

it('an approval is asked for again after a while, so that the centre’s later word counts', async () => {
  const wallet = await fundedWallet(stand)
  const id = registerWallet(stand, wallet)
  const mine = await logIn(stand, wallet)
  await ask('/sep12/customer', { method: 'PUT', token: mine, json: { first_name: 'A' } })
  expect((await ask('/sep12/customer', { token: mine })).body.status).toBe('ACCEPTED')
  const centre = stand.centre.customers.get(id)
  if (centre) centre.status = 'REJECTED'
  expect((await ask('/sep12/customer', { token: mine })).body.status).toBe('ACCEPTED')
  await stand.query(
    "update business.kyc_statuses set updated_at = now() - interval '11 minutes', completed_at = now() - interval '11 minutes' where central_id = $1",
    [id],
  )
  expect((await ask('/sep12/customer', { token: mine })).body.status).toBe('REJECTED')
})

describe('the developer API', () => {
  const developer = (path: string, init: Init = {}) => ask(path, { token: 'wl_test_good', ...init })

  it('is for keys of this anchor: others are 401, and a scope that lacks is 403', async () => {
    const { anchorId } = stand.anchor.plan
    stand.centre.keys.set('wl_test_good', { anchorId, scopes: ['read', 'webhooks'] })
    stand.centre.keys.set('wl_test_reader', { anchorId, scopes: ['read'] })
    stand.centre.keys.set('wl_test_foreign', { anchorId: 'somebodyelse00000000', scopes: ['read'] })
    for (const bad of [null, 'nonsense', 'wl_test_foreign', token]) {
      expect((await ask('/api/v1/workspace', { token: bad })).status).toBe(401)
    }
    expect((await developer('/api/v1/webhook-endpoints', { token: 'wl_test_reader' })).status).toBe(403)
    const { body } = await developer('/api/v1/workspace')
    expect(body).toMatchObject({ anchorId, asset: { code: 'MUMBAI' }, treasury: { balance: '1000000' } })
  })

  it('lists transactions in pages, with history, customers and quotes', async () => {
    const { status, body, headers } = await developer('/api/v1/transactions?limit=1')
    expect(status).toBe(200)
    expect(body).toHaveLength(1)
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? ''
    const second = await developer(next)
    expect(second.body[0].id).not.toBe(body[0].id)
    expect((await developer(`/api/v1/transactions/${body[0].id}`)).body).toHaveProperty('history')
    expect((await developer('/api/v1/transactions/nope')).status).toBe(404)
    expect((await developer('/api/v1/customers')).body.length).toBeGreaterThan(0)
    expect((await developer('/api/v1/quotes')).body[0]).toMatchObject({ currency: 'INR' })
    expect((await developer('/api/v1/transactions?limit=0')).status).toBe(400)
    expect((await developer('/api/v1/transactions?cursor=x')).status).toBe(400)
  })

  it('sends signed webhooks, again after a failure, and once more when asked', async () => {
    const heard: { id: string; body: string; headers: Record<string, string> }[] = []
    let refuse = true
    const receiver = createServer((request, response) => {
      let body = ''
      request.on('data', chunk => (body += chunk))
      request.on('end', () => {
        if (!refuse) {
          const headers = request.headers as Record<string, string>
          heard.push({ id: headers['webhook-id'] ?? '', body, headers })
        }
        response.writeHead(refuse ? 500 : 204).end()
      })
    })
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
    const address = receiver.address()
    const port = typeof address === 'object' ? address?.port : 0
    try {
      const json = { url: `http://127.0.0.1:${port}/hook`, events: ['transaction.completed'] }
      const made = await developer('/api/v1/webhook-endpoints', { method: 'POST', json })
      expect(made.status).toBe(201)
      const wallet = await fundedWallet(stand)
      registerWallet(stand, wallet)
      await openTrustline(stand, wallet)
      const deposit = await agreedDeposit(stand, wallet, '10')
      await payOverRail(stand, deposit.id)
      await deposit.becomes('completed')
      const waiting = await until('a failed attempt', async () => {
        const { body } = await developer('/api/v1/webhook-deliveries')
        return body[0]?.lastStatus === 500 && body[0]
      })
      expect(waiting).toMatchObject({ status: 'waiting', event: 'transaction.completed' })
      refuse = false
      const replay = () => developer(`/api/v1/webhook-deliveries/${waiting.id}/replay`, { method: 'POST' })
      expect((await replay()).status).toBe(202)
      await until('the delivery', async () => heard.length === 1)
      const [first] = heard
      const payload = new Webhook(made.body.secret).verify(first?.body ?? '', first?.headers ?? {})
      expect(payload).toMatchObject({
        type: 'transaction.completed',
        data: { id: deposit.id, status: 'completed' },
      })
      await until(
        'delivered',
        async () => (await developer('/api/v1/webhook-deliveries?status=delivered')).body.length,
      )
      await replay()
      await until('the replay', async () => heard.length === 2)
      expect(heard[1]?.id).toBe(first?.id)
      expect(
        (await developer(`/api/v1/webhook-endpoints/${made.body.id}`, { method: 'DELETE' })).status,
      ).toBe(204)
      expect((await developer('/api/v1/webhook-endpoints')).body).toEqual([])
    } finally {
      receiver.close()
    }
  })

  it.each([
    ['a URL that is none', { url: 'nonsense' }],
    ['another scheme', { url: 'ftp://a.example/x' }],
    ['credentials in it', { url: 'https://user:pass@a.example/' }],
    ['an event that is none', { url: 'https://a.example/', events: ['DROP TABLE'] }],
  ])('refuses a webhook endpoint with %s', async (_what, json) => {
    expect((await developer('/api/v1/webhook-endpoints', { method: 'POST', json })).status).toBe(400)
  })
})
