import { loop } from '@windlass/service/work/loop.ts'
import type { Running } from '@windlass/service/process/run.ts'
import { keepDayPartitions } from './database/day-partitions.ts'
import type { Deps } from './deps.ts'
import { followDatabase } from './follow.ts'
import { countDays } from './health/queries.ts'
import { keepDomainsProven } from './handoff/keep-domains-proven.ts'
import { lookAtAnchors } from './seen/look-at-anchors.ts'
import { prunePlans } from './plans/queries.ts'
import { pruneQuotes } from './quotes/queries.ts'
import { pruneExternalAnchors } from './registry/register.ts'
import { pruneLogins } from './signed-logins/signed-logins.ts'
import { reportAvailability, statesOf } from './webhooks/availability.ts'
import { createWalletSender } from './webhooks/deliver.ts'
import { pruneDeliveries } from './webhooks/endpoints.ts'
import { pruneWalletKeys } from './webhooks/keys.ts'

const WEBHOOKS_MS = 2_000
const AVAILABILITY_MS = 30_000
const RATES_MS = 15_000
const LOGINS_MS = 60_000
const HOUR_MS = 3_600_000
const KEEP_MS = 30 * 24 * HOUR_MS

/** Every background task of the aggregator. */
export async function startWorkers(deps: Deps): Promise<Running> {
  const { database, clock, logger, index, prober, ownedShards } = deps
  await prober.start()
  const following = followDatabase(deps)
  const domains = keepDomainsProven({
    index,
    logger,
    share: { owns: shard => ownedShards.has(shard) },
    prove: deps.proveDomain,
  })
  const looks = lookAtAnchors(deps)
  const housekeeping = loop({
    name: 'housekeeping',
    everyMs: HOUR_MS,
    logger,
    async act() {
      await keepDayPartitions(database.pool, clock.now())
      await countDays(database.db, clock.now())
      await pruneExternalAnchors(database.db, clock.now())
      const before = new Date(clock.now().getTime() - KEEP_MS)
      await pruneWalletKeys(database.db)
      await pruneDeliveries(database.db)
      await pruneQuotes(database.db, before)
      await prunePlans(database.db, before)
    },
  })
  const logins = loop({
    name: 'signed logins',
    everyMs: LOGINS_MS,
    logger,
    act: () => pruneLogins(deps),
  })
  const sender = createWalletSender(deps)
  const webhooks = loop({ name: 'wallet webhooks', everyMs: WEBHOOKS_MS, logger, act: sender.round })
  const availability = loop({
    name: 'reported availability',
    everyMs: AVAILABILITY_MS,
    logger,
    act: () => reportAvailability(deps, statesOf(deps.index), clock.now()),
  })
  const rates = loop({
    name: 'exchange rates',
    everyMs: deps.exchangeRates ? RATES_MS : null,
    logger,
    act: async () => deps.exchangeRates?.refresh(),
  })
  return {
    stop: async () => {
      const all = [domains, looks, following, housekeeping, logins, webhooks, availability, rates]
      await Promise.all(all.map(worker => worker.stop()))
      await sender.stop()
    },
  }
}
