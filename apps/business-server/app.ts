import { sameSecret } from '@windlass/service/client-address.ts'
import { migrate, pingDatabase, sharedMigrations } from '@windlass/service/database.ts'
import { Problem } from '@windlass/service/problem.ts'
import type { Guard } from '@windlass/service/realms.ts'
import type { Running } from '@windlass/service/run.ts'
import { createServer, type Server } from '@windlass/service/server.ts'
import type { FastifyBaseLogger } from 'fastify'
import { fileURLToPath } from 'node:url'
import type { Config } from './config.ts'
import { createDeps, type Deps } from './deps.ts'
import { serveTreasury } from './treasury/routes.ts'

export const migrations = [sharedMigrations, fileURLToPath(new URL('./migrations/', import.meta.url))]

/** The business server's HTTP side. */
export async function buildApp(deps: Deps): Promise<Server> {
  const { config, database } = deps
  const server = await createServer({
    name: 'business-server',
    description: `Treasury, rails and customers of ${config.anchor.plan.homeDomain}.`,
    logger: deps.logger,
    guards: { 'anchor-admin': summaryGuard(config.secrets.summary) },
    checks: {
      database: () => pingDatabase(database),
      ledger: async () => {
        await deps.horizon.head()
      },
    },
  })
  serveTreasury(server.on, deps)
  return server
}

export async function start(config: Config, logger: FastifyBaseLogger): Promise<Running> {
  const deps = createDeps(config, logger)
  await migrate(deps.database.pool, migrations)
  const server = await buildApp(deps)
  const port = await server.listen(config.port, config.bindHost)
  logger.info({ port, homeDomain: config.anchor.plan.homeDomain }, 'listening')
  return {
    stop: async () => {
      await server.close()
      await deps.database.close()
    },
  }
}

function summaryGuard(secret: string): Guard<'anchor-admin'> {
  return request => {
    const given = request.headers['x-service-secret']
    if (typeof given !== 'string' || !sameSecret(given, secret)) {
      throw new Problem('unauthenticated', 'Send the summary secret in x-service-secret.')
    }
    return { kind: 'summary' }
  }
}
