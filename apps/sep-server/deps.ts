import { readAccount, type HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import { signerFromSeed, type Signer } from '@windlass/stellar/ed25519.ts'
import { createOutbound, type Outbound } from '@windlass/service/outbound.ts'
import { openDatabase, type Database } from '@windlass/service/database.ts'
import { createSealer, type Sealer } from '@windlass/service/seal.ts'
import { systemClock, type Clock } from '@windlass/service/clock.ts'
import type { FastifyBaseLogger } from 'fastify'
import { hkdfSync } from 'node:crypto'
import type { Config } from './config.ts'
import type { SepDatabase } from './database.ts'
import { createBusinessServer, type BusinessServer } from './business/business-server.ts'
import { pageLinks, type PageLinks } from './wallets/page-links.ts'
import { walletTokens, type WalletTokens } from './wallets/wallet-token.ts'

export interface Deps {
  config: Config
  logger: FastifyBaseLogger
  clock: Clock
  database: Database<SepDatabase>
  signer: Signer
  tokens: WalletTokens
  pages: PageLinks
  outbound: Outbound
  business: BusinessServer
  /** For customers' files that wait here. */
  fileSealer: Sealer
  /** The ledger's account, or null. */
  readAccount(address: string): Promise<HorizonAccount | null>
}

export function createDeps(config: Config, logger: FastifyBaseLogger): Deps {
  return {
    config,
    logger,
    clock: systemClock,
    database: openDatabase<SepDatabase>(config.databaseUrl, {
      name: 'sep-server',
      max: 5,
      onError: error => logger.warn({ err: error }, 'an idle database connection was lost'),
    }),
    signer: signerFromSeed(config.signingSeed),
    tokens: walletTokens(config.jwtSecret, config.anchor.publicUrl),
    pages: pageLinks(config.jwtSecret, config.anchor.publicUrl),
    business: createBusinessServer(config.anchor.businessServerUrl, config.linkSecret),
    fileSealer: createSealer(new Map([[1, fileKey(config.jwtSecret)]])),
    outbound: createOutbound({ allowPrivate: config.local }),
    readAccount: address => readAccount(config.anchor.network.horizonUrl, address),
  }
}

/** A key of its own from the anchor's secret: what signs tokens does not also encrypt (RFC 5869). */
const fileKey = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'windlass customer files', 32))
