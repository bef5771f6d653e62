import { Problem } from '@windlass/service/http/problem.ts'
import type { Guard } from '@windlass/service/http/realms.ts'
import { findAnchor } from '../anchors/anchors.ts'
import type { Deps } from '../deps.ts'
import { operatorGuard } from '../operators/sign-in.ts'

/** What belongs to the person, and not to an organization, that a session of one organization may do. */
const PERSONAL: ReadonlySet<string> = new Set([
  'GET /api/v1/auth/me',
  'POST /api/v1/auth/confirm',
  'PUT /api/v1/auth/language',
  'PUT /api/v1/auth/time-zone',
  'GET /api/v1/auth/second-factor',
  'POST /api/v1/auth/second-factor/challenge',
  'POST /api/v1/auth/second-factor/verify',
])

/**
 * As {@link operatorGuard}; a session that an organization's provider opened reaches this organization and nothing else. An
 * endpoint that names neither an anchor nor an organization is refused unless it is listed: a new one is, too.
 */
export function operatorInOrganization(deps: Deps): Guard<'operator'> {
  const guard = operatorGuard(deps)
  return async request => {
    const operator = await guard(request)
    const own = operator.organizationId
    if (own === null) return operator
    const { anchorId, organizationId } = request.params as Partial<Record<string, string>>
    if (organizationId !== undefined) {
      if (organizationId !== own)
        throw new Problem('organization-not-found', 'You belong to no organization with this id.')
    } else if (anchorId !== undefined) {
      const anchor = await findAnchor(deps.database.db, anchorId)
      if (anchor?.organization_id !== own)
        throw new Problem('anchor-not-found', 'None of your organizations has an anchor with this id.')
    } else if (!PERSONAL.has(`${request.method} ${request.routeOptions.url}`)) {
      throw new Problem('forbidden', 'Sign in with an emailed code to do this: it is about your account.')
    }
    return operator
  }
}
