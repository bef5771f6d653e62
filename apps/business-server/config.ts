import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import { loadKycSettings, type KycSettings } from '@windlass/kyc-providers/settings.ts'
import { parseRate } from '@windlass/money/rate.ts'
import { readAnchorConfig } from '@windlass/service/anchor-file.ts'
import {
  ConfigError,
  deployment,
  integer,
  optional,
  required,
  secret,
  type Env,
} from '@windlass/service/env.ts'
import { createHmac } from 'node:crypto'
import type { FxRates } from './rates/exchange-rate.ts'

export interface Config {
  anchor: AnchorConfig
  port: number
  bindHost: string
  databaseUrl: string
  /** The distribution account's seed (`S…`): what pays on the ledger. */
  distributionSeed: string
  secrets: {
    /** To the platform's internal realm. */
    service: string
    /** What the health worker shows for the summary. */
    summary: string
    /** Between this server and the SEP server, as `X-Api-Key`. */
    link: string
    /** Signs wallets' tokens and the interactive pages'. */
    jwt: string
  }
  /** Signs the simulated rails' webhooks. */
  railSecret: string
  kyc: KycSettings | null
  fx: FxRates
  local: boolean
  mainnet: boolean
  /** Outside production: the point at which this process kills itself, for tests of recovery. */
  faultPoint?: string
}

/** Throws `ConfigError` naming the setting that is missing or wrong. */
export function loadConfig(env: Env): Config {
  const { local, mainnet } = deployment(env)
  const link = secret(env, 'LINK_SECRET')
  return {
    anchor: readAnchorConfig(required(env, 'ANCHOR_CONFIG')),
    port: integer(env, 'PORT', 8090),
    bindHost: optional(env, 'BIND_HOST') ?? 'localhost',
    databaseUrl: required(env, 'DATABASE_URL'),
    distributionSeed: required(env, 'DISTRIBUTION_KEY'),
    secrets: {
      service: secret(env, 'ANCHOR_SERVICE_SECRET'),
      summary: secret(env, 'SUMMARY_SECRET', 16),
      link,
      jwt: secret(env, 'SEP_JWT_SECRET'),
    },
    railSecret: createHmac('sha256', link).update('simulated rails').digest('hex'),
    kyc: optional(env, 'KYC_PROVIDER') === undefined ? null : loadKycSettings(env),
    fx: fxRates(env),
    local,
    mainnet,
    faultPoint: local ? optional(env, 'FAULT_POINT') : undefined,
  }
}

/** The constant of local development; others and other currencies by FX_RATE_<code>_USDC. */
const LOCAL_RATES = { INR: '88.50' }

function fxRates(env: Env): FxRates {
  const rates: Record<string, string> = { ...LOCAL_RATES }
  for (const [name, value] of Object.entries(env)) {
    const currency = /^FX_RATE_([A-Z]{3})_USDC$/.exec(name)?.[1]
    if (!currency || !value) continue
    try {
      if (parseRate(value).numerator > 0n) rates[currency] = value
    } catch {
      throw new ConfigError(`${name} must be a positive decimal number`)
    }
  }
  return rates
}
