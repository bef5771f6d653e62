import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ask, running, startDeposit, token } from './anchor-under-test.ts'

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

  it('is sent again only where it has changed', async () => {
    const toml = '/.well-known/stellar.toml'
    const etag = (await ask(toml, { token: null })).headers.get('etag') ?? ''
    const same = await ask(toml, { token: null, headers: { 'if-none-match': etag } })
    expect([same.status, same.text]).toEqual([304, ''])
    expect((await ask(toml, { token: null, headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })
})

it('what no SEP describes is not for pages of other origins', async () => {
  for (const path of ['/', '/health', '/transactions', '/metrics']) {
    const { headers } = await ask(path, { token: null, headers: { origin: 'https://wallet.example' } })
    expect([path, headers.get('access-control-allow-origin')]).toEqual([path, null])
  }
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
    ['PUT', '/sep12/customer/verification'],
    ['POST', '/sep12/customer/files'],
    ['GET', '/sep12/customer/files?file_id=x'],
    ['PATCH', '/sep6/transactions/x'],
    ['POST', '/sep38/quote'],
    ['GET', '/sep38/quote/x'],
  ] as const

  it.each(guarded)('is needed for %s %s: 403 with error and type', async (method, path) => {
    const answer = await ask(path, { method, token: null })
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual({ error: expect.any(String), type: 'authentication_required' })
  })

  it.each([
    ['DELETE', '/sep12/customer/GX'],
    ['PUT', '/sep12/customer/callback'],
  ])('is needed for %s %s: 401, as SEP-12 names for it', async (method, path) => {
    const answer = await ask(path, { method, token: null })
    expect([answer.status, answer.body]).toEqual([401, { error: expect.any(String) }])
  })

  it.each([
    ['forged with no algorithm', () => `${part({ alg: 'none' })}.${token.split('.')[1]}.`],
    ['signed with a guessed secret', () => resigned('secret')],
    ['given by another anchor, with its own secret', () => signed('another anchor’s secret', {})],
    [
      'given by another anchor that has the same secret',
      () => signed(running.secrets.jwt, { iss: 'http://delhi.anchors.localhost/auth' }),
    ],
    [
      'good until yesterday',
      () => signed(running.secrets.jwt, { exp: Math.floor(Date.now() / 1000) - 86_400 }),
    ],
    ['given without an end', () => signed(running.secrets.jwt, { exp: undefined })],
    ['changed', () => `${token.slice(0, -3)}abc`],
    [
      'of an interactive page',
      async () => new URL((await startDeposit()).body.url).searchParams.get('token') ?? '',
    ],
  ])('that was %s is refused', async (_what, make) => {
    expect((await ask('/sep24/transactions?asset_code=MUMBAI', { token: await make() })).status).toBe(403)
  })

  it('that was made as the anchor makes them is taken, so that the table above proves something', async () => {
    const made = signed(running.secrets.jwt, {})
    expect((await ask('/sep24/transactions?asset_code=MUMBAI', { token: made })).status).toBe(200)
  })

  /** The wallet's token with other claims, signed with a secret. */
  function signed(secret: string, change: object): string {
    const [head, claims = ''] = token.split('.')
    const changed = part({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), ...change })
    const signature = createHmac('sha256', secret).update(`${head}.${changed}`).digest('base64url')
    return `${head}.${changed}.${signature}`
  }
  function resigned(secret: string): string {
    const [head, claims] = token.split('.')
    const signature = createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url')
    return `${head}.${claims}.${signature}`
  }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
})
