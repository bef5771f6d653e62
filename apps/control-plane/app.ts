import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { createClient } from '@windlass/client/client.ts'
import { createDocker } from '@windlass/runtimes/docker/docker.ts'
import { createProcesses } from '@windlass/runtimes/processes/processes.ts'
import type { Runtime } from '@windlass/runtimes/runtime.ts'
import { migrate, openDatabase, pingDatabase, sharedMigrations } from '@windlass/service/database.ts'
import { ConfigError } from '@windlass/service/env.ts'
import { createFaults } from '@windlass/service/faults.ts'
import { createOutbound } from '@windlass/service/outbound.ts'
import { startOutbox } from '@windlass/service/outbox.ts'
import { serviceSecretGuard } from '@windlass/service/realms.ts'
import type { Running } from '@windlass/service/run.ts'
import { createSealer } from '@windlass/service/seal.ts'
import { createServer, type Server } from '@windlass/service/server.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import type { FastifyBaseLogger } from 'fastify'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { deliverMove } from './anchors/standing.ts'
import { startChanges, type Changes } from './anchors/changes.ts'
import { deliverEvent } from './anchors/events.ts'
import { startReconciler, type Reconciler } from './anchors/reconcile.ts'
import { IMAGE_PROGRAMS } from './anchors/release.ts'
import { anchorRoutes } from './anchors/routes.ts'
import type { Config } from './config.ts'
import { startDailyChecks, type DailyChecks } from './wallet-checks/daily.ts'
import { sendReport } from './wallet-checks/send-report.ts'
import { walletCheckRoutes } from './wallet-checks/routes.ts'
import { migrations, type Tables } from './database.ts'
import { startDatabaseClock } from './database-clock.ts'
import type { Deps } from './deps.ts'
import { missingKeys, resealDataKeys } from './keys/rotate.ts'
import { dueJobs, touchWaitingJobs } from './provisioning/journal.ts'
import { deliverProgress } from './provisioning/report.ts'
import { provisioningRoutes } from './provisioning/routes.ts'
import { runJob } from './provisioning/run-job.ts'
import { deliverRemoval } from './removal/report.ts'
import { removalRoutes } from './removal/routes.ts'
import { startWorker } from './provisioning/worker.ts'

const apps = new URL('../', import.meta.url)
/** From the checkout's sources, where no bundles of them are given. */
const sources = {
  sep: fileURLToPath(new URL('sep-server/main.ts', apps)),
  business: fileURLToPath(new URL('business-server/main.ts', apps)),
}
/** The control plane with all that it keeps going: queue, outbox, reconciler and its API. */
export async function start(config: Config, logger: FastifyBaseLogger): Promise<Running> {
  const database = openDatabase<Tables>(config.databaseUrl, {
    name: 'control-plane',
    // Locks of what goes on beside each other take connections of their own.
    max: 20 + config.work.concurrency,
    onError: error => logger.warn({ err: error }, 'a database connection was lost'),
  })
  await migrate(database.pool, [sharedMigrations, migrations])
  const clock = await startDatabaseClock(database.db)
  const { wakeWith, ...deps } = createDeps(config, logger, { database, clock })
  await rotateMasterKey(deps)
  const worker = await startWorker({
    databaseUrl: config.databaseUrl,
    concurrency: config.work.concurrency,
    logger,
    run: (jobId, stopping) => runJob(deps, jobId, stopping),
    due: async () => {
      await touchWaitingJobs(database.db)
      return dueJobs(database.db)
    },
  })
  wakeWith(worker.wake)
  const outbox = startOutbox({
    database,
    logger,
    deliver: {
      progress: message => deliverProgress(deps, message),
      moved: message => deliverMove(deps, message),
      event: message => deliverEvent(deps, message),
      removal: message => deliverRemoval(deps, message),
      'wallet-checks': message => sendReport(deps, message),
    },
    backoff: attempt => Math.min(10_000, 500 * 2 ** Math.min(attempt, 6)),
  })
  const reconciler = startReconciler(deps)
  const checks = startDailyChecks(deps)
  const changes = startChanges(deps)
  const server = await buildServer(deps, { reconciler, changes, checks })
  await server.listen(config.port, config.bindHost)
  logger.info({ port: config.port }, 'listening')
  return {
    stop: async () => {
      await server.close()
      await Promise.all([worker.stop(), reconciler.stop(), changes.stop(), checks.stop()])
      await outbox.stop()
      clock.stop()
      await Promise.all([deps.outbound.close(), deps.anchorDatabases.end()])
      await database.close()
    },
  }
}

