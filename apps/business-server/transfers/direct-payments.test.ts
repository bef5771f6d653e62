import { Networks } from '@stellar/stellar-sdk/base'
import type { PlatformTransaction } from '@windlass/contracts/anchor/anchor-platform.ts'
import { plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { Agreement } from '@windlass/contracts/anchor/sending-anchors.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteCustomer, putCustomer, readCustomer } from '../people/customers/sep12.ts'
import { deleteSendingAnchor, putSendingAnchor } from '../people/sending-anchors/agreements.ts'
import { addSettings } from '../money/settings/settings.ts'
import { asPlatform } from '../testing/as-platform.ts'
import { startBusinessApp, type BusinessApp } from '../testing/business-app.ts'
import { continueIdentified } from './continue.ts'
import { detachCustomer } from './detach-customer.ts'

let app: BusinessApp
beforeAll(async () => {
  const verify = async (key: string) => ({
    anchorId: 'mumbai00000000000000',
    keyId: 'k',
    scopes:
      key === 'partners'
        ? (['read', 'agreements'] as const)
        : (['read', 'write', 'webhooks', 'statements'] as const),
  })
  app = await startBusinessApp({ keys: { verify } })
})
afterAll(() => app.close())

const account = generateKey().publicKey
const [sender, receiver] = ['sep31-sender', 'sep31-receiver']

async function customers(memo: number) {
  const put = (type: string, more: object) =>
    putCustomer(app.deps, { account, memo: String(memo + (type === sender ? 0 : 1)), type }, { ...more })
  const { id: from } = await put(sender, { first_name: 'A', last_name: 'B', address: 'London' })
  const { id: to } = await put(receiver, {
    first_name: 'C',
    last_name: 'D',
    bank_account_number: 'not a UPI ID',
  })
  return { from, to }
}

/** As the SEP server reports it. */
async function begin({ from, to }: { from: string; to: string }) {
  const transaction: PlatformTransaction = {
    id: randomUUID(),
    sep: '31',
    kind: 'receive',
    status: 'pending_receiver',
    type: 'upi',
    amount_expected: { amount: '20' },
    started_at: '',
    updated_at: '',
    creator: { account },
    customers: { sender: { id: from, account }, receiver: { id: to } },
    claimable_balance_supported: false,
  }
  const answer = await app.server.app.inject({
    method: 'POST',
    url: '/direct-payments',
    headers: { 'x-api-key': app.deps.config.secrets.link },
    payload: transaction,
  })
  expect(answer.statusCode).toBe(200)
  return { id: transaction.id, payTo: answer.body === '' ? null : answer.json() }
}

async function callsOf(id: string) {
  const { rows } = await app.deps.database.pool.query<{ method: string; params: Record<string, unknown> }>(
    'select method, params from platform_calls where transfer_id = $1 order by id',
    [id],
  )
  return rows
}

it('waits for a receiver who has to be corrected, and continues by itself', async () => {
  const { from, to } = await customers(1)
  const { id, payTo } = await begin({ from, to })
  expect(payTo).toBeNull()
  expect(await callsOf(id)).toMatchObject([
    {
      method: 'request_customer_info_update',
      params: { required_customer_info_updates: ['bank_account_number'] },
    },
  ])
  await putCustomer(app.deps, { id: to, account, type: receiver }, { bank_account_number: 'c@okbank' })
  await continueIdentified(app.deps)
  expect((await callsOf(id)).map(({ method }) => method)).toEqual([
    'request_customer_info_update',
    'request_onchain_funds',
  ])
  await continueIdentified(app.deps)
  expect(await callsOf(id)).toHaveLength(2)
})

it('is bounded by the limits of its agreement’s tier, for its sender alone, whatever the sending anchor deletes', async () => {
  const { config } = app.deps
  const planned = plannedSettings(config.anchor.plan)
  const standard = { transaction: null, day: '50', month: null }
  const none = { transaction: null, day: null, month: null }
  const limits = { ...planned.limits, tiers: { standard, enhanced: none } }
  await addSettings(app.deps, { settings: { ...planned, limits }, version: 0, by: 'operator:asha' })
  const payable = async (memo: number) => {
    const { from, to } = await customers(memo)
    await putCustomer(app.deps, { id: to, account, type: receiver }, { bank_account_number: 'c@okbank' })
    return { from, to }
  }
  const one = await payable(21)
  for (const _ of [1, 2]) expect((await begin(one)).payTo).not.toBeNull()
  const beyond = await begin(one)
  expect(beyond.payTo).toBeNull()
  expect((await callsOf(beyond.id)).at(-1)).toMatchObject({
    method: 'notify_transaction_error',
    params: {
      message: expect.stringContaining(
        "above the sender's limit: at most 50 is possible in 24 hours; 10 is left. No further identity check raises it: send less, send later, or ask this anchor",
      ),
    },
  })
  expect((await begin(await payable(31))).payTo).not.toBeNull()
  // The agreement with the sending anchor relies on its checks for more.
  const agree = (agreement: Agreement) => putSendingAnchor(app.deps, account, agreement)
  await agree({ name: 'London Pay', tier: 'enhanced' })
  expect(await agree({ name: 'London Payments' })).toMatchObject({
    name: 'London Payments',
    tier: 'enhanced',
  })
  expect((await begin(one)).payTo).not.toBeNull()
  await agree({ name: 'London Pay', tier: 'standard' })
  await deleteCustomer(app.deps, one.from, detachCustomer)
  expect((await begin(await payable(21))).payTo).toBeNull()
  await addSettings(app.deps, { settings: planned, version: 1, by: 'operator:asha' })
  await deleteSendingAnchor(app.deps.database.db, account)
})

it('ends where a customer was deleted', async () => {
  const { from, to } = await customers(3)
  const { id } = await begin({ from, to })
  await app.deps.database.pool.query('delete from customers where id = $1', [to])
  await continueIdentified(app.deps)
  expect((await callsOf(id)).at(-1)).toMatchObject({
    method: 'notify_transaction_error',
    params: { message: 'A customer of the payment was deleted.' },
  })
})

it('is for anchors with an agreement on the public network, and records it by the developer API', async () => {
  const { from } = await customers(5)
  const { config } = app.deps
  const network = { ...config.anchor.network, passphrase: Networks.PUBLIC }
  const deps = { ...app.deps, config: { ...config, anchor: { ...config.anchor, network } } }
  const status = async () => (await readCustomer(deps, { id: from, account, type: sender })).status
  const api = async (method: 'GET' | 'PUT' | 'DELETE', path = '', payload?: object, key = 'partners') => {
    const url = `/api/v1/sending-anchors${path}`
    const headers = { authorization: `Bearer ${key}` }
    const answer = await app.server.app.inject({ method, url, headers, ...(payload ? { payload } : {}) })
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
  }
  expect(await status()).toBe('REJECTED')
  for (const wrong of ['A'.repeat(56), config.anchor.accounts.distribution])
    expect((await api('PUT', `/${wrong}`, { name: 'Wrong' })).status).toBe(400)
  // A key for everything else does not decide whose identity checks count.
  expect((await api('PUT', `/${account}`, { name: 'London Pay' }, 'others')).status).toBe(403)
  expect((await api('PUT', `/${account}`, { name: 'London Pay' })).status).toBe(200)
  expect((await api('DELETE', `/${account}`, undefined, 'others')).status).toBe(403)
  expect((await api('GET')).body).toMatchObject([{ account, name: 'London Pay' }])
  expect(await status()).toBe('ACCEPTED')
  const today = deps.clock.now().toISOString().slice(0, 10)
  const terms = { lei: '529900T8BM49AURSDO55', licence: 'FCA 900001', agreedOn: '2026-01-05' }
  const until = (endsOn: string | null) => api('PUT', `/${account}`, { name: 'London Pay', ...terms, endsOn })
  expect((await until('2026-02-30')).status).toBe(400)
  expect([(await until('2020-12-31')).status, await status()]).toEqual([200, 'REJECTED'])
  expect([(await until(today)).status, await status()]).toEqual([200, 'ACCEPTED'])
  // A new name changes nothing else.
  expect((await api('PUT', `/${account}`, { name: 'London Pay Ltd' })).body).toMatchObject(terms)
  expect((await api('GET')).body).toMatchObject([{ ...terms, name: 'London Pay Ltd', endsOn: today }])
  expect((await api('DELETE', `/${account}`)).status).toBe(204)
  expect((await api('DELETE', `/${account}`)).status).toBe(404)
  expect(await status()).toBe('REJECTED')

  const asPerson = async (method: 'PUT' | 'DELETE', headers: Record<string, string>) => {
    const payload = method === 'PUT' ? { payload: { name: 'London Pay' } } : {}
    const url = `/admin/sending-anchors/${account}`
    return (await app.server.app.inject({ method, url, headers, ...payload })).statusCode
  }
  const platform = asPlatform(config.secrets)
  expect(await asPerson('PUT', { authorization: 'Bearer partners' })).toBe(401)
  expect([await asPerson('PUT', platform), await status()]).toEqual([200, 'ACCEPTED'])
  expect([await asPerson('DELETE', platform), await status()]).toEqual([204, 'REJECTED'])
  expect(await asPerson('DELETE', platform)).toBe(404)
})

it('has at most a thousand agreements, of which each can still be renamed', async () => {
  const { pool } = app.deps.database
  await pool.query(`insert into sending_anchors (account, name)
    select 'GFULL' || n, 'Full' from generate_series(1, 999) as n`)
  const put = async (of: string, name: string) => {
    const headers = { authorization: 'Bearer partners' }
    const url = `/api/v1/sending-anchors/${of}`
    const answer = await app.server.app.inject({ method: 'PUT', url, headers, payload: { name } })
    return { status: answer.statusCode, name: answer.json().name }
  }
  const [first, ...others] = [1, 2, 3].map(() => generateKey().publicKey)
  const raced = await Promise.all([first!, ...others].map(of => put(of, 'Paris Pay')))
  expect(raced.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  const { rows } = await pool.query<{ account: string }>(
    `select account from sending_anchors where name = 'Paris Pay'`,
  )
  expect(rows).toHaveLength(1)
  expect(await put(rows[0]!.account, 'Lyon Pay')).toEqual({ status: 200, name: 'Lyon Pay' })
  // All are listed by pages, each once.
  const listed: string[] = []
  let path: string | undefined = '/sending-anchors?limit=100'
  while (path !== undefined) {
    const page: Awaited<ReturnType<typeof app.server.app.inject>> = await app.server.app.inject({
      url: `/api/v1${path}`,
      headers: { authorization: 'Bearer partners' },
    })
    const accounts = page.json<{ account: string }[]>().map(({ account }) => account)
    expect(accounts.length).toBeLessThanOrEqual(100)
    listed.push(...accounts)
    path = /<\/api\/v1([^>]*)>/.exec(String(page.headers.link ?? ''))?.[1]
  }
  const { rows: all } = await pool.query<{ n: number }>('select count(*)::int as n from sending_anchors')
  expect([new Set(listed).size, listed.length]).toEqual([all[0]?.n, all[0]?.n])
  await pool.query(`delete from sending_anchors where account like 'GFULL%' or name = 'Lyon Pay'`)
})
