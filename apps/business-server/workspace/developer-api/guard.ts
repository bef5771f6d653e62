import { Problem } from '@windlass/service/http/problem.ts'
import type { ApiKeyScope } from '@windlass/contracts/realm.ts'
import type { Guard } from '@windlass/service/http/realms.ts'
import { READER_HEADER } from '@windlass/service/http/platform-proof.ts'
import type { FastifyRequest } from 'fastify'
import type { KeyVerifier } from '../../outgoing/clients/key-verifier.ts'

/**
 * Accepts the anchor's API keys, and the platform, which reads for the anchor's operators: it proves itself beside the
 * summary secret, which the aggregator has too, on a request that did not come through the proxy.
 */
export function developerGuard(
  keys: KeyVerifier,
  anchorId: string,
  isPlatform: (request: FastifyRequest) => boolean,
): Guard<'developer'> {
  return async request => {
    const fromOutside = request.headers['x-forwarded-host'] !== undefined
    if (!fromOutside && isPlatform(request)) {
      return { anchorId, keyId: 'platform', scopes: readerScopes(request.headers[READER_HEADER]) }
    }
    const key = /^Bearer (\S{1,200})$/i.exec(request.headers.authorization ?? '')?.[1]
    const principal = key ? await keys.verify(key) : null
    if (!principal) {
      throw new Problem('unauthenticated', 'Send an API key of this anchor as Authorization: Bearer.')
    }
    return principal
  }
}

const PEOPLE = ['read', 'compliance', 'payers'] as const

function readerScopes(named: string | string[] | undefined): readonly ApiKeyScope[] {
  if (named === undefined) return PEOPLE
  const scopes = String(named).split(',')
  return PEOPLE.filter(scope => scopes.includes(scope))
}
