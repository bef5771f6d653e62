import type { Clock } from '@windlass/service/clock.ts'
import type { Database } from '@windlass/service/database.ts'
import type { Sealer } from '@windlass/service/seal.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Tables } from './database.ts'
import type { Credentials } from './protocol/signature.ts'

export interface Deps {
  database: Database<Tables>
  sealer: Sealer
  credentials: Credentials
  /** The region in the ARNs. */
  region: string
  clock: Clock
  logger: FastifyBaseLogger
}
