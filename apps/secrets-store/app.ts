import { pingDatabase } from '@windlass/service/database.ts'
import { createServer, type Server } from '@windlass/service/server.ts'
import type { Deps } from './deps.ts'
import { serveOperations } from './protocol/serve.ts'
import { secretOperations } from './secrets/operations.ts'

/**
 * AWS Secrets Manager's interface (AWS JSON 1.1 over `POST /`), so that its SDKs work here and AWS itself can
 * take this service's place.
 */
export async function buildApp(deps: Deps): Promise<Server> {
  const server = await createServer({
    name: 'secrets-store',
    description: 'Speaks the AWS JSON 1.1 protocol of AWS Secrets Manager at POST /; use any AWS SDK.',
    logger: deps.logger,
    checks: { database: () => pingDatabase(deps.database) },
  })
  serveOperations(server.app, deps, secretOperations(deps))
  return server
}
