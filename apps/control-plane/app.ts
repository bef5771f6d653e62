import { publishPool } from '@windlass/service/observe/pool-metrics.ts'
import { publishOutbox } from '@windlass/service/observe/outbox-metrics.ts'
import { serviceSecretGuard } from '@windlass/service/http/realms.ts'
import { createServer, type Server } from '@windlass/service/http/server.ts'
import { publishAnchors } from './anchors/metrics.ts'
import { databaseTakesData, folderTakesFiles } from '@windlass/service/process/writable.ts'
import { testDepositRoutes } from './test-deposits/routes.ts'
import { walletCheckRoutes } from './check-runs/routes.ts'
import type { Deps } from './deps.ts'
import { publishJobMetrics } from './provisioning/metrics.ts'
import { provisioningRoutes } from './provisioning/routes.ts'
import { isRemoved } from './removal/records.ts'
import { removalRoutes } from './removal/routes.ts'
import { sleepRoutes } from './sleep/routes.ts'
import { createStandIn } from './sleep/stand-in.ts'
import { serverRoutes } from './servers/routes.ts'

export async function buildApp(deps: Deps): Promise<Server> {
  const server = await createServer({
    name: 'control-plane',
    documents: { name: 'internal' },
    logger: deps.logger,
    passOn: createStandIn(deps),
    guards: { service: serviceSecretGuard(deps.config.serviceSecret) },
    checks: {
      database: databaseTakesData(deps.database),
      disk: folderTakesFiles(deps.config.anchors.folder),
    },
  })
  provisioningRoutes(server.on, deps, isRemoved)
  serverRoutes(server.on, deps)
  sleepRoutes(server.on, deps)
  removalRoutes(server.on, deps)
  walletCheckRoutes(server.on, deps)
  testDepositRoutes(server.on, deps)
  publishPool(server.app.metrics, deps.database.pool)
  publishOutbox(server.app.metrics, deps.database.db)
  publishJobMetrics(server, deps)
  publishAnchors(server, deps)
  return server
}
