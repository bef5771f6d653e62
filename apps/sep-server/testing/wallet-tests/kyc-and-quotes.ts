import { Keypair } from '@stellar/stellar-sdk/base'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { agreedWithdrawal, begin } from '../transfers.ts'
import { Browser, logIn, registerWallet, until } from '../wallet.ts'
import { ask, asset, key, rupees, running } from './anchor-under-test.ts'

const capacity = async (): Promise<number> => {
  const headers = { 'x-service-secret': running.secrets.summary }
  const answer = await fetch(`${running.businessUrl}/admin/summary`, { headers })
  return Number(((await answer.json()) as { treasury_capacity: string }).treasury_capacity)
}
const sellRupees = (sell_amount: string, token?: string) =>
  ask('/sep38/quote', {
    method: 'POST',
    json: { context: 'sep6', sell_asset: rupees, buy_asset: asset(), sell_amount },
    ...(token ? { token } : {}),
  })
const sep6 = async (id: string, token?: string) =>
  (await ask(`/sep6/transaction?id=${id}`, token ? { token } : {})).body.transaction

describe('a customer who was accepted at another anchor', () => {
  it('is accepted here from the first question, with an id', async () => {
    const wallet = Keypair.random()
    registerWallet(running, wallet)
    const token = await logIn(running, wallet)
    const { body } = await ask('/sep12/customer', { token })
    expect(body).toMatchObject({ status: 'ACCEPTED', id: expect.any(String) })
    expect((await ask('/sep12/customer', { token })).body.id).toBe(body.id)
  })

  it('does not accept others who share the account by memo or muxed id', async () => {
    const wallet = Keypair.random()
    registerWallet(running, wallet)
    const token = await logIn(running, wallet, { memo: '7' })
    expect((await ask('/sep12/customer', { token })).body).toMatchObject({ status: 'NEEDS_INFO' })
  })
})

describe('a firm quote', () => {
  it('reserves nothing for an account without accepted KYC, so that one free key cannot empty the treasury', async () => {
    const stranger = await logIn(running, Keypair.random())
    const before = await capacity()
    expect(before).toBeGreaterThan(0)
    const quotes = await Promise.all(Array.from({ length: 200 }, () => sellRupees('800000', stranger)))
    const refused = quotes.filter(({ status }) => status !== 201)
    expect(refused.length).toBeGreaterThan(150)
    for (const { status, body } of refused)
      expect([status, body.error]).toEqual([400, expect.stringContaining('wait until one expires')])
    expect(await capacity()).toBe(before)
    expect((await sellRupees('8938.5')).status).toBe(201)
    expect(await capacity()).toBe(before - 100)
  })

  it('is bounded for an accepted customer by the number of open quotes', async () => {
    const wallet = Keypair.random()
    registerWallet(running, wallet)
    const token = await logIn(running, wallet)
    const answers = await Promise.all(Array.from({ length: 25 }, () => sellRupees('8938.5', token)))
    const refused = answers.filter(({ status }) => status === 400)
    expect(refused).toHaveLength(5)
    expect(refused[0]?.body.error).toMatch(/open quotes of this account/)
  })

  it('is the fee of its transaction', async () => {
    const quote = (await sellRupees('8938.5')).body
    const query = { source_asset: rupees, destination_asset: asset(), quote_id: quote.id, type: 'upi' }
    const { body } = await ask(
      `/sep6/deposit-exchange?${new URLSearchParams({ ...query, amount: '8938.5' })}`,
    )
    const transaction = await until('the amounts', async () => {
      const found = await sep6(body.id)
      return found.status === 'pending_user_transfer_start' && found
    })
    expect(transaction.fee_details).toEqual(quote.fee)
    expect(transaction).toMatchObject({ amount_in: quote.sell_amount, amount_out: quote.buy_amount })
  })

  it('names the unit of a limit, and an indicative price has none', async () => {
    expect((await sellRupees('50')).body.error).toMatch(/at least 1 MUMBAI; this is 0\.\d+ MUMBAI/)
    const both = { sell_asset: rupees, buy_asset: asset(), sell_amount: '100' }
    const prices = await ask(`/sep38/prices?${new URLSearchParams(both)}`, { token: null })
    expect(prices.body).toEqual({ buy_assets: [expect.objectContaining({ asset: asset() })] })
  })
})

