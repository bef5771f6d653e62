import { nextCursor } from '@windlass/client/next-page.ts'
import { ProblemError } from '@windlass/client/client.ts'
import {
  endOperatorSession,
  getOperatorProfile,
  listOperatorSessions,
  logoutOperator,
  refreshOperatorSession,
  requestOperatorCode,
  verifyOperatorCode,
} from '@windlass/contracts/platform/operators.ts'
import { sql } from 'kysely'
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, signInAdmin, testApp } from '../testing/app.ts'
import { mailedCode, signInCustomer, signInOperator } from '../testing/sign-in.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const statusOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 200,
    (error: unknown) => (error instanceof ProblemError ? error.status : -1),
  )
const withCookies = (cookies: Record<string, string>) => {
  const client = app.client()
  for (const [name, value] of Object.entries(cookies)) client.cookies.values.set(name, value)
  return client
}

describe('an operator', () => {
  it('asks for a code, is registered by the first that is right, and gets both cookies', async () => {
    const client = app.client()
    expect(await client.call(requestOperatorCode, { body: { email: 'asha@operator.example' } })).toEqual({
      ok: true,
    })
    const code = await mailedCode(app, 'asha@operator.example')
    const { body, headers } = await client.send(verifyOperatorCode, {
      body: { email: 'asha@operator.example', code, fullName: 'Asha Rao' },
    })
    expect(body).toEqual({
      id: expect.any(String),
      email: 'asha@operator.example',
      fullName: 'Asha Rao',
      isNew: true,
    })
    const [session = '', refresh = ''] = headers.getSetCookie()
    expect(session).toMatch(/^ns_session=[^;]+; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(refresh).toMatch(
      /^ns_refresh=[^;]+; Max-Age=1209600; Path=\/api\/v1\/auth; HttpOnly; SameSite=Lax$/,
    )
    const again = await signInOperator(app, 'asha@operator.example')
    expect(again.user).toMatchObject({ isNew: false, fullName: 'Asha Rao' })
  })

  it('gets Secure cookies wherever the connection is not local', async () => {
    await app.client().call(requestOperatorCode, { body: { email: 'far@operator.example' } })
    const body = { email: 'far@operator.example', code: await mailedCode(app, 'far@operator.example') }
    const { headers } = await app.client({ host: 'api.windlass.example' }).send(verifyOperatorCode, { body })
    expect(
      headers.getSetCookie().every(cookie => cookie.includes('Secure') && !/Domain=/i.test(cookie)),
    ).toBe(true)
  })

  it('sees who they are, with no organizations at first', async () => {
    const operator = await signInOperator(app, 'lone@operator.example')
    expect(await operator.call(getOperatorProfile)).toEqual({
      user: { id: operator.user.id, email: 'lone@operator.example', fullName: 'lone' },
      organizations: [],
      projects: [],
    })
  })

  it('signs out at once: neither cookie is worth anything after', async () => {
    const operator = await signInOperator(app, 'leaver@operator.example')
    const kept = Object.fromEntries(operator.cookies.values)
    expect(await operator.call(logoutOperator)).toEqual({ ok: true })
    expect(operator.cookies.values.size).toBe(0)
    expect(await statusOf(withCookies(kept).call(getOperatorProfile))).toBe(401)
    expect(await statusOf(withCookies(kept).call(refreshOperatorSession))).toBe(401)
  })

  it("lists own sessions and ends one, nobody else's", async () => {
    const one = await signInOperator(app, 'two@operator.example')
    const two = await signInOperator(app, 'two@operator.example')
    const sessions = await one.call(listOperatorSessions)
    expect(sessions.map(({ current }) => current)).toEqual([false, true])
    const { body: first, headers } = await one.send(listOperatorSessions, { query: { limit: 1 } })
    const cursor = decodeURIComponent(/cursor=([^&>]+)/.exec(headers.get('link') ?? '')?.[1] ?? '')
    const second = await one.call(listOperatorSessions, { query: { limit: 1, cursor } })
    expect([...first, ...second].map(({ id }) => id)).toEqual(sessions.map(({ id }) => id))
    const stranger = await signInOperator(app, 'stranger@operator.example')
    const [newer] = sessions
    expect(await statusOf(stranger.call(endOperatorSession, { params: { id: newer?.id ?? '' } }))).toBe(404)
    expect(await statusOf(two.call(getOperatorProfile))).toBe(200)
    await one.call(endOperatorSession, { params: { id: newer?.id ?? '' } })
    expect(await statusOf(two.call(getOperatorProfile))).toBe(401)
  })
})

describe('refreshing', () => {
  it('rotates both cookies', async () => {
    const operator = await signInOperator(app, 'turn@operator.example')
    const before = Object.fromEntries(operator.cookies.values)
    expect(await operator.call(refreshOperatorSession)).toEqual({ ok: true })
    expect(operator.cookies.values.get('ns_refresh')).not.toBe(before.ns_refresh)
    expect(await statusOf(operator.call(getOperatorProfile))).toBe(200)
  })

  it('forgives two tabs within ten seconds, and ends the session when a rotated token comes later', async () => {
    const operator = await signInOperator(app, 'thief@operator.example')
    const stolen = operator.cookies.values.get('ns_refresh') ?? ''
    await operator.call(refreshOperatorSession)
    expect(await statusOf(withCookies({ ns_refresh: stolen }).call(refreshOperatorSession))).toBe(200)
    await sql`update refresh_tokens set rotated_at = rotated_at - interval '11 seconds'`.execute(
      app.database.db,
    )
    expect(await statusOf(withCookies({ ns_refresh: stolen }).call(refreshOperatorSession))).toBe(401)
    expect(await statusOf(operator.call(refreshOperatorSession))).toBe(401)
    expect(await statusOf(operator.call(getOperatorProfile))).toBe(401)
  })

  it.each([
    ['none', {}],
    ['a made-up one', { ns_refresh: 'x'.repeat(43) }],
    ['an empty one', { ns_refresh: '' }],
  ])('is 401 with %s', async (_what, cookies) => {
    expect(await statusOf(withCookies(cookies as Record<string, string>).call(refreshOperatorSession))).toBe(
      401,
    )
  })
})

describe('realms', () => {
  it('never mix: each cookie and secret is refused by every other realm', async () => {
    const operator = (await signInOperator(app, 'mix@realms.example')).cookies.values.get('ns_session') ?? ''
    const customer = (await signInCustomer(app, 'mix@realms.example')).cookies.values.get('ns_customer') ?? ''
    const admin = (await signInAdmin(app)).cookies.values.get('ns_admin') ?? ''
    const paths = { ns_session: '/auth/me', ns_customer: '/customer/me', ns_admin: '/admin/applications' }
    const tokens = { ns_session: operator, ns_customer: customer, ns_admin: admin }
    for (const [cookie, path] of Object.entries(paths)) {
      for (const [realm, token] of Object.entries(tokens)) {
        const { statusCode } = await app.server.app.inject({
          url: `/api/v1${path}`,
          headers: { cookie: `${cookie}=${token}` },
        })
        expect([cookie, realm, statusCode]).toEqual([cookie, realm, realm === cookie ? 200 : 401])
      }
      const secret = await app.server.app.inject({
        url: `/api/v1${path}`,
        headers: { 'x-service-secret': app.config.serviceSecret },
      })
      expect(secret.statusCode).toBe(401)
    }
    const internal = await app.server.app.inject({
      url: '/api/v1/internal/customers/x/wallets',
      headers: { cookie: `ns_admin=${admin}; ns_session=${operator}` },
    })
    expect(internal.statusCode).toBe(401)
  })

  it('refuse forged tokens: alg none, common secrets, another key, no signature', async () => {
    const operator = await signInOperator(app, 'forge@operator.example')
    const token = operator.cookies.values.get('ns_session') ?? ''
    const [head = '', body = ''] = token.split('.')
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'operator-session+jwt' })).toString(
      'base64url',
    )
    const signed = (key: string) =>
      `${head}.${body}.${createHmac('sha256', key).update(`${head}.${body}`).digest('base64url')}`
    const forged = [
      `${none}.${body}.`,
      `${head}.${body}.`,
      `${head}.${body}`,
      ...['secret', 'changeme', 'windlass', '', app.config.tokens.customer, app.config.tokens.admin].map(
        signed,
      ),
    ]
    for (const each of forged)
      expect(await statusOf(withCookies({ ns_session: each }).call(getOperatorProfile))).toBe(401)
  })
})

