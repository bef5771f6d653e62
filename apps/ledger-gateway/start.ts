import type { Running } from '@windlass/service/process/run.ts'
import type { FastifyBaseLogger } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { createDeps, type Deps } from './deps.ts'

/** The gateway, listening; `port` is the one that was bound. */
export async function start(
  config: Config,
  logger: FastifyBaseLogger,
  given: Partial<Deps> = {},
): Promise<Running & { port: number }> {
  const deps = createDeps(config, logger, given)
  const server = await buildApp(deps)
  const port = await server.listen(config.port, config.bindHost)
  logger.info({ port, horizon: new URL(config.horizon.url).host }, 'listening')
  return {
    port,
    stop: async () => {
      await server.close()
      await deps.ledger.stop()
    },
  }
}
