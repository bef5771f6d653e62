import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BusinessApp, startBusinessApp } from '../testing/business-app.ts'

let business: BusinessApp
beforeAll(async () => {
  const scopes = ['read', 'webhooks'] as const
  const verify = async () => ({ anchorId: 'mumbai00000000000000', keyId: 'k', scopes })
  business = await startBusinessApp({ keys: { verify } })
})
afterAll(() => business.close())

/** The ids of every page, following `Link`. */
async function readAll(path: string): Promise<string[]> {
  const ids: string[] = []
  let url = `${path}?limit=10`
  while (url) {
    const answer = await business.server.app.inject({ url, headers: { authorization: 'Bearer key' } })
    expect(answer.statusCode).toBe(200)
    ids.push(...answer.json<{ id: string }[]>().map(({ id }) => id))
    url = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link ?? ''))?.[1] ?? ''
  }
  return ids
}

it('lists every webhook endpoint over its pages, also those of one moment', async () => {
  const { rows } = await business.deps.database.pool.query<{ id: string }>(
    `insert into webhook_endpoints (url, events, secret, created_at)
     select 'https://hooks.example/' || n, array['*'], 'whsec_x', clock_timestamp() - n / 7 * interval '1 ms'
     from generate_series(1, 34) n returning id`,
  )
  const listed = await readAll('/api/v1/webhook-endpoints')
  expect(listed).toHaveLength(34)
  expect(new Set(listed)).toEqual(new Set(rows.map(({ id }) => id)))
})

it('lists every incident over its pages, open ones first', async () => {
  const { rows } = await business.deps.database.pool.query<{ id: string; open: boolean }>(
    `insert into ledger_incidents (kind, subject, message, found_at, resolved_at, resolution)
     select 'history-gap', n::text, 'x', now() - n / 5 * interval '1 s',
       case when n % 2 = 0 then now() end, case when n % 2 = 0 then 'done' end
     from generate_series(1, 34) n returning id, resolved_at is null as open`,
  )
  const listed = await readAll('/api/v1/ledger-incidents')
  expect(new Set(listed)).toEqual(new Set(rows.map(({ id }) => id)))
  const open = new Set(rows.filter(row => row.open).map(({ id }) => id))
  expect(listed.map(id => open.has(id))).toEqual([...Array(17).fill(true), ...Array(17).fill(false)])
})
