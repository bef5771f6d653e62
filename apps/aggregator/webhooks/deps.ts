import type { Clock } from '@windlass/service/work/clock.ts'
import type { Database } from '@windlass/service/postgres/database.ts'
import type { Outbound } from '@windlass/service/outbound/outbound.ts'
import type { Rate } from '@windlass/service/http/rates.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { RegistryIndex } from '../registry/registry-index.ts'
import type { Tables } from '../tables.ts'

export interface WebhookDeps {
  config: { local: boolean; publicUrl: string; sealer: Sealer }
  database: Database<Tables>
  clock: Clock
  logger: FastifyBaseLogger
  index: RegistryIndex
  outbound: Outbound
  /** New keys, by client network. */
  walletKeyRate: Rate
  /** Callbacks of anchors, by key and anchor. */
  callbackRate: Rate
  /** Deliveries sent again, by key. */
  replayRate: Rate
}
