import { publishPool } from '@windlass/service/observe/pool-metrics.ts'
import { publishOutbox } from '@windlass/service/observe/outbox-metrics.ts'
import { createServer, type Server, type ServerOptions } from '@windlass/service/http/server.ts'
import { databaseTakesData } from '@windlass/service/process/writable.ts'
import { access } from 'node:fs/promises'
import type { Deps } from './deps.ts'
import { renderSepError } from './errors.ts'
import { servePlatformApi } from './anchor-platform/routes.ts'
import { serveDiscoveryFile } from './sep1/discovery-file.ts'
import { serveHomePage } from './sep1/home-page.ts'
import { serveSandbox } from './sandbox/routes.ts'
import { serveSep2 } from './sep2/routes.ts'
import { serveSep10 } from './sep10/routes.ts'
import { serveSep12 } from './sep12/routes.ts'
import { serveSep24 } from './sep24/routes.ts'
import { serveSep38 } from './sep38/routes.ts'
import { serveSep31 } from './sep31/routes.ts'
import { serveSep45 } from './sep45/routes.ts'
import { publishTransactionMetrics } from './transactions/metrics.ts'
import { serveSep6 } from './sep6/routes.ts'

/** What pages of wallets call from any origin, as the SEPs want it; the rest is for servers and people. */
const FOR_WALLETS = /^\/(\.well-known\/|auth\b|sep\d+\/|federation\b|sandbox\/)/

/** The HTTP side: the SEPs for wallets, and the Platform API for the business server. */
export async function buildApp(
  deps: Deps,
  { metrics }: Pick<ServerOptions, 'metrics'> = {},
): Promise<Server> {
  const { config, database } = deps
  const server = await createServer({
    name: 'sep-server',
    ...(metrics === false ? { metrics } : {}),
    documents: { name: 'wallet' },
    logger: deps.logger,
    cors: FOR_WALLETS,
    proxySecret: config.proxySecret,
    renderProblem: renderSepError,
    guards: { wallet: deps.tokens.guard },
    clientRate: () => deps.clientRate,
    checks: {
      database: databaseTakesData(database),
      discovery: () => access(config.stellarToml),
    },
  })
  serveDiscoveryFile(server.app, config.stellarToml, deps)
  serveHomePage(server.app, deps)
  for (const serve of [
    serveSep10,
    serveSep45,
    serveSep12,
    serveSep24,
    serveSep38,
    serveSep6,
    serveSep31,
    serveSep2,
    serveSandbox,
  ])
    serve(server.on, deps)
  servePlatformApi(server.app, deps)
  publishPool(server.app.metrics, database.pool)
  publishOutbox(server.app.metrics, database.db)
  publishTransactionMetrics(server, deps)
  return server
}
