import { systemClock } from '@windlass/service/work/clock.ts'
import { openDatabase } from '@windlass/service/postgres/database.ts'
import { liveRatesFrom, type LiveRates } from '@windlass/service/outbound/exchange-rates.ts'
import { createIdempotency, type Idempotency } from '@windlass/service/http/idempotency.ts'
import { createOutbound, type Outbound } from '@windlass/service/outbound/outbound.ts'
import { createMemoryRate, createRate, type Rate } from '@windlass/service/http/rates.ts'
import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from './config.ts'
import { demandingDatabase } from './database/demand.ts'
import { watchDatabase, type DatabaseWatch } from './database/watch.ts'
import { discoveryUrl } from './discovery/address.ts'
import type { ExternalDeps } from './external/register.ts'
import type { HandoffDeps } from './handoff/deps.ts'
import { Discoveries } from './discovery/discoveries.ts'
import { proveDomain } from './handoff/prove-domain.ts'
import { readSleeping } from './health/asleep.ts'
import { HealthFeed } from './health/feed.ts'
import { applyTo, createProber, createProberThread, followIndex, type Prober } from './health/polling.ts'
import { conversionsFrom } from './plans/conversions.ts'
import type { PlanDeps } from './plans/make-plan.ts'
import type { QuotesDeps } from './quotes/deps.ts'
import { constantRates, liveRates } from './quotes/fx.ts'
import { RegistryIndex } from './registry/registry-index.ts'
import { Corridors } from './routing/corridors.ts'
import { DecisionJournal } from './routing/journal.ts'
import { Misses } from './routing/misses.ts'
import { Policies } from './routing/policies.ts'
import { Ranker } from './routing/ranker.ts'
import type { SignedLoginDeps } from './signed-logins/signed-logins.ts'
import type { Tables } from './tables.ts'
import type { TrustlineDeps } from './trustlines/trustline-state.ts'
import type { WebhookDeps } from './webhooks/deps.ts'

/** The dependencies of the aggregator. Each slice names the part that it needs. */
export interface Deps
  extends QuotesDeps, HandoffDeps, ExternalDeps, PlanDeps, WebhookDeps, SignedLoginDeps, TrustlineDeps {
  config: Config
  watch: DatabaseWatch
  feed: HealthFeed
  prober: Prober
  /** This process' share of the background work. */
  ownedShards: ReadonlySet<number>
  outbound: Outbound
  /** Null: they are fixed. */
  exchangeRates: LiveRates | null
  idempotency: Idempotency
  /** Requests without a credential that are not answered from memory alone, by client network. */
  clientRate: Rate
}

/** Builds what the aggregator needs. With a clock of the caller's own, anchors are probed in this thread, by that clock. */
export async function createDeps(
  config: Config,
  logger: FastifyBaseLogger,
  given: Partial<Deps> = {},
): Promise<Deps> {
  const database = openDatabase<Tables>(config.databaseUrl, {
    name: 'aggregator',
    max: 12,
    onError: error => logger.warn({ err: error }, 'a database connection broke'),
  })
  const watch = await watchDatabase(database, systemClock, logger, config.databaseAnswersWithinMs)
  const clock = given.clock ?? watch.clock
  const databaseUp = () => watch.up
  const index = new RegistryIndex({ requireDomainProof: config.requireDomainProof })
  const outbound = createOutbound(config.outbound)
  const ownedShards = new Set<number>()
  const { local } = config
  const urlOf = (domain: string) => discoveryUrl(domain, { local, ingress: config.outbound.ingress })
  const feed = new HealthFeed(database, index, clock)
  const listSleeping = readSleeping(config.controlPlaneUrl, config.serviceSecret)
  const prober = given.clock
    ? createProber(
        { database, watch, clock, outbound, logger, pollSeconds: config.pollSeconds, urlOf, listSleeping },
        applyTo(index, feed, ownedShards),
      )
    : createProberThread(threadData(config, logger), applyTo(index, feed, ownedShards), logger)
  const journal = new DecisionJournal(database.db, database.pool, clock, logger)
  const exchangeRates = liveRatesFrom(config.exchangeRates, clock, logger)
  const deps: Deps = {
    config,
    logger,
    clock,
    database,
    watch,
    databaseUp,
    fromDatabase: query => watch.read(query),
    index,
    feed,
    prober,
    ownedShards,
    outbound,
    corridors: new Corridors(index),
    ranker: new Ranker(logger),
    policies: new Policies(database.db),
    journal,
    misses: new Misses(index, journal),
    exchangeRates,
    fx: exchangeRates ? liveRates(exchangeRates) : constantRates(config.fixedRates),
    findConversions: config.ledger ? conversionsFrom(config.ledger) : null,
    clientRate: createMemoryRate('requests', local ? 6_000_000 : 6_000, 60),
    planRate: createRate(database.pool, 'transfer-plans', local ? 3_000 : 30, 60),
    discoveries: new Discoveries({ outbound, clock, urlOf }),
    urlOf,
    externalRate: createRate(database.pool, 'external-anchors', local ? 1_000 : 20, 86_400),
    health: followIndex(prober, index),
    proveDomain: entry => proveDomain(deps, entry),
    idempotency: demandingDatabase({ databaseUp }, createIdempotency(database.pool)),
    walletKeyRate: createRate(database.pool, 'wallet-keys', local ? 1_000 : 5, 86_400),
    callbackRate: createRate(database.pool, 'wallet-callbacks', 6_000, 3600),
    signedLoginRate: createRate(database.pool, 'signed-logins', local ? 3_000 : 30, 300),
    signedLoginCallbackRate: createRate(database.pool, 'signed-login-callbacks', local ? 3_000 : 30, 300),
    trustlineRate: createRate(database.pool, 'trustlines', local ? 6_000 : 60, 60),
    replayRate: createRate(database.pool, 'wallet-replays', 1_000, 3600),
    firmQuoteRate: createRate(database.pool, 'firm-quotes', local ? 3_000 : 30, 300),
    ...given,
  }
  return deps
}

const threadData = (config: Config, { level }: FastifyBaseLogger) => ({
  databaseUrl: config.databaseUrl,
  databaseAnswersWithinMs: config.databaseAnswersWithinMs,
  outbound: config.outbound,
  pollSeconds: config.pollSeconds,
  controlPlaneUrl: config.controlPlaneUrl,
  serviceSecret: config.serviceSecret,
  local: config.local,
  logLevel: level,
})

/** Stops the prober, writes what waits and closes what is open. */
export async function closeDeps({ prober, ranker, watch, journal, outbound, database }: Deps): Promise<void> {
  await prober.stop()
  await ranker.stop()
  await journal.stop()
  await watch.stop()
  // An anchor's server must not keep us from stopping.
  await Promise.race([outbound.close(), sleep(1_000, undefined, { ref: false })])
  await database.close()
}
