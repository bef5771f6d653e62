import { systemClock, type Clock } from '@windlass/service/work/clock.ts'
import { openDatabase, type Database } from '@windlass/service/postgres/database.ts'
import { createSealer } from '@windlass/service/seals/seal.ts'
import type { FastifyBaseLogger } from 'fastify'
import { createRecent, type Recent } from './anchors/recent.ts'
import { createKms } from './backends/aws-kms.ts'
import type { Backend } from './backends/backend.ts'
import { createLocal, type LocalBackend } from './backends/local.ts'
import { createVault, type Vault } from './backends/vault.ts'
import type { Config } from './config.ts'
import { sequencesOf, type Sequences } from './signing/sequences.ts'
import type { BackendName, Tables } from './tables.ts'

export interface Deps {
  config: Config
  logger: FastifyBaseLogger
  clock: Clock
  database: Database<Tables>
  /** `local` is always there: keys of earlier versions are imported into it. */
  backends: { local: LocalBackend; vault?: Vault } & Partial<Record<BackendName, Backend>>
  /** Sequence numbers of accounts, as the ledger has them. */
  sequences: Sequences
  recent: Recent
}

export function createDeps(config: Config, logger: FastifyBaseLogger, given: Partial<Deps> = {}): Deps {
  return {
    config,
    logger,
    clock: systemClock,
    database:
      given.database ??
      openDatabase<Tables>(config.databaseUrl, {
        name: 'signer',
        max: 10,
        prepared: true,
        onError: error => logger.warn({ err: error }, 'a database connection was lost'),
      }),
    backends: {
      local: createLocal(createSealer(config.keys)),
      ...(config.vault ? { vault: createVault(config.vault) } : {}),
      ...(config.kms ? { 'aws-kms': createKms(config.kms) } : {}),
    },
    sequences: sequencesOf(config.ledger),
    recent: createRecent(given.clock ?? systemClock),
    ...given,
  }
}

export const closeDeps = ({ database }: Deps): Promise<void> => database.close()