describe('a SEP-6 deposit that waits for KYC', () => {
  const waiting = async () => {
    const wallet = Keypair.random()
    const token = await logIn(running, wallet)
    const { body } = await ask('/sep6/deposit?asset_code=MUMBAI&amount=10&type=upi', { token })
    await until(
      'the request',
      async () => (await sep6(body.id, token)).status === 'pending_customer_info_update',
    )
    return { wallet, token, id: body.id as string }
  }

  it('continues after the customer was deleted and came back', async () => {
    const { wallet, token, id } = await waiting()
    await ask('/sep12/customer', { method: 'PUT', token, json: { first_name: 'A' } })
    const gone = await ask(`/sep12/customer/${wallet.publicKey()}`, { method: 'DELETE', token })
    expect(gone.status).toBe(200)
    registerWallet(running, wallet)
    await ask('/sep12/customer', { method: 'PUT', token, json: { first_name: 'B' } })
    const done = await until('the instructions', async () => {
      const found = await sep6(id, token)
      return found.status === 'pending_user_transfer_start' && found
    })
    expect(done.kyc_verified).toBe(true)
  })

  it('has continued by the time that SEP-12 says ACCEPTED', async () => {
    const { wallet, token, id } = await waiting()
    registerWallet(running, wallet)
    await ask('/sep12/customer', { method: 'PUT', token, json: { first_name: 'B' } })
    await until('ACCEPTED', async () => (await ask('/sep12/customer', { token })).body.status === 'ACCEPTED')
    expect((await sep6(id, token)).status).toBe('pending_user_transfer_start')
  })

  it('has continued by the time that the callback of SEP-12 says ACCEPTED', async () => {
    const { wallet, token, id } = await waiting()
    const received: { status: string; transaction: string }[] = []
    const receiver = createServer((request, response) => {
      void text(request).then(async body => {
        const { status } = JSON.parse(body)
        received.push({ status, transaction: (await sep6(id, token)).status })
        response.end()
      })
    })
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = receiver.address() as AddressInfo
      await ask('/sep12/customer', { method: 'PUT', token, json: { first_name: 'B' } })
      const json = { url: `http://127.0.0.1:${port}/` }
      expect((await ask('/sep12/customer/callback', { method: 'PUT', token, json })).status).toBe(200)
      registerWallet(running, wallet)
      // As after a report of the provider: the customer's change is sent before the transaction's.
      await running.query(
        `insert into business.platform_calls (method, params)
         select 'notify_customer_info_updated', jsonb_build_object('customer_id', id)
         from business.customers where account = $1`,
        [wallet.publicKey()],
      )
      await until('a callback', async () => received.length > 0)
      await ask('/sep12/customer', { method: 'PUT', token, json: { last_name: 'B' } })
      await until('ACCEPTED', async () => received.some(({ status }) => status === 'ACCEPTED'))
      expect(received.filter(({ status }) => status === 'ACCEPTED')).toEqual([
        { status: 'ACCEPTED', transaction: 'pending_user_transfer_start' },
      ])
    } finally {
      receiver.close()
    }
  })
})

