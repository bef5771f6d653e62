import { databaseAtStart } from '@windlass/service/postgres/database-at-start.ts'
import { migrate } from '@windlass/service/postgres/database.ts'
import { loop } from '@windlass/service/work/loop.ts'
import type { Running } from '@windlass/service/process/run.ts'
import { sealAgain } from '@windlass/service/seals/seal-again.ts'
import type { FastifyBaseLogger } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { closeDeps, createDeps, type Deps } from './deps.ts'
import { sealedColumns } from './sealed-columns.ts'
import { keepVaultToken } from './keys/vault-token.ts'
import { pruneFunding } from './signing/funding.ts'
import { prunePayments } from './signing/payments.ts'
import { pruneStopped } from './signing/stopped.ts'
import { migrations } from './tables.ts'

/** What makes its tables. */
export const schema = [migrations]

const HOUR_MS = 3_600_000

/** The signer, listening; `port` is the one that was bound. */
export async function start(
  config: Config,
  logger: FastifyBaseLogger,
  given: Partial<Deps> = {},
): Promise<Running & { port: number }> {
  const deps = createDeps(config, logger, given)
  await databaseAtStart(logger, () => migrate(deps.database.pool, schema))
  const count = await sealAgain(deps.database.pool, 'SIGNER_KEY', config.keys, sealedColumns)
  if (count > 0) logger.info({ count }, 'keys are encrypted under the newest SIGNER_KEY')
  const server = await buildApp(deps)
  const port = await server.listen(config.port, config.bindHost)
  logger.info({ port, backend: config.backend }, 'listening')
  const pruning = loop({
    name: 'pruning',
    logger,
    everyMs: HOUR_MS,
    act: async () => {
      await prunePayments(deps.database.db)
      await pruneStopped(deps.database.db)
      await pruneFunding(deps.database.db)
    },
  })
  const vaultToken = deps.backends.vault && keepVaultToken(deps.backends.vault, logger)
  return {
    port,
    stop: async () => {
      await server.close()
      await pruning.stop()
      await vaultToken?.stop()
      await closeDeps(deps)
    },
  }
}