/**
 * Brings what an older master key sealed under the newest. Throws {@link ConfigError} where a key is missing that is
 * still needed.
 */
async function rotateMasterKey({ config, database, master, logger }: Deps): Promise<void> {
  const [missing] = await missingKeys(database.db, config.masterKey)
  if (missing) {
    const { version, anchors } = missing
    throw new ConfigError(
      `MASTER_KEY lacks v${version}, which seals the keys of ${anchors} anchors: leave it in behind the new one`,
    )
  }
  const [newest = 1] = config.masterKey.keys()
  const count = await resealDataKeys(database.db, master, newest)
  if (count > 0) logger.info({ count, version: newest }, 'data keys are sealed under the newest master key')
}

/** What goes on without a request, as far as requests wake it. */
interface Loops {
  reconciler: Pick<Reconciler, 'wake'>
  changes: Pick<Changes, 'wake'>
  checks: Pick<DailyChecks, 'wake'>
}

export async function buildServer(deps: Deps, { reconciler, changes, checks }: Loops): Promise<Server> {
  const server = await createServer({
    name: 'control-plane',
    description: 'Provisions anchors and keeps them running. For platform services only.',
    logger: deps.logger,
    guards: { service: serviceSecretGuard(deps.config.serviceSecret) },
    checks: { database: () => pingDatabase(deps.database) },
  })
  provisioningRoutes(server.on, deps)
  anchorRoutes(server.on, deps, { reconciler, changes })
  removalRoutes(server.on, deps, changes)
  walletCheckRoutes(server.on, deps, checks)
  return server
}

function createDeps(
  config: Config,
  logger: FastifyBaseLogger,
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
): Deps & { wakeWith(wake: Deps['wake']): void } {
  const headers = { 'x-service-secret': config.serviceSecret }
  const { anchors } = config
  // The queue needs the deps to run jobs, and the deps the queue to wake them.
  let wake: Deps['wake'] = async () => {}
  const anchorDatabases = new pg.Pool({
    connectionString: config.anchorsDatabaseUrl,
    application_name: 'control-plane',
    max: 3,
    connectionTimeoutMillis: 5_000,
  })
  anchorDatabases.on('error', error => logger.warn({ err: error }, 'a database connection was lost'))
  anchorDatabases.on('connect', client => client.on('error', () => undefined))
  return {
    config,
    logger,
    clock,
    database,
    anchorDatabases,
    master: createSealer(config.masterKey),
    horizon: createHorizon(config.ledger.horizonUrl),
    runtime: createRuntime(anchors),
    platform: createClient({ baseUrl: config.platformUrl, headers }),
    proxy: createClient({ baseUrl: config.proxyAdminUrl, headers }),
    outbound: createOutbound({
      ingress: { suffix: anchors.domainSuffix, url: anchors.ingress },
      allowPrivate: config.local,
    }),
    readSecret: createSecretReader(config.secretsStore),
    faults: createFaults(config.work.faultPoint),
    wake: jobId => wake(jobId),
    wakeWith: real => {
      wake = real
    },
  }
}

function createRuntime({ runtime, memory, programs = sources, ...folders }: Config['anchors']): Runtime {
  if (runtime.kind === 'processes') return createProcesses({ ...folders, programs, memory })
  const { image, sepImage } = runtime
  return createDocker({
    ...runtime,
    memory,
    images: {
      sep: sepImage ? { image: sepImage } : { image, program: IMAGE_PROGRAMS.sep },
      business: { image, program: IMAGE_PROGRAMS.business },
    },
  })
}

function createSecretReader(store: Config['secretsStore']): Deps['readSecret'] {
  const client = new SecretsManagerClient({ ...store, maxAttempts: 2 })
  return async name => {
    try {
      const answer = await client.send(new GetSecretValueCommand({ SecretId: name }))
      return answer.SecretString ?? null
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return null
      throw error
    }
  }
}
