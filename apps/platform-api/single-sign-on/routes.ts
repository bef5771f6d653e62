import { getAdminSignOn } from '@windlass/contracts/platform/administrators.ts'
import * as contracts from '@windlass/contracts/platform/single-sign-on.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { slugOf } from '../operators/organizations.ts'
import { requireConfirmed } from '../sessions/sessions.ts'
import { ADMINISTRATORS, begin } from './attempts.ts'
import {
  describeProvider,
  findProvider,
  openProvider,
  operatorCallback,
  providerOfSlug,
  removeProvider,
  requireMemberOf,
  requireOwner,
  setProvider,
  signInPage,
} from './providers.ts'
import { administratorsProvider, finishAdministrator, finishOperator } from './sign-in.ts'

export function singleSignOnRoutes(on: On, deps: Deps): void {
  settingRoutes(on, deps)
  const { config, database } = deps
  const begun = createRate(database.pool, 'single-sign-on', 30 * config.rateFactor, 300)
  const ended = createRate(database.pool, 'single-sign-on-back', 30 * config.rateFactor, 300)

  on(contracts.startOperatorSignOn).serve(async ({ body, request }) => {
    await begun.demand(request.clientAddress)
    const row = await providerOfSlug(database.db, body.organization)
    return begin(deps, row.organization_id, openProvider(deps, row))
  })
  on(contracts.finishOperatorSignOn).serve(async ({ body, request }) => {
    await ended.demand(request.clientAddress)
    const { operator, cookies } = await finishOperator(deps, body, request)
    return answer(200, operator, { cookies })
  })
  on(getAdminSignOn).serve(() => ({
    available: config.adminSignOn !== null,
    confirms: config.adminSignOn?.trustsSecondFactor ?? false,
  }))
  on(contracts.startAdminSignOn).serve(async ({ request }) => {
    await begun.demand(request.clientAddress)
    return begin(deps, ADMINISTRATORS, administratorsProvider(deps))
  })
  on(contracts.finishAdminSignOn).serve(async ({ body, request }) => {
    await ended.demand(request.clientAddress)
    const { signedIn, cookie } = await finishAdministrator(deps, body, request)
    return answer(200, signedIn, { cookies: [cookie] })
  })
}

function settingRoutes(on: On, deps: Deps): void {
  const { database, config } = deps
  const changes = createRate(database.pool, 'single-sign-on-set', 20 * config.rateFactor, 3_600)

  on(contracts.getSingleSignOn).serve(async ({ params: { organizationId }, principal }) => {
    await requireMemberOf(database.db, principal.userId, organizationId)
    const row = await findProvider(database.db, organizationId)
    const slug = await slugOf(database.db, organizationId)
    return {
      provider: row ? await describeProvider(database.db, row) : null,
      redirectUrl: operatorCallback(config, organizationId),
      signInUrl: signInPage(config, slug),
    }
  })
  on(contracts.setSingleSignOn).serve(async ({ params: { organizationId }, principal, body }) => {
    await requireOwner(database.db, principal.userId, organizationId)
    await requireConfirmed(database.db, principal.sessionId)
    await changes.demand(organizationId)
    return setProvider(deps, { organizationId, by: principal.userId }, body)
  })
  on(contracts.removeSingleSignOn).serve(async ({ params: { organizationId }, principal }) => {
    await requireOwner(database.db, principal.userId, organizationId)
    await requireConfirmed(database.db, principal.sessionId)
    await removeProvider(deps, { organizationId, by: principal.userId })
    return { ok: true }
  })
}
