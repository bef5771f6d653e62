import { ProblemError } from '@windlass/client/client.ts'
import { verifyApiKey } from '@windlass/contracts/platform/api-keys.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { BoundedCache } from '@windlass/service/work/bounded-cache.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import { createHash } from 'node:crypto'
import { createPlatform } from './platform.ts'

/** A revoked key works on for at most this long. */
const CACHE_MS = 5_000
const MAX_BYTES = 512 * 1024
const ANSWER_BYTES = 300

export interface KeyVerifier {
  /** Null: no key of this workspace. Throws `dependency-unavailable`. */
  verify(key: string): Promise<Principals['developer'] | null>
}

/** Asks the platform about keys, and remembers its answers for a moment. */
export function createKeyVerifier(platformUrl: string, serviceSecret: string, anchorId: string): KeyVerifier {
  const client = createPlatform(platformUrl, serviceSecret)
  const known = new BoundedCache<{ until: number; answer: Principals['developer'] | null }>({
    ...{ name: 'api-keys', maxBytes: MAX_BYTES },
    sizeOf: () => ANSWER_BYTES,
  })
  return {
    verify: async key => {
      const id = createHash('sha256').update(key).digest('base64')
      const before = known.get(id)
      if (before && before.until > performance.now()) return before.answer
      const answer = await ask()
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
