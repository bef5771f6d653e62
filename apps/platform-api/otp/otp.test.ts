import { metricIn } from '@windlass/testing/metrics.ts'
import {
  getCustomer,
  requestCustomerCode,
  verifyCustomerCode,
} from '@windlass/contracts/platform/customers.ts'
import { requestOperatorCode, verifyOperatorCode } from '@windlass/contracts/platform/operators.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, productionEnv, testApp } from '../testing/app.ts'
import { mailedCode, otherCode, signInCustomer } from '../testing/sign-in.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const post = (url: string, payload: unknown, headers: Record<string, string> = {}) =>
  app.server.app.inject({
    method: 'POST',
    url: `/api/v1${url}`,
    payload: JSON.stringify(payload),
    headers: { 'content-type': 'application/json', ...headers },
  })
const verify = (email: string, code: string) => post('/customer/auth/verify-otp', { email, code })
const ask = (email: string) => app.client().call(requestCustomerCode, { body: { email } })

describe('asking for a code', () => {
  it('answers 200 alike for known, unknown and impossible addresses', async () => {
    await signInCustomer(app, 'known@customer.example')
    for (const email of [
      'known@customer.example',
      'new@customer.example',
      'not an address',
      '',
      '🦀'.repeat(200),
      'a'.repeat(50_000),
    ]) {
      const response = await post('/customer/auth/request-otp', { email })
      expect([response.statusCode, response.json()]).toEqual([200, { ok: true }])
    }
  })

  it('mails only well-formed addresses', async () => {
    await app.drain()
    const before = app.mails.length
    for (const email of ['nobody', 'a@b\r\nBcc: c@d.example', 'x@', '@y.example']) await ask(email)
    await app.drain()
    expect(app.mails).toHaveLength(before)
  })

  it('is refused to a founder who types no address, which tells nothing of who is known', async () => {
    for (const email of ['nobody', 'a@b@c.example', 'x@', '@y.example', 'a@exa mple.com', 'a@ü']) {
      const { statusCode, body } = await post('/auth/otp/request', { email })
      expect([email, statusCode, JSON.parse(body).code]).toEqual([email, 400, 'validation-failed'])
    }
    expect((await post('/auth/otp/request', { email: ' Known@Customer.example ' })).statusCode).toBe(200)
  })

  it.each(['ada@MÜNCHEN.example', 'ada@mu\u0308nchen.example', 'ADA@münchen。example'])(
    'is mailed to the ASCII form of the domain in %s, which is the same person',
    async typed => {
      await ask(typed)
      const code = await mailedCode(app, 'ada@xn--mnchen-3ya.example')
      const { statusCode, body } = await verify('Ada@münchen.example', code)
      expect([statusCode, JSON.parse(body).user]).toMatchObject([
        200,
        { email: 'ada@xn--mnchen-3ya.example' },
      ])
    },
  )

  it('is counted for Prometheus', async () => {
    const count = async () =>
      metricIn((await app.server.app.inject('/metrics')).body, 'windlass_sign_in_codes_total')[
        'realm="customer",outcome="sent"'
      ] ?? 0
    const before = await count()
    await ask('counted@customer.example')
    await ask('not an address')
    expect(await count()).toBe(before + 1)
  })

  it('is 400 where the field is missing', async () => {
    expect((await post('/customer/auth/request-otp', {})).statusCode).toBe(400)
    expect((await post('/auth/otp/request', {})).statusCode).toBe(400)
  })

  it('mails six digits, which lie nowhere in the database once delivered', async () => {
    await ask('six@customer.example')
    const code = await mailedCode(app, 'six@customer.example')
    expect(code).toMatch(/^\d{6}$/)
    const { rows } = await sql<{
      text: string
    }>`select to_jsonb(o)::text || to_jsonb(c)::text as text from outbox o, emailed_codes c where c.email = 'six@customer.example' and o.delivered_at is not null`.execute(
      app.database.db,
    )
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.every(({ text }) => !text.includes(`"${code}"`))).toBe(true)
  })
})

