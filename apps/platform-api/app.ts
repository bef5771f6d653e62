import { kycMigrations } from '@windlass/kyc-providers/create-provider.ts'
import { startMockDeliveries } from '@windlass/kyc-providers/mock/mock-provider.ts'
import { createIdempotency } from '@windlass/service/idempotency.ts'
import { migrate, pingDatabase, sharedMigrations } from '@windlass/service/database.ts'
import { startOutbox, type Deliver } from '@windlass/service/outbox.ts'
import { serviceSecretGuard, type Guards } from '@windlass/service/realms.ts'
import type { Running } from '@windlass/service/run.ts'
import { createServer, type Server } from '@windlass/service/server.ts'
import type { FastifyBaseLogger } from 'fastify'
import { administratorRoutes } from './administrators/routes.ts'
import { keepRegistry } from './anchors/keep-registry.ts'
import { anchorLifeRoutes } from './anchors/life-routes.ts'
import { handOverRemoval, REMOVAL_TOPIC } from './anchors/remove.ts'
import { anchorRoutes } from './anchors/routes.ts'
import { SYNC_TOPIC, syncAnchor } from './anchors/sync.ts'
import { internalGuard } from './anchors/secret-guard.ts'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { applicationRoutes } from './applications/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import type { Config } from './config.ts'
import { walletCheckRoutes } from './wallet-checks/routes.ts'
import { customerGuard } from './customers/guard.ts'
import { customerRoutes } from './customers/routes.ts'
import { migrations } from './database.ts'
import { closeDeps, createDeps, type Deps } from './deps.ts'
import { tidy } from './housekeeping.ts'
import { invitationRoutes } from './invitations/routes.ts'
import { kycRoutes } from './kyc/routes.ts'
import { deliverMail, MAIL_TOPIC } from './mail/send.ts'
import { memberRoutes } from './members/routes.ts'
import { operatorGuard } from './operators/guard.ts'
import { operatorRoutes } from './operators/routes.ts'
import { provisioningRoutes } from './provisioning/routes.ts'
import { HAND_OVER_TOPIC, handOverJob } from './provisioning/start.ts'
import { REMOVE_CREDENTIALS_TOPIC, removeCredentials, sweepCredentials } from './secrets/credentials.ts'
import { routingPolicyRoutes } from './routing-policies/routes.ts'
import { demandSession } from './sessions/guard.ts'
import { bookRoutes } from './workspaces/books.ts'
import { workspaceRoutes } from './workspaces/routes.ts'

/** The HTTP side with every slice; it neither listens nor works in the background. */
export async function buildApp(deps: Deps): Promise<Server> {
  const { config, database, logger } = deps
  const server = await createServer({
    name: 'platform-api',
    description: 'Onboarding of anchors, and identity for operators, administrators, customers and anchors.',
    logger,
    checks: { database: () => pingDatabase(database) },
    guards: guards(deps),
    origins: config.web.origins,
    ...(config.web.proxySecret ? { proxySecret: config.web.proxySecret } : {}),
    idempotency: createIdempotency(database.pool),
  })
  applicationRoutes(server.on, deps)
  invitationRoutes(server.on, deps)
  provisioningRoutes(server.on, deps)
  anchorRoutes(server.on, deps)
  anchorLifeRoutes(server.on, deps)
  walletCheckRoutes(server.on, deps)
  administratorRoutes(server.on, deps)
  routingPolicyRoutes(server.on, deps)
  auditRoutes(server.on, deps)
  operatorRoutes(server.on, deps)
  workspaceRoutes(server.on, deps)
  bookRoutes(server.on, deps)
  memberRoutes(server.on, deps)
  apiKeyRoutes(server.on, deps)
  customerRoutes(server.on, deps)
  kycRoutes(server, deps)
  return server
}

function guards(deps: Deps): Partial<Guards> {
  return {
    admin: async request => {
      const { subject, sessionId } = await demandSession(deps, 'admin', request)
      return { username: subject, sessionId }
    },
    operator: operatorGuard(deps),
    customer: customerGuard(deps),
    internal: internalGuard(deps),
    service: serviceSecretGuard(deps.config.serviceSecret),
  }
}

/** Who delivers what the outbox holds. */
function deliveries(deps: Deps): Record<string, Deliver> {
  return {
    [MAIL_TOPIC]: deliverMail(deps.mailer, deps.faults),
    [HAND_OVER_TOPIC]: handOverJob(deps),
    [SYNC_TOPIC]: syncAnchor(deps),
    [REMOVAL_TOPIC]: handOverRemoval(deps),
    [REMOVE_CREDENTIALS_TOPIC]: removeCredentials(deps),
  }
}

/** The work that no request waits for. */
export function startWorkers(deps: Deps): { stop(): Promise<void>; drain(): Promise<void> } {
  const { database, logger, sealer } = deps
  const every = (ms: number, work: () => Promise<unknown>, failure: string): NodeJS.Timeout =>
    setInterval(() => void work().catch(error => logger.warn({ err: error }, failure)), ms)
  const outbox = startOutbox({
    database,
    deliver: deliveries(deps),
    logger,
    sealer,
  })
  const timers = [
    every(60_000, () => sweepCredentials(deps), 'left-over credentials were not swept'),
    every(5 * 60_000, () => keepRegistry(deps), 'the registry was not compared'),
    every(60 * 60_000, () => tidy(deps), 'what has served its time was not removed'),
  ]
  const mock = startMockProvider(deps)
  return {
    drain: () => outbox.drain(),
    stop: async () => {
      timers.forEach(clearInterval)
      await mock?.stop()
      await outbox.stop()
    },
  }
}

/** Where the mock plays the provider, it also sends the provider's webhooks. */
function startMockProvider({ config, database: { pool }, clock, logger }: Deps) {
  if (config.kyc?.provider !== 'mock') return null
  const [secret] = config.kyc.webhookSecrets
  const webhookUrl = `${config.urls.platform}/api/v1/customer/kyc/webhook`
  return startMockDeliveries({ pool, webhookUrl, secret: secret ?? '', clock, logger })
}

/** The whole service: migrated, listening, working. */
export async function start(
  config: Config,
  logger: FastifyBaseLogger,
  given: Partial<Deps> = {},
): Promise<Running> {
  const deps = createDeps(config, logger, given)
  await migrate(deps.database.pool, [sharedMigrations, kycMigrations, migrations])
  const server = await buildApp(deps)
  const workers = startWorkers(deps)
  const port = await server.listen(config.listen.port, config.listen.host)
  logger.info({ port }, 'listening')
  return {
    stop: async () => {
      await server.close()
      await workers.stop()
      await closeDeps(deps)
    },
  }
}
