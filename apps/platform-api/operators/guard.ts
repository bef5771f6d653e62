import { Problem } from '@windlass/service/problem.ts'
import type { Guard } from '@windlass/service/realms.ts'
import type { Deps } from '../deps.ts'
import { demandSession } from '../sessions/guard.ts'

/** `ns_session`: a live token whose session has not ended. */
export function operatorGuard(deps: Deps): Guard<'operator'> {
  return async request => {
    const { subject, sessionId } = await demandSession(deps, 'operator', request)
    const user = await deps.database.db
      .selectFrom('users')
      .select('email')
      .where('id', '=', subject)
      .executeTakeFirst()
    if (!user) throw new Problem('unauthenticated', 'Sign in again.')
    return { userId: subject, sessionId, email: user.email }
  }
}
