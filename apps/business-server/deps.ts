import { createServerSigner } from '@windlass/client/signer.ts'
import { systemClock, type Clock } from '@windlass/service/work/clock.ts'
import { openDatabase, type Database, type Db } from '@windlass/service/postgres/database.ts'
import { createFaults, type Faults } from '@windlass/service/process/faults.ts'
import { comparingClocks } from '@windlass/service/observe/clocks.ts'
import { createOutage, type Outage } from '@windlass/service/observe/outage.ts'
import { createOutbound, type Outbound } from '@windlass/service/outbound/outbound.ts'
import { createRate, type Rate } from '@windlass/service/http/rates.ts'
import { createClamd, type Scanner } from '@windlass/service/outbound/scanner.ts'
import { createBinder, type Binder } from '@windlass/service/seals/binding.ts'
import { createSealer, type Sealer } from '@windlass/service/seals/seal.ts'
import { type Proof, proveTransaction } from '@windlass/stellar/archive/prove.ts'
import { createHorizon, type Horizon } from '@windlass/stellar/horizon.ts'
import { ledgerOf } from '@windlass/stellar/network.ts'
import { createSecondSource } from '@windlass/stellar/second-source.ts'
import { seedSigner, type TransactionSigner } from '@windlass/stellar/keys.ts'
import { simulate, type Simulation } from '@windlass/stellar/stellar-rpc.ts'
import type { FastifyBaseLogger } from 'fastify'
import { EventEmitter } from 'node:events'
import { seenHolders } from './bank-files/find-lines.ts'
import { liveRatesOf } from './outgoing/clients/exchange-rates.ts'
import { type CustomerRegistry, createCustomerRegistry } from './outgoing/clients/customer-registry.ts'
import { createKeyActReporter, type KeyActReporter } from './outgoing/clients/key-act-reporter.ts'
import { type KeyVerifier, createKeyVerifier } from './outgoing/clients/key-verifier.ts'
import { type Notifier, createNotifier } from './outgoing/clients/notifier.ts'
import { type SepServer, createSepServer } from './outgoing/clients/sep-server.ts'
import type { Config } from './config.ts'
import { createRails } from './rails/adapters.ts'
import type { Rail } from './rails/rail.ts'
import type { Tables } from './tables.ts'
import { ApiRequests } from './workspace/api-requests/log.ts'
import { SepRuns } from './workspace/callbacks/sep-runs.ts'
import { unprovenMoney, type Unproven } from './workspace/reconciliation/unproven.ts'

/** New work for a loop, which would otherwise find it at its next round. */
export interface Wake {
  sepCalls: []
  ledgerPayments: []
  railOrders: []
  /** The ledger is to be read to its end. */
  ledger: []
  /** A statement was read. */
  bankLines: []
  /** The KYC status of a customer changed. */
  identified: []
  /** A sanctions list was loaded, or the threshold changed. */
  screening: []
  /** Something may have to be notified to the operators. */
  conditions: []
  /** A key changed something: the platform's audit log needs it. */
  keyActs: []
  /** A message of the travel rule is to be sent to a provider. */
  travelMessages: []
}

export interface Deps {
  config: Config
  logger: FastifyBaseLogger
  clock: Clock
  database: Database<Tables>
  /** For requests that move money. */
  horizon: Horizon
  /** For health checks, the summary and looks that come back: answered from memory under a rate limit. */
  routineHorizon: Horizon
  /** Simulates payments to contract accounts at Stellar RPC; null: they cannot be paid. */
  simulate: ((transaction: string) => Promise<Simulation>) | null
  /** The distribution account's key. */
  distribution: TransactionSigner
  /** Signs a statement with the anchor's signing key; null: this server reaches no signer. */
  signStatement: ((message: string) => Promise<Buffer>) | null
  /** A Horizon with full history, where one is configured. */
  history: Horizon | null
  /** Proves a transaction by validators' signatures; null: no archive is known. */
  prove: ((sought: { hash: string; ledger: number }) => Promise<Proof>) | null
  sepServer: SepServer
  sepRuns: SepRuns
  customerRegistry: CustomerRegistry
  keys: KeyVerifier
  notifier: Notifier
  /** What keys asked of the API, before it is stored. */
  apiRequests: ApiRequests
  keyActs: KeyActReporter
  /** Codes that are emailed in an hour: for one customer, and for one account with all its memos. */
  codes: { customer: Rate; account: Rate }
  /** Payments that the banks of simulated rails are asked for in an hour: for one deposit, and by one browser's network. */
  simulatedPayments: { deposit: Rate; client: Rate }
  rails: ReadonlyMap<string, Rail>
  /** Money that the journal has at rails, and neither a bank nor a provider says is there. */
  unproven(db: Db<Tables>): Promise<Unproven[]>
  /** Who holds an account by the bank's statements. */
  seenHolders: typeof seenHolders
  /** Encrypts personal data under the newest of `config.detailsKeys`; decrypts what older keys encrypted. */
  sealer: Sealer
  /** Proves rows that order money: a login to the database alone writes none. */
  binder: Binder
  /** Scans customers' files; null: none is configured. */
  scanner: Scanner | null
  /** For developers' webhook endpoints. */
  outbound: Outbound
  wake: EventEmitter<Wake>
  /** Asks for exchange rates again where they come from the platform. Never throws; before money is priced. */
  refreshRates(): Promise<void>
  /** For so long a round asks about payments that were set aside: while archives hang, nothing else of the ledger is read. */
  retriesWithinMs: number
  /** Logs when the database does not answer. */
  outage: Outage
  faults: Faults
}

