import type { Clock } from '@windlass/service/clock.ts'
import { SignJWT, jwtVerify } from 'jose'
import { createSecretKey } from 'node:crypto'
import type { BrowserRealm } from '../tables.ts'

/** What a session's cookie says. The session's row decides whether it still counts. */
interface SessionClaims {
  subject: string
  sessionId: string
}

export interface Tokens {
  /** A JWT for one realm; `seconds` from now it is worth nothing. */
  sign(realm: BrowserRealm, claims: SessionClaims, seconds: number): Promise<string>
  /** Null for anything but a live token of this very realm. */
  read(realm: BrowserRealm, token: string): Promise<SessionClaims | null>
}

const ALGORITHM = 'HS256'
const typeOf = (realm: BrowserRealm) => `${realm}-session+jwt`
const audienceOf = (realm: BrowserRealm) => `windlass:${realm}`

/**
 * Session tokens (RFC 7519): one algorithm, and `aud`, `typ` and a key for each realm, so that a token of one realm
 * is nothing in another. `issuer` is the platform's own address.
 */
export function createTokens(keys: Record<BrowserRealm, string>, issuer: string, clock: Clock): Tokens {
  // As keys and not as bytes, which would be made keys again for every request.
  const secrets = {
    operator: createSecretKey(keys.operator, 'utf8'),
    admin: createSecretKey(keys.admin, 'utf8'),
    customer: createSecretKey(keys.customer, 'utf8'),
  }
  return {
    sign(realm, { subject, sessionId }, seconds) {
      const now = Math.floor(clock.now().getTime() / 1000)
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: ALGORITHM, typ: typeOf(realm) })
        .setIssuer(issuer)
        .setAudience(audienceOf(realm))
        .setSubject(subject)
        .setIssuedAt(now)
        .setExpirationTime(now + seconds)
        .sign(secrets[realm])
    },
    async read(realm, token) {
      try {
        const { payload } = await jwtVerify(token, secrets[realm], {
          algorithms: [ALGORITHM],
          issuer,
          audience: audienceOf(realm),
          typ: typeOf(realm),
          currentDate: clock.now(),
          requiredClaims: ['exp', 'sub', 'sid'],
        })
        if (typeof payload.sub !== 'string' || typeof payload.sid !== 'string') return null
        return { subject: payload.sub, sessionId: payload.sid }
      } catch {
        return null
      }
    },
  }
}
