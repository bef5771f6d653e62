import { systemClock, type Clock } from '@windlass/service/clock.ts'
import { migrate, openDatabase, sharedMigrations } from '@windlass/service/database.ts'
import { createIdempotency } from '@windlass/service/idempotency.ts'
import { createOutbound } from '@windlass/service/outbound.ts'
import { createRate } from '@windlass/service/rates.ts'
import type { Running } from '@windlass/service/run.ts'
import type { Server } from '@windlass/service/server.ts'
import type { FastifyBaseLogger } from 'fastify'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { buildApp } from './app.ts'
import { BatchWriter } from './batch-writer.ts'
import type { Config } from './config.ts'
import type { Tables } from './database.ts'
import { watchDatabase } from './database-watch.ts'
import { demandingDatabase } from './demand-database.ts'
import type { Deps } from './deps.ts'
import { followDatabase } from './follow.ts'
import { discoveryUrl } from './handoff/address.ts'
import { Discoveries } from './handoff/discoveries.ts'
import { keepDomainsProven } from './handoff/keep-domains-proven.ts'
import { proveDomain } from './handoff/prove-domain.ts'
import { HealthFeed } from './health/feed.ts'
import { writeChecks, type Check } from './health/queries.ts'
import { holdShards } from './health/shards.ts'
import { startHealthWorker } from './health/worker.ts'
import { timeOrderedId } from './ids.ts'
import { startHousekeeping } from './housekeeping.ts'
import { constantRates } from './quotes/fx.ts'
import { openHolds } from './quotes/queries.ts'
import { reloadRegistry } from './registry/load.ts'
import { RegistryIndex } from './registry/registry-index.ts'
import { Corridors } from './routing/corridors.ts'
import { DecisionJournal } from './routing/journal.ts'
import { Policies } from './routing/policies.ts'

export const ownMigrations = fileURLToPath(new URL('./migrations/', import.meta.url))

/** A started aggregator; tests reach into it. */
export interface Aggregator extends Running {
  server: Server
  deps: Deps
}

/** Brings an aggregator up to where it answers, without binding a port. `clock` replaces the database's time. */
export async function open(config: Config, logger: FastifyBaseLogger, clock?: Clock): Promise<Aggregator> {
  const database = openDatabase<Tables>(config.databaseUrl, {
    name: 'aggregator',
    max: 12,
    onError: error => logger.warn({ err: error }, 'a database connection broke'),
  })
  const watch = await watchDatabase(database.pool, systemClock, logger)
  await migrate(database.pool, [sharedMigrations, ownMigrations])
  const time = clock ?? watch.clock
  const housekeeping = await startHousekeeping(database, time, logger)
  const index = new RegistryIndex({ requireDomainProof: config.requireDomainProof })
  const outbound = createOutbound(config.outbound)
  const policies = new Policies(database.db)
  const journal = new DecisionJournal(database.db, database.pool, logger)
  const feed = new HealthFeed(database, index, time)
  const checks = new BatchWriter<Check>({
    what: 'health checks',
    write: (items, batchId) => {
      feed.remember(batchId)
      return writeChecks(database.pool, items, batchId)
    },
    newBatchId: () => timeOrderedId(time.now()),
    everyMs: 250,
    size: 2_000,
    waiting: 100_000,
    logger,
  })
  await policies.reload()
  await reloadRegistry({ database, index, config })
  await feed.begin()
  for (const hold of await openHolds(database.db, time.now())) index.hold(hold)
  const shards = await holdShards(database.pool, randomUUID(), logger)
  const worker = startHealthWorker({
    index,
    outbound,
    clock: time,
    logger,
    pollSeconds: config.pollSeconds,
    share: shards,
    database: watch,
    record: check => checks.add(check),
  })
  const deps: Deps = {
    config,
    logger,
    clock: time,
    database,
    databaseUp: () => watch.up,
    fromDatabase: query => watch.read(query),
    index,
    corridors: new Corridors(index),
    policies,
    journal,
    fx: constantRates({ 'INR/USD': config.inrPerUsdc }),
    discoveries: new Discoveries({
      outbound,
      clock: time,
      urlOf: domain => discoveryUrl(domain, { local: config.local, ingress: config.outbound.ingress }),
    }),
    health: { probeNow: entry => worker.probeNow(entry), written: () => checks.flush() },
    proveDomain: entry => proveDomain(deps, entry),
    idempotency: demandingDatabase({ databaseUp: () => watch.up }, createIdempotency(database.pool)),
    firmQuoteRate: createRate(database.pool, 'firm-quotes', config.local ? 3_000 : 30, 300),
  }
  const following = followDatabase(deps, feed)
  const domains = keepDomainsProven({ index, logger, share: shards, prove: deps.proveDomain })
  const server = await buildApp(deps)
  return {
    server,
    deps,
    stop: async () => {
      await server.close()
      domains.stop()
      await worker.stop()
      await following.stop()
      housekeeping.stop()
      watch.stop()
      await Promise.all([checks.stop(), journal.stop()])
      await shards.stop()
      // A stranger's server must not keep us from stopping.
      await Promise.race([outbound.close(), sleep(1_000, undefined, { ref: false })])
      await database.close()
    },
  }
}

/** Starts the service. */
export async function start(config: Config, logger: FastifyBaseLogger): Promise<Running> {
  const aggregator = await open(config, logger)
  const port = await aggregator.server.listen(config.port, config.bindHost)
  logger.info({ port, anchors: aggregator.deps.index.size }, 'listening')
  return aggregator
}
