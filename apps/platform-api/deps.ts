import { createClient, type Client } from '@windlass/client/client.ts'
import { systemClock, type Clock } from '@windlass/service/clock.ts'
import { openDatabase, type Database } from '@windlass/service/database.ts'
import { createSealer, type Sealer } from '@windlass/service/seal.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import type { Tables } from './database.ts'
import { createMailer, type Mailer } from './mail/send.ts'
import { listenForJobs, type JobChanges } from './provisioning/changes.ts'
import { createSecretsStore, type SecretsStore } from './secrets/store.ts'
import { createTokens, type Tokens } from './sessions/tokens.ts'

/** All that the slices stand on. Tests put their own in place of any. */
export interface Deps {
  config: Config
  logger: FastifyBaseLogger
  clock: Clock
  database: Database<Tables>
  /** Under PLATFORM_KEY. */
  sealer: Sealer
  tokens: Tokens
  mailer: Mailer
  secrets: SecretsStore
  /** Both with the service secret. */
  controlPlane: Client
  aggregator: Client
  jobChanges: JobChanges
}

const NEIGHBOUR_TIMEOUT_MS = 10_000

export function createDeps(config: Config, logger: FastifyBaseLogger, given: Partial<Deps> = {}): Deps {
  const clock = given.clock ?? systemClock
  const database =
    given.database ??
    openDatabase<Tables>(config.database.url, {
      name: 'platform-api',
      max: 20,
      onError: error => logger.warn({ err: error }, 'idle database connection lost'),
    })
  return {
    config,
    logger,
    clock,
    database,
    sealer: given.sealer ?? createSealer(config.keyring),
    tokens: given.tokens ?? createTokens(config.tokens, config.urls.platform, clock),
    mailer: given.mailer ?? createMailer(config.mail.smtpUrl, config.mail.from),
    secrets: given.secrets ?? createSecretsStore(config.secretsStore),
    controlPlane: given.controlPlane ?? neighbour(config.urls.controlPlane, config.serviceSecret),
    aggregator: given.aggregator ?? neighbour(config.urls.aggregator, config.serviceSecret),
    jobChanges: given.jobChanges ?? listenForJobs(database.url, logger),
  }
}

function neighbour(baseUrl: string, serviceSecret: string): Client {
  return createClient({
    baseUrl,
    headers: { 'x-service-secret': serviceSecret },
    fetch: (url, init) =>
      fetch(url, { ...init, signal: AbortSignal.timeout(NEIGHBOUR_TIMEOUT_MS), redirect: 'error' }),
  })
}

/** Closes what {@link createDeps} opened. */
export async function closeDeps(deps: Deps): Promise<void> {
  await deps.jobChanges.stop()
  deps.mailer.close()
  deps.secrets.close()
  await deps.database.close()
}
