import { amountOf } from '@windlass/money/amount.ts'
import { Keypair } from '@stellar/stellar-sdk/base'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import type { Server } from '@windlass/service/http/server.ts'
import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { buildChallenge, type ChallengeRequest } from '@windlass/stellar/sep10-challenge.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { buildApp } from '../app.ts'
import { migrations } from '../tables.ts'
import type { Config } from '../config.ts'
import { createDeps, type Deps } from '../deps.ts'
import { challengeTerms } from '../sep10/challenges.ts'

export interface SepApp {
  server: Server
  deps: Deps
  signing: Keypair
  /** A challenge as the server makes it, at any time. */
  build(request: ChallengeRequest, now: Date): string
  close(): Promise<void>
}

export const testAnchor: AnchorConfig = {
  plan: {
    anchorId: 'mumbai00000000000000',
    organizationName: 'Mumbai Pay',
    businessEmail: 'ops@mumbai.example',
    subdomain: 'mumbai',
    homeDomain: 'mumbai.anchors.localhost',
    asset: { code: 'MUMBAI', name: 'Mumbai dollar', anchoredTo: 'USD', issued: '1000000' },
    rails: ['UPI', 'IMPS'],
    regions: ['IN'],
    settlement: 'instant',
    fees: { fixed: '0.5', percentage: '0.005' },
    limits: { min: '1', max: '10000' },
  },
  accounts: {
    issuer: Keypair.random().publicKey(),
    distribution: Keypair.random().publicKey(),
    signing: '',
  },
  publicUrl: 'http://mumbai.anchors.localhost',
  network: { passphrase: 'Test SDF Network ; September 2015', horizonUrl: 'http://localhost:1' },
  platformUrl: 'http://localhost:1',
  sepServerUrl: 'http://localhost:1',
  businessServerUrl: 'http://localhost:1',
  version: '0.1.0',
}

/** The SEP server's HTTP side on a database of its own, with whatever else replaced. */
export async function startSepApp(over: Partial<Deps> = {}, settings: Partial<Config> = {}): Promise<SepApp> {
  const signing = Keypair.random()
  const database = await testDatabase(...migrations)
  const config: Config = {
    anchor: testAnchor,
    stellarToml: '/nowhere/stellar.toml',
    port: 0,
    bindHost: 'localhost',
    databaseUrl: database.url,
    databaseMayBeNewer: false,
    signing: { seed: signing.secret() },
    jwtSecret: 'j'.repeat(32),
    detailsKeys: new Map([[1, Buffer.alloc(32, 7)]]),
    linkSecret: 'l'.repeat(32),
    proxySecret: 'p'.repeat(32),
    second: { horizonUrl: undefined, rpcUrl: undefined, limit: amountOf(0n) },
    local: true,
    ...settings,
  }
  const deps = createDeps(config, createLogger('sep-server', 'silent'), over)
  const server = await buildApp(deps)
  return {
    server,
    deps,
    signing,
    build: (request, now) =>
      buildChallenge(signerFromSeed(signing.secret()), challengeTerms(deps), request, now),
    close: async () => {
      await server.close()
      await deps.database.close()
      await database.drop()
    },
  }
}