describe('a code', () => {
  it('begins the subject of its email', async () => {
    await ask('subject@customer.example')
    const code = await mailedCode(app, 'subject@customer.example')
    const mail = app.mails.findLast(({ to }) => to === 'subject@customer.example')
    expect(mail?.subject).toBe(`${code} is your sign-in code`)
  })

  it.each([
    ['/auth/otp/request', { 'accept-language': 'es-MX,es;q=0.9,en;q=0.5' }, 'es'],
    ['/customer/auth/request-otp', { 'accept-language': 'en', cookie: 'windlass_language=es' }, 'es'],
    ['/customer/auth/request-otp', { 'accept-language': 'fr', cookie: 'windlass_language=xx' }, 'en'],
  ])('is emailed in the language of the page that asks for it (%s, %o)', async (url, headers, language) => {
    const email = `${language}-${headers['accept-language'].slice(0, 2)}@customer.example`
    await post(url, { email }, headers)
    const code = await mailedCode(app, email)
    const mail = app.mails.findLast(({ to }) => to === email)
    const subject = language === 'es' ? 'es su código para iniciar sesión' : 'is your sign-in code'
    expect(mail?.subject).toBe(`${code} ${subject}`)
    expect(mail?.html).toContain(`<html lang="${language}">`)
  })

  it('signs in once, typed with spaces or not, the address in any case', async () => {
    await ask('Once@Customer.example')
    const code = await mailedCode(app, 'once@customer.example')
    const spaced = `${code.slice(0, 3)} ${code.slice(3)}`
    const response = await verify(' ONCE@customer.example ', spaced)
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({
      status: 'success',
      user: { email: 'once@customer.example' },
      isNew: true,
    })
    expect((await verify('once@customer.example', code)).statusCode).toBe(401)
  })

  it('is refused with one body when wrong, expired, used, exhausted or never sent', async () => {
    await ask('one@customer.example')
    const code = await mailedCode(app, 'one@customer.example')
    const wrong = await verify('one@customer.example', otherCode(code))
    await app.database.db
      .updateTable('emailed_codes')
      .set({ expires_at: sql<Date>`now() - interval '1 second'` })
      .where('email', '=', 'one@customer.example')
      .execute()
    const expired = await verify('one@customer.example', code)
    const never = await verify('nobody@customer.example', code)
    const impossible = await verify('no address', code)
    for (const response of [wrong, expired, never, impossible]) {
      const { requestId: _, ...problem } = response.json() as Record<string, unknown>
      expect(problem).toEqual({
        type: '/docs/problems/code-not-accepted',
        title: expect.any(String),
        status: 401,
        code: 'code-not-accepted',
        detail: 'The code is wrong, used or expired. Request a new one.',
      })
    }
  })

  it('survives no more than five tries, however many guess at once', async () => {
    await ask('guess@customer.example')
    const code = await mailedCode(app, 'guess@customer.example')
    const guesses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => verify('guess@customer.example', otherCode(code, i + 1))),
    )
    expect(guesses.every(({ statusCode }) => statusCode === 401)).toBe(true)
    const row = await app.database.db
      .selectFrom('emailed_codes')
      .select('tries')
      .where('email', '=', 'guess@customer.example')
      .executeTakeFirstOrThrow()
    expect(row.tries).toBe(5)
    expect((await verify('guess@customer.example', code)).statusCode).toBe(401)
  })

  it('signs in one of many that bring it at once', async () => {
    await ask('race@customer.example')
    const code = await mailedCode(app, 'race@customer.example')
    const answers = await Promise.all(Array.from({ length: 5 }, () => verify('race@customer.example', code)))
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  })

  it('dies when a newer one is asked for', async () => {
    await ask('newer@customer.example')
    const older = await mailedCode(app, 'newer@customer.example')
    await ask('newer@customer.example')
    const newer = await mailedCode(app, 'newer@customer.example')
    if (older !== newer) expect((await verify('newer@customer.example', older)).statusCode).toBe(401)
    expect((await verify('newer@customer.example', newer)).statusCode).toBe(200)
  })

  it('of one realm is nothing in the other', async () => {
    await ask('both@realms.example')
    const code = await mailedCode(app, 'both@realms.example')
    expect((await post('/auth/otp/verify', { email: 'both@realms.example', code })).statusCode).toBe(401)
    expect((await verify('both@realms.example', code)).statusCode).toBe(200)
  })

  const from = (address: string) => ({
    'x-windlass-proxy': app.config.web.proxySecret ?? '',
    'x-forwarded-for': address,
  })
  const guess = (email: string, code: string, address: string) =>
    post('/customer/auth/verify-otp', { email, code }, from(address))

  it('works for the client that asked for it, whatever strangers have guessed', async () => {
    const email = 'guessed@customer.example'
    await ask(email)
    const code = await mailedCode(app, email)
    for (let n = 1; n <= 20; n++)
      expect((await guess(email, otherCode(code, n), '203.0.113.9')).statusCode).toBe(401)
    expect((await guess(email, code, '203.0.113.9')).statusCode).toBe(401)
    expect((await verify(email, code)).statusCode).toBe(200)
  })

  it('after a hundred failures in a day works only for the client that asked for it, at the first try', async () => {
    const email = 'worn@customer.example'
    const wear = async () => {
      await app.drain()
      const worn = { failures: 100, since: sql<Date>`now()` }
      await app.database.db
        .insertInto('code_failures')
        .values({ realm: 'customer', email, ...worn })
        .onConflict(conflict => conflict.columns(['realm', 'email']).doUpdateSet(worn))
        .execute()
    }
    await ask(email)
    await wear()
    await ask(email)
    const code = await mailedCode(app, email)
    expect((await guess(email, code, '203.0.113.10')).statusCode).toBe(401)
    expect((await verify(email, code)).statusCode).toBe(200)
    await wear()
    await ask(email)
    const second = await mailedCode(app, email)
    expect((await verify(email, otherCode(second))).statusCode).toBe(401)
    expect((await verify(email, second)).statusCode).toBe(401)
    const over = { since: sql<Date>`now() - interval '25 hours'` }
    await app.database.db.updateTable('code_failures').set(over).where('email', '=', email).execute()
    expect((await guess(email, second, '203.0.113.10')).statusCode).toBe(200)
  })

  it('sets the cookie exactly as specified, over plain http too', async () => {
    await ask('cookie@customer.example')
    const response = await verify('cookie@customer.example', await mailedCode(app, 'cookie@customer.example'))
    const cookie = String(response.headers['set-cookie'])
    expect(cookie).toMatch(/^ns_customer=[^;]+;/)
    for (const part of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(part)
    expect(cookie).not.toMatch(/Domain=/i)
  })
})

