import { ConfigError } from '@windlass/service/process/env.ts'
import { createCounter } from '@windlass/service/observe/metrics.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import { watchCertificates, type Certificates } from './certificates/watch.ts'
import { checkTargets, type TargetHealth } from './dashboard/target-health.ts'
import { createActivity, type Activity } from './forward/activity.ts'
import { networks } from './forward/client.ts'
import { createProxy, type Proxy } from './forward/proxy.ts'
import { createRouteTable, type RouteTable } from './routes/route-table.ts'
import { routesOfCopies } from './routes/copies.ts'
import { followRoutes, readRoutes, writeRoutes } from './routes/routes-file.ts'

export interface Deps {
  config: Config
  logger: FastifyBaseLogger
  table: RouteTable
  /** Reads the routes that another proxy has written. */
  followRoutes: () => Promise<void>
  proxy: Proxy
  activity: Activity
  /** Answers so far, by the first digit of their status (`2xx`). */
  answers: Record<string, number>
  /** Null where TLS does not end in front of us. */
  certificates: Certificates | null
  health: { of(target: string): TargetHealth; look(): void }
}

const answered = createCounter('windlass_proxy_answers_total', 'Answers by class of their status', ['class'])

export async function createDeps(config: Config, logger: FastifyBaseLogger): Promise<Deps> {
  const kept = await readRoutes(config.routesFile, logger)
  const given = kept.length > 0 ? [] : await routesOfCopies(config, logger)
  // The next look at the file must find them there.
  if (given.length > 0) writeRoutes(config.routesFile, given)
  const table = createRouteTable(config.staticHosts, [...kept, ...given])
  const answers: Record<string, number> = {}
  const activity = createActivity()
  const proxy = createProxy({
    table,
    activity,
    proxySecret: config.proxySecret,
    front: { trusted: readNetworks(config.trustedProxies), certificateHeader: config.certificateHeader },
    logger,
    onAnswer: status => {
      const group = `${Math.floor(status / 100)}xx`
      answers[group] = (answers[group] ?? 0) + 1
      answered.inc({ class: group })
    },
  })
  const hosts = () => table.list().map(({ host }) => host)
  const certificates = config.certificatesAt ? watchCertificates(config.certificatesAt, hosts) : null
  const follow = followRoutes(config.routesFile, table, logger)
  return {
    config,
    logger,
    table,
    followRoutes: follow,
    proxy,
    activity,
    answers,
    certificates,
    health: checkTargets(table.targets),
  }
}

export const closeDeps = ({ proxy }: Deps): void => proxy.close()

function readNetworks(entries: string[]) {
  try {
    return networks(entries)
  } catch {
    throw new ConfigError('TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8')
  }
}
