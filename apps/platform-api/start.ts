import { kycMigrations } from '@windlass/kyc-providers/create-provider.ts'
import { databaseAtStart } from '@windlass/service/postgres/database-at-start.ts'
import { migrate, sharedMigrations } from '@windlass/service/postgres/database.ts'
import type { Running } from '@windlass/service/process/run.ts'
import { sealAgain } from '@windlass/service/seals/seal-again.ts'
import type { FastifyBaseLogger } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { closeDeps, createDeps, type Deps } from './deps.ts'
import { sealedColumns } from './sealed-columns.ts'
import { migrations } from './tables.ts'
import { startWorkers } from './workers.ts'

/** What makes its tables. */
export const schema = [sharedMigrations, kycMigrations, migrations]

/** Migrates the database, listens and starts the workers; stops in reverse order. */
export async function start(
  config: Config,
  logger: FastifyBaseLogger,
  given: Partial<Deps> = {},
): Promise<Running> {
  const deps = createDeps(config, logger, given)
  await databaseAtStart(logger, () => migrate(deps.database.pool, schema))
  await rotatePlatformKey(deps)
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

/** Afterwards older keys may be removed from PLATFORM_KEY. Throws where one is missing that is needed. */
export async function rotatePlatformKey({ config, database, logger }: Deps): Promise<void> {
  const count = await sealAgain(database.pool, 'PLATFORM_KEY', config.keyring, sealedColumns)
  if (count > 0) logger.info({ count }, 'secrets are encrypted under the newest PLATFORM_KEY')
}
