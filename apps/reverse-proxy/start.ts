import { bind } from '@windlass/service/process/bind.ts'
import type { Running } from '@windlass/service/process/run.ts'
import type { FastifyBaseLogger } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { closeDeps, createDeps } from './deps.ts'
import { startWorkers } from './workers.ts'

/** The proxy and, on a port of its own, its admin interface and dashboard. */
export async function start(
  config: Config,
  logger: FastifyBaseLogger,
): Promise<Running & { port: number; dashboardPort: number }> {
  const deps = await createDeps(config, logger)
  const listening = await bind(config.port, config.bindHost, deps.proxy.listener)
  const server = await buildApp(deps, listening.port)
  const dashboardPort = await server.listen(config.dashboardPort, config.bindHost)
  const workers = startWorkers(deps)
  logger.info({ port: listening.port, dashboardPort, hosts: deps.table.list().length }, 'listening')
  return {
    port: listening.port,
    dashboardPort,
    stop: async () => {
      await Promise.all(workers.map(worker => worker.stop()))
      await Promise.all([listening.close(), server.close()])
      closeDeps(deps)
    },
  }
}
