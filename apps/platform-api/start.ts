import { kycMigrations } from '@windlass/kyc-providers/create-provider.ts'
import { migrate, sharedMigrations } from '@windlass/service/database.ts'
import type { Running } from '@windlass/service/run.ts'
import type { FastifyBaseLogger } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { closeDeps, createDeps, type Deps } from './deps.ts'
import { migrations } from './tables.ts'
import { startWorkers } from './workers.ts'

/** Migrates the database, listens and starts the workers; stops in reverse order. */
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
