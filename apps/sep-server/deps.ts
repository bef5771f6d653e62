import { systemClock, type Clock } from '@windlass/service/work/clock.ts'
import { openDatabase, type Database } from '@windlass/service/postgres/database.ts'
import { createOutbound, type Outbound } from '@windlass/service/outbound/outbound.ts'
import {
  createSecondSourceAsks,
  type SecondSourceAsks,
} from '@windlass/service/outbound/second-source-asks.ts'
import { createMemoryRate, createRate, type Rate } from '@windlass/service/http/rates.ts'
import { createSealer, type Sealer } from '@windlass/service/seals/seal.ts'
import { readAccount, type HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import { readMovements, type Movement } from '@windlass/stellar/movements.ts'
import { ledgerOf } from '@windlass/stellar/network.ts'
import { createSecondSource, type SecondSource } from '@windlass/stellar/second-source.ts'
import type { FastifyBaseLogger } from 'fastify'
import { createBusinessServer, type BusinessServer } from './clients/business-server.ts'
import { createTerms, type SettingsReader } from './clients/terms.ts'
import { createSigningKey, type SigningKey } from './clients/signing-key.ts'
import { createStellarRpc, type StellarRpc } from './clients/stellar-rpc.ts'
import type { Config } from './config.ts'
import type { WalletRates } from './requests/limits.ts'
import type { Tables } from './tables.ts'
import { pageLinks, type PageLinks } from './tokens/page-links.ts'
import { walletTokens, type WalletTokens } from './tokens/wallet-token.ts'

export interface Deps {
  config: Config
  logger: FastifyBaseLogger
  clock: Clock
  database: Database<Tables>
  signingKey: SigningKey
  tokens: WalletTokens
  pages: PageLinks
  outbound: Outbound
  business: BusinessServer
  /** The operator's settings. */
  terms: SettingsReader
  /** Encrypts customers' files and details until the business server has them, and where withdrawals go. */
  sealer: Sealer
  /** New transactions in an hour; `sendingAnchor`: of the account of one, in place of `account`. */
  newTransactions: WalletRates & { sendingAnchor: Rate }
  /** `PUT /customer` (SEP-12) in an hour, and the files that come with it. */
  customerChanges: WalletRates
  customerFiles: WalletRates
  /** Firm quotes (SEP-38) in an hour. */
  newQuotes: WalletRates
  /** SEP-10 and SEP-45 logins, by client address. */
  logins: Rate
  /** Challenges of SEP-10 and SEP-45, by client address: each is signed, and may read a wallet's discovery file. */
  challenges: Rate
  /** Other requests without a token that are not answered from memory, by client address. */
  clientRate: Rate
  /** Payments that one client asks the bank of a simulated rail for, in an hour. */
  sandboxPayments: Rate
  /** Changes of names (SEP-2) of one account in a day. */
  nameChanges: Rate
  /** Simulates the logins of contract accounts (SEP-45); null: they cannot log in. */
  rpc: StellarRpc | null
  /** Another Stellar RPC, which has to find the same; null: there is none. */
  secondRpc: Pick<StellarRpc, 'simulate'> | null
  /** The account on the ledger, or null. */
  readAccount(address: string): Promise<HorizonAccount | null>
  /** Has to agree who signs for an account; null: there is no second source of the ledger. */
  second: Pick<SecondSource, 'signersOf'> | null
  /** Taken before it, or the other Stellar RPC, is asked about a login. */
  secondAsks: SecondSourceAsks
  /** What a transaction moved; null: it is not on the ledger. */
  readMovements(hash: string): Promise<Movement[] | null>
}

/** A wallet with a domain has many customers, whom its server may begin transactions for. */
const NEW_TRANSACTIONS_AN_HOUR = { own: 100, domain: 20_000, domainClient: 4_000 }
const NEW_TRANSACTIONS_OF_SENDING_ANCHOR = 2_000
/** A customer needs a few changes: details, a code, a corrected field. A wallet with a domain has many customers. */
const CUSTOMER_CHANGES_AN_HOUR = { own: 600, domain: 20_000, domainClient: 20_000 }
/** Each has at most 10 MB, and is kept. A domain costs little: its client counts for much less than the domain. */
const CUSTOMER_FILES_AN_HOUR = { own: 40, domain: 1_000, domainClient: 400 }
/** A wallet may ask again whenever one expires, after five minutes. */
const NEW_QUOTES_AN_HOUR = { own: 600, domain: 20_000, domainClient: 20_000 }
/** Limit for one client: a wallet's server logs in for many customers. */
const LOGINS_AN_HOUR = 1_000
/** Limit for one client: many people may share an address. */
const CHALLENGES_A_MINUTE = 120
const REQUESTS_A_MINUTE = 600

/** What the service needs; `given` replaces parts, as tests do. */
export function createDeps(config: Config, logger: FastifyBaseLogger, given: Partial<Deps> = {}): Deps {
  const database =
    given.database ??
    openDatabase<Tables>(config.databaseUrl, {
      name: 'sep-server',
      max: 5,
      prepared: true,
      channels: ['outbox'],
      onError: error => logger.warn({ err: error }, 'an idle database connection was lost'),
    })
  const { contractLogin } = config.anchor.network
  const secondRpcUrl = contractLogin ? config.second.rpcUrl : undefined
  const business = given.business ?? createBusinessServer(config.anchor.businessServerUrl, config.linkSecret)
  // Everything on a developer's machine comes from one address.
  const own = (points: number) => points * (config.local ? 100 : 1)
  const rate = (name: string, points: number) => createRate(database.pool, name, points, 3600, 'in blocks')
  const ratesOf = (name: string, points: Record<'own' | 'domain' | 'domainClient', number>): WalletRates => ({
    domain: rate(`domain-${name}`, points.domain),
    domainClient: rate(`domain-network-${name}`, own(points.domainClient)),
    account: rate(`account-${name}`, own(points.own)),
    client: rate(`network-${name}`, own(points.own)),
  })
  return {
    config,
    logger,
    clock: systemClock,
    database,
    newTransactions: {
      ...ratesOf('transactions', NEW_TRANSACTIONS_AN_HOUR),
      // Accounts differ also where all clients have one address.
      account: rate('account-transactions', NEW_TRANSACTIONS_AN_HOUR.own),
      sendingAnchor: rate('client-transactions', NEW_TRANSACTIONS_OF_SENDING_ANCHOR),
    },
    customerChanges: ratesOf('customer-changes', CUSTOMER_CHANGES_AN_HOUR),
    customerFiles: ratesOf('customer-files', CUSTOMER_FILES_AN_HOUR),
    newQuotes: ratesOf('quotes', NEW_QUOTES_AN_HOUR),
    logins: createRate(database.pool, 'logins', LOGINS_AN_HOUR * (config.local ? 100 : 1), 3600, 'in blocks'),
    challenges: createMemoryRate('challenges', CHALLENGES_A_MINUTE * (config.local ? 1_000 : 1), 60),
    clientRate: createMemoryRate('requests', REQUESTS_A_MINUTE * (config.local ? 1_000 : 1), 60),
    sandboxPayments: createRate(database.pool, 'sandbox-payments', own(NEW_TRANSACTIONS_AN_HOUR.own), 3600),
    nameChanges: createRate(database.pool, 'federation-names', 20, 86_400),
    signingKey: createSigningKey(config),
    tokens: walletTokens(config.jwtSecret, config.anchor.publicUrl),
    pages: pageLinks(config.jwtSecret, config.anchor.publicUrl),
    business,
    terms: createTerms(business, config.anchor, logger),
    sealer: createSealer(config.detailsKeys),
    outbound: createOutbound({ allowPrivate: config.local }),
    rpc: contractLogin ? createStellarRpc(contractLogin.rpcUrl, given.clock ?? systemClock) : null,
    secondRpc: secondRpcUrl ? createStellarRpc(secondRpcUrl, given.clock ?? systemClock) : null,
    readAccount: address => readAccount(ledgerOf(config.anchor), address),
    second: createSecondSource(config.second, config.anchor.network.passphrase),
    secondAsks: createSecondSourceAsks(config.local ? 100 : 1),
    readMovements: hash => readMovements(ledgerOf(config.anchor), hash),
    ...given,
  }
}

export async function closeDeps({ outbound, database }: Deps): Promise<void> {
  await outbound.close()
  await database.close()
}
