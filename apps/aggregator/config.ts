import {
  ConfigError,
  type Env,
  databaseAddress,
  deployment,
  flag,
  integer,
  optional,
  secret,
  url,
} from '@windlass/service/process/env.ts'
import { readFxRates } from '@windlass/service/process/fixed-rates.ts'
import { loadRateSettings, type RateSettings } from '@windlass/service/outbound/exchange-rates.ts'
import { installation } from '@windlass/service/http/installation.ts'
import type { Ingress } from '@windlass/service/outbound/outbound.ts'
import { parseRate, type Rate } from '@windlass/money/rate.ts'
import { createSealer, parseKeyring, type Sealer } from '@windlass/service/seals/seal.ts'
import { TEST_NETWORK, type LedgerSource } from '@windlass/stellar/network.ts'
import { hkdfSync } from 'node:crypto'

export interface Config {
  port: number
  bindHost: string
  databaseUrl: string
  serviceSecret: string
  /** Seals anchors' summary secrets at rest. */
  sealer: Sealer
  /** At which anchors reach it with callbacks, without a trailing slash. */
  publicUrl: string
  /** Its keys: the newest first. */
  sealKeys: Map<number, Buffer>
  /** A developer's machine: rates × 100, discovery files over plain http on loopback hosts. */
  local: boolean
  /** A sandbox says so on its pages. */
  sandbox: boolean
  outbound: { allowPrivate: boolean; ingress?: Ingress }
  /** Leaves anchors whose domain is not proven out of routing. */
  requireDomainProof: boolean
  pollSeconds: number
  /** The most anchors of other platforms in the registry; 0: none can register. */
  externalAnchors: number
  /** The most of one registered domain. */
  externalAnchorsPerSite: number
  /** Knows which anchors sleep; absent: each is asked itself. */
  controlPlaneUrl?: string
  /** Anchors of other networks are refused; absent: any. */
  networkPassphrase?: string
  /** Horizon, or the gateway before it, for paths between assets; absent: none are looked for. */
  ledger?: LedgerSource
  /** Units for one dollar, by code, where there is no source of rates. */
  fixedRates: Readonly<Record<string, Rate>>
  /** Null: the rate is fixed. */
  exchangeRates: RateSettings | null
  /** After so many milliseconds without an answer the database counts as away, and answers are made from memory. */
  databaseAnswersWithinMs: number
  proxySecret?: string
}

/** Throws {@link ConfigError} with one clear line. */
export function loadConfig(env: Env): Config {
  const { local, mainnet } = deployment(env)
  const serviceSecret = secret(env, 'SERVICE_SECRET')
  const sealKeys = sealKeysOf(optional(env, 'AGGREGATOR_KEY'), serviceSecret)
  return {
    sandbox: installation(env)?.kind === 'sandbox',
    port: integer(env, 'AGGREGATOR_PORT', 3005),
    bindHost: optional(env, 'BIND_HOST') ?? 'localhost',
    databaseUrl: databaseAddress(env, 'AGGREGATOR_DATABASE_URL'),
    serviceSecret,
    publicUrl: publicUrlOf(env),
    sealer: createSealer(sealKeys),
    sealKeys,
    local,
    outbound: { allowPrivate: flag(env, 'ALLOW_PRIVATE_ADDRESSES', local), ...ingressOf(env) },
    requireDomainProof: flag(env, 'REQUIRE_DOMAIN_PROOF', mainnet),
    pollSeconds: pollSecondsOf(env),
    ...controlPlaneOf(env),
    externalAnchors: integer(env, 'EXTERNAL_ANCHORS', 1_000),
    externalAnchorsPerSite: integer(env, 'EXTERNAL_ANCHORS_PER_SITE', local ? 1_000 : 5),
    networkPassphrase: optional(env, 'NETWORK_PASSPHRASE'),
    ...ledgerOf(env),
    fixedRates: fixedRatesOf(env, local),
    exchangeRates: loadRateSettings(env),
    databaseAnswersWithinMs: 2_000,
    proxySecret: optional(env, 'PROXY_SECRET'),
  }
}

function publicUrlOf(env: Env): string {
  const port = integer(env, 'AGGREGATOR_PORT', 3005)
  return url(env, 'AGGREGATOR_PUBLIC_URL', url(env, 'AGGREGATOR_URL', `http://localhost:${port}`))
}

/**
 * Without a key of its own the aggregator encrypts under one derived from the service secret, v1. It still decrypts where
 * a keyring without a v1 is set later.
 */
function sealKeysOf(keyring: string | undefined, serviceSecret: string): Map<number, Buffer> {
  const derived = hkdfSync('sha256', serviceSecret, '', 'windlass aggregator summary secrets', 32)
  if (keyring === undefined) return new Map([[1, Buffer.from(derived)]])
  try {
    const keys = parseKeyring(keyring)
    return keys.has(1) ? keys : keys.set(1, Buffer.from(derived))
  } catch (error) {
    throw new ConfigError(`AGGREGATOR_KEY: ${(error as Error).message}`)
  }
}

function ingressOf(env: Env): { ingress?: Ingress } {
  const suffix = optional(env, 'ANCHOR_DOMAIN_SUFFIX')
  if (suffix === undefined || optional(env, 'ANCHOR_INGRESS') === undefined) return {}
  return { ingress: { suffix, url: url(env, 'ANCHOR_INGRESS') } }
}

function controlPlaneOf(env: Env): { controlPlaneUrl?: string } {
  if (optional(env, 'CONTROL_PLANE_URL') === undefined) return {}
  return { controlPlaneUrl: url(env, 'CONTROL_PLANE_URL') }
}

function ledgerOf(env: Env): { ledger?: LedgerSource } {
  const name = ['LEDGER_GATEWAY_URL', 'HORIZON_URL'].find(each => optional(env, each) !== undefined)
  if (name === undefined) return {}
  return { ledger: { url: url(env, name), passphrase: optional(env, 'NETWORK_PASSPHRASE') ?? TEST_NETWORK } }
}

function pollSecondsOf(env: Env): number {
  const seconds = integer(env, 'HEALTH_POLL_SECONDS', 15)
  if (seconds < 1) throw new ConfigError('HEALTH_POLL_SECONDS must be at least 1')
  return seconds
}

/** As at the anchors' own servers; here INR has one in production too. */
function fixedRatesOf(env: Env, local: boolean): Config['fixedRates'] {
  const rates = readFxRates(env, local, { INR: '88.50' })
  return Object.fromEntries(Object.entries(rates).map(([code, text]) => [code, parseRate(text)]))
}
