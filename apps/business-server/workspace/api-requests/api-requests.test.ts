import type { ApiRequest } from '@windlass/contracts/anchor/api-requests.ts'
import { findTexts } from '@windlass/testing/find-texts.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { asPlatform } from '../../testing/as-platform.ts'
import { startBusinessApp, type BusinessApp } from '../../testing/business-app.ts'
import { pruneApiRequests, storeApiRequests } from './log.ts'

let business: BusinessApp
beforeAll(async () => {
  const verify = async (key: string) =>
    key === 'unknown'
      ? null
      : { anchorId: 'mumbai00000000000000', keyId: `key_${key}`, scopes: ['read'] as const }
  business = await startBusinessApp({ keys: { verify } })
})
afterAll(() => business.close())

const ask = (url: string, key: string, headers: Record<string, string> = {}) =>
  business.server.app.inject({ url, headers: { authorization: `Bearer ${key}`, ...headers } })

async function logged(query = ''): Promise<ApiRequest[]> {
  await storeApiRequests(business.deps)
  const headers = asPlatform(business.deps.config.secrets)
  return (await business.server.app.inject({ url: `/api/v1/requests${query}`, headers })).json<ApiRequest[]>()
}

it('what keys ask is listed, newest first, with the endpoint’s path and no word of what was asked', async () => {
  await ask('/api/v1/transactions?text=Asha%20Secretname', 'a', { 'x-request-id': 'request-of-a-1' })
  await ask('/api/v1/transactions/3f1c6a52-6a0e-4a53-9d8c-2c6b5a0f7e11', 'b')
  await ask('/api/v1/transactions', 'unknown')
  const rows = await logged()
  expect(rows.map(({ keyId, method, path, status }) => [keyId, method, path, status])).toEqual([
    ['key_b', 'GET', '/api/v1/transactions/:id', 404],
    ['key_a', 'GET', '/api/v1/transactions', 200],
  ])
  expect(rows[1]).toMatchObject({ requestId: 'request-of-a-1' })
  expect(Date.parse(rows[0]!.at)).toBeGreaterThan(0)
  expect(await findTexts(business.deps.database.url, ['Secretname', '3f1c6a52'])).toEqual([])
})

it('is filtered by key and outcome, and read page by page', async () => {
  expect((await logged('?keyId=key_a')).map(({ keyId }) => keyId)).toEqual(['key_a'])
  expect((await logged('?failed=true')).map(({ status }) => status)).toEqual([404])
  expect((await logged('?failed=false')).map(({ status }) => status)).toEqual([200])
  const headers = asPlatform(business.deps.config.secrets)
  const first = await business.server.app.inject({ url: '/api/v1/requests?limit=1', headers })
  const next = /<([^>]+)>/.exec(String(first.headers.link))?.[1] ?? ''
  const second = await business.server.app.inject({ url: next, headers })
  expect([first, second].map(answer => answer.json<ApiRequest[]>()[0]?.keyId)).toEqual(['key_b', 'key_a'])
})

it('a key without the scope is logged with its refusal', async () => {
  const before = (await logged()).length
  await ask('/api/v1/webhook-endpoints', 'c')
  expect((await logged()).slice(0, 1)).toMatchObject([{ keyId: 'key_c', status: 403 }])
  expect(await logged()).toHaveLength(before + 1)
})

it('holds ten thousand requests of a week', async () => {
  const { pool } = business.deps.database
  await pool.query('delete from api_requests')
  await pool.query(
    `insert into api_requests (key_id, method, path, status, duration_ms, request_id, created_at)
     select 'k', 'GET', '/', 200, 1, 'r' || n, $1::timestamptz - case when n = 12000 then interval '8 days' else interval '0' end
     from generate_series(1, 12000) n`,
    [business.deps.clock.now()],
  )
  await pruneApiRequests(business.deps)
  const { rows } = await pool.query<{ count: number; oldest: string }>(
    `select count(*)::int as count, min(substr(request_id, 2)::int) as oldest from api_requests`,
  )
  expect(rows[0]).toEqual({ count: 9999, oldest: 2001 })
})
