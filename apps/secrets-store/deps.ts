import { systemClock, type Clock } from '@windlass/service/work/clock.ts'
import { openDatabase, type Database } from '@windlass/service/postgres/database.ts'
import { createSealer, type Sealer } from '@windlass/service/seals/seal.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import type { Tables } from './tables.ts'

export interface Deps {
  database: Database<Tables>
  sealer: Sealer
  credentials: Config['credentials']
  /** The region in the ARNs. */
  region: string
  clock: Clock
  logger: FastifyBaseLogger
}

export function createDeps(config: Config, logger: FastifyBaseLogger, given: Partial<Deps> = {}): Deps {
  const { credentials, region } = config
  const open = () =>
    openDatabase<Tables>(config.databaseUrl, {
      name: 'secrets-store',
      onError: error => logger.warn({ err: error }, 'database connection lost'),
    })
  return {
    database: given.database ?? open(),
    sealer: createSealer(config.keys),
    credentials,
    region,
    clock: systemClock,
    logger,
    ...given,
  }
}

export const closeDeps = ({ database }: Deps): Promise<void> => database.close()