describe('in production', () => {
  let strict: TestApp
  beforeAll(async () => {
    strict = await testApp({ env: productionEnv })
  })
  afterAll(() => strict.close())

  it('a second request within a minute is a silent 200 that mails nothing and leaves the code alive', async () => {
    const client = strict.client()
    await client.call(requestCustomerCode, { body: { email: 'pace@customer.example' } })
    const code = await mailedCode(strict, 'pace@customer.example')
    expect(await client.call(requestCustomerCode, { body: { email: 'pace@customer.example' } })).toEqual({
      ok: true,
    })
    await strict.drain()
    expect(strict.mails.filter(({ to }) => to === 'pace@customer.example')).toHaveLength(1)
    const signedIn = await client.call(verifyCustomerCode, { body: { email: 'pace@customer.example', code } })
    expect(signedIn.status).toBe('success')
    expect((await client.call(getCustomer)).email).toBe('pace@customer.example')
  })

  it('no rotation of X-Forwarded-For buys a stranger more mails to an address', async () => {
    for (let i = 0; i < 30; i++) {
      await strict
        .client({ 'x-forwarded-for': `10.0.0.${i}` })
        .call(requestOperatorCode, { body: { email: 'bombed@operator.example' } })
    }
    await strict.drain()
    expect(strict.mails.filter(({ to }) => to === 'bombed@operator.example')).toHaveLength(1)
  })

  const from = (address: string) =>
    strict.client({ 'x-windlass-proxy': strict.config.web.proxySecret ?? '', 'x-forwarded-for': address })
  const mailsTo = async (email: string) => {
    await strict.drain()
    return strict.mails.filter(({ to }) => to === email).length
  }

  it('a client that is throttled takes no mail from what others may ask for the address', async () => {
    const body = { email: 'wanted@operator.example' }
    for (let i = 0; i < 30; i++) await from('198.51.100.30').call(requestOperatorCode, { body })
    expect(await mailsTo(body.email)).toBe(1)
    await from('198.51.100.31').call(requestOperatorCode, { body })
    expect(await mailsTo(body.email)).toBe(2)
  })

  it('the addresses of one IPv6 network are one client', async () => {
    const body = { email: 'six@operator.example' }
    await from('2001:db8:1:2::a').call(requestOperatorCode, { body })
    await from('2001:db8:1:2:3::b').call(requestOperatorCode, { body })
    expect(await mailsTo(body.email)).toBe(1)
    await from('2001:db8:1:3::a').call(requestOperatorCode, { body })
    expect(await mailsTo(body.email)).toBe(2)
  })

  it('one client has codes mailed to twenty strangers an hour at most', async () => {
    await strict.drain()
    const before = strict.mails.length
    for (let n = 0; n < 40; n++) {
      const body = { email: `stranger-${n}@operator.example` }
      await from('198.51.100.40').call(requestOperatorCode, { body })
    }
    await strict.drain()
    expect(strict.mails.length - before).toBe(20)
    await from('198.51.100.41').call(requestOperatorCode, { body: { email: 'neighbor@operator.example' } })
    expect(await mailsTo('neighbor@operator.example')).toBe(1)
  })

  describe('strangers of many networks', () => {
    const home = '203.0.113.90'
    const signIn = async (email: string) => {
      const body = { email }
      await from(home).call(requestCustomerCode, { body })
      const code = await mailedCode(strict, email)
      await from(home).call(verifyCustomerCode, { body: { email, code } })
      // As a minute later.
      await strict.database.pool.query("delete from rate_limits where key like '%-code-pace:%'")
    }

    it('keep nobody from a code where they signed in before', async () => {
      const body = { email: 'awaited@customer.example' }
      await signIn(body.email)
      for (let n = 0; n < 25; n++) await from(`198.51.100.${100 + n}`).call(requestCustomerCode, { body })
      expect(await mailsTo(body.email)).toBe(20)
      await from('203.0.113.91').call(requestCustomerCode, { body })
      expect(await mailsTo(body.email)).toBe(20)
      await from(home).call(requestCustomerCode, { body })
      expect(await mailsTo(body.email)).toBe(21)
      const code = await mailedCode(strict, body.email)
      expect(await from(home).call(verifyCustomerCode, { body: { ...body, code } })).toMatchObject({
        status: 'success',
      })
    })

    it('replace no code that waits there', async () => {
      const body = { email: 'replaced@customer.example' }
      await signIn(body.email)
      await from(home).call(requestCustomerCode, { body })
      const code = await mailedCode(strict, body.email)
      await from('198.51.100.200').call(requestCustomerCode, { body })
      expect(await from(home).call(verifyCustomerCode, { body: { ...body, code } })).toMatchObject({
        status: 'success',
      })
    })
  })

  it('thirty verifications from one client are enough for five minutes', async () => {
    const client = strict.client({
      'x-windlass-proxy': strict.config.web.proxySecret ?? '',
      'x-forwarded-for': '198.51.100.7',
    })
    const attempt = () =>
      client
        .call(verifyOperatorCode, { body: { email: 'a@b.example', code: '123456' } })
        .catch((error: { status: number }) => error.status)
    const statuses = []
    for (let i = 0; i < 31; i++) statuses.push(await attempt())
    expect(statuses.slice(0, 30).every(status => status === 401)).toBe(true)
    expect(statuses[30]).toBe(429)
  })
})
