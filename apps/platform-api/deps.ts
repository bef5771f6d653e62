import type { Client } from '@windlass/client/client.ts'
import { createKycProvider } from '@windlass/kyc-providers/create-provider.ts'
import type { KycProvider } from '@windlass/kyc-providers/provider.ts'
import { type Clock, systemClock } from '@windlass/service/work/clock.ts'
import { type Database, openDatabase } from '@windlass/service/postgres/database.ts'
import { liveRatesFrom, type LiveRates } from '@windlass/service/outbound/exchange-rates.ts'
import { type Faults, createFaults } from '@windlass/service/process/faults.ts'
import { createOutbound, type Outbound } from '@windlass/service/outbound/outbound.ts'
import { provingFetch } from '@windlass/service/http/platform-proof.ts'
import { type Sealer, createSealer } from '@windlass/service/seals/seal.ts'
import {
  createSecondSourceAsks,
  type SecondSourceAsks,
} from '@windlass/service/outbound/second-source-asks.ts'
import { createSecondSource, type SecondSource } from '@windlass/stellar/second-source.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import { type JobChanges, listenForJobs } from './infrastructure/job-changes.ts'
import { type SecretsStore, createSecretsStore } from './infrastructure/secrets-store.ts'
import { createServiceClient } from './infrastructure/services.ts'
import { type Tokens, createTokens } from './infrastructure/session-tokens.ts'
import { type Mailer, createMailer } from './infrastructure/mailer.ts'
import type { Tables } from './tables.ts'

/** What the slices need. Tests replace any of it. */
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
  /** An anchor's own business server, with that anchor's summary secret; to change something, with `proof` of us. */
  anchorServer(apiUrl: string, summarySecret: string, proofKey: Buffer): Client
  /** A page of the records of several anchors is shown after this time, without those that did not answer. */
  anchorAnswersWithinMs: number
  jobChanges: JobChanges
  faults: Faults
  /** For webhooks that operators named. */
  outbound: Outbound
  /** Null where no provider is configured. */
  kyc: { provider: KycProvider; webhookSecrets: readonly string[] } | null
  /** Null: they are fixed, and anchors have them in their configuration. */
  exchangeRates: LiveRates | null
  /** Has to agree who signs for an account; null: there is no second source of the ledger. */
  second: Pick<SecondSource, 'signersOf'> | null
  /** Taken before it is asked. */
  secondAsks: SecondSourceAsks
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
    controlPlane: given.controlPlane ?? createServiceClient(config.urls.controlPlane, config.serviceSecret),
    aggregator: given.aggregator ?? createServiceClient(config.urls.aggregator, config.serviceSecret),
    anchorServer: given.anchorServer ?? anchorServerClient(clock),
    anchorAnswersWithinMs: given.anchorAnswersWithinMs ?? 4_000,
    jobChanges: given.jobChanges ?? listenForJobs(database.url, logger),
    faults: given.faults ?? createFaults(config.faultPoint),
    outbound:
      given.outbound ?? createOutbound({ allowPrivate: config.allowPrivateAddresses, keepAlive: false }),
    kyc: given.kyc ?? kycOf(config, database),
    exchangeRates: given.exchangeRates ?? liveRatesFrom(config.exchangeRates, clock, logger),
    secondAsks: createSecondSourceAsks(config.rateFactor),
    second: given.second ?? createSecondSource(config.second, config.network.passphrase),
  }
}

/** More than any page; a server of an anchor that someone took over must not fill the platform's memory. */
const ANCHOR_ANSWER_BYTES = 8 * 1024 * 1024

const anchorServerClient =
  (clock: Clock): Deps['anchorServer'] =>
  (apiUrl, summarySecret, proofKey) =>
    createServiceClient(apiUrl, summarySecret, {
      ...{ maxBytes: ANCHOR_ANSWER_BYTES, send: provingFetch(proofKey, clock) },
    })

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
  await deps.outbound.close()
  deps.secrets.close()
  await deps.database.close()
}
