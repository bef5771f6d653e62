import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import type { On } from '@windlass/service/http/server.ts'
import { requireManager, requireMember, requireOwner, requireSettledManager } from '../anchors/access.ts'
import type { Deps } from '../deps.ts'
import { requireConfirmed } from '../sessions/sessions.ts'

/**
 * Serves endpoints so that what is about an anchor is done by whom the contract says. Who may not is refused before the body
 * is read; where the body decides who may, it is small.
 */
export const withFounders =
  (on: On, deps: Deps): On =>
  endpoint => ({
    serve: handler => {
      const require = (call: unknown) => requireFounder(deps, endpoint, call as Asked)
      if (!endpoint.who) return on(endpoint).serve(handler)
      if (endpoint.secondPerson !== 'to-approve') return on(endpoint).serve(handler, require)
      on(endpoint).serve(async call => {
        await require(call)
        return handler(call)
      })
    },
  })

interface Asked {
  params: { anchorId: string }
  body?: { approve?: boolean }
  principal: Principals['operator']
}

const inRole = { owner: requireOwner, admin: requireManager, member: requireMember }

/** Throws `anchor-not-found`, `forbidden`, `confirmation-needed`, `second-person-needed`. */
async function requireFounder(
  { database: { db }, clock }: Deps,
  { who = 'member', confirm, secondPerson }: Endpoint,
  { params: { anchorId }, body, principal: { userId, sessionId } }: Asked,
): Promise<void> {
  await inRole[who](db, userId, anchorId)
  if (confirm === true) await requireConfirmed(db, sessionId)
  const refuses = secondPerson === 'to-approve' && body?.approve === false
  if (secondPerson && !refuses) await requireSettledManager(db, userId, anchorId, clock.now())
}
