import { databaseAtStart } from '@windlass/service/postgres/database-at-start.ts'
import { migrate, sharedMigrations } from '@windlass/service/postgres/database.ts'
import type { Running } from '@windlass/service/process/run.ts'
import { sealAgain } from '@windlass/service/seals/seal-again.ts'
import type { Server } from '@windlass/service/http/server.ts'
import type { FastifyBaseLogger } from 'fastify'
import { fileURLToPath } from 'node:url'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { keepDayPartitions } from './database/day-partitions.ts'
import { closeDeps, createDeps, type Deps } from './deps.ts'
import { openHolds } from './quotes/queries.ts'
import { reloadRegistry } from './registry/load.ts'
import { sealedColumns } from './sealed-columns.ts'
import { startWorkers } from './workers.ts'

export const ownMigrations = fileURLToPath(new URL('./migrations/', import.meta.url))
/** What makes its tables. */
export const schema = [sharedMigrations, ownMigrations]

/** A started aggregator; tests reach into it. */
export interface Aggregator extends Running {
  server: Server
  deps: Deps
}

/** Starts an aggregator so that it answers, without binding a port. */
export async function open(
  config: Config,
  logger: FastifyBaseLogger,
  given: Partial<Deps> = {},
): Promise<Aggregator> {
  const deps = await createDeps(config, logger, given)
  try {
    await databaseAtStart(logger, () => migrate(deps.database.pool, schema))
    await rotateKey(deps)
    await keepDayPartitions(deps.database.pool, deps.clock.now())
    await fillMemory(deps)
    const server = await buildApp(deps)
    const workers = await startWorkers(deps)
    return {
      server,
      deps,
      stop: async () => {
        await server.close()
        await workers.stop()
        await closeDeps(deps)
      },
    }
  } catch (error) {
    await closeDeps(deps).catch(() => undefined)
    throw error
  }
}

/** Without a key that is needed the registry does without those secrets until the platform registers them again. */
async function rotateKey({ config, database, logger }: Deps): Promise<void> {
  for (const column of sealedColumns) {
    try {
      await sealAgain(database.pool, 'AGGREGATOR_KEY', config.sealKeys, [column])
    } catch (error) {
      const { table } = column
      logger.warn({ err: error, table }, 'secrets are not encrypted under the newest AGGREGATOR_KEY')
    }
  }
}

/** What answers are made from. */
async function fillMemory(deps: Deps): Promise<void> {
  await deps.policies.reload()
  await reloadRegistry(deps)
  await deps.feed.begin()
  for (const hold of await openHolds(deps.database.db, deps.clock.now())) deps.index.hold(hold)
}

/** Starts the service. */
export async function start(config: Config, logger: FastifyBaseLogger): Promise<Running> {
  const aggregator = await open(config, logger)
  aggregator.deps.ranker.start()
  const port = await aggregator.server.listen(config.port, config.bindHost)
  logger.info({ port, anchors: aggregator.deps.index.size }, 'listening')
  return aggregator
}
