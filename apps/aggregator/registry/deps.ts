import type { Clock } from '@windlass/service/work/clock.ts'
import type { Database } from '@windlass/service/postgres/database.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Tables } from '../tables.ts'
import type { Entry } from './entry.ts'
import type { RegistryIndex } from './registry-index.ts'

/** What the registry is given. */
export interface RegistryDeps {
  config: { sealer: Sealer }
  logger: FastifyBaseLogger
  /** On the database's time. */
  clock: Clock
  database: Database<Tables>
  /** False while it is away and answers come from memory alone. */
  databaseUp(): boolean
  /** What a query reads, or null while the database is away. */
  fromDatabase<T>(query: () => Promise<T>): Promise<T | null>
  index: RegistryIndex
  health: {
    probeNow(entry: Entry): Promise<void>
    /** Resolves once what was probed so far is recorded. */
    written(): Promise<void>
  }
  /** Reads an anchor's discovery file and records whether it carries the anchor's keys. */
  proveDomain(entry: Entry): Promise<void>
}
