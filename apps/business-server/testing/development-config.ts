import { amountOf } from '@windlass/money/amount.ts'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { DEFAULT_MAX_FEE } from '@windlass/stellar/fees.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import type { Config } from '../config.ts'
import { detailsKeys } from '../details-keys.ts'
import { readRailSettings } from '../rails/settings.ts'

const LINK = 'l'.repeat(32)

/** The settings of an anchor of the asset MUMBAI in development, which reaches nothing. */
export function developmentConfig(
  databaseUrl: string,
  { issuer, distribution, signing }: Record<'issuer' | 'distribution' | 'signing', AccountKey>,
): Config {
  const anchor: AnchorConfig = {
    plan: {
      anchorId: 'mumbai00000000000000',
      organizationName: 'Mumbai Pay',
      businessEmail: 'ops@mumbai.example',
      subdomain: 'mumbai',
      homeDomain: 'mumbai.anchors.localhost',
      asset: { code: 'MUMBAI', name: 'Mumbai dollar', anchoredTo: 'USD', issued: '1000000' },
      rails: ['UPI', 'SEPA'],
      regions: ['IN'],
      settlement: 'instant',
      fees: { fixed: '0.5', percentage: '0.005' },
      limits: { min: '1', max: '10000' },
    },
    accounts: {
      issuer: issuer.publicKey,
      distribution: distribution.publicKey,
      signing: signing.publicKey,
    },
    publicUrl: 'http://mumbai.anchors.localhost',
    network: { passphrase: 'Test SDF Network ; September 2015', horizonUrl: 'http://localhost:1' },
    platformUrl: 'http://localhost:1',
    sepServerUrl: 'http://localhost:1',
    businessServerUrl: 'http://localhost:1',
    version: '0.1.0',
  }
  return {
    anchor,
    port: 0,
    bindHost: 'localhost',
    databaseUrl,
    databaseMayBeNewer: false,
    maxFee: DEFAULT_MAX_FEE,
    historyHorizonUrl: undefined,
    second: { horizonUrl: undefined, rpcUrl: undefined, limit: amountOf(0n) },
    archives: null,
    proofLimit: amountOf(0n),
    clamd: undefined,
    statements: undefined,
    signing: { seed: distribution.secret },
    secrets: { service: 's'.repeat(32), summary: 'm'.repeat(32), link: LINK, jwt: 'j'.repeat(32) },
    proxySecret: 'p'.repeat(32),
    ...detailsKeys({ DETAILS_KEY: `v1:${Buffer.alloc(32, 7).toString('base64')}` }, LINK),
    rails: readRailSettings({}, { rails: anchor.plan.rails, mainnet: false, fallbackSecret: 'r'.repeat(32) }),
    lists: { urls: new Map(), maxAgeDays: 7, without: 'wait' },
    fx: { INR: '88.50' },
    local: true,
    mainnet: false,
  }
}
