import { Problem, invalid, unavailable } from '@windlass/service/http/problem.ts'
import type { Deps } from '../deps.ts'
import { centralStatus } from './status.ts'
import { requireProvider } from './report.ts'

/**
 * Opens a session at the provider's hosted page, for an anchor where `anchorId` is given. `returnUrl` must be a page of the customer portal or of an anchor.
 * Throws `kyc-already-accepted`, `validation-failed`, `dependency-unavailable`.
 */
export async function startSession(
  deps: Deps,
  customerId: string,
  returnUrl: string | undefined,
  anchorId: string | null = null,
) {
  const { provider } = requireProvider(deps)
  const { db } = deps.database
  if (returnUrl !== undefined && !isOurs(deps, new URL(returnUrl))) {
    throw invalid('returnUrl', 'must be a page of the customer portal or of an anchor')
  }
  const { status } = await centralStatus(db, customerId)
  if (status === 'ACCEPTED') throw new Problem('kyc-already-accepted', 'Your identity is already verified.')
  const session = await provider
    .start({ customerId, ...(returnUrl ? { returnUrl } : {}) })
    .catch((error: unknown) => {
      throw unavailable('The identity provider', error)
    })
  const row = {
    session_id: session.sessionId,
    anchor_id: anchorId,
    customer_id: customerId,
    provider: provider.name,
  }
  await db
    .insertInto('kyc_sessions')
    .values({ ...row, created_at: deps.clock.now() })
    .execute()
  return session
}

function isOurs({ config }: Deps, address: URL): boolean {
  if (config.web.origins.customer.includes(address.origin)) return true
  const web = address.protocol === 'https:' || (address.protocol === 'http:' && config.deployment.local)
  return web && address.hostname.endsWith(`.${config.anchors.domainSuffix}`)
}
