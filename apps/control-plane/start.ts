import { databaseAtStart } from '@windlass/service/postgres/database-at-start.ts'
import { migrate, sharedMigrations } from '@windlass/service/postgres/database.ts'
import type { Running } from '@windlass/service/process/run.ts'
import { sealAgain } from '@windlass/service/seals/seal-again.ts'
import type { FastifyBaseLogger } from 'fastify'
import { chmod, mkdir } from 'node:fs/promises'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { closeDeps, createDeps, type Deps } from './deps.ts'
import { readPresentRelease } from './servers/release.ts'
import { migrations } from './tables.ts'
import { startWorkers } from './workers.ts'
import { sealedColumns } from './sealed-columns.ts'

/** What makes its tables. */
export const schema = [sharedMigrations, migrations]

/** The control plane: its API and all its background work. */
export async function start(config: Config, logger: FastifyBaseLogger): Promise<Running> {
  const deps = createDeps(config, logger)
  await databaseAtStart(logger, () => migrate(deps.database.pool, schema))
  await deps.clock.compare()
  deps.release = await readPresentRelease(deps)
  await rotateMasterKey(deps)
  // Anchors' servers pass through it as users of their own; the folders in it are closed to others.
  await mkdir(config.anchors.folder, { recursive: true })
  await chmod(config.anchors.folder, 0o711)
  const server = await buildApp(deps)
  const workers = startWorkers(deps)
  await server.listen(config.port, config.bindHost)
  logger.info({ port: config.port }, 'listening')
  return {
    stop: async () => {
      await server.close()
      await workers.stop()
      await closeDeps(deps)
    },
  }
}

/** Seals data keys under the newest master key. Throws {@link ConfigError} where a key is missing that still seals one. */
async function rotateMasterKey({ config, database, logger }: Deps): Promise<void> {
  const count = await sealAgain(database.pool, 'MASTER_KEY', config.masterKey, sealedColumns)
  if (count > 0) logger.info({ count }, 'data keys are sealed under the newest master key')
}
