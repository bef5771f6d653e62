import type { EndpointShape } from '@windlass/contracts/endpoint.ts'
import { moneyActs, type MoneyAct } from '@windlass/contracts/platform/money-acts.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import type { Handler } from '@windlass/service/http/endpoint-route.ts'
import type { On } from '@windlass/service/http/server.ts'
import { requireManager, requireOwner, requireSettledManager } from '../anchors/access.ts'
import type { Deps } from '../deps.ts'
import { requireConfirmed } from '../sessions/sessions.ts'

const byEndpoint = new Map(moneyActs.map(act => [act.person, act]))

/** Serves endpoints so that what moves an anchor's money is done by whom {@link moneyActs} says. */
export const withMoneyActs =
  (on: On, deps: Deps): On =>
  endpoint => ({
    serve: handler => {
      const act = byEndpoint.get(endpoint)
      on(endpoint).serve(act ? guarded(deps, act, handler) : handler)
    },
  })

const guarded =
  <S extends EndpointShape>(deps: Deps, act: MoneyAct, handler: Handler<S>): Handler<S> =>
  async call => {
    await requireActing(deps, act, call as unknown as Asked)
    return handler(call)
  }

interface Asked {
  params: { anchorId: string }
  body?: { approve?: boolean }
  principal: Principals['operator']
}

/** Throws `anchor-not-found`, `forbidden`, `confirmation-needed`, `second-person-needed`. */
async function requireActing(
  { database: { db }, clock }: Deps,
  { owner, anyManager }: MoneyAct,
  { params: { anchorId }, body, principal: { userId, sessionId } }: Asked,
): Promise<void> {
  await (owner ? requireOwner : requireManager)(db, userId, anchorId)
  await requireConfirmed(db, sessionId)
  const refuses = anyManager === 'refuse' && body?.approve === false
  if (anyManager !== 'always' && !refuses) await requireSettledManager(db, userId, anchorId, clock.now())
}
