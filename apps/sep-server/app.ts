import { migrate, pingDatabase, sharedMigrations } from '@windlass/service/database.ts'
import type { Running } from '@windlass/service/run.ts'
import { createServer, type Server } from '@windlass/service/server.ts'
import { access } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import { createDeps, type Deps } from './deps.ts'
import { serveDiscoveryFile } from './sep1/discovery-file.ts'
import { startDeliveries } from './events/deliver.ts'
import { forgetOldMessages } from './events/forget-old.ts'
import { servePlatformApi } from './platform-api/routes.ts'
import { serveSep10 } from './sep10/routes.ts'
import { serveSep12 } from './sep12/routes.ts'
import { serveSep24 } from './sep24/routes.ts'
import { serveSep38 } from './sep38/routes.ts'
import { serveSep6 } from './sep6/routes.ts'
import { forgetExpiredChallenges } from './sep10/used-challenges.ts'
import { forgetExpiredFiles } from './sep12/files.ts'
import { renderSepError } from './sep-errors.ts'

export const migrations = [sharedMigrations, fileURLToPath(new URL('./migrations/', import.meta.url))]

/** The anchor-protocol server's HTTP side. */
export async function buildApp(deps: Deps): Promise<Server> {
  const { config, database } = deps
  const server = await createServer({
    name: 'sep-server',
    description: `The Stellar protocols of ${config.anchor.plan.homeDomain}.`,
    logger: deps.logger,
    cors: 'any',
    renderProblem: renderSepError,
    guards: { wallet: deps.tokens.guard },
    checks: {
      database: () => pingDatabase(database),
      discovery: () => access(config.stellarToml),
    },
  })
  serveDiscoveryFile(server.app, config.stellarToml)
  for (const serve of [serveSep10, serveSep12, serveSep24, serveSep38, serveSep6]) serve(server.on, deps)
  servePlatformApi(server.app, deps)
  return server
}

export async function start(config: Config, logger: FastifyBaseLogger): Promise<Running> {
  const deps = createDeps(config, logger)
  await migrate(deps.database.pool, migrations)
  const server = await buildApp(deps)
  const sweep = setInterval(() => {
    const { db } = deps.database
    Promise.all([forgetExpiredChallenges(db), forgetOldMessages(db), forgetExpiredFiles(db)]).catch(
      (error: unknown) => logger.warn({ err: error }, 'the sweep failed'),
    )
  }, 600_000)
  const deliveries = startDeliveries(deps)
  const port = await server.listen(config.port, config.bindHost)
  logger.info({ port, homeDomain: config.anchor.plan.homeDomain }, 'listening')
  return {
    stop: async () => {
      clearInterval(sweep)
      await server.close()
      await deliveries.stop()
      await deps.outbound.close()
      await deps.database.close()
    },
  }
}
