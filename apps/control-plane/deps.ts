import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { createClient, type Client } from '@windlass/client/client.ts'
import type { Release } from '@windlass/contracts/platform/anchor-life.ts'
import { createDocker } from '@windlass/runtimes/docker/docker.ts'
import { delegateRuntime, type Delegate, type Subscribe } from '@windlass/runtimes/processes/delegated.ts'
import { createProcesses } from '@windlass/runtimes/processes/processes.ts'
import { createSpares } from '@windlass/runtimes/processes/spares.ts'
import type { Runtime } from '@windlass/runtimes/runtime.ts'
import { createSwarm } from '@windlass/runtimes/swarm/swarm.ts'
import {
  databaseTime,
  DEAD_PEER_DETECTION,
  openDatabase,
  type Database,
} from '@windlass/service/postgres/database.ts'
import { endFrozen } from '@windlass/service/postgres/frozen.ts'
import { withSearchPath } from '@windlass/service/postgres/search-path.ts'
import { comparingClocks } from '@windlass/service/observe/clocks.ts'
import { createFaults, type Faults } from '@windlass/service/process/faults.ts'
import { askLauncher, hasLauncher, onLauncherNotice } from '@windlass/service/process/launcher.ts'
import { fetchPart } from '@windlass/service/outbound/fetch-part.ts'
import { createOutbound, type Outbound } from '@windlass/service/outbound/outbound.ts'
import { proxiedAgent } from '@windlass/service/outbound/proxy.ts'
import { createSealer, type Sealer } from '@windlass/service/seals/seal.ts'
import { createHorizon, type Horizon } from '@windlass/stellar/horizon.ts'
import { createSecondSource } from '@windlass/stellar/second-source.ts'
import type { FastifyBaseLogger } from 'fastify'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type Config, gatewayOf } from './config.ts'
import { createDatabaseClock, type DatabaseClock } from './database-clock.ts'
import { IMAGE_PROGRAMS, presentRelease } from './programs.ts'
import { createTurns, type Turns } from './provisioning/turns.ts'
import { createProxies, type Proxies } from './proxies.ts'
import type { Tables } from './tables.ts'

/** Everything the control plane works with. Tests replace some of it. */
export interface Deps {
  config: Config
  database: Database<Tables>
  logger: FastifyBaseLogger
  /** The database's time. */
  clock: DatabaseClock
  /** Seals anchors' data keys. */
  master: Sealer
  horizon: Horizon
  /** For looks that come back: answered from the gateway's memory. */
  routineHorizon: Horizon
  runtime: Runtime
  /** For stages of provisioning that keep a processor busy. */
  turns: Turns
  /** What new anchors run from and existing ones are upgraded to, as it was when this process started. */
  release: Release
  /** The platform API and the reverse proxy, called as a platform service. */
  platform: Client
  proxies: Proxies
  signer: Client
  /** Reaches anchors as the public does. */
  outbound: Outbound
  /** The server of the anchors' databases. */
  anchorDatabases: pg.Pool
  /** A secret's text by its name in the secrets store; null where there is none. */
  readSecret(name: string): Promise<string | null>
  faults: Faults
}

const apps = new URL('../', import.meta.url)
/** The servers' programs in the checkout, where no bundles are given. */
const sources = {
  sep: fileURLToPath(new URL('sep-server/main.ts', apps)),
  business: fileURLToPath(new URL('business-server/main.ts', apps)),
}

/** More would share the processors, and each of them be ready later: the first of many is to be soon. */
const BUSY_AT_ONCE = 2

export function createDeps(config: Config, logger: FastifyBaseLogger, given: Partial<Deps> = {}): Deps {
  const headers = { 'x-service-secret': config.serviceSecret }
  const { anchors } = config
  const database = given.database ?? openControlDatabase(config, logger)
  return {
    config,
    logger,
    database,
    clock: createDatabaseClock(() => databaseTime(database.db)),
    anchorDatabases: openAnchorDatabases(config, logger),
    master: createSealer(config.masterKey),
    horizon: createHorizon(gatewayOf(config), 'money', {
      second: createSecondSource(config.ledger.second, config.ledger.networkPassphrase),
    }),
    routineHorizon: createHorizon(gatewayOf(config), 'routine'),
    runtime: createRuntime(config),
    // Containers wait for their engine most of the time.
    turns: createTurns(anchors.runtime.kind === 'processes' ? BUSY_AT_ONCE : Infinity),
    release: presentRelease(config),
    platform: createClient({ baseUrl: config.platformUrl, fetch: fetchPart, headers }),
    proxies: createProxies({ url: config.proxyAdminUrl, headers }),
    signer: createClient({
      fetch: comparingClocks('signer'),
      baseUrl: config.signer.url,
      headers: { 'x-service-secret': config.signer.secret },
    }),
    outbound: createOutbound({
      ingress: { suffix: anchors.domainSuffix, url: anchors.ingress },
      allowPrivate: config.local,
    }),
    readSecret: createSecretReader(config.secretsStore),
    faults: createFaults(config.work.faultPoint),
    ...given,
  }
}

export async function closeDeps({ outbound, anchorDatabases, database, runtime }: Deps): Promise<void> {
  runtime.close?.()
  await Promise.all([outbound.close(), anchorDatabases.end()])
  await database.close()
}

function openControlDatabase(config: Config, logger: FastifyBaseLogger): Database<Tables> {
  return openDatabase<Tables>(config.databaseUrl, {
    name: 'control-plane',
    // Each piece of work that runs alone holds a connection for its lock.
    max: 20 + config.work.concurrency,
    onError: error => logger.warn({ err: error }, 'a database connection was lost'),
  })
}

function openAnchorDatabases(config: Config, logger: FastifyBaseLogger): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withSearchPath(config.anchorsDatabaseUrl),
    application_name: 'control-plane',
    max: 3,
    connectionTimeoutMillis: 5_000,
    ...DEAD_PEER_DETECTION,
  })
  pool.on('error', error => logger.warn({ err: error }, 'a database connection was lost'))
  pool.on('connect', client => client.on('error', () => undefined))
  endFrozen(pool)
  return pool
}

function createRuntime({ anchors, local }: Config): Runtime {
  const { runtime, memory, programs = sources, compileCache, ...folders } = anchors
  if (runtime.kind === 'processes' && hasLauncher()) return delegateRuntime(askToStart, onServerEnded)
  if (runtime.kind === 'processes') {
    const common = { programs, memory, compileCache }
    const spares = createSpares({ ...common, count: anchors.programs ? anchors.spares : 0 })
    return createProcesses({ ...folders, ...common, spares, requireUsers: !local })
  }
  const { image, sepImage } = runtime
  const images = {
    sep: sepImage ? { image: sepImage } : { image, program: IMAGE_PROGRAMS.sep },
    business: { image, program: IMAGE_PROGRAMS.business },
  }
  return runtime.kind === 'swarm'
    ? createSwarm({ ...runtime, memory, images })
    : createDocker({ ...runtime, memory, images })
}

const askToStart: Delegate = askLauncher

const onServerEnded: Subscribe = ended =>
  onLauncherNotice(({ notice, detail }) => notice === 'server-ended' && ended(String(detail)))

function createSecretReader(store: Config['secretsStore']): Deps['readSecret'] {
  const client = new SecretsManagerClient({
    ...store,
    maxAttempts: 2,
    requestHandler: { httpsAgent: proxiedAgent() },
  })
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
