import { bind } from '@windlass/service/bind.ts'
import { ConfigError } from '@windlass/service/env.ts'
import { serviceSecretGuard } from '@windlass/service/realms.ts'
import type { Running } from '@windlass/service/run.ts'
import { createServer } from '@windlass/service/server.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import { serveDashboard, targetsOf } from './dashboard/serve.ts'
import { watchTargets } from './dashboard/target-health.ts'
import { networks } from './forward/client.ts'
import { createProxy } from './forward/proxy.ts'
import { serveRoutes } from './routes/administer.ts'
import { createRouteTable } from './routes/route-table.ts'
import { readRoutes } from './routes/routes-file.ts'

/** The proxy and, on a port of its own, its admin interface and dashboard. */
export async function start(
  config: Config,
  logger: FastifyBaseLogger,
): Promise<Running & { port: number; dashboardPort: number }> {
  const table = createRouteTable(config.staticHosts, await readRoutes(config.routesFile, logger))
  const answers: Record<string, number> = {}
  const proxy = createProxy({
    table,
    proxySecret: config.proxySecret,
    trustedProxies: readNetworks(config.trustedProxies),
    logger,
    onAnswer: status => {
      const group = `${Math.floor(status / 100)}xx`
      answers[group] = (answers[group] ?? 0) + 1
    },
  })
  const health = watchTargets(() => targetsOf(table), logger)
  const server = await createServer({
    name: 'reverse-proxy',
    description: 'Routes by host. The admin interface sets hosts; the page at / shows them.',
    logger,
    guards: { service: serviceSecretGuard(config.serviceSecret) },
  })
  serveRoutes(server.on, table, config.routesFile, () => void health.poll())
  let port = config.port
  await serveDashboard(server.app, {
    table,
    healthOf: health.of,
    answers: () => answers,
    port: () => port,
    startedAt: new Date().toISOString(),
  })
  const bound = await bind(config.port, config.bindHost, proxy.listener)
  port = bound.port
  const dashboardPort = await server.listen(config.dashboardPort, config.bindHost)
  logger.info({ port, dashboardPort, hosts: table.list().length }, 'listening')
  void health.poll()
  return {
    port,
    dashboardPort,
    stop: async () => {
      health.stop()
      await Promise.all([bound.close(), server.close()])
      proxy.close()
    },
  }
}

function readNetworks(entries: string[]) {
  try {
    return networks(entries)
  } catch {
    throw new ConfigError('TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8')
  }
}