describe('the callbacks of SEP-24', () => {
  it('are one call when the flow is finished, and one at every change, also if both are given', async () => {
    const calls: { path: string; status: string }[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', chunk => (body += chunk))
      request.on('end', () => {
        calls.push({ path: request.url ?? '', status: JSON.parse(body).transaction.status })
        response.end()
      })
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    try {
      const address = server.address()
      const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
      const { url, id, browser } = await begin(running, key, 'deposit', { amount: '25' })
      const query = new URLSearchParams({ callback: `${base}/once`, on_change_callback: `${base}/change` })
      await browser.open(`${url}&${query}`)
      await browser.submit(`/interactive/t/${id}/confirm`)
      await browser.submit(`/interactive/t/${id}/pay`)
      const of = (path: string) => calls.filter(call => call.path === path).map(({ status }) => status)
      await until('changes', async () => of('/change').includes('pending_user_transfer_start'), 60)
      await until('the end', async () => new Set(of('/change')).size > 1, 60)
      await until('the one call', async () => of('/once').length > 0, 60)
      expect(of('/once')).toHaveLength(1)
      expect(of('/change').length).toBeGreaterThan(1)
    } finally {
      server.close()
    }
  }, 180_000)
})

describe('links to the pages', () => {
  it('start a session in one browser, which may open its link again', async () => {
    const { url, id, browser } = await begin(running, key, 'deposit', { amount: '25' })
    expect((await browser.open(url)).status).toBe(200)
    const other = new Browser(running)
    const refused = await other.open(url)
    expect(refused.status).toBe(401)
    expect(refused.html).toContain('opened before')
    expect((await other.submit(`/interactive/t/${id}/confirm`)).status).toBe(401)
    expect((await browser.submit(`/interactive/t/${id}/confirm`)).status).toBe(200)
  })

  it('of more_info_url show the transaction and change nothing', async () => {
    const { id, browser, becomes, token } = await begin(running, key, 'withdraw', { amount: '25' })
    const dest = 'asha@okbank'
    const read = async () => (await ask(`/sep24/transaction?id=${id}`, { token })).body.transaction
    const stranger = new Browser(running)
    const page = await stranger.open((await read()).more_info_url)
    expect(page.status).toBe(200)
    expect(page.html).not.toContain('<form')
    const steal = await stranger.submit(`/interactive/t/${id}/details`, {
      amount: '25',
      dest: 'thief@okbank',
    })
    expect(steal.status).toBe(401)
    const link = new URL((await read()).more_info_url)
    link.pathname = '/interactive/start'
    expect((await new Browser(running).open(link.href)).status).toBe(401)
    await browser.submit(`/interactive/t/${id}/details`, { amount: '25', dest })
    await browser.submit(`/interactive/t/${id}/confirm`)
    await becomes('pending_user_transfer_start')
    expect((await read()).to).toBe('a•••@okbank')
    expect((await stranger.open(`/interactive/t/${id}`)).html).toContain(running.anchor.accounts.distribution)
  })
})

describe('a SEP-24 withdrawal', () => {
  it('names where the money goes, masked', async () => {
    const { id, token } = await agreedWithdrawal(running, key, '30')
    const { transaction } = (await ask(`/sep24/transaction?id=${id}`, { token })).body
    expect(transaction).toMatchObject({ to: 'a•••@okbank', from: key.publicKey(), kyc_verified: true })
  })
})

describe('open transactions', () => {
  it('are at most 50 for a customer, also when they are started at once', async () => {
    const token = await logIn(running, Keypair.random())
    const start = () => ask('/sep6/deposit?asset_code=MUMBAI&amount=10&type=upi', { token })
    const answers = await Promise.all(Array.from({ length: 60 }, start))
    const count = (status: number) => answers.filter(answer => answer.status === status).length
    expect([count(200), count(429)]).toEqual([50, 10])
  })

  it('are at most 100 an hour for an account, however many memos it makes up', async () => {
    const wallet = Keypair.random()
    let refused = 0
    for (let memo = 1; memo <= 3; memo++) {
      const token = await logIn(running, wallet, { memo: String(memo) })
      const start = () => ask('/sep6/deposit?asset_code=MUMBAI&amount=10&type=upi', { token })
      const answers = await Promise.all(Array.from({ length: 45 }, start))
      refused += answers.filter(({ status }) => status === 429).length
    }
    expect(refused).toBe(35)
  })
})

describe('the home domain in a browser', () => {
  it('is a page about the anchor that runs nothing and escapes what others wrote', async () => {
    const answer = await ask('/', { token: null })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.text).toContain('1 to 10,000 MUMBAI')
    expect(answer.text).toContain('Operational')
    expect(answer.text).not.toContain('<b>')
  })
})
