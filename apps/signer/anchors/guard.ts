import type { Guard } from '@windlass/service/http/realms.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { findServer } from './anchors.ts'

/** Which of which anchor's servers asks. */
export function serverGuard({ database }: Pick<Deps, 'database'>): Guard<'anchor-server'> {
  return async request => {
    const credential = /^Bearer (\S{32,})$/.exec(request.headers.authorization ?? '')?.[1]
    const hash = credential && createHash('sha256').update(credential).digest('hex')
    const found = hash ? await findServer(database.db, hash) : null
    if (!found) throw new Problem('unauthenticated', 'Send the credential of an anchor’s server.')
    return { anchorId: found.anchor.id, server: found.server }
  }
}
