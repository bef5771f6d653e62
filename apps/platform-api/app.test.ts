import { openDatabase } from '@windlass/service/postgres/database.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from './app.ts'
import { type Deps, createDeps } from './deps.ts'
import type { Tables } from './tables.ts'
import { type TestApp, testApp } from './testing/app.ts'
import { companyProfile } from './testing/story.ts'
import { prune } from './workers.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

describe('the platform API', () => {
  it('tells that it is well, and what it stands on', async () => {
    const answer = await app.server.app.inject('/health')
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { status: 'ok', service: 'platform-api', version: expect.any(String), checks: { database: 'ok' } },
    ])
  })

  it('answers 503 with Retry-After while its database is away, and its health names it', async () => {
    const database = openDatabase<Tables>('postgres://postgres@127.0.0.1:1/nowhere', { name: 'test' })
    const nothing = { subscribe: () => () => undefined, stop: async () => undefined }
    const logger = createLogger('test', 'silent')
    const deps: Deps = createDeps(app.config, logger, { database, jobChanges: nothing })
    const server = await buildApp(deps)
    const health = await server.app.inject('/health')
    expect([health.statusCode, health.json().checks.database]).toEqual([
      503,
      expect.stringContaining('unavailable'),
    ])
    const cookie = `ns_admin=${deps.tokens.sign('admin', { subject: 'a', sessionId: 's' }, 60)}`
    for (const request of [
      { method: 'POST', url: '/api/v1/applications', payload: { companyProfile } },
      { method: 'GET', url: '/api/v1/anchor-invitations/status/x' },
      { method: 'GET', url: '/api/v1/admin/applications', headers: { cookie } },
    ] as const) {
      const answer = await server.app.inject(request)
      expect([answer.statusCode, answer.json().code]).toEqual([503, 'dependency-unavailable'])
      expect(answer.headers['retry-after']).toBeDefined()
      expect(answer.body).not.toContain('ECONNREFUSED')
    }
    await server.close()
    await database.close()
  })

  it('removes old sessions, stored answers, rates and deliveries, and nothing else', async () => {
    const { pool } = app.database
    await pool.query(
      `insert into sessions (id, realm, subject, address, user_agent, expires_at, ended_at) values
         ('old', 'admin', 'a', '', '', now() - interval '31 days', null),
         ('ended', 'admin', 'a', '', '', now() + interval '1 day', now() - interval '31 days'),
         ('young', 'admin', 'a', '', '', now() - interval '29 days', null);
       insert into idempotency_keys (endpoint, principal, key, body_hash, started_at) values
         ('e', 'p', 'old', '', now() - interval '25 hours'), ('e', 'p', 'young', '', now());
       insert into rate_limits (key, points, expire) values ('old', 1, 1), ('young', 1, 99999999999999);
       insert into kyc_deliveries (delivery_key, received_at) values
         ('old', now() - interval '401 days'), ('young', now() - interval '399 days')`,
    )
    await prune(app.deps)
    const keys = async (table: string, column: string) =>
      (await pool.query(`select ${column} as key from ${table} order by 1`)).rows.map(row => row.key)
    expect(await keys('sessions', 'id')).toEqual(['young'])
    expect(await keys('idempotency_keys', 'key')).toEqual(['young'])
    expect(await keys('rate_limits', 'key')).toEqual(['young'])
    expect(await keys('kyc_deliveries', 'delivery_key')).toEqual(['young'])
  })
})
