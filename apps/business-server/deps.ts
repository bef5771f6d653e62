import { createKycProvider } from '@windlass/kyc-providers/create-provider.ts'
import type { KycProvider } from '@windlass/kyc-providers/provider.ts'
import type { KycSettings } from '@windlass/kyc-providers/settings.ts'
import { systemClock, type Clock } from '@windlass/service/clock.ts'
import { openDatabase, type Database } from '@windlass/service/database.ts'
import { createFaults, type Faults } from '@windlass/service/faults.ts'
import { createOutage, type Outage } from '@windlass/service/outage.ts'
import { createOutbound, type Outbound } from '@windlass/service/outbound.ts'
import { createSealer, type Sealer } from '@windlass/service/seal.ts'
import { createHorizon, type Horizon } from '@windlass/stellar/horizon.ts'
import type { FastifyBaseLogger } from 'fastify'
import { silentBells, type Bells } from './bells.ts'
import type { Config } from './config.ts'
import type { BusinessDatabase } from './database.ts'
import { createKeyVerifier, type KeyVerifier } from './developer-api/verify-key.ts'
import { createCentralRegistry, type CentralRegistry } from './kyc/central-registry.ts'
import { MOCK_PAGES } from './kyc/mock-pages.ts'
import { createRails } from './rails/adapters.ts'
import type { Rail } from './rails/rail.ts'
import { createPlatformApi, type PlatformApi } from './transfers/platform-api.ts'

export interface Deps {
  config: Config
  logger: FastifyBaseLogger
  clock: Clock
  database: Database<BusinessDatabase>
  horizon: Horizon
  /** The SEP server. */
  platform: PlatformApi
  central: CentralRegistry
  keys: KeyVerifier
  /** Null: no provider is configured; customers approved elsewhere still pass. */
  kyc: { provider: KycProvider; settings: KycSettings } | null
  rails: ReadonlyMap<string, Rail>
  /** Seals what customers told, under the key of this version; opens what older ones sealed. */
  sealer: Sealer
  sealVersion: number
  /** For developers' webhook endpoints. */
  outbound: Outbound
  bells: Bells
  /** The database's. */
  outage: Outage
  faults: Faults
}

export function createDeps(config: Config, logger: FastifyBaseLogger): Deps {
  const { anchor, secrets } = config
  const outage = createOutage(logger, 'the database does not answer')
  const database = openDatabase<BusinessDatabase>(config.databaseUrl, {
    name: 'business-server',
    // One Postgres serves many anchors. No act holds a connection while it waits for another.
    max: 3,
    onError: outage.met,
  })
  const mock = { pool: database.pool, pageUrl: anchor.publicUrl + MOCK_PAGES }
  return {
    config,
    logger,
    clock: systemClock,
    database,
    horizon: createHorizon(anchor.network.horizonUrl),
    platform: createPlatformApi(anchor.sepServerUrl, secrets.link),
    central: createCentralRegistry(anchor.platformUrl, secrets.service),
    keys: createKeyVerifier(anchor.platformUrl, secrets.service, anchor.plan.anchorId),
    kyc: config.kyc && { settings: config.kyc, provider: createKycProvider(config.kyc, mock) },
    rails: createRails(anchor, config.rails, database.db),
    sealer: createSealer(config.detailsKeys),
    sealVersion: [...config.detailsKeys.keys()][0] ?? 0,
    outbound: createOutbound({ allowPrivate: config.local }),
    bells: { ...silentBells },
    outage,
    faults: createFaults(config.faultPoint),
  }
}
