import type { Client } from '@windlass/client/client.ts'
import type { Runtime } from '@windlass/runtimes/runtime.ts'
import type { Clock } from '@windlass/service/clock.ts'
import type { Database } from '@windlass/service/database.ts'
import type { Faults } from '@windlass/service/faults.ts'
import type { Outbound } from '@windlass/service/outbound.ts'
import type { Sealer } from '@windlass/service/seal.ts'
import type { Horizon } from '@windlass/stellar/horizon.ts'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Config } from './config.ts'
import type { Tables } from './database.ts'

/** All that the control plane works with; tests put their own in the place of some. */
export interface Deps {
  config: Config
  database: Database<Tables>
  logger: FastifyBaseLogger
  /** The database's time. */
  clock: Clock
  /** Seals anchors' data keys. */
  master: Sealer
  horizon: Horizon
  runtime: Runtime
  /** The platform API and the reverse proxy, as a platform service. */
  platform: Client
  proxy: Client
  /** Reaches anchors as the public does. */
  outbound: Outbound
  /** The server on which anchors' databases lie. */
  anchorDatabases: pg.Pool
  /** A secret's text by its name in the secrets store; `null` where there is none. */
  readSecret(name: string): Promise<string | null>
  faults: Faults
  /** Delivers a due job to a worker, here or elsewhere. */
  wake(jobId: string): Promise<void>
}