const CODES_AN_HOUR = 5
const SIMULATED_AN_HOUR = 20

export function createDeps(config: Config, logger: FastifyBaseLogger, given: Partial<Deps> = {}): Deps {
  const { anchor, secrets } = config
  const outage = createOutage(logger, 'the database does not answer')
  const database =
    given.database ??
    openDatabase<Tables>(config.databaseUrl, {
      name: 'business-server',
      // One Postgres serves many anchors. No request holds a connection while it waits for another.
      max: 3,
      prepared: true,
      channels: ['due_work', 'outbox'],
      onError: outage.met,
    })
  const clock = given.clock ?? systemClock
  const ledger = ledgerOf(anchor)
  const rpcUrl = anchor.network.contractLogin?.rpcUrl
  const live = liveRatesOf(config, clock, logger)
  const { archives } = config
  const rails =
    given.rails ??
    createRails(anchor, config.rails, {
      ...{ db: database.db, clock, logger, providerUrl: config.railProviderUrl },
    })
  const second = createSecondSource(config.second, ledger.passphrase)
  return {
    config: live ? { ...config, fx: live.table } : config,
    refreshRates: () => live?.refresh() ?? Promise.resolve(),
    logger,
    clock,
    database,
    horizon: createHorizon(ledger, 'money', { historyUrl: config.historyHorizonUrl, second }),
    history: config.historyHorizonUrl ? createHorizon({ ...ledger, url: config.historyHorizonUrl }) : null,
    prove: archives ? sought => proveTransaction(archives, sought) : null,
    simulate: rpcUrl ? transaction => simulate(rpcUrl, transaction) : null,
    distribution:
      'seed' in config.signing
        ? seedSigner(config.signing.seed)
        : signerOf(config.signing).payments(anchor.accounts.distribution),
    signStatement: 'url' in config.signing ? signerOf(config.signing).statement : null,
    routineHorizon: given.horizon ?? createHorizon(ledger, 'routine'),
    sepServer: createSepServer(anchor.sepServerUrl, secrets.link),
    customerRegistry: createCustomerRegistry(anchor.platformUrl, secrets.service),
    notifier: createNotifier(anchor.platformUrl, secrets.service),
    apiRequests: new ApiRequests(),
    keyActs: createKeyActReporter(anchor.platformUrl, secrets.service),
    keys: createKeyVerifier(anchor.platformUrl, secrets.service, anchor.plan.anchorId),
    codes: {
      customer: createRate(database.pool, 'customer-codes', CODES_AN_HOUR, 3600),
      account: createRate(database.pool, 'account-codes', 10 * CODES_AN_HOUR, 3600),
    },
    simulatedPayments: {
      deposit: createRate(database.pool, 'simulated-payments', SIMULATED_AN_HOUR, 3600),
      // Everything on a developer's machine comes from one address.
      client: createRate(
        database.pool,
        'network-simulated-payments',
        5 * SIMULATED_AN_HOUR * (config.local ? 100 : 1),
        3600,
      ),
    },
    rails,
    unproven: db => unprovenMoney({ rails }, db),
    seenHolders,
    sealer: createSealer(config.detailsKeys),
    binder: createBinder(config.bindingKeys),
    scanner: config.clamd ? createClamd(config.clamd) : null,
    outbound: createOutbound({ allowPrivate: config.local }),
    sepRuns: new SepRuns(),
    wake: new EventEmitter(),
    retriesWithinMs: 10_000,
    outage,
    faults: createFaults(config.faultPoint),
    ...given,
  }
}

export async function closeDeps({ outbound, database }: Deps): Promise<void> {
  await outbound.close()
  await database.close()
}

const signerOf = ({ url, credential }: { url: string; credential: string }) =>
  createServerSigner(url, credential, { fetch: comparingClocks('signer') })
