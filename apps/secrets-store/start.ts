import { databaseAtStart } from '@windlass/service/postgres/database-at-start.ts'
import { migrate } from '@windlass/service/postgres/database.ts'
import type { Running } from '@windlass/service/process/run.ts'
import { sealAgain } from '@windlass/service/seals/seal-again.ts'
import type { FastifyBaseLogger } from 'fastify'
import { fileURLToPath } from 'node:url'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { closeDeps, createDeps } from './deps.ts'
import { sealedColumns } from './sealed-columns.ts'

export const migrations = fileURLToPath(new URL('./migrations/', import.meta.url))
/** What makes its tables. */
export const schema = [migrations]

export async function start(config: Config, logger: FastifyBaseLogger): Promise<Running> {
  const deps = createDeps(config, logger)
  await databaseAtStart(logger, () => migrate(deps.database.pool, schema))
  const count = await sealAgain(deps.database.pool, 'SECRETS_STORE_KEY', config.keys, sealedColumns)
  if (count > 0) logger.info({ count }, 'secrets are encrypted under the newest SECRETS_STORE_KEY')
  const server = await buildApp(deps)
  const port = await server.listen(config.port, config.bindHost)
  logger.info({ port }, 'listening')
  return {
    stop: async () => {
      await server.close()
      await closeDeps(deps)
    },
  }
}
