import { databaseAtStart } from '@windlass/service/postgres/database-at-start.ts'
import { migrate } from '@windlass/service/postgres/database.ts'
import type { Running } from '@windlass/service/process/run.ts'
import type { FastifyBaseLogger } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { closeDeps, createDeps } from './deps.ts'
import { migrations } from './tables.ts'
import { startWorkers } from './workers.ts'

export async function start(config: Config, logger: FastifyBaseLogger): Promise<Running> {
  const deps = createDeps(config, logger)
  const { databaseMayBeNewer: mayBeNewer } = config
  // Either waits for what the other does not need.
  const [server] = await Promise.all([
    buildApp(deps),
    databaseAtStart(logger, () => migrate(deps.database.pool, migrations, { mayBeNewer })),
  ])
  const port = await server.listen(config.port, config.bindHost)
  logger.info({ port, homeDomain: config.anchor.plan.homeDomain }, 'listening')
  const workers = startWorkers(deps)
  return {
    stop: async () => {
      await server.close()
      await workers.stop()
      await closeDeps(deps)
    },
  }
}
