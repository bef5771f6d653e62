import { Problem } from '@windlass/service/problem.ts'
import type { Guard } from '@windlass/service/realms.ts'
import type { Deps } from '../deps.ts'
import { demandSession } from '../sessions/guard.ts'

/** `ns_customer`: a live token whose session has not ended. */
export function customerGuard(deps: Deps): Guard<'customer'> {
  return async request => {
    const { subject, sessionId } = await demandSession(deps, 'customer', request)
    const customer = await deps.database.db
      .selectFrom('customers')
      .select('email')
      .where('id', '=', subject)
      .executeTakeFirst()
    if (!customer) throw new Problem('unauthenticated', 'Sign in again.')
    return { customerId: subject, sessionId, email: customer.email }
  }
}