it('ends an operator’s session 30 days after the sign-in, however often it was refreshed', async () => {
  const operator = await signInOperator(app, 'absolute@operator.example')
  const age = (interval: string) =>
    app.database.pool.query(
      `update sessions set created_at = now() - $1::interval, expires_at = now() + interval '1 day'
       where subject = $2`,
      [interval, operator.user.id],
    )
  await age('29 days 23 hours')
  await operator.call(refreshOperatorSession)
  const { rows } = await app.database.pool.query<{ hours: number }>(
    `select extract(epoch from expires_at - created_at)::float / 3600 as hours from sessions where subject = $1`,
    [operator.user.id],
  )
  expect(rows[0]?.hours).toBeCloseTo(720, 3)
  await age('30 days 1 minute')
  expect(await statusOf(operator.call(refreshOperatorSession))).toBe(401)
})

it('lists open sessions page by page, without a gap', async () => {
  const email = 'pages@operator.example'
  for (let n = 0; n < 2; n++) await signInOperator(app, email)
  const operator = await signInOperator(app, email)
  const { body: first, headers } = await operator.send(listOperatorSessions, { query: { limit: 2 } })
  const cursor = nextCursor(headers)
  const second = await operator.call(listOperatorSessions, { query: { limit: 2, ...(cursor && { cursor }) } })
  const all = await operator.call(listOperatorSessions)
  expect([...first, ...second]).toEqual(all)
  expect([first.length, second.length, all[0]?.current]).toEqual([2, 1, true])
})
