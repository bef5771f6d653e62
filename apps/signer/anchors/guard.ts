import { signChallenge } from '@windlass/contracts/internal/signer.ts'
import type { Guard } from '@windlass/service/http/realms.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { findServer } from './anchors.ts'

/** Whose credential may have ended a second ago: a challenge moves nothing, and wallets ask for many. */
const MAY_BE_RECENT: ReadonlySet<string | undefined> = new Set([signChallenge.path])

/** Which of which anchor's servers asks. */
export function serverGuard({ database, recent }: Pick<Deps, 'database' | 'recent'>): Guard<'anchor-server'> {
  return async request => {
    const credential = /^Bearer (\S{32,})$/.exec(request.headers.authorization ?? '')?.[1]
    const hash = credential && createHash('sha256').update(credential).digest('hex')
    const find = (credentialHash: string) => findServer(database.db, credentialHash)
    const isRecentEnough = MAY_BE_RECENT.has(request.routeOptions.url)
    const found = !hash
      ? null
      : await (isRecentEnough ? recent.get('server', hash, () => find(hash)) : find(hash))
    if (!found) throw new Problem('unauthenticated', 'Send the credential of an anchor’s server.')
    return { anchorId: found.anchor.id, server: found.server }
  }
}
