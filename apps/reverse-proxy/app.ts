import { listActivity } from '@windlass/contracts/internal/proxy-routes.ts'
import { serviceSecretGuard } from '@windlass/service/http/realms.ts'
import { createServer, type Server } from '@windlass/service/http/server.ts'
import { publishCertificates } from './certificates/watch.ts'
import { folderTakesFiles } from '@windlass/service/process/writable.ts'
import { dirname } from 'node:path'
import { serveDashboard } from './dashboard/serve.ts'
import type { Deps } from './deps.ts'
import { serveRoutes } from './routes/administer.ts'

/** The admin interface and the dashboard of the proxy, which listens at `proxyPort`. */
export async function buildApp(deps: Deps, proxyPort: number): Promise<Server> {
  const { config, logger, table, health, answers } = deps
  const server = await createServer({
    name: 'reverse-proxy',
    documents: { name: 'internal' },
    logger,
    guards: { service: serviceSecretGuard(config.serviceSecret) },
    checks: { disk: folderTakesFiles(dirname(config.routesFile)) },
  })
  serveRoutes(server.on, table, config.routesFile, deps.followRoutes)
  server.on(listActivity).serve(() => table.kept().map(({ host }) => deps.activity.of(host)))
  if (deps.certificates) publishCertificates(server, deps.certificates)
  await serveDashboard(server.app, { table, health, answers, port: proxyPort })
  return server
}
