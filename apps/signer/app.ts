import { serviceSecretGuard } from '@windlass/service/http/realms.ts'
import { publishPool } from '@windlass/service/observe/pool-metrics.ts'
import { createServer, type Server } from '@windlass/service/http/server.ts'
import { databaseTakesData } from '@windlass/service/process/writable.ts'
import { serverGuard } from './anchors/guard.ts'
import type { Deps } from './deps.ts'
import { serveKeys } from './keys/routes.ts'
import { serveSigning } from './signing/routes.ts'

export async function buildApp(deps: Deps): Promise<Server> {
  const server = await createServer({
    name: 'signer',
    documents: { name: 'internal' },
    logger: deps.logger,
    guards: { service: serviceSecretGuard(deps.config.secret), 'anchor-server': serverGuard(deps) },
    checks: { database: databaseTakesData(deps.database) },
  })
  serveKeys(server.on, deps)
  serveSigning(server.on, deps)
  publishPool(server.app.metrics, deps.database.pool)
  return server
}
