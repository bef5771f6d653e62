import { publishPool } from '@windlass/service/observe/pool-metrics.ts'
import { publishOutbox } from '@windlass/service/observe/outbox-metrics.ts'
import { createIdempotency } from '@windlass/service/http/idempotency.ts'
import { serviceSecretGuard, type Guards } from '@windlass/service/http/realms.ts'
import { publishSite } from '@windlass/service/http/docs-site/serve-site.ts'
import { createServer, type Server } from '@windlass/service/http/server.ts'
import { databaseTakesData } from '@windlass/service/process/writable.ts'
import { adminOverviewRoutes } from './admin-overview/routes.ts'
import { adminGuard } from './administrators/login.ts'
import { administratorRoutes } from './administrators/routes.ts'
import { internalGuard, withFounders } from './anchors/access.ts'
import { anchorSignInRoutes } from './anchor-sign-ins/routes.ts'
import { anchorRoutes } from './anchors/routes.ts'
import { revokeKeysOf } from './api-keys/manage.ts'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { invitationRoutes } from './applications/invitation-routes.ts'
import { applicationRoutes } from './applications/routes.ts'
import { publishAuditMetrics } from './audit/metrics.ts'
import { auditRoutes } from './audit/routes.ts'
import { customerGuard } from './customers/customers.ts'
import { customerAccountRoutes } from './customer-accounts/routes.ts'
import { customerRoutes } from './customers/routes.ts'
import { customerTransactionRoutes } from './customer-transactions/routes.ts'
import type { Deps } from './deps.ts'
import { movementRoutes } from './movements/routes.ts'
import { kycRoutes } from './kyc/routes.ts'
import { exchangeRateRoutes } from './exchange-rates/routes.ts'
import { emailRoutes } from './mail/routes.ts'
import { operatorRoutes } from './operators/routes.ts'
import { provisioningRoutes } from './provisioning/routes.ts'
import { refusedMessageRoutes } from './refused-messages/routes.ts'
import { railChangeRoutes } from './rail-changes/routes.ts'
import { routingPolicyRoutes } from './routing-policies/routes.ts'
import { secondFactorRoutes } from './second-factors/routes.ts'
import { ADMINISTRATORS } from './single-sign-on/attempts.ts'
import { operatorInOrganization } from './single-sign-on/bound-sessions.ts'
import { forgetPerson } from './single-sign-on/people.ts'
import { memberLeft } from './single-sign-on/providers.ts'
import { singleSignOnRoutes } from './single-sign-on/routes.ts'
import { visitRoutes } from './visits/routes.ts'
import { testDepositRoutes } from './test-deposits/routes.ts'
import { walletCheckRoutes } from './check-reports/routes.ts'
import { timeZoneRoutes } from './time-zones/routes.ts'
import { walletRoutes } from './wallets/routes.ts'
import { waitingActRoutes } from './waiting-acts/routes.ts'
import { founderActs } from './workspaces/founder-acts.ts'
import { workspaceRoutes } from './workspaces/routes.ts'

/** The HTTP server with the routes of every slice; it neither listens nor works in the background. */
export async function buildApp(deps: Deps): Promise<Server> {
  const { config, database, logger } = deps
  const server = await createServer({
    name: 'platform-api',
    documents: { name: 'platform' },
    sandbox: config.sandbox,
    logger,
    checks: { database: databaseTakesData(database) },
    guards: guards(deps),
    origins: config.web.origins,
    ...(config.web.proxySecret ? { proxySecret: config.web.proxySecret } : {}),
    idempotency: createIdempotency(database.pool),
  })
  const on = withFounders(server.on, deps)
  applicationRoutes(on, deps)
  invitationRoutes(on, deps)
  provisioningRoutes(on, deps)
  anchorRoutes(on, deps)
  walletCheckRoutes(on, deps)
  testDepositRoutes(on, deps)
  railChangeRoutes(on, deps)
  administratorRoutes(on, deps, (tx, email) => forgetPerson(tx, ADMINISTRATORS, email))
  routingPolicyRoutes(on, deps)
  auditRoutes(on, deps)
  emailRoutes(on, deps)
  refusedMessageRoutes(on, deps)
  timeZoneRoutes(on, deps)
  adminOverviewRoutes(on, deps)
  operatorRoutes(on, deps, {
    endKeys: revokeKeysOf,
    removed: (tx, { organizationId, userId }) => memberLeft(tx, organizationId, userId),
  })
  singleSignOnRoutes(on, deps)
  secondFactorRoutes(on, deps)
  workspaceRoutes(on, deps)
  waitingActRoutes(on, deps, founderActs)
  apiKeyRoutes(on, deps)
  customerRoutes(on, deps)
  customerAccountRoutes(on, deps)
  customerTransactionRoutes(on, deps)
  walletRoutes(on, deps)
  visitRoutes(on, deps)
  anchorSignInRoutes(on, deps)
  kycRoutes(server, deps)
  movementRoutes(server.on, deps)
  exchangeRateRoutes(on, deps)
  publishSite(server.app, config.sandbox)
  publishPool(server.app.metrics, database.pool)
  publishOutbox(server.app.metrics, database.db)
  publishAuditMetrics(server, deps)
  return server
}

function guards(deps: Deps): Partial<Guards> {
  return {
    admin: adminGuard(deps),
    operator: operatorInOrganization(deps),
    customer: customerGuard(deps),
    internal: internalGuard(deps),
    service: serviceSecretGuard(deps.config.serviceSecret),
  }
}
