import { systemClock, type Clock } from '@windlass/service/clock.ts'
import { openDatabase, type Database } from '@windlass/service/database.ts'
import { createHorizon, type Horizon } from '@windlass/stellar/horizon.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import type { BusinessDatabase } from './database.ts'

export interface Deps {
  config: Config
  logger: FastifyBaseLogger
  clock: Clock
  database: Database<BusinessDatabase>
  horizon: Horizon
}

export function createDeps(config: Config, logger: FastifyBaseLogger): Deps {
  return {
    config,
    logger,
    clock: systemClock,
    database: openDatabase<BusinessDatabase>(config.databaseUrl, {
      name: 'business-server',
      max: 8,
      onError: error => logger.warn({ err: error }, 'an idle database connection was lost'),
    }),
    horizon: createHorizon(config.anchor.network.horizonUrl),
  }
}
