import { createServer, type Server } from '@windlass/service/http/server.ts'
import { publishPool } from '@windlass/service/observe/pool-metrics.ts'
import { databaseTakesData } from '@windlass/service/process/writable.ts'
import type { Deps } from './deps.ts'
import { serveOperations } from './protocol/serve.ts'
import { secretOperations } from './secrets/operations.ts'

/**
 * The part of AWS Secrets Manager's interface that the platform calls (AWS JSON 1.1 over `POST /`), so that AWS' SDKs
 * work here and AWS itself can take this service's place.
 */
export async function buildApp(deps: Deps): Promise<Server> {
  const server = await createServer({
    name: 'secrets-store',
    logger: deps.logger,
    checks: { database: databaseTakesData(deps.database) },
  })
  publishPool(server.app.metrics, deps.database.pool)
  serveOperations(server.app, deps, secretOperations(deps))
  return server
}
