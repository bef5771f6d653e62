import { sameSecret } from '@windlass/service/client-address.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Guard } from '@windlass/service/realms.ts'
import type { KeyVerifier } from '../clients/key-verifier.ts'

/**
 * Accepts the anchor's API keys, and the summary secret, by which the platform reads for the anchor's operators: only
 * on requests that did not come through the proxy, so that the secret alone opens nothing outside.
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
