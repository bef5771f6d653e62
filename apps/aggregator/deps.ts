import type { Clock } from '@windlass/service/clock.ts'
import type { Database } from '@windlass/service/database.ts'
import type { Idempotency } from '@windlass/service/idempotency.ts'
import type { Rate } from '@windlass/service/rates.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import type { Tables } from './database.ts'
import type { Discoveries } from './handoff/discoveries.ts'
import type { FxProvider } from './quotes/fx.ts'
import type { Entry } from './registry/entry.ts'
import type { RegistryIndex } from './registry/registry-index.ts'
import type { Corridors } from './routing/corridors.ts'
import type { DecisionJournal } from './routing/journal.ts'
import type { Policies } from './routing/policies.ts'

/** What the slices are given. */
export interface Deps {
  config: Config
  logger: FastifyBaseLogger
  /** On the database's time. */
  clock: Clock
  database: Database<Tables>
  /** False while it is out of reach and answers come from memory alone. */
  databaseUp(): boolean
  /** What a query reads, or null while the database is out of reach. */
  fromDatabase<T>(query: () => Promise<T>): Promise<T | null>
  index: RegistryIndex
  corridors: Corridors
  policies: Policies
  journal: DecisionJournal
  fx: FxProvider
  discoveries: Discoveries
  health: {
    probeNow(entry: Entry): Promise<void>
    /** Resolves once what was probed so far is recorded. */
    written(): Promise<void>
  }
  proveDomain(entry: Entry): Promise<void>
  idempotency: Idempotency
  /** Firm quotes of one client: each holds an anchor's capacity. */
  firmQuoteRate: Rate
}
