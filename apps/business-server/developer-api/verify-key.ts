import { createClient, ProblemError } from '@windlass/client/client.ts'
import { verifyApiKey } from '@windlass/contracts/api-keys.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { sameSecret } from '@windlass/service/client-address.ts'
import type { Guard } from '@windlass/service/realms.ts'
import { Problem, unavailable } from '@windlass/service/problem.ts'
import { createHash } from 'node:crypto'

/** A revoked key works on for at most this long. */
const CACHE_MS = 5_000
const CACHE_SIZE = 1_000

export interface KeyVerifier {
  /** Null: no key of this workspace. Throws `dependency-unavailable`. */
  verify(key: string): Promise<Principals['developer'] | null>
}

/** Asks the platform about keys, and remembers its answers for a moment. */
export function createKeyVerifier(platformUrl: string, serviceSecret: string, anchorId: string): KeyVerifier {
  const client = createClient({ baseUrl: platformUrl, headers: { 'x-service-secret': serviceSecret } })
  const known = new Map<string, { until: number; answer: Principals['developer'] | null }>()
  return {
    verify: async key => {
      const id = createHash('sha256').update(key).digest('base64')
      const before = known.get(id)
      if (before && before.until > performance.now()) return before.answer
      const answer = await ask()
      if (known.size >= CACHE_SIZE) known.clear()
      known.set(id, { until: performance.now() + CACHE_MS, answer })
      return answer

      async function ask(): Promise<Principals['developer'] | null> {
        try {
          const signal = AbortSignal.timeout(5_000)
          const found = await client.call(verifyApiKey, { body: { key }, signal })
          if (found.anchorId !== anchorId) return null
          return { anchorId, keyId: found.keyId, scopes: found.scopes }
        } catch (error) {
          const no = error instanceof ProblemError && [400, 401].includes(error.status)
          if (no) return null
          throw unavailable('The platform', error)
        }
      }
    },
  }
}

/**
 * Lets in whoever shows one of this anchor's API keys, and the platform, which reads on behalf of the anchor's own
 * operators and shows the summary secret: only straight from within, so that the secret alone opens nothing outside.
 */
export function developerGuard(
  keys: KeyVerifier,
  anchorId: string,
  summarySecret: string,
): Guard<'developer'> {
  return async request => {
    const secret = request.headers['x-service-secret']
    const fromOutside = request.headers['x-forwarded-host'] !== undefined
    if (!fromOutside && typeof secret === 'string' && sameSecret(secret, summarySecret)) {
      return { anchorId, keyId: 'platform', scopes: ['read'] }
    }
    const key = /^Bearer (\S{1,200})$/i.exec(request.headers.authorization ?? '')?.[1]
    const principal = key ? await keys.verify(key) : null
    if (!principal) {
      throw new Problem('unauthenticated', 'Send an API key of this anchor as Authorization: Bearer.')
    }
    return principal
  }
}

type Scope = 'read' | 'write' | 'webhooks'

/** Throws `forbidden` where the key has none of the scopes. */
export function demandScope({ scopes }: Principals['developer'], ...any: Scope[]): void {
  if (!any.some(scope => scopes.includes(scope))) {
    throw new Problem('forbidden', `The key lacks the scope ${any.join(' or ')}.`)
  }
}
