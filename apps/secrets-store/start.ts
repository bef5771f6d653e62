import { systemClock } from '@windlass/service/clock.ts'
import { migrate, openDatabase } from '@windlass/service/database.ts'
import type { Running } from '@windlass/service/run.ts'
import { createSealer } from '@windlass/service/seal.ts'
import type { FastifyBaseLogger } from 'fastify'
import { fileURLToPath } from 'node:url'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import type { Tables } from './database.ts'
import type { Deps } from './deps.ts'
import { removeExpired } from './secrets/delete.ts'

export const migrations = fileURLToPath(new URL('./migrations/', import.meta.url))

const REMOVE_EVERY_MS = 60_000

export async function start(config: Config, logger: FastifyBaseLogger): Promise<Running> {
  const database = openDatabase<Tables>(config.databaseUrl, {
    name: 'secrets-store',
    onError: error => logger.warn({ err: error }, 'database connection lost'),
  })
  await migrate(database.pool, [migrations])
  const deps: Deps = {
    database,
    sealer: createSealer(config.keys),
    credentials: config.credentials,
    region: config.region,
    clock: systemClock,
    logger,
  }
  const server = await buildApp(deps)
  const port = await server.listen(config.port, config.bindHost)
  logger.info({ port }, 'listening')
  const timer = setInterval(() => {
    removeExpired(deps).catch(error => logger.warn({ err: error }, 'expired secrets were not removed'))
  }, REMOVE_EVERY_MS)
  return {
    stop: async () => {
      clearInterval(timer)
      await server.close()
      await database.close()
    },
  }
}
