import type { Clock } from '@windlass/service/work/clock.ts'
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { BrowserRealm } from '@windlass/contracts/realm.ts'

/** What a session's cookie says. The session's row decides whether it still counts. */
interface SessionClaims {
  subject: string
  sessionId: string
}

export interface Tokens {
  /** A JWT for one realm; `seconds` from now it is worth nothing. */
  sign(realm: BrowserRealm, claims: SessionClaims, seconds: number): string
  /** Null for anything but a live token of this very realm. */
  read(realm: BrowserRealm, token: string): SessionClaims | null
}

const REALMS = ['operator', 'admin', 'customer'] as const satisfies readonly BrowserRealm[]

/**
 * Session tokens (RFC 7519, HS256), with `aud`, `typ` and a key for each realm, so that a token of one realm is nothing
 * in another. `issuer` is the platform's own address. Only the exact header that we write is accepted: a token cannot
 * choose an algorithm or a key. HMAC is computed where it is called: in the thread pool, as Web Crypto does it, it costs
 * twenty times as much.
 */
export function createTokens(keys: Record<BrowserRealm, string>, issuer: string, clock: Clock): Tokens {
  const realms = Object.fromEntries(REALMS.map(realm => [realm, realmTokens(realm, keys[realm], issuer)]))
  const of = (realm: BrowserRealm) => realms[realm] as ReturnType<typeof realmTokens>
  const now = () => Math.floor(clock.now().getTime() / 1000)
  return {
    sign: (realm, claims, seconds) => of(realm).sign(claims, now(), seconds),
    read: (realm, token) => of(realm).read(token, now()),
  }
}

function realmTokens(realm: BrowserRealm, secret: string, iss: string) {
  const key = createSecretKey(secret, 'utf8')
  const header = encode({ alg: 'HS256', typ: `${realm}-session+jwt` })
  const aud = `windlass:${realm}`
  return {
    sign({ subject: sub, sessionId: sid }: SessionClaims, iat: number, seconds: number): string {
      const content = `${header}.${encode({ sid, iss, aud, sub, iat, exp: iat + seconds })}`
      return `${content}.${macOf(key, content)}`
    },
    read(token: string, now: number): SessionClaims | null {
      const end = token.lastIndexOf('.')
      const content = token.slice(0, end)
      if (!content.startsWith(`${header}.`) || !sameText(token.slice(end + 1), macOf(key, content)))
        return null
      const claims = decode(content.slice(header.length + 1))
      const isOurs = claims?.iss === iss && claims.aud === aud && Number(claims.exp) > now
      if (!isOurs || typeof claims.sub !== 'string' || typeof claims.sid !== 'string') return null
      return { subject: claims.sub, sessionId: claims.sid }
    },
  }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Only of text that we signed. */
function decode(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown> | null
  } catch {
    return null
  }
}

const macOf = (key: KeyObject, content: string): string =>
  createHmac('sha256', key).update(content).digest('base64url')

function sameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
