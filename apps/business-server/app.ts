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
import { serveCallbacks } from './callbacks/routes.ts'
import { serveDeveloperApi } from './developer-api/routes.ts'
import { developerGuard } from './developer-api/verify-key.ts'
import { serveInteractive } from './interactive/routes.ts'
import { serveKyc } from './kyc/routes.ts'
import { observerLag } from './ledger/observe.ts'
import { serveRails } from './rails/routes.ts'
import { serveTreasury } from './treasury/routes.ts'
import { startWorkers } from './workers.ts'
import { createIdempotency } from '@windlass/service/idempotency.ts'
import { kycMigrations } from '@windlass/kyc-providers/create-provider.ts'

export const migrations = [
  sharedMigrations,
  kycMigrations,
  fileURLToPath(new URL('./migrations/', import.meta.url)),
]

const OBSERVER_LAG_SECONDS = 60

/** The business server's HTTP side. */
export async function buildApp(deps: Deps): Promise<Server> {
  const { config, database } = deps
  const since = deps.clock.now().getTime()
  const server = await createServer({
    name: 'business-server',
    description: `Treasury, rails and customers of ${config.anchor.plan.homeDomain}.`,
    logger: deps.logger,
    idempotency: createIdempotency(database.pool),
    guards: {
      'anchor-admin': summaryGuard(config.secrets.summary),
      developer: developerGuard(deps.keys, config.anchor.plan.anchorId, config.secrets.summary),
    },
    checks: {
      database: () => pingDatabase(database),
      ledger: async () => {
        await deps.horizon.head()
      },
      // A stuck observer means that withdrawals are not seen.
      observer: async () => {
        const lag = (await observerLag(deps)) ?? (deps.clock.now().getTime() - since) / 1000
        if (lag > OBSERVER_LAG_SECONDS) throw new Error('the payments are not read')
      },
    },
  })
  serveTreasury(server.on, deps)
  serveDeveloperApi(server.on, deps)
  serveRails(server.on, deps)
  serveKyc(server, deps)
  serveCallbacks(server.app, deps)
  serveInteractive(server.app, deps)
  return server
}

export async function start(config: Config, logger: FastifyBaseLogger): Promise<Running> {
  const deps = createDeps(config, logger)
  await migrate(deps.database.pool, migrations)
  const server = await buildApp(deps)
  const port = await server.listen(config.port, config.bindHost)
  logger.info({ port, homeDomain: config.anchor.plan.homeDomain }, 'listening')
  const workers = startWorkers(deps)
  return {
    stop: async () => {
      await server.close()
      await workers.stop()
      await deps.outbound.close()
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
