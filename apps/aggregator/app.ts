import { publishGuides } from '@windlass/service/http/guides.ts'
import { serviceSecretGuard } from '@windlass/service/http/realms.ts'
import { publishPool } from '@windlass/service/observe/pool-metrics.ts'
import { createServer, type Server } from '@windlass/service/http/server.ts'
import { databaseTakesData } from '@windlass/service/process/writable.ts'
import type { Deps } from './deps.ts'
import { serveExternal } from './external/routes.ts'
import { withExamples } from './guides/examples.ts'
import { serveHandoff } from './handoff/routes.ts'
import { publishHealthMetrics } from './health/metrics.ts'
import { serveHealth } from './health/routes.ts'
import { serveRamp } from './ramp/routes.ts'
import { servePlans } from './plans/routes.ts'
import { serveQuotes } from './quotes/routes.ts'
import { serveRegistry } from './registry/routes.ts'
import { serveRouting } from './routing/routes.ts'
import { serveSignedLogins } from './signed-logins/routes.ts'
import { serveTrustlines } from './trustlines/routes.ts'
import { walletDeveloperGuard } from './webhooks/keys.ts'
import { serveWebhooks } from './webhooks/routes.ts'

/** The aggregator's endpoints over what they need. */
export async function buildApp(deps: Deps): Promise<Server> {
  const server = await createServer({
    name: 'aggregator',
    documents: { name: 'aggregator' },
    logger: deps.logger,
    checks: { database: databaseTakesData(deps.database) },
    guards: {
      service: serviceSecretGuard(deps.config.serviceSecret),
      'wallet-developer': walletDeveloperGuard(deps),
    },
    idempotency: deps.idempotency,
    clientRate: () => deps.clientRate,
    proxySecret: deps.config.proxySecret,
    cors: 'any',
    sandbox: deps.config.sandbox,
  })
  publishGuides(
    server.app,
    text => withExamples(text, deps.index, deps.config.publicUrl),
    deps.config.sandbox,
  )
  serveRegistry(server.on, deps)
  serveExternal(server.on, deps)
  serveHealth(server.on, deps)
  serveQuotes(server.on, deps)
  serveRouting(server.on, deps)
  serveHandoff(server.on, deps)
  servePlans(server.on, deps)
  serveWebhooks(server.on, deps)
  serveSignedLogins(server.on, deps)
  serveTrustlines(server.on, deps)
  await serveRamp(server.app, deps.config)
  publishPool(server.app.metrics, deps.database.pool)
  publishHealthMetrics(server, deps)
  return server
}
