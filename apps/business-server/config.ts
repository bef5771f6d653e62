import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import { readAnchorConfig } from '@windlass/service/anchor-file.ts'
import { deployment, integer, optional, required, secret, type Env } from '@windlass/service/env.ts'

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
  local: boolean
  mainnet: boolean
}

/** Throws `ConfigError` naming the setting that is missing or wrong. */
export function loadConfig(env: Env): Config {
  return {
    anchor: readAnchorConfig(required(env, 'ANCHOR_CONFIG')),
    port: integer(env, 'PORT', 8090),
    bindHost: optional(env, 'BIND_HOST') ?? 'localhost',
    databaseUrl: required(env, 'DATABASE_URL'),
    distributionSeed: required(env, 'DISTRIBUTION_KEY'),
    secrets: {
      service: secret(env, 'ANCHOR_SERVICE_SECRET'),
      summary: secret(env, 'SUMMARY_SECRET', 16),
      link: secret(env, 'LINK_SECRET'),
      jwt: secret(env, 'SEP_JWT_SECRET'),
    },
    ...deployment(env),
  }
}
