import { databaseAtStart } from '@windlass/service/postgres/database-at-start.ts'
import { migrate } from '@windlass/service/postgres/database.ts'
import type { Running } from '@windlass/service/process/run.ts'
import type { FastifyBaseLogger } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { closeDeps, createDeps } from './deps.ts'
import { KNOWS, migrations } from './migrations.ts'
import { bindEarlierOrders } from './payments/bound-orders.ts'
import { bindEarlierPayments } from './payments/bound-payments.ts'
import { bindEarlierApprovals } from './rails/bank-file/files.ts'
import { recordFurtherAssets } from './money/treasury/further-assets.ts'
import { startWorkers } from './workers.ts'

export async function start(config: Config, logger: FastifyBaseLogger): Promise<Running> {
  const deps = createDeps(config, logger)
  const { databaseMayBeNewer: mayBeNewer } = config
  const prepare = async () => {
    await databaseAtStart(logger, () => migrate(deps.database.pool, migrations, { knows: KNOWS, mayBeNewer }))
    await recordFurtherAssets(deps)
    await bindEarlierOrders(deps)
    // A part, which takes no more than seconds: the rest is bound in its turn, or when it is met.
    await bindEarlierPayments(deps)
    await bindEarlierApprovals(deps)
  }
  const [server] = await Promise.all([buildApp(deps), prepare()])
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
