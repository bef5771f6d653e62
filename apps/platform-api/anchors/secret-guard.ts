import { sameSecret } from '@windlass/service/client-address.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Guard } from '@windlass/service/realms.ts'
import type { Deps } from '../deps.ts'
import { tokenHash } from '../ids.ts'

/**
 * `x-service-secret`: the platform services' own, or one anchor's, told apart. An anchor's is found by its hash, so
 * that no comparison tells anything; a suspended or removed anchor's no longer counts.
 */
export function internalGuard({ config, database }: Deps): Guard<'internal'> {
  return async request => {
    const given = request.headers['x-service-secret']
    if (typeof given === 'string' && sameSecret(given, config.serviceSecret)) return { kind: 'platform' }
    const anchor =
      typeof given === 'string' && given.length >= 16
        ? await database.db
            .selectFrom('anchors')
            .select('id')
            .where('service_secret_hash', '=', tokenHash(given))
            .where('status', 'not in', ['suspended', 'removed'])
            .executeTakeFirst()
        : undefined
    if (!anchor) throw new Problem('unauthenticated', 'Send a service secret in x-service-secret.')
    return { kind: 'anchor', anchorId: anchor.id }
  }
}
