import { Keypair } from '@stellar/stellar-sdk/base'
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fundedWallet, logIn } from '../wallet.ts'
import { ask, asset, interactive, key, rupees, running, startDeposit } from './anchor-under-test.ts'

describe('SEP-24', () => {
  it('shows its terms without a token', async () => {
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

  it('shows a new transaction with to, more_info_url and kyc_verified, and no value that is not known', async () => {
    const { body } = await startDeposit({ amount: '12.5' })
    const { transaction } = (await ask(`/sep24/transaction?id=${body.id}`)).body
    expect(transaction).toMatchObject({
      id: body.id,
      kind: 'deposit',
      status: 'incomplete',
      to: key.publicKey(),
      kyc_verified: false,
      refunded: false,
      more_info_url: expect.any(String),
      started_at: expect.any(String),
    })
    expect(Object.values(transaction)).not.toContain('')
    expect(Object.keys(transaction)).not.toContain('from')
  })

  it.each([
    ['no asset', {}, /asset_code is required/],
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
    ['a memo type alone', { asset_code: 'MUMBAI', memo_type: 'id' }, /memo_type needs memo/],
    ['a refund memo without a type', { asset_code: 'MUMBAI', refund_memo: '1' }, /needs refund_memo_type/],
    ...['javascript:alert(1)', 'file:///etc/passwd', 'https://a:b@wallet.example/', 'x'].map(
      (url): [string, object, RegExp] => [
        `the callback ${url}`,
        { asset_code: 'MUMBAI', on_change_callback: url },
        /on_change_callback must/,
      ],
    ),
    ['a quote that is not there', { asset_code: 'MUMBAI', quote_id: randomUUID() }, /quote is unknown/],
    [
      'a source asset of nobody',
      { asset_code: 'MUMBAI', source_asset: 'iso4217:XXX' },
      /source_asset must be/,
    ],
    ['an object for an amount', { asset_code: 'MUMBAI', amount: { a: 1 } }, /amount must be a string/],
    ['a NUL', { asset_code: 'MUMBAI', wallet_name: 'a\0' }, /control characters/],
    ['half a character', { asset_code: 'MUMBAI', first_name: '\ud800' }, /not valid UTF-8/],
  ])('refuses %s with 400 and {error}, and writes nothing', async (_what, json, message) => {
    const count = () => running.query<{ n: string }>('select count(*) as n from sep.transactions')
    const before = await count()
    const answer = await ask(interactive('deposit'), { method: 'POST', json })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ error: expect.stringMatching(message) })
    expect(await count()).toEqual(before)
  })

  it('takes amount and currency from a quote, and refuses an amount that is not the quote’s', async () => {
    const json = { context: 'sep24', sell_asset: rupees, buy_asset: asset(), sell_amount: '8938.5' }
    const quote_id = (await ask('/sep38/quote', { method: 'POST', json })).body.id
    const other = await startDeposit({ quote_id, amount: '99' })
    expect(other.body).toEqual({ error: expect.stringMatching(/not that of the quote/) })
    const begun = await startDeposit({ quote_id })
    const [row] = await running.query(
      'select amount_expected, source_asset, quote_id from sep.transactions where id = $1',
      [begun.body.id],
    )
    expect(row).toEqual({ amount_expected: '100.0000000', source_asset: rupees, quote_id })
    expect((await startDeposit({ quote_id })).status).toBe(400)
  })

  it('answers preflights and refusals for pages of every origin', async () => {
    const headers = { origin: 'https://wallet.example', 'access-control-request-method': 'POST' }
    for (const path of [
      interactive('deposit'),
      '/sep6/deposit',
      '/sep12/customer',
      '/sep38/quote',
      '/auth',
    ]) {
      const asked = { ...headers, 'access-control-request-headers': 'authorization,content-type' }
      const preflight = await ask(path, { method: 'OPTIONS', token: null, headers: asked })
      expect(preflight.status).toBe(204)
      expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
      expect(preflight.headers.get('access-control-allow-headers')).toMatch(/authorization/i)
      const refusal = await ask(path, { method: 'POST', token: null, headers })
      expect(refusal.status).toBeGreaterThanOrEqual(400)
      expect(refusal.headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  it('refuses malformed JSON, other content types and 5 MB, and writes nothing', async () => {
    const count = () => running.query('select count(*) from sep.transactions')
    const before = await count()
    const headers = { 'content-type': 'application/json' }
    const path = interactive('deposit')
    expect((await ask(path, { method: 'POST', headers, body: '{' })).status).toBe(400)
    expect(
      (await ask(path, { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a,b' })).status,
    ).toBe(415)
    const huge = await ask(path, { method: 'POST', headers, body: 'x'.repeat(5 * 1024 * 1024) }).catch(
      () => null,
    )
    // The connection may be closed before the answer is read.
    if (huge) expect([huge.status, huge.body]).toEqual([413, { error: expect.any(String) }])
    expect(await count()).toEqual(before)
  })

  it('shows a transaction to its own session only', async () => {
    const { body } = await startDeposit()
    const path = `/sep24/transaction?id=${body.id}`
    const stranger = await logIn(running, Keypair.random())
    const shared = await logIn(running, key, { memo: '7' })
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
    const wallet = await fundedWallet(running)
    const mine = await logIn(running, wallet)
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
    expect(await list('&kind=deposit&kind=withdrawal')).toHaveLength((await list('')).length)
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
