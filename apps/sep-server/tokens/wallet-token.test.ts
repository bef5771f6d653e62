import { generateKey } from '@windlass/stellar/keys.ts'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { startSepApp, type SepApp } from '../testing/sep-app.ts'

let app: SepApp
beforeAll(async () => void (app = await startSepApp()))
afterAll(() => app.close())
afterEach(() => void vi.useRealTimers())

const session = () => ({
  account: generateKey().publicKey,
  memo: null,
  clientDomain: null,
  homeDomain: app.deps.config.anchor.plan.homeDomain,
  tokenId: 'a',
})
const listAs = async (token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` }
  const { plan } = app.deps.config.anchor
  const url = `/sep24/transactions?asset_code=${plan.asset.code}`
  return (await app.server.app.inject({ url, headers })).statusCode
}

it('a token ends after a day, though it was read before', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const token = app.deps.tokens.issue(session(), new Date())
  for (const _ of [1, 2]) expect(await listAs(token)).toBe(200)
  vi.setSystemTime(Date.now() + 86_399_000)
  expect(await listAs(token)).toBe(200)
  vi.setSystemTime(Date.now() + 1_000)
  for (const _ of [1, 2]) expect(await listAs(token)).toBe(403)
})

it('a token whose owner or signature was changed is refused, also beside the one that was read', async () => {
  const token = app.deps.tokens.issue(session(), new Date())
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' })
  expect(await listAs(token)).toBe(200)
  const [header, , signature] = token.split('.')
  const payload = Buffer.from(JSON.stringify({ ...decodeJwt(token), ...{ sub: session().account } }))
  expect(await listAs([header, payload.toString('base64url'), signature].join('.'))).toBe(403)
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  expect(await listAs([none, payload.toString('base64url'), 'AA'].join('.'))).toBe(403)
  const other = new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: 'HS256' })
  expect(await listAs(await other.sign(Buffer.from('another secret of thirty-two bytes')))).toBe(403)
})
