import {
  adminLogin,
  adminLoginAlias,
  adminLogout,
  adminMe,
  listFleet,
} from '@windlass/contracts/platform/administrators.ts'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tokenKeys } from '../deps.ts'
import { createTokens } from '../infrastructure/session-tokens.ts'
import { type TestApp, productionEnv, signInAdmin, testApp, testEnv } from '../testing/app.ts'
import { refusal } from '../testing/story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const { ADMIN_USERNAME: username, ADMIN_PASSWORD: password } = testEnv
const post = (path: string, payload: object, headers: Record<string, string> = {}) =>
  app.server.app.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: { host: 'localhost:4000', ...headers },
    payload,
  })
const me = (token: string) =>
  app.server.app.inject({ url: '/api/v1/admin/me', headers: { cookie: `ns_admin=${token}` } })
const sessionOf = (answer: { cookies: { name: string; value: string }[] }) =>
  answer.cookies.find(({ name }) => name === 'ns_admin')?.value ?? ''

describe('signing in as administrator', () => {
  it.each([
    ['/admin/login', { email: username, password }],
    ['/admin/login', { username, password }],
    ['/auth/login', { email: username, password }],
    ['/auth/login', { username, password }],
  ])('works at %s with %o', async (path, body) => {
    const answer = await post(path, body)
    expect([answer.statusCode, answer.json()]).toEqual([200, { ok: true, username }])
    expect(answer.headers['set-cookie']).toMatch(
      /^ns_admin=[\w.-]+; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect((await me(sessionOf(answer))).json()).toEqual({
      username,
      role: 'owner',
      fromSettings: true,
      expiresAt: expect.any(String),
    })
  })

  it.each([
    ['a wrong password', { username, password: `${password}x` }],
    ['a wrong name', { username: 'root', password }],
    ['an empty-looking password', { username, password: ' ' }],
    ['everything wrong', { email: 'a@b.example', password: 'x' }],
  ])('refuses %s with one answer and no cookie', async (_what, body) => {
    const answer = await post('/admin/login', body)
    expect([answer.statusCode, answer.json().code, answer.json().detail]).toEqual([
      401,
      'login-failed',
      'The user name or password is wrong.',
    ])
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  it.each([{}, { username }, { password }, { username: 7, password }, { username, password: '' }])(
    'asks for what is missing: %o',
    async body => {
      const answer = await post('/admin/login', body)
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'validation-failed'])
    },
  )

  it('sets a Secure cookie but for plain http on this machine', async () => {
    const secure = async (headers: Record<string, string>) =>
      String((await post('/admin/login', { username, password }, headers)).headers['set-cookie']).includes(
        'Secure',
      )
    for (const host of ['localhost:4000', '127.0.0.1:4000', '[::1]:4000', 'api.localhost']) {
      expect([host, await secure({ host })]).toEqual([host, false])
    }
    expect(await secure({ host: 'api.windlass.example' })).toBe(true)
    expect(await secure({ host: 'localhost.evil.example' })).toBe(true)
    const proxied = {
      'x-windlass-proxy': testEnv.PROXY_SECRET,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'admin.localhost',
    }
    expect(await secure(proxied)).toBe(true)
  })

  it('throttles an address, never the account', async () => {
    const strict = await testApp({ env: productionEnv })
    const ask = (address: string, given: string) =>
      strict.server.app.inject({
        method: 'POST',
        url: '/api/v1/admin/login',
        headers: { 'x-windlass-proxy': testEnv.PROXY_SECRET, 'x-forwarded-for': address },
        payload: { username, password: given },
      })
    for (let tries = 0; tries < 10; tries++) expect((await ask('203.0.113.1', 'guess')).statusCode).toBe(401)
    const refused = await ask('203.0.113.1', password)
    expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([429, true])
    expect((await ask('203.0.113.2', password)).statusCode).toBe(200)
    await strict.close()
  })
})

describe('an administrator’s session', () => {
  const expectEnded = async (token: string) => {
    const answer = await me(token)
    expect([answer.statusCode, answer.json().code]).toEqual([401, 'unauthenticated'])
  }

  it('is over at once after signing out, and the cookie is cleared', async () => {
    const token = sessionOf(await post('/admin/login', { username, password }))
    const out = await post('/admin/logout', {}, { cookie: `ns_admin=${token}` })
    expect([out.statusCode, out.json()]).toEqual([200, { ok: true }])
    expect(out.headers['set-cookie']).toMatch(/^ns_admin=; Max-Age=0;/)
    await expectEnded(token)
  })

  it('is cleared even when it has ended before', async () => {
    const gone = app.client()
    expect(await gone.call(adminLogout)).toEqual({ ok: true })
  })

  it('ends after an hour without a request and after eight hours in any case', async () => {
    const age = (token: string, column: string, interval: string) =>
      app.database.pool.query(
        `update sessions set ${column} = now() - interval '${interval}' where id = $1`,
        [JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid],
      )
    const idle = sessionOf(await post('/admin/login', { username, password }))
    await age(idle, 'last_seen_at', '59 minutes')
    expect((await me(idle)).statusCode).toBe(200)
    await age(idle, 'last_seen_at', '61 minutes')
    await expectEnded(idle)

    const old = sessionOf(await post('/admin/login', { username, password }))
    const { expiresAt } = (await me(old)).json()
    const hours = (Date.parse(expiresAt) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(7.9)
    expect(hours).toBeLessThanOrEqual(8)
    await age(old, 'expires_at', '1 second')
    await expectEnded(old)
  })

  it('is not made by a token that is not ours', async () => {
    const good = sessionOf(await post('/admin/login', { username, password }))
    const [header = '', payload = '', signature = ''] = good.split('.')
    const none = Buffer.from('{"alg":"none","typ":"admin-session+jwt"}').toString('base64url')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const forge = (key: string, changes: object = {}, typ = 'admin-session+jwt') =>
      new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'HS256', typ }).sign(Buffer.from(key))
    const { admin: ours, operator: operators } = tokenKeys(app.config)
    expect((await me(await forge(ours))).statusCode).toBe(200)
    for (const token of [
      `${none}.${payload}.`,
      `${header}.${payload}.${signature.slice(0, -2)}AA`,
      await forge('secret'),
      await forge(testEnv.ADMIN_TOKEN_KEY),
      await forge(operators),
      await forge(ours, { aud: 'windlass:operator' }),
      await forge(ours, { iss: 'http://elsewhere' }),
      await forge(ours, { sid: 'ses_other' }),
      await forge(ours, { sub: 'root' }),
      await forge(ours, { exp: 1 }),
      await forge(ours, { exp: undefined }),
      await forge(ours, {}, 'JWT'),
      'nonsense',
      '',
    ]) {
      await expectEnded(token)
    }
  })

  it('ends when the administrator’s password is changed', async () => {
    const token = sessionOf(await post('/admin/login', { username, password }))
    const changed = { ...app.config, admin: { username, password: 'another-long-one-7' } }
    const tokens = createTokens(tokenKeys(changed), app.config.urls.platform, app.clock)
    expect(app.deps.tokens.read('admin', token)).toMatchObject({ subject: username })
    expect(tokens.read('admin', token)).toBeNull()
  })

  it('is refused where the cookie came twice', async () => {
    const token = sessionOf(await post('/admin/login', { username, password }))
    const answer = await app.server.app.inject({
      url: '/api/v1/admin/me',
      headers: { cookie: `ns_admin=${token}; ns_admin=${token}` },
    })
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'duplicate-cookie'])
  })

  it('counts in no other realm’s cookie, and the path of operators does not touch theirs', async () => {
    const answer = await post(
      '/auth/login',
      { email: username, password },
      { cookie: 'ns_session=x; ns_refresh=y' },
    )
    expect(answer.cookies.map(({ name }) => name)).toEqual(['ns_admin'])
    const token = sessionOf(answer)
    for (const name of ['ns_session', 'ns_customer']) {
      const inOther = await app.server.app.inject({
        url: '/api/v1/admin/anchors',
        headers: { cookie: `${name}=${token}` },
      })
      expect(inOther.statusCode).toBe(401)
    }
  })

  it('is answered by me, and needed for the fleet', async () => {
    const admin = await signInAdmin(app)
    expect(await admin.call(adminMe)).toMatchObject({ username })
    expect(await admin.call(listFleet)).toEqual([])
    expect(await refusal(app.client().call(adminMe))).toMatchObject({ status: 401 })
    const wrong = { body: { username, password: 'x' } }
    expect(await refusal(app.client().call(adminLogin, wrong))).toMatchObject({ status: 401 })
    expect(await refusal(app.client().call(adminLoginAlias, wrong))).toMatchObject({ status: 401 })
  })
})
