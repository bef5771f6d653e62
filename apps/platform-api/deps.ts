import type { Client } from '@windlass/client/client.ts'
import { systemClock, type Clock } from '@windlass/service/clock.ts'
import { openDatabase, type Database } from '@windlass/service/database.ts'
import { createKycProvider } from '@windlass/kyc-providers/create-provider.ts'
import type { KycProvider } from '@windlass/kyc-providers/provider.ts'
import { createFaults, type Faults } from '@windlass/service/faults.ts'
import { createSealer, type Sealer } from '@windlass/service/seal.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import type { Tables } from './database.ts'
import { createMailer, type Mailer } from './mail/send.ts'
import { createNeighbour } from './neighbours.ts'
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
  /** An anchor's own business server, with that anchor's summary secret. */
  anchorServer(apiUrl: string, summarySecret: string): Client
  jobChanges: JobChanges
  faults: Faults
  /** Null where no provider is configured. */
  kyc: { provider: KycProvider; webhookSecrets: readonly string[] } | null
}

export function createDeps(config: Config, logger: FastifyBaseLogger, given: Partial<Deps> = {}): Deps {
  const clock = given.clock ?? systemClock
  const database =
    given.database ??
    openDatabase<Tables>(config.database.url, {
      name: 'platform-api',
      max: 20,
      prepared: true,
      onError: error => logger.warn({ err: error }, 'idle database connection lost'),
    })
  return {
    config,
    logger,
    clock,
    database,
    sealer: given.sealer ?? createSealer(config.keyring),
    tokens: given.tokens ?? createTokens(tokenKeys(config), config.urls.platform, clock),
    mailer: given.mailer ?? createMailer(config.mail.smtpUrl, config.mail.from),
    secrets: given.secrets ?? createSecretsStore(config.secretsStore),
    controlPlane: given.controlPlane ?? createNeighbour(config.urls.controlPlane, config.serviceSecret),
    aggregator: given.aggregator ?? createNeighbour(config.urls.aggregator, config.serviceSecret),
    anchorServer: given.anchorServer ?? createNeighbour,
    jobChanges: given.jobChanges ?? listenForJobs(database.url, logger),
    faults: given.faults ?? createFaults(config.faultPoint),
    kyc: given.kyc ?? kycOf(config, database),
  }
}

/** The administrator's credentials are part of that realm's key: changing them ends every session. */
export function tokenKeys({ tokens, admin }: Config): Config['tokens'] {
  return { ...tokens, admin: `${tokens.admin}:${admin.username}:${admin.password}` }
}

function kycOf({ kyc, urls }: Config, { pool }: Database<Tables>): Deps['kyc'] {
  if (!kyc) return null
  const provider = createKycProvider(kyc, { pool, pageUrl: `${urls.platform}/kyc/mock` })
  return { provider, webhookSecrets: kyc.webhookSecrets }
}

/** Closes what {@link createDeps} opened. */
export async function closeDeps(deps: Deps): Promise<void> {
  await deps.jobChanges.stop()
  deps.mailer.close()
  deps.secrets.close()
  await deps.database.close()
}
